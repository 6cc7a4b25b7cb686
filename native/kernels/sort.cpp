#include "kernels/sort.h"

#include <algorithm>
#include <vector>

#include "kernels/lines.h"

namespace onetape {
namespace {

template <typename T>
struct Entry {
  T value;
  int64_t index;
};

template <typename C>
bool is_nan(C x) {
  return x != x;
}

/// Does a come before b?
template <typename C>
bool less(C a, C b) {
  return (!is_nan(a) && is_nan(b)) || a < b;
}
template <typename C>
bool greater(C a, C b) {
  return (is_nan(a) && !is_nan(b)) || a > b;
}

template <typename T>
void load_line(const T* from, int64_t step, std::vector<Entry<compute_t<T>>>* line) {
  for (size_t i = 0; i < line->size(); ++i) {
    (*line)[i] = {static_cast<compute_t<T>>(from[static_cast<int64_t>(i) * step]), static_cast<int64_t>(i)};
  }
}

/// Calls work(line) for every line of `in` along dim, and writes what then stands first in it.
template <typename T, typename F>
void through_lines(const Tensor& values, const Tensor& indices, const Tensor& in, int64_t dim, F work) {
  const int64_t n = in.sizes()[dim];
  const int64_t kept = values.sizes()[dim];
  for_lines<3>({values, indices, in}, dim, [&](const Walk<3>& at) {
    std::vector<Entry<compute_t<T>>> line(static_cast<size_t>(n));
    load_line(in.data<T>() + at[2], in.strides()[dim], &line);
    work(line);
    T* value = values.data<T>() + at[0];
    int64_t* index = indices.data<int64_t>() + at[1];
    for (int64_t i = 0; i < kept; ++i) {
      value[i * values.strides()[dim]] = static_cast<T>(line[i].value);
      index[i * indices.strides()[dim]] = line[i].index;
    }
  });
}

/// The first k of a line under an order. Which of several equal elements are taken is left to the library's
/// algorithms, chosen as PyTorch chooses them.
template <typename Line, typename Before>
void take_first(Line& line, size_t k, bool sorted, Before before) {
  const auto first = line.begin();
  const auto cut = first + static_cast<std::ptrdiff_t>(k);
  if (k * 64 <= line.size()) {
    std::partial_sort(first, cut, line.end(), before);
    return;
  }
  std::nth_element(first, cut - 1, line.end(), before);
  if (sorted) std::sort(first, cut - 1, before);
}

}  // namespace

void sort_lines(const Tensor& values, const Tensor& indices, const Tensor& in, int64_t dim, bool descending) {
  if (!values.has_data()) return;
  visit_real("sort", in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    through_lines<T>(values, indices, in, dim, [descending](auto& line) {
      if (descending) {
        std::stable_sort(line.begin(), line.end(),
                         [](const auto& a, const auto& b) { return greater(a.value, b.value); });
      } else {
        std::stable_sort(line.begin(), line.end(),
                         [](const auto& a, const auto& b) { return less(a.value, b.value); });
      }
    });
  });
}

void select_lines(const Tensor& values, const Tensor& indices, const Tensor& in, int64_t dim, bool largest,
                  bool sorted) {
  if (!values.has_data()) return;
  const int64_t k = values.sizes()[dim];
  if (k == 0) return;
  visit_real("topk_cpu", in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    through_lines<T>(values, indices, in, dim, [k, largest, sorted](auto& line) {
      const auto count = static_cast<size_t>(k);
      if (largest) {
        take_first(line, count, sorted,
                   [](const auto& a, const auto& b) { return greater(a.value, b.value); });
      } else {
        take_first(line, count, sorted, [](const auto& a, const auto& b) { return less(a.value, b.value); });
      }
    });
  });
}

void search_lines(const Tensor& places, const Tensor& lines, const Tensor& numbers, const Tensor& sorter,
                  bool right) {
  if (!places.has_data()) return;
  const int64_t n = lines.sizes().back();
  const int64_t per_line = lines.dim() == 1 ? numbers.numel() : numbers.sizes().back();
  visit_real("searchsorted_out_cpu", lines.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    for (int64_t i = 0; i < numbers.numel(); ++i) {
      const int64_t start = lines.dim() == 1 ? 0 : i / per_line * n;
      const C number = static_cast<C>(numbers.data<T>()[i]);
      const auto element = [&](int64_t k) {
        // Checked before, but another thread may write to it.
        const int64_t at =
            sorter.defined() ? std::clamp<int64_t>(sorter.data<int64_t>()[start + k], 0, n - 1) : k;
        return static_cast<C>(lines.data<T>()[start + at]);
      };
      int64_t low = 0;
      int64_t high = n;
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const C value = element(middle);
        const bool before = right ? !(value > number) : !(value >= number);
        (before ? low : high) = before ? middle + 1 : middle;
      }
      places.data<int64_t>()[i] = low;
    }
  });
}

}  // namespace onetape
