#include "kernels/multinomial.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/random.h"

namespace onetape {
namespace {

/// Running sums of a row, scaled so that the last is 1.
template <typename T>
void cumulative(const T* row, int64_t n, std::vector<compute_t<T>>* sums) {
  using C = compute_t<T>;
  C sum(0);
  for (int64_t i = 0; i < n; ++i) {
    const C weight = static_cast<C>(row[i]);
    check(weight >= 0, "invalid multinomial distribution (encountering probability entry < 0)");
    check(std::isfinite(weight),
          "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    sum += weight;
    (*sums)[i] = sum;
  }
  check(sum > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
  for (int64_t i = 0; i < n; ++i) (*sums)[i] /= sum;
}

}  // namespace

void draw_with_replacement(const Tensor& indices, const Tensor& weights, Generator& generator) {
  if (!indices.has_data()) return;
  const int64_t columns = weights.sizes().back();
  const int64_t samples = indices.sizes().back();
  visit_floating("multinomial", weights.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<compute_t<T>> sums(static_cast<size_t>(columns));
    int64_t* to = indices.data<int64_t>();
    for (const T* row = weights.data<T>(); row != weights.data<T>() + weights.numel(); row += columns) {
      cumulative(row, columns, &sums);
      for (int64_t i = 0; i < samples; ++i) {
        const double drawn = uniform_double(generator);
        const auto at = std::partition_point(sums.begin(), sums.end(),
                                             [drawn](auto sum) { return static_cast<double>(sum) < drawn; });
        *to++ = std::min<int64_t>(at - sums.begin(), columns - 1);
      }
    }
  });
}

void take_largest_ratios(const Tensor& indices, const Tensor& weights, const Tensor& waiting) {
  if (!indices.has_data()) return;
  const int64_t columns = weights.sizes().back();
  const int64_t samples = indices.sizes().back();
  visit_floating("multinomial", weights.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    std::vector<C> ratios(static_cast<size_t>(columns));
    std::vector<int64_t> order(static_cast<size_t>(columns));
    int64_t* to = indices.data<int64_t>();
    for (int64_t start = 0; start < weights.numel(); start += columns) {
      for (int64_t i = 0; i < columns; ++i) {
        const C ratio =
            static_cast<C>(weights.data<T>()[start + i]) / static_cast<C>(waiting.data<T>()[start + i]);
        ratios[i] = static_cast<C>(static_cast<T>(ratio));
      }
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + samples, order.end(), [&](int64_t a, int64_t b) {
        return ratios[a] > ratios[b] || (ratios[a] == ratios[b] && a < b);
      });
      to = std::copy_n(order.begin(), samples, to);
    }
  });
}

}  // namespace onetape
