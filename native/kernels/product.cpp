#include "kernels/product.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "kernels/registry.h"

namespace onetape {
namespace {

constexpr int64_t kBlockColumns = 1024;

struct Loops {
  PackLoop pack_left = nullptr;
  PackLoop pack_right = nullptr;
  ProductLoop multiply = nullptr;
};

const Loops& loops() {
  static const Loops found = [] {
    if (!find_kernel("packed_product").has_loop(DType::F32)) return Loops{};
    return Loops{find_function<PackLoop>("pack_left", DType::F32),
                 find_function<PackLoop>("pack_right", DType::F32),
                 find_function<ProductLoop>("packed_product", DType::F32)};
  }();
  return found;
}

/// Parts of [0, n) of nearly one size, none above `most`.
struct Parts {
  Parts(int64_t n, int64_t most) : n(n), count((n + most - 1) / most) {}
  /// Of a part; 0 after the last.
  int64_t size_of_next(int64_t part) const { return part + 1 < count ? size(part + 1) : 0; }
  int64_t begin(int64_t part) const { return n / count * part + std::min(part, n % count); }
  int64_t size(int64_t part) const { return begin(part + 1) - begin(part); }
  int64_t largest() const { return size(0); }

  int64_t n;
  int64_t count;
};

Tensor room(int64_t elements) { return Tensor::empty(Ints{elements}, DType::F32); }
float* floats(const Tensor& t) { return reinterpret_cast<float*>(t.bytes()); }

Factor from(const Factor& f, int64_t i, int64_t j) {
  return {f.data + i * f.row + j * f.column, f.row, f.column};
}

/// For more columns packing the left factor pays.
constexpr int64_t kFewColumns = 512;

/// Can a tile read rows of a left factor as they stand? It goes along all of them at once, so their places
/// have to fit the nearest cache, which keeps 8 lines or more of those that are a multiple of 4096 bytes
/// apart: one is left to the right factor.
bool rows_fit_cache(const Factor& a) {
  constexpr int64_t kSets = 64;
  constexpr int64_t kLine = 16;
  constexpr int kMost = 7;
  if (a.column != 1) return false;
  std::array<int, kSets> lines{};
  for (int64_t i = 0; i < kTileRows; ++i) {
    if (++lines[static_cast<size_t>(i * std::abs(a.row) / kLine % kSets)] > kMost) return false;
  }
  return true;
}

/// What products of one left factor with packed blocks of the right one share.
class Left {
 public:
  Left(const Factor& a, int64_t m, int64_t k)
      : a_(a), parts_(m, kBlockRows), memory_(room(packed_left_size(parts_.largest(), k))) {}

  /// c = alpha · a · right + beta · add for columns [begin, begin + what.k) of a; `more` columns come next.
  void multiply(PackedProduct what, int64_t begin, int64_t more) const {
    float* const c = what.c;
    const float* const add = what.add;
    const bool in_place = what.n <= kFewColumns && rows_fit_cache(a_);
    what.left_row = in_place ? a_.row : 0;
    for (int64_t part = 0; part < parts_.count; ++part) {
      what.m = parts_.size(part);
      what.c = c + parts_.begin(part) * what.c_row;
      what.add = add + parts_.begin(part) * what.add_row;
      const Factor rows = from(a_, parts_.begin(part), begin);
      what.left = in_place ? rows.data : floats(memory_);
      if (!in_place) loops().pack_left(rows, what.m, what.k, floats(memory_));
      what.next = part + 1 < parts_.count ? block(part + 1, begin, what.k) : block(0, begin + what.k, more);
      loops().multiply(what);
    }
  }

 private:
  NextRead block(int64_t part, int64_t begin, int64_t k) const {
    if (k == 0) return {};
    const Factor f = from(a_, parts_.begin(part), begin);
    if (f.row == 1) return {f.data, f.column, k, parts_.size(part)};
    if (f.column == 1) return {f.data, f.row, parts_.size(part), k};
    return {};
  }

  const Factor a_;
  const Parts parts_;
  const Tensor memory_;
};

}  // namespace

bool has_own_product() { return loops().multiply != nullptr; }

void multiply(const Factor& a, const Factor& b, int64_t m, int64_t n, int64_t k, float* c, int64_t c_row,
              float alpha, float beta, const float* row) {
  const Parts depth(k, kBlockDepth);
  const Parts width(n, kBlockColumns);
  const Left left(a, m, depth.largest());
  const Tensor right = room(packed_right_size(depth.largest(), width.largest()));
  for (int64_t j = 0; j < width.count; ++j) {
    for (int64_t p = 0; p < depth.count; ++p) {
      loops().pack_right(from(b, depth.begin(p), width.begin(j)), depth.size(p), width.size(j),
                         floats(right));
      const bool adds_row = row && p == 0;
      left.multiply({.right = floats(right),
                     .n = width.size(j),
                     .k = depth.size(p),
                     .c = c + width.begin(j),
                     .c_row = c_row,
                     .alpha = alpha,
                     .beta = p == 0 ? beta : 1.0F,
                     .add = (adds_row ? row : c) + width.begin(j),
                     .add_row = adds_row ? 0 : c_row},
                    depth.begin(p), depth.size_of_next(p));
    }
  }
}

PackedFactor::PackedFactor(const Factor& b, int64_t k, int64_t n)
    : k_(k), n_(n), memory_(room(packed_right_size(k, n))) {
  const Parts depth(k, kBlockDepth);
  for (int64_t p = 0; p < depth.count; ++p) {
    const int64_t begin = depth.begin(p);
    loops().pack_right(from(b, begin, 0), depth.size(p), n, floats(memory_) + packed_right_size(begin, n));
  }
}

void PackedFactor::multiply(const Factor& a, int64_t m, float* c, int64_t c_row, float beta) const {
  const Parts depth(k_, kBlockDepth);
  const Left left(a, m, depth.largest());
  for (int64_t p = 0; p < depth.count; ++p) {
    const int64_t begin = depth.begin(p);
    left.multiply({.right = floats(memory_) + packed_right_size(begin, n_),
                   .n = n_,
                   .k = depth.size(p),
                   .c = c,
                   .c_row = c_row,
                   .alpha = 1,
                   .beta = p == 0 ? beta : 1.0F,
                   .add = c,
                   .add_row = c_row},
                  begin, depth.size_of_next(p));
  }
}

}  // namespace onetape
