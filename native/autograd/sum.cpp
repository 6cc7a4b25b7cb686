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

namespace {

/// Single numbers of the CPU, which need no kernel; false if they are of another kind.
bool add_number(const Tensor& sum, const Tensor& gradient) {
  using Traits = TensorImpl::Traits;
  constexpr uint64_t kKind =
      Traits{.ndim = 0xff, .dtype = DType{0xff}, .place = 0xff, .contiguous = false}.word();
  constexpr uint64_t kFloat = Traits{.dtype = DType::F32, .contiguous = false}.word();
  constexpr uint64_t kDouble = Traits{.dtype = DType::F64, .contiguous = false}.word();
  const uint64_t kind = sum.impl()->traits().word() & kKind;
  if ((gradient.impl()->traits().word() & kKind) != kind) return false;
  char* const to = sum.impl()->address();
  const char* const from = gradient.address();
  if (kind == kFloat) {
    *reinterpret_cast<float*>(to) += *reinterpret_cast<const float*>(from);
  } else if (kind == kDouble) {
    *reinterpret_cast<double*>(to) += *reinterpret_cast<const double*>(from);
  } else {
    return false;
  }
  bump_version(sum);
  return true;
}

}  // namespace

bool add_small_gradient(const Tensor& sum, const Tensor& gradient, int64_t most) {
  if (thread_modes.watcher) [[unlikely]]
    return false;  // a tape wants to see the addition
  if (add_number(sum, gradient)) return true;
  const bool plain = sum.dtype() == gradient.dtype() && sum.is_contiguous() && gradient.is_contiguous() &&
                     same(sum.sizes(), gradient.sizes()) && sum.numel() <= most && sum.has_data() &&
                     gradient.has_data();
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
