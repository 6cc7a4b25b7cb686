#pragma once

#include <cstdint>

#include "core/tensor.h"
#include "kernels/product_loops.h"

namespace onetape {

/// Can this CPU run the engine's own product of float matrices?
bool has_own_product();

/// Is that product the faster one? Few rows are not worth packing the factors, and OpenBLAS is as fast with
/// very large matrices.
constexpr bool own_product_pays(int64_t m, int64_t n, int64_t k) {
  constexpr double kMost = 1 << 29;
  return m >= 4 && n >= 4 && k >= 4 &&
         static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) <= kMost;
}

/// c = alpha · a · b + beta · c with rows of c dense, on the calling thread; c is not read where beta is
/// zero. Each element is summed in the same order whatever the sizes. With a `row`, that is added to each
/// row of c, beta times, and not what c holds.
void multiply(const Factor& a, const Factor& b, int64_t m, int64_t n, int64_t k, float* c, int64_t c_row,
              float alpha, float beta, const float* row = nullptr);

/// A right factor k × n packed once for many products.
class PackedFactor {
 public:
  PackedFactor(const Factor& b, int64_t k, int64_t n);
  /// c = a · b + beta · c for m rows, on the calling thread.
  void multiply(const Factor& a, int64_t m, float* c, int64_t c_row, float beta) const;

 private:
  int64_t k_;
  int64_t n_;
  Tensor memory_;
};

}  // namespace onetape
