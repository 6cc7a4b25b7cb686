#include "kernels/attention.h"

#include "kernels/pointwise_loops.h"
#include "kernels/row_sums.h"
#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

template <typename T>
struct Scores {
  static constexpr T kNone = -std::numeric_limits<T>::infinity();

  /// Scales a row, adds the mask, and hides what is not to be seen; returns the largest.
  static T finish(const ScoreBlock& b, int64_t r, T* row) {
    const T scale = static_cast<T>(b.scale);
    const T* mask = b.mask ? reinterpret_cast<const T*>(b.mask) + r * b.mask_row : nullptr;
    const int64_t seen = std::clamp<int64_t>(b.allowed + r, 0, b.columns);
    T lanes[kRowLanes];
    std::fill_n(lanes, kRowLanes, kNone);
    if (mask) {
#pragma GCC ivdep
      for (int64_t j = 0; j < seen; ++j) row[j] = row[j] * scale + mask[j * b.mask_column];
    } else {
#pragma GCC ivdep
      for (int64_t j = 0; j < seen; ++j) row[j] *= scale;
    }
    std::fill(row + seen, row + b.columns, kNone);
    int64_t j = 0;
    for (; j + kRowLanes <= b.columns; j += kRowLanes) {
      for (int l = 0; l < kRowLanes; ++l) lanes[l] = row[j + l] > lanes[l] ? row[j + l] : lanes[l];
    }
    T top = kNone;
    bool nan = false;
    for (; j < b.columns; ++j) top = row[j] > top ? row[j] : top;
    for (const T lane : lanes) top = lane > top ? lane : top;
    for (int64_t k = 0; k < b.columns; ++k) nan |= row[k] != row[k];
    return nan ? std::numeric_limits<T>::quiet_NaN() : top;
  }

  /// A product, so that what is no number stays none.
  static void drop(const ScoreBlock& b, int64_t r, T* row) {
    const uint8_t* kept = b.kept + r * b.kept_row;
    const T factor = static_cast<T>(b.kept_factor);
#pragma GCC ivdep
    for (int64_t j = 0; j < b.columns; ++j) row[j] *= static_cast<T>(kept[j]) * factor;
  }

  static void forward(const ScoreBlock& b) {
    T* tops = reinterpret_cast<T*>(b.top);
    T* sums = reinterpret_cast<T*>(b.sum);
    for (int64_t r = 0; r < b.rows; ++r) {
      T* row = reinterpret_cast<T*>(b.scores) + r * b.ld;
      T* out = reinterpret_cast<T*>(b.out) + r * b.value_size;
      const T block_top = finish(b, r, row);
      const T before = tops[r];
      const T top = block_top <= before ? before : block_top;
      if (top == kNone) {  // nothing is seen so far
        std::fill_n(row, b.columns, T(0));
        continue;
      }
#pragma GCC ivdep
      for (int64_t j = 0; j < b.columns; ++j) row[j] = vm::exp(row[j] - top);
      const T sum = static_cast<T>(add_up<T>(b.columns, [row](int64_t j) { return row[j]; }));
      if (b.kept) drop(b, r, row);
      const T factor = before == kNone ? T(0) : vm::exp(before - top);
      sums[r] = sums[r] * factor + sum;
      tops[r] = top;
      if (factor == T(1) || before == kNone) continue;
      for (int64_t j = 0; j < b.value_size; ++j) out[j] *= factor;
    }
  }

  static void backward(const ScoreBlock& b) {
    const T* lse = reinterpret_cast<const T*>(b.lse);
    const T* correction = reinterpret_cast<const T*>(b.correction);
    for (int64_t r = 0; r < b.rows; ++r) {
      T* row = reinterpret_cast<T*>(b.scores) + r * b.ld;
      T* grad = reinterpret_cast<T*>(b.grad) + r * b.ld;
      if (lse[r] == kNone) {
        std::fill_n(row, b.columns, T(0));
        std::fill_n(grad, b.columns, T(0));
        continue;
      }
      finish(b, r, row);
      const T shift = lse[r];
      const T sum = correction[r];
      if (b.kept) drop(b, r, grad);
#pragma GCC ivdep
      for (int64_t j = 0; j < b.columns; ++j) {
        row[j] = vm::exp(row[j] - shift);
        grad[j] = row[j] * (grad[j] - sum);
      }
      if (b.kept) drop(b, r, row);
    }
  }
};

template <typename F>
bool add(const char* name, F single, F twice) {
  return register_loop(kLevel, name, DType::F32, as_loop(single)) &&
         register_loop(kLevel, name, DType::F64, as_loop(twice));
}
[[maybe_unused]] const bool registered =
    add("attention_scores", &Scores<float>::forward, &Scores<double>::forward) &&
    add("attention_scores_backward", &Scores<float>::backward, &Scores<double>::backward);

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
