#include "kernels/median.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"

namespace onetape {
namespace {

template <typename T>
int64_t median_position(const T* row, int64_t n, std::vector<T>& scratch) {
  const auto is_nan = [](T x) { return static_cast<compute_t<T>>(x) != static_cast<compute_t<T>>(x); };
  const T* nan = std::find_if(row, row + n, is_nan);
  if (nan != row + n) return nan - row;
  const auto less = [](T a, T b) { return static_cast<compute_t<T>>(a) < static_cast<compute_t<T>>(b); };
  scratch.assign(row, row + n);
  const auto middle = scratch.begin() + (n - 1) / 2;
  std::nth_element(scratch.begin(), middle, scratch.end(), less);
  const T value = *middle;
  // Of equal elements the one that a stable sort would put there.
  int64_t place = (n - 1) / 2 - std::count_if(row, row + n, [&](T x) { return less(x, value); });
  const auto is_it = [&](T x) {
    return static_cast<compute_t<T>>(x) == static_cast<compute_t<T>>(value) && place-- == 0;
  };
  return std::find_if(row, row + n, is_it) - row;
}

}  // namespace

void median_rows(const char* op, DType dtype, const char* in, int64_t rows, int64_t n, char* values,
                 int64_t* indices) {
  constexpr int64_t kGrain = 8192;
  if (dtype == DType::Bool) fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for 'Bool'");
  visit_real(op, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      parallel_for(rows, std::max<int64_t>(kGrain / n, 1), [&](int64_t begin, int64_t end) {
        std::vector<T> scratch;
        for (int64_t r = begin; r < end; ++r) {
          const T* row = reinterpret_cast<const T*>(in) + r * n;
          const int64_t position = median_position(row, n, scratch);
          reinterpret_cast<T*>(values)[r] = row[position];
          if (indices) indices[r] = position;
        }
      });
    }
  });
}

}  // namespace onetape
