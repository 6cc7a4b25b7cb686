#include "ops.h"
#include "ops/composed.h"

namespace onetape::ops {

// ---- conv_tbc ----
Tensor conv_tbc(Body, const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
  check(self.dim() == 3, "Input must have 3 dims: time, batch, in_channel");
  check(weight.dim() == 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  check(bias.dim() == 1, "Bias must be 1-D");
  check(self.sizes()[2] == weight.sizes()[1],
        "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
  check(weight.sizes()[2] == bias.sizes()[0],
        "Bias size must equal dim 2 in the weight tensor (output channels).");
  if (self.dtype() == DType::Bool) {
    fail(ErrorKind::NotImplemented, "\"addmm_impl_cpu_\" not implemented for 'Bool'");
  }
  const auto parts = [pad](std::span<const Tensor> in) {
    const Tensor lines = permute(in[0], std::array<int64_t, 3>{1, 2, 0});
    const Tensor kernel = permute(in[1], std::array<int64_t, 3>{2, 1, 0});
    const std::array<int64_t, 1> one = {1};
    const Tensor found = conv1d(lines, kernel, in[2], one, IntSpan(&pad, 1));
    return contiguous(permute(found, std::array<int64_t, 3>{2, 0, 1}));
  };
  return composed("ConvTbcBackward0", std::array{self, weight, bias}, parts);
}

}  // namespace onetape::ops
