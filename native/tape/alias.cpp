#include "tape/alias.h"

#include <array>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "ops.h"

namespace onetape::tape {
namespace {

void run_alias(Call& call) {
  const Tensor& base = call.tensor(0);
  const Ints& sizes = call.ints(1);
  const Ints& strides = call.ints(2);
  const int64_t distance = call.integer(3);
  const DType dtype = call.dtype(4);
  check(base.defined(), "alias: the base is an undefined tensor");
  const auto item = static_cast<int64_t>(item_size(dtype));
  const int64_t first = base.bytes() - static_cast<const char*>(base.storage()->data()) + distance;
  check(first >= 0 && first % item == 0 && sizes.size() == strides.size(), "alias: there is no such view");
  checked_numel(sizes, dtype);
  for (const int64_t stride : strides) check(stride >= 0, "alias: a stride is negative");
  check(within_storage(base.storage(), sizes, strides, first / item, dtype),
        "alias: the view leaves the memory of its base");
  Tensor view(TensorImpl::view(base.storage(), sizes, strides, first / item, dtype));
  share_version(view, base);
  call.give(std::move(view));
}

const Operator kOperators[] = {
    {"alias_of", "base,sizes,strides,distance,dtype", "tvvid", 1, run_alias, false, false, ""}};
const bool kKnown = register_operators(kOperators);

}  // namespace

const Operator& alias_operator() { return kOperators[0]; }

Tensor copy_of_form(const Tensor& t) {
  const GradModeGuard no_grad(false);
  return detach(ops::clone(t));
}

Tensor empty_of_form(const Slot& slot) {
  int64_t reach = checked_numel(slot.sizes, slot.dtype) > 0 ? 1 : 0;
  for (size_t d = 0; d < slot.sizes.size() && reach > 0; ++d) {
    int64_t step = 0;
    if (slot.strides[d] < 0 || __builtin_mul_overflow(slot.sizes[d] - 1, slot.strides[d], &step) ||
        __builtin_add_overflow(reach, step, &reach))
      fail(ErrorKind::Value, "Tape: the strides of a tensor are none");
  }
  const int64_t bytes =
      checked_numel(std::array{reach}, slot.dtype) * static_cast<int64_t>(item_size(slot.dtype));
  return Tensor(TensorImpl::view(Storage::allocate(static_cast<size_t>(bytes)), slot.sizes, slot.strides, 0,
                                 slot.dtype));
}

}  // namespace onetape::tape
