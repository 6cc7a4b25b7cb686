#include <algorithm>

#include "ops.h"
#include "ops/copy.h"
#include "ops/view.h"

namespace onetape::ops {

// ---- constant_pad_nd ----
Tensor constant_pad_nd(Body, const Tensor& self, IntSpan pad, const Scalar& value) {
  check(pad.size() % 2 == 0, "Length of pad must be even but instead it equals ", pad.size());
  check(std::ssize(pad) <= 2 * self.dim(),
        "Length of pad should be no more than twice the number of dimensions of the input. Pad length is ",
        pad.size(), "while the input has ", self.dim(), "dimensions.");
  Ints sizes = self.shape();
  Ints kept = self.shape();  // what remains of self, and where it begins here and there
  int64_t from = self.storage_offset();
  int64_t to = 0;
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const size_t d = sizes.size() - 1 - i;
    const int64_t before = pad[2 * i];
    const int64_t after = pad[2 * i + 1];
    kept[d] += std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    check(kept[d] >= 0, "narrow(): length must be non-negative.");
    check(!__builtin_add_overflow(sizes[d], before, &sizes[d]) &&
              !__builtin_add_overflow(sizes[d], after, &sizes[d]),
          "constant_pad_nd: the padded size of dimension ", d, " is too large");
  }
  Tensor result = Tensor::empty(sizes, self.dtype());
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const size_t d = sizes.size() - 1 - i;
    from += std::max<int64_t>(-pad[2 * i], 0) * self.strides()[d];
    to += std::max<int64_t>(pad[2 * i], 0) * result.strides()[d];
  }
  {
    const GradModeGuard no_grad(false);
    if (!same(kept, sizes)) fill_(result, value);
    if (checked_numel(kept, self.dtype()) > 0)
      copy_elements(make_view(result, kept, result.strides(), to),
                    make_view(self, kept, self.strides(), from));
  }
  if (!recording(self) || !is_differentiable(self.dtype())) return result;
  Ints back(pad);
  for (int64_t& number : back) number = -number;
  return record(result, "ConstantPadNdBackward0", {self},
                [back](Backward& g) { g.set(0, constant_pad_nd(g.grad(), back, Scalar(0))); });
}

// ---- pad ----
namespace {

/// Padding by elements of the tensor itself: which one of a dimension each index of the result shows.
struct Source {
  int64_t dim;
  Tensor indices;
};

Tensor pick(const Tensor& self, const std::vector<Source>& sources) {
  Tensor result = self;
  for (const Source& s : sources) result = index_select(result, s.dim, s.indices);
  return result;
}

/// The transposed map of pick.
Tensor put_back(const Tensor& grad, const std::vector<Source>& sources, IntSpan sizes) {
  Tensor result = grad;
  for (size_t i = sources.size(); i-- > 0;) {
    const Source& s = sources[i];
    Ints shape = result.shape();
    shape[static_cast<size_t>(s.dim)] = sizes[static_cast<size_t>(s.dim)];
    result = index_add(zeros(shape, Options{.dtype = grad.dtype()}), s.dim, s.indices, result, Scalar(1));
  }
  return result;
}

/// Index i of a dimension of `size` elements, continued beyond its ends.
int64_t reflected(int64_t i, int64_t size) {
  if (i < 0) return -i;
  return i < size ? i : 2 * (size - 1) - i;
}

struct Mode {
  std::string_view name;
  const char* kernel;
};
constexpr Mode kModes[] = {{"reflect", "reflection_pad"}, {"replicate", "replication_pad"}, {"circular", ""}};
constexpr const char* kNodes[2][3] = {
    {"ReflectionPad1DBackward0", "ReflectionPad2DBackward0", "ReflectionPad3DBackward0"},
    {"ReplicationPad1DBackward0", "ReplicationPad2DBackward0", "ReplicationPad3DBackward0"}};

void check_mirrored(const Tensor& input, IntSpan pad, bool reflects) {
  const size_t dims = pad.size() / 2;
  const size_t first = input.sizes().size() - dims;
  const bool filled = std::ranges::all_of(input.sizes().last(dims + (input.dim() > std::ssize(pad) / 2 + 1)),
                                          [](int64_t size) { return size > 0; });
  check(filled, "Expected ", dims + 1, "D or ", dims + 2,
        "D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: ",
        input.shape());
  bool fits = true;
  std::string in;
  std::string out;
  constexpr const char* kAxes[] = {"D", "H", "W"};
  for (size_t d = 0; d < dims; ++d) {
    const size_t at = 2 * (dims - 1 - d);
    const int64_t size = input.sizes()[first + d];
    const int64_t padded = size + pad[at] + pad[at + 1];
    fits = fits && padded >= 1;
    in += std::string(d ? ", " : "") + kAxes[3 - dims + d] + ": " + std::to_string(size);
    out += std::string(d ? " " : "") + kAxes[3 - dims + d] + ": " + std::to_string(padded);
  }
  for (size_t i = 0; i < dims && reflects; ++i) {
    const size_t d = input.sizes().size() - 1 - i;
    check(pad[2 * i] < input.sizes()[d] && pad[2 * i + 1] < input.sizes()[d], "Argument #", 4 + 2 * i,
          ": Padding size should be less than the corresponding input dimension, but got: padding (",
          pad[2 * i], ", ", pad[2 * i + 1], ") at dimension ", d, " of input ", input.shape());
  }
  if (dims == 1) {
    check(fits, "input (", in, ") is too small. Calculated output ", out);
  } else {
    check(fits, "Calculated output ", out, " must be >= 1 in every dimension (input ", in, ")");
  }
}

void check_circular(const Tensor& input, IntSpan pad) {
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t size = input.sizes()[input.sizes().size() - 1 - i];
    check(pad[2 * i] <= size && pad[2 * i + 1] <= size,
          "Padding value causes wrapping around more than once.");
    check(size + pad[2 * i] + pad[2 * i + 1] >= 0,
          "Negative padding value is resulting in an empty dimension");
    check(-pad[2 * i] <= size && -pad[2 * i + 1] <= size, "circular padding takes more away than there is: (",
          pad[2 * i], ", ", pad[2 * i + 1], ") of a dimension of size ", size);
  }
}

