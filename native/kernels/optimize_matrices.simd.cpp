// Sums of squares of rows and columns, for optimizers that keep no more of a matrix.

#include "kernels/optimize_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

/// Puts the sum of the squares of n elements that lie side by side, which is of the type of calculation, into
/// the first operand. The order is that of PyTorch's norm on most CPUs: lanes of 32 bytes, then lane by lane,
/// then what is left, four by four and at last one by one in steps that round once.
template <typename T>
struct RowSquares {
  static void loop(char* const* data, const int64_t*, int64_t n, const Scalar*) {
    using C = compute_t<T>;
    constexpr int64_t kLanes = 32 / sizeof(C);
    const T* row = reinterpret_cast<const T*>(data[1]);
    const auto at = [row](int64_t i) { return static_cast<C>(row[i]); };
    std::array<C, kLanes> sums{};
    const int64_t whole = n - n % kLanes;
    for (int64_t i = 0; i < whole; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) sums[k] += at(i + k) * at(i + k);
    }
    C sum = 0;
    for (const C lane : sums) sum += lane;
    int64_t i = whole;
    if (n - i >= 4) {
      for (const int64_t end = i + 4; i < end; ++i) sum += at(i) * at(i);
    }
    for (; i < n; ++i) sum = std::fma(at(i), at(i), sum);
    *reinterpret_cast<C*>(data[0]) = sum;
  }
};

/// Adds the squares of n elements that lie side by side to the sums in the first operand, one each.
template <typename T>
struct ColumnSquares {
  static void loop(char* const* data, const int64_t*, int64_t n, const Scalar*) {
    using C = compute_t<T>;
    C* sums = reinterpret_cast<C*>(data[0]);
    const T* row = reinterpret_cast<const T*>(data[1]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const C value = static_cast<C>(row[i]);
      sums[i] = std::fma(value, value, sums[i]);
    }
  }
};

template <template <typename> typename Loop>
struct Squares {
  explicit Squares(std::string_view name) { add(name, Floats()); }

 private:
  template <typename... T>
  static void add(std::string_view name, Types<T...>) {
    (
        [&] {
          if constexpr (wanted<T>) register_loop(kLevel, name, dtype_of<T>, &Loop<T>::loop);
        }(),
        ...);
  }
};

const Squares<RowSquares> row_squares("row_squares");
const Squares<ColumnSquares> column_squares("column_squares");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
