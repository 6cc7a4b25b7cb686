#include "ops.h"

namespace onetape::ops {

// ---- local_response_norm ----
Tensor local_response_norm(Body, const Tensor& input, int64_t size, double alpha, double beta, double k) {
  check_value(input.dim() >= 3, "Expected 3D or higher dimensionality                          input (got ",
              input.dim(), " dimensions)");
  if (input.numel() == 0) return input;
  const IntSpan sizes = input.sizes();
  const Tensor squares = mul(input, input);
  Tensor means;
  const std::array<int64_t, 1> one = {1};
  if (input.dim() == 3) {  // channels are lines of an image, whose columns are the places
    const std::array<int64_t, 4> around = {0, 0, size / 2, (size - 1) / 2};
    const std::array<int64_t, 2> window = {size, 1};
    means = squeeze(avg_pool2d(pad(unsqueeze(squares, 1), around), window, one), 1);
  } else {
    const std::array<int64_t, 6> around = {0, 0, 0, 0, size / 2, (size - 1) / 2};
    const std::array<int64_t, 3> window = {size, 1, 1};
    const Tensor volume = reshape(squares, Ints{sizes[0], 1, sizes[1], sizes[2], -1});
    means = reshape(squeeze(avg_pool3d(pad(volume, around), window, one), 1), sizes);
  }
  return div(input, pow(add(mul(means, Scalar(alpha)), Scalar(k)), wrapped_number(Scalar(beta))));
}

}  // namespace onetape::ops
