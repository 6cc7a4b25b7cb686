#include "kernels/nonzero.h"

namespace onetape {
namespace {

template <typename T>
bool is_set(const T& value) {
  return convert<bool>(value);
}

/// Calls found(index) for every element that is not zero, in row-major order.
template <typename T, typename F>
void for_nonzero(const Tensor& t, F found) {
  if (t.numel() == 0) return;
  const IntSpan sizes = t.sizes();
  const IntSpan strides = t.strides();
  const size_t n = sizes.size();
  Ints index(n, 0);
  const T* at = t.data<T>();
  for (int64_t left = t.numel(); left > 0; --left) {
    if (is_set(*at)) found(index);
    for (size_t d = n; d-- > 0;) {
      at += strides[d];
      if (++index[d] < sizes[d]) break;
      at -= strides[d] * sizes[d];
      index[d] = 0;
    }
  }
}

}  // namespace

int64_t nonzero_count(const Tensor& t) {
  return visit_all(t.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    int64_t count = 0;
    if (t.is_contiguous()) {
      const T* at = t.data<T>();
      for (int64_t i = 0; i < t.numel(); ++i) count += is_set(at[i]) ? 1 : 0;
    } else {
      for_nonzero<T>(t, [&](const Ints&) { ++count; });
    }
    return count;
  });
}

void write_nonzero(const Tensor& t, int64_t* to, int64_t count, int64_t element_step, int64_t dim_step) {
  int64_t left = count;
  const auto write = [&](const Ints& index) {
    if (left == 0) return;
    for (size_t d = 0; d < index.size(); ++d) to[static_cast<int64_t>(d) * dim_step] = index[d];
    to += element_step;
    --left;
  };
  visit_all(t.dtype(), [&](auto tag) { for_nonzero<typename decltype(tag)::type>(t, write); });
  const Ints none(t.sizes().size(), 0);
  while (left > 0) write(none);
}

}  // namespace onetape
