#include "kernels/scatter.h"

namespace onetape {

void add_strided(const Tensor& memory, int64_t offset, IntSpan sizes, IntSpan strides, const Tensor& source) {
  if (!memory.has_data()) return;
  const IntSpan steps = source.strides();
  visit_all(memory.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const size_t n = sizes.size();
    Ints index(n, 0);
    T* to = memory.data<T>() + offset;
    const T* from = source.data<T>();
    for (int64_t left = source.numel(); left > 0; --left) {
      *to = static_cast<T>(*to + *from);
      for (size_t d = n; d-- > 0;) {
        to += strides[d];
        from += steps[d];
        if (++index[d] < sizes[d]) break;
        to -= strides[d] * sizes[d];
        from -= steps[d] * sizes[d];
        index[d] = 0;
      }
    }
  });
}

}  // namespace onetape
