#include "autograd/function_gradient.h"

#include "autograd/meta.h"
#include "ops.h"

namespace onetape {
namespace {

/// Can a tensor of the sizes `from` be summed to one of the sizes `to`?
bool reduces_to(IntSpan from, IntSpan to) {
  if (from.size() < to.size()) return false;
  const IntSpan last = from.last(to.size());
  for (size_t i = 0; i < to.size(); ++i) {
    if (last[i] != to[i] && to[i] != 1) return false;
  }
  return true;
}

}  // namespace

Tensor fitting_gradient(const std::string& function, size_t index, Tensor gradient, IntSpan sizes,
                        DType dtype) {
  if (!same(gradient.sizes(), sizes)) {
    check(reduces_to(gradient.sizes(), sizes), "Function ", function,
          " returned an invalid gradient at index ", index, " - got ", gradient.shape(),
          " but expected shape compatible with ", Ints(sizes));
    gradient = ops::sum_to_size(gradient, sizes);
  }
  return known_to_none(gradient.dtype() == dtype ? std::move(gradient) : ops::to_dtype(gradient, dtype));
}

}  // namespace onetape
