#include "kernels/reduce.h"

namespace onetape {

void reduce_sum(const Tensor& out, const Tensor& in) {
  const Ints steps = [&] {
    Ints s(out.strides());
    for (int d = 0; d < out.dim(); ++d) s[d] = out.sizes()[d] == 1 ? 0 : s[d];
    return s;
  }();
  visit_all(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const size_t n = in.sizes().size();
    Ints index(n, 0);
    T* to = out.data<T>();
    const T* from = in.data<T>();
    for (int64_t left = in.numel(); left > 0; --left) {
      *to = static_cast<T>(*to + *from);
      for (size_t d = n; d-- > 0;) {
        to += steps[d];
        from += in.strides()[d];
        if (++index[d] < in.sizes()[d]) break;
        to -= steps[d] * in.sizes()[d];
        from -= in.strides()[d] * in.sizes()[d];
        index[d] = 0;
      }
    }
  });
}

}  // namespace onetape
