#include "kernels/where.h"

#include <array>

#include "ops.h"
#include "ops/creation.h"
#include "ops/promotion.h"

namespace onetape {

// ---- where ----
Tensor impl::where(Target to, const Tensor& condition, const Tensor& self, const Tensor& other) {
  check(condition.dtype() == DType::Bool || condition.dtype() == DType::U8,
        "where expected condition to be a boolean tensor, but got a tensor with dtype ",
        scalar_type_name(condition.dtype()));
  const DType dtype = result_type({self, other});
  for (const Tensor& choice : {self, other}) {
    const bool rounds = dtype == DType::F16 || dtype == DType::BF16;  // to infinity, if need be
    if (choice.impl()->wrapped_number() && !rounds) check_convertible(item(choice), dtype);
  }
  const Tensor mask = ops::to_dtype(condition, DType::Bool);
  const Ints shape = broadcast_shapes(broadcast_shapes(mask.sizes(), self.sizes()), other.sizes());
  const bool recorded = is_differentiable(dtype) && recording(self, other);
  to.check_recording(recorded);
  std::array<Tensor, 2> choices = {ops::to_dtype(self, dtype), ops::to_dtype(other, dtype)};
  for (Tensor& t : choices) {
    if (recorded && tracked(t) && !same(t.sizes(), shape)) t = ops::expand(t, shape);
  }
  const std::array<const Tensor*, 3> operands = {&condition, &self, &other};
  if (!to.is_fresh()) to.check_partly_apart(operands);
  Tensor result = Tensor::empty(shape, dtype);
  if (result.has_data()) {
    std::array<LoopOperand, 4> loop;
    loop[0] = {result.bytes(), loop_strides(shape, result.strides(), result.item_bytes(), shape)};
    loop[1] = {mask.bytes(), loop_strides(mask.sizes(), mask.strides(), 1, shape)};
    for (size_t i = 0; i < 2; ++i) {
      const Tensor& t = choices[i];
      loop[i + 2] = {t.bytes(), loop_strides(t.sizes(), t.strides(), t.item_bytes(), shape)};
    }
    run_loop(shape, loop, where_loop(dtype));
  }
  result = to.deliver(result);
  if (!recorded) return result;
  return record(std::move(result), "WhereBackward0", {choices[0], choices[1]}, saving(save(mask)),
                [](Backward& g) {
                  const Tensor zero = wrapped_number(0);
                  const Tensor where_true = g.saved(0);
                  if (g.needs(0)) g.set(0, ops::where(where_true, g.grad(), zero));
                  if (g.needs(1)) g.set(1, ops::where(where_true, zero, g.grad()));
                });
}

}  // namespace onetape
