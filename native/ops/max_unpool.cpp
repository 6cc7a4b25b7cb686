#include <algorithm>

#include "ops.h"
#include "ops/copy.h"

namespace onetape::ops {
namespace {

void check_unpool(const Tensor& self, const Tensor& indices, IntSpan output_size) {
  const bool plane = output_size.size() == 2;
  const int64_t dims = std::ssize(output_size);
  check(indices.dtype() == DType::I64,
        "elements in indices should be type int64 but got: ", scalar_type_name(indices.dtype()));
  check(self.dim() == dims + 1 || self.dim() == dims + 2, "Input to max_unpooling", dims, "d should be a ",
        dims + 1, "d or ", dims + 2, "d Tensor, but got a tensor with ", self.dim(), " dimensions.");
  check(same(self.sizes(), indices.sizes()),
        "Expected shape of indices to be same as that of the input tensor (", self.shape(),
        ") but got indices tensor with shape: ", indices.shape());
  for (int64_t d = self.dim() == dims + 2 ? 1 : 0; d < self.dim(); ++d) {
    check(
        self.sizes()[static_cast<size_t>(d)] > 0, "max_unpooling", dims,
        "d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but input has ",
        "sizes ", self.shape(), " with dimension ", d, " being empty");
  }
  check(std::ranges::all_of(output_size, [](int64_t size) { return size >= 0; }), "max_unpooling", dims,
        "d(): output_size must contain non-negative spatial dimensions, but got output_size=",
        ShapeText{output_size});
  if (!is_floating(self.dtype())) {
    fail(ErrorKind::NotImplemented, "\"max_unpool", plane ? "2d" : "3d", "\" not implemented for '",
         scalar_type_name(self.dtype()), "'");
  }
}

/// The last dimensions as one.
Tensor flat(const Tensor& t, int64_t planes) {
  return reshape(t, Ints{planes, planes == 0 ? 0 : t.numel() / planes});
}

/// The elements at their places in planes of zeros.
Tensor unpool(const char* node, const Tensor& self, const Tensor& indices, IntSpan output_size) {
  check_unpool(self, indices, output_size);
  const auto lead = static_cast<size_t>(self.dim() - std::ssize(output_size));
  Ints sizes(self.sizes().first(lead));
  int64_t planes = 1;
  for (const int64_t size : sizes) planes *= size;
  sizes.append(output_size);
  const int64_t plane = checked_numel(output_size, self.dtype());
  const Tensor at = dense(indices);
  std::string volume;
  for (const int64_t size : output_size) volume += (volume.empty() ? "" : "x") + std::to_string(size);
  for (int64_t i = 0; at.has_data() && i < at.numel(); ++i) {
    const int64_t place = at.data<int64_t>()[i];
    check(place >= 0 && place < plane, "Found an invalid max index: ", place, " (output volumes are of size ",
          volume, ")");
  }
  const Tensor places = flat(at, planes);
  Tensor result;
  {
    const GradModeGuard no_grad(false);
    const Tensor none = zeros(Ints{planes, plane}, Options{.dtype = self.dtype()});
    result = reshape(scatter(none, 1, places, flat(self, planes)), sizes);
  }
  if (!recording(self)) return result;
  return record(result, node, {self}, saving(save(places)), [planes, in_sizes = self.shape()](Backward& g) {
    g.set(0, reshape(gather(flat(g.grad(), planes), 1, g.saved(0)), in_sizes));
  });
}

}  // namespace

// ---- max_unpool2d ----
Tensor max_unpool2d(Body, const Tensor& self, const Tensor& indices, IntSpan output_size) {
  check(output_size.size() == 2,
        "There should be exactly two elements (height, width) in output_size, but got ", output_size.size(),
        " elements.");
  return unpool("MaxUnpool2DBackward0", self, indices, output_size);
}

// ---- max_unpool3d ----
Tensor max_unpool3d(Body, const Tensor& self, const Tensor& indices, IntSpan output_size, IntSpan stride,
                    IntSpan padding) {
  const auto check_three = [](const char* name, const char* but, IntSpan values) {
    check(values.size() == 3, "There should be exactly three elements (depth, height, width) in ", name,
          ", but got", but, " ", values.size(), " elements.");
  };
  check_three("output_size", "", output_size);
  check_three("stride", ":", stride);
  check_three("padding", ":", padding);
  check(std::ranges::all_of(stride, [](int64_t step) { return step > 0; }),
        "strides should be greater than zero, but got stride: ", ShapeText{stride});
  return unpool("MaxUnpool3DBackward0", self, indices, output_size);
}

}  // namespace onetape::ops