std::vector<Source> sources_of(const Tensor& input, IntSpan pad, size_t mode) {
  std::vector<Source> sources;
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t dim = input.dim() - 1 - static_cast<int64_t>(i);
    const int64_t size = input.sizes()[static_cast<size_t>(dim)];
    const Tensor indices = Tensor::empty(Ints{size + pad[2 * i] + pad[2 * i + 1]}, DType::I64);
    // After elements were taken away, the circle is what remains.
    const int64_t low = std::max<int64_t>(-pad[2 * i], 0);
    const int64_t kept = size - low - std::max<int64_t>(-pad[2 * i + 1], 0);
    for (int64_t k = 0; indices.has_data() && k < indices.numel(); ++k) {
      const int64_t from = k - pad[2 * i];
      int64_t at = std::clamp<int64_t>(from, 0, size - 1);
      if (mode == 0) at = reflected(from, size);
      if (mode == 2) at = low + (kept > 0 ? ((from - low) % kept + kept) % kept : 0);
      indices.data<int64_t>()[k] = at;
    }
    sources.push_back({dim, indices});
  }
  return sources;
}

}  // namespace

Tensor pad(Body, const Tensor& input, IntSpan pad, std::string_view mode, std::optional<double> value) {
  check(pad.size() % 2 == 0, "Padding length must be divisible by 2");
  check(
      std::ssize(pad) <= 2 * input.dim(),
      "Padding length should be less than or equal to two times the input dimension but got padding length ",
      pad.size(), " and input of dimension ", input.dim());
  if (mode == "constant") return constant_pad_nd(input, pad, Scalar(value.value_or(0.0)));
  check(!value || *value == 0.0, "Padding mode \"", mode, "\" doesn't take in value argument");
  const auto* known = std::ranges::find(kModes, mode, &Mode::name);
  const int64_t dims = std::ssize(pad) / 2;
  const bool has_mode = known != std::end(kModes);
  if (!has_mode) fail(ErrorKind::NotImplemented, "Unrecognised padding mode ", mode);
  if (dims < 1 || dims > 3 || (input.dim() != dims + 1 && input.dim() != dims + 2)) {
    fail(ErrorKind::NotImplemented, "Padding size ", pad.size(), " is not supported for ", input.dim(),
         "D input tensor.");
  }
  for (const int64_t number : pad)
    check(number <= INT32_MAX && number >= -INT32_MAX, "pad: a number is too large: ", number);
  const auto which = static_cast<size_t>(known - kModes);
  if (which < 2) {
    check_mirrored(input, pad, which == 0);
    if (input.dtype() == DType::Bool)
      fail(ErrorKind::NotImplemented, "\"", known->kernel, dims, "d\" not implemented for 'Bool'");
  } else {
    check_circular(input, pad);
  }
  const std::vector<Source> sources = sources_of(input, pad, which);
  if (which == 2) return pick(input, sources);
  Tensor result;
  {
    const GradModeGuard no_grad(false);
    result = pick(input, sources);
  }
  if (!recording(input) || !is_differentiable(input.dtype())) return result;
  return record(result, kNodes[which][dims - 1], {input}, [sources, sizes = input.shape()](Backward& g) {
    g.set(0, put_back(g.grad(), sources, sizes));
  });
}

}  // namespace onetape::ops
