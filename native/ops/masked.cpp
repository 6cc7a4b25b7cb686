#include <array>

#include "kernels/gather.h"
#include "kernels/nonzero.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/creation.h"
#include "ops/type_words.h"
#include "ops/view.h"

namespace onetape {
namespace {

/// The name of a dtype's C++ type, as one of PyTorch's texts has it: without "int" behind another word.
std::string_view c_type_name(DType dtype) {
  const std::string_view words = type_words(dtype);
  return words.substr(0, words.find(" int"));
}

/// self expanded to where the mask reaches; in place, the mask must fit self.
Tensor covered(const Target& to, const Tensor& self, const Tensor& mask) {
  const Ints shape = broadcast_shapes(mask.sizes(), self.sizes());
  if (same(shape, self.sizes())) return self;
  check(!to.is_in_place(), "output with shape ", self.shape(), " doesn't match the broadcast shape ", shape);
  return ops::expand(self, shape);
}

}  // namespace

namespace impl {

// ---- masked_fill ----
Tensor masked_fill(Target to, const Tensor& self, const Tensor& mask, const Tensor& value) {
  check(value.dim() == 0, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
        value.dim(), " dimension(s).");
  check(mask.dtype() == DType::Bool, "masked_fill_ only supports boolean masks, but got mask with dtype ",
        c_type_name(mask.dtype()));
  const bool number = value.impl()->wrapped_number();
  const Tensor whole = covered(to, self, mask);
  const bool is_recording = is_differentiable(self.dtype()) && recording(self, value);
  to.check_recording(is_recording);
  const Tensor from =
      number ? checked_scalar_tensor(item(value), self.dtype()) : ops::to_dtype(detach(value), self.dtype());
  const auto saved = saving(to.save_if(is_recording, mask));
  if (to.is_in_place()) check_no_partial_overlap(self, mask);
  const Tensor fixed = share_memory(self, mask) && to.is_in_place() ? ops::clone(mask) : mask;
  auto edges = edges_of(is_recording, {whole, value});
  Tensor result = to.edit_expanded(whole);
  fill_where(result, fixed, from);
  to.written(result);
  if (!is_recording) return result;
  return to.attach(result, make_function(number ? "MaskedFillBackward0" : "MaskedFillBackward1",
                                         std::move(edges), saved, [dtype = value.dtype()](Backward& g) {
                                           const Tensor mask = g.saved(0);
                                           if (g.needs(0))
                                             g.set(0, ops::masked_fill(g.grad(), mask, Scalar(0)));
                                           if (!g.needs(1)) return;
                                           const Tensor covered = g.grad().has_data()
                                                                      ? ops::masked_select(g.grad(), mask)
                                                                      : g.grad();
                                           g.set(1, ops::to_dtype(ops::sum(covered), dtype));
                                         }));
}

// ---- masked_scatter ----
Tensor masked_scatter(Target to, const Tensor& self, const Tensor& mask, const Tensor& source) {
  check(self.dtype() == source.dtype(),
        "masked_scatter: expected self and source to have same dtypes but got",
        scalar_type_name(self.dtype()), " and ", scalar_type_name(source.dtype()));
  check(mask.dtype() == DType::Bool, "masked_scatter_ only supports boolean masks, but got mask with dtype ",
        scalar_type_name(mask.dtype()));
  const Tensor whole = covered(to, self, mask);
  const Tensor places = same(mask.sizes(), whole.sizes()) ? mask : ops::expand(mask, whole.sizes());
  check(!places.has_data() || nonzero_count(places) <= source.numel(),
        "Number of elements of source < number of ones in mask");
  const bool is_recording = recording(self, source);
  to.check_recording(is_recording);
  const auto saved = saving(to.save_if(is_recording, mask));
  const Tensor from =
      dense(to.is_in_place() && share_memory(self, source) ? ops::clone(detach(source)) : source);
  auto edges = edges_of(is_recording, {whole, source});
  Tensor result = to.edit(whole);
  spread(result, places, from);
  to.written(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("MaskedScatterBackward0", std::move(edges), saved,
                                         [shape = source.shape(), n = source.numel()](Backward& g) {
                                           const Tensor mask = g.saved(0);
                                           const Tensor& grad = g.grad();
                                           if (g.needs(0)) g.set(0, ops::masked_fill(grad, mask, Scalar(0)));
                                           if (!g.needs(1)) return;
                                           if (!grad.has_data()) return g.set(1, ops::new_zeros(grad, shape));
                                           const Tensor used = ops::masked_select(grad, mask);
                                           const Tensor rest =
                                               ops::zeros(Ints{n - used.numel()}, {.dtype = grad.dtype()});
                                           g.set(1, ops::reshape(ops::cat(std::array{used, rest}), shape));
                                         }));
}

}  // namespace impl

namespace ops {

// ---- masked_select ----
Tensor masked_select(Body, const Tensor& self, const Tensor& mask) {
  check(mask.dtype() == DType::Bool, "masked_select: expected BoolTensor for mask");
  const Tensor whole = covered(Target::fresh(), self, mask);
  const Tensor places = same(mask.sizes(), whole.sizes()) ? mask : expand(mask, whole.sizes());
  Tensor result = Tensor::empty(Ints{nonzero_count(places)}, self.dtype());
  compress(result, whole, places);
  if (!recording(whole)) return result;
  return record(result, "MaskedSelectBackward0", {whole}, saving(save(mask)),
                [from = whole.shape()](Backward& g) {
                  const Tensor zero = zeros(from, Options{.dtype = g.grad().dtype()});
                  g.set(0, masked_scatter(zero, g.saved(0), g.grad()));
                });
}

// ---- nonzero ----
Tensor nonzero(Body, const Tensor& self) {
  const int64_t count = nonzero_count(self);
  const int64_t n = self.dim();
  // One dimension after the other in memory, so that the vectors of `where` are dense.
  const Tensor memory = Tensor::empty(Ints{n, count}, DType::I64);
  write_nonzero(self, memory.data<int64_t>(), count, 1, count);
  return Tensor(TensorImpl::view(memory.storage(), Ints{count, n}, Ints{1, count}, 0, DType::I64));
}

// ---- argwhere ----
Tensor argwhere(Body, const Tensor& self) { return nonzero(self); }

// ---- where (one argument) ----
std::vector<Tensor> where(Body, const Tensor& condition) {
  return unbind(nonzero(at_least_vector(condition)), 1);
}

}  // namespace ops
}  // namespace onetape
