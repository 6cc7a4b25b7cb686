#include "kernels/scan.h"

#include <array>

#include "kernels/nonzero.h"
#include "ops.h"
#include "ops/product.h"
#include "ops/promotion.h"
#include "ops/view.h"

namespace onetape {
namespace {

Tensor reverse_cumsum(const Tensor& t, int64_t dim) {
  const std::array<int64_t, 1> along = {dim};
  return ops::flip(ops::cumsum(ops::flip(t, along), dim), along);
}

/// The gradient of cumprod where some elements of a line are zero: for each element the products without it,
/// one after the other, since nothing can be divided by it.
Tensor cumprod_backward_with_zeros(const Tensor& grad, const Tensor& self, int64_t dim) {
  const int64_t n = self.sizes()[dim];
  std::vector<Tensor> parts;
  Tensor before;  // product of the elements before k
  for (int64_t k = 0; k < n; ++k) {
    const Tensor after = ops::cumprod(ops::narrow(self, dim, k + 1, n - k - 1), dim);
    Ints one = self.shape();
    one[dim] = 1;
    Tensor without = ops::cat(std::array{ops::ones(one, Options{.dtype = self.dtype()}), after}, dim);
    if (k > 0) without = ops::mul(without, before);
    parts.push_back(
        ops::sum(ops::mul(ops::narrow(grad, dim, k, n - k), conjugate(without)), Ints{dim}, true));
    const Tensor element = ops::narrow(self, dim, k, 1);
    before = k == 0 ? element : ops::mul(before, element);
  }
  return ops::cat(parts, dim);
}

Tensor cumprod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim) {
  if (self.numel() <= 1) return grad;
  if (self.has_data() && nonzero_count(self) < self.numel())
    return cumprod_backward_with_zeros(grad, self, dim);
  return ops::div(reverse_cumsum(ops::mul(grad, conjugate(result)), dim), conjugate(self));
}

std::tuple<Tensor, Tensor> running(const Tensor& self, int64_t dim, bool largest) {
  const int64_t at = wrap_dim(dim, self.dim());
  Tensor values = Tensor::empty(self.sizes(), self.dtype());
  Tensor indices = Tensor::empty(self.sizes(), DType::I64);
  running_extremum(at_least_vector(values), at_least_vector(indices), at_least_vector(self), at, largest);
  if (!recording(self)) return {values, indices};
  values = record(values, largest ? "CummaxBackward0" : "CumminBackward0", {self}, saving(save(indices)),
                  [at, from = self.shape()](Backward& g) {
                    const Tensor zero = ops::zeros(from, Options{.dtype = g.grad().dtype()});
                    g.set(0, ops::scatter_add(zero, at, g.saved(0), g.grad()));
                  });
  return {values, indices};
}

}  // namespace

namespace {

/// What is computed in: in place it is self's own dtype, whatever sums are otherwise made in.
DType running_type(const Target& to, const Tensor& self, std::optional<DType> dtype, const char* kernel) {
  if (!to.is_in_place()) return dtype.value_or(sum_type(self.dtype()));
  const DType own = self.dtype();
  check(dtype.value_or(own) == own, "Bad in-place call: input tensor dtype ", cpp_name(own),
        " and output tensor dtype ", cpp_name(dtype.value_or(own)), " should match");
  if (own == DType::Bool && self.dim() > 0 && self.numel() > 0)
    fail(ErrorKind::NotImplemented, '"', kernel, "\" not implemented for 'Bool'");
  return own;
}

}  // namespace

namespace impl {

// ---- cumsum ----
Tensor cumsum(Target to, const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  const int64_t at = wrap_dim(dim, self.dim());
  const Tensor in = ops::to_dtype(self, running_type(to, self, dtype, "cumsum_out_cpu"));
  if (to.is_in_place() && in.dtype() == DType::Bool) return to.deliver(in);  // a single element, or none
  const bool is_recording = recording(in);
  to.check_recording(is_recording);
  auto edges = edges_of(is_recording, {in});
  Tensor result = Tensor::empty(in.sizes(), in.dtype());
  running_sum(at_least_vector(result), at_least_vector(in), at);
  result = to.deliver(result);
  if (!is_recording) return result;
  return to.attach(
      result,
      make_function("CumsumBackward0", std::move(edges), std::array<SavedTensor, 0>{}, [at](Backward& g) {
        g.set(0, g.grad().dim() == 0 ? g.grad() : reverse_cumsum(g.grad(), at));
      }));
}

// ---- cumprod ----
Tensor cumprod(Target to, const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  const int64_t at = wrap_dim(dim, self.dim());
  const Tensor in = ops::to_dtype(self, running_type(to, self, dtype, "cumprod_out_cpu"));
  if (to.is_in_place() && in.dtype() == DType::Bool) return to.deliver(in);
  const bool is_recording = recording(in);
  to.check_recording(is_recording);
  auto edges = edges_of(is_recording, {in});
  SavedTensor kept = to.save_if(is_recording, in);
  Tensor result = Tensor::empty(in.sizes(), in.dtype());
  running_product(at_least_vector(result), at_least_vector(in), at);
  result = to.deliver(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("CumprodBackward0", std::move(edges),
                                         saving(std::move(kept), save_result(result)), [at](Backward& g) {
                                           g.set(0, cumprod_backward(g.grad(), g.saved(0), g.saved(1), at));
                                         }));
}

}  // namespace impl

namespace ops {

// ---- cummax, cummin ----
std::tuple<Tensor, Tensor> cummax(Body, const Tensor& self, int64_t dim) { return running(self, dim, true); }

std::tuple<Tensor, Tensor> cummin(Body, const Tensor& self, int64_t dim) { return running(self, dim, false); }

}  // namespace ops
}  // namespace onetape
