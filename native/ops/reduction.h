#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/tensor.h"

namespace onetape {

/// Which dimensions a reduction goes over.
class ReducedDims {
 public:
  /// Every dimension if `dim` is absent or empty. Wraps negative dims; IndexError out of range, RuntimeError
  /// twice.
  ReducedDims(const Tensor& self, std::optional<IntSpan> dim);
  static ReducedDims none() { return {}; }
  static ReducedDims all(const Tensor& self) { return {self, std::nullopt}; }
  static ReducedDims one(const Tensor& self, int64_t dim) { return {self, IntSpan(&dim, 1)}; }

  uint64_t bits() const { return bits_; }
  bool has(size_t d) const { return bits_ >> d & 1; }
  bool every() const { return every_; }
  /// How many elements go into one result.
  int64_t count(IntSpan sizes) const;
  /// Shape of the result.
  Ints shape(IntSpan sizes, bool keepdim) const;
  /// The reduced dimensions in rising order.
  Ints list(IntSpan sizes) const;

 private:
  ReducedDims() = default;

  uint64_t bits_ = 0;
  bool every_ = false;
};

/// Undoes a reduction's change of shape: puts the reduced dimensions back, with size 1 (a public view
/// operator).
Tensor with_reduced(const Tensor& reduced, const ReducedDims& dims, IntSpan sizes);
/// The same, repeated to the full sizes.
Tensor expand_reduced(const Tensor& reduced, const ReducedDims& dims, IntSpan sizes);

/// Runs the reduction kernel of that name for self's dtype; `dtype` is what it gives. No graph.
Tensor reduce(std::string_view kernel, const Tensor& self, const ReducedDims& dims, bool keepdim, DType dtype,
              const Scalar* params = nullptr);
/// The same with two outputs; an absent second dtype leaves the second out.
std::array<Tensor, 2> reduce_pair(std::string_view kernel, const Tensor& self, const ReducedDims& dims,
                                  bool keepdim, DType first, std::optional<DType> second,
                                  const Scalar* params = nullptr);

/// Gradient of a result that is one of self's elements: shared evenly among all that equal it (NaN equals
/// NaN).
Tensor share_gradient(const Tensor& grad, const Tensor& self, const Tensor& result);
/// Gradient of results that are self's elements at `indices` along dim.
Tensor place_gradient(const Tensor& grad, int64_t dim, const Tensor& indices, IntSpan sizes, bool keepdim);

}  // namespace onetape
