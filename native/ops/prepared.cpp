#include "ops/prepared.h"

#include "autograd/mode.h"
#include "ops.h"
#include "ops/copy.h"

namespace onetape {

DType inner_dtype(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : dtype; }

Tensor prepared(const Tensor& t) {
  if (!t.defined()) return t;
  const GradModeGuard no_grad(false);
  return dense(ops::to_dtype(t, inner_dtype(t.dtype())));
}

}  // namespace onetape
