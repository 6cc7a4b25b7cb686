#include "kernels/counting.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace onetape {

Tensor distinct(const Tensor& t, const Tensor* inverse, Tensor* counts) {
  const int64_t n = t.numel();
  return visit_real("unique", t.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    const T* at = t.data<T>();
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [at](int64_t a, int64_t b) {
      const auto x = static_cast<C>(at[a]);
      const auto y = static_cast<C>(at[b]);
      return (x == x && y != y) || x < y;
    });
    std::vector<T> values;
    std::vector<int64_t> times;
    for (const int64_t i : order) {
      if (values.empty() || static_cast<C>(values.back()) != static_cast<C>(at[i])) {
        values.push_back(at[i]);
        times.push_back(0);
      }
      ++times.back();
      if (inverse) inverse->data<int64_t>()[i] = static_cast<int64_t>(values.size()) - 1;
    }
    const Ints shape{static_cast<int64_t>(values.size())};
    Tensor out = Tensor::empty(shape, t.dtype());
    std::copy(values.begin(), values.end(), out.data<T>());
    if (counts) {
      *counts = Tensor::empty(shape, DType::I64);
      std::copy(times.begin(), times.end(), counts->data<int64_t>());
    }
    return out;
  });
}

}  // namespace onetape
