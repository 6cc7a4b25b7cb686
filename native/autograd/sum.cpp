#include "autograd/sum.h"

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "kernels/registry.h"
#include "ops.h"

namespace onetape {

void add_gradient(const Tensor& sum, const Tensor& gradient) {
  constexpr int64_t kSmall = 32768;
  if (add_small_gradient(sum, gradient, kSmall)) return;
  const GradModeGuard mode(false);
  ops::add_(sum, gradient);
}

bool add_small_gradient(const Tensor& sum, const Tensor& gradient, int64_t most) {
  const bool plain = sum.dtype() == gradient.dtype() && sum.is_contiguous() && gradient.is_contiguous() &&
                     same(sum.sizes(), gradient.sizes()) && sum.numel() <= most;
  if (!plain) return false;
  static const Kernel& kernel = find_kernel("add");
  static const Scalar alpha = 1;
  const auto step = static_cast<int64_t>(sum.item_bytes());
  char* const data[] = {sum.bytes(), sum.bytes(), gradient.bytes()};
  const int64_t strides[] = {step, step, step};
  kernel.loop(sum.dtype())(data, strides, sum.numel(), &alpha);
  bump_version(sum);
  return true;
}

}  // namespace onetape
