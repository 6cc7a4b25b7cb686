#include "kernels/gather.h"

#include <array>

#include "kernels/index.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/creation.h"
#include "ops/view.h"

namespace onetape {
namespace {

/// The index as int64 with a dimension at least; checks its dtype.
Tensor checked_index(const char* name, const Tensor& index) {
  check(index.dtype() == DType::I64 || index.dtype() == DType::I32, name,
        "(): Expected dtype int32/int64 for index");
  return at_least_vector(index.dtype() == DType::I64 ? index : ops::to_dtype(index, DType::I64));
}

/// Is `index` nowhere larger than `t`, except along dim?
bool within(const Tensor& index, const Tensor& t, int64_t except) {
  for (int64_t d = 0; d < index.dim(); ++d) {
    if (d != except && index.sizes()[d] > t.sizes()[d]) return false;
  }
  return true;
}

void check_gather(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.numel() == 0) return;
  check(index.dim() == self.dim(), "Index tensor must have the same number of dimensions as input tensor");
  for (int64_t d = 0; d < self.dim(); ++d) {
    check(d == dim || index.sizes()[d] <= self.sizes()[d], "Size does not match at dimension ", d,
          " expected index ", index.shape(), " to be no larger than self ", self.shape(),
          " apart from dimension ", dim);
  }
}

/// What scatter requires; `src` is undefined where a number is scattered.
void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  if (index.numel() == 0) return;
  check(index.dim() == self.dim(), "Index tensor must have the same number of dimensions as self tensor");
  if (!src.defined()) {
    check(within(index, self, dim), "Expected index ", index.shape(), " to be no larger than self ",
          self.shape(), " apart from dimension ", dim);
    return;
  }
  check(src.dim() == self.dim(), "Index tensor must have the same number of dimensions as src tensor");
  check(within(index, self, dim) && within(index, src, -1), "Expected index ", index.shape(),
        " to be no larger than self ", self.shape(), " apart from dimension ", dim,
        " and to be no larger size than src ", src.shape());
}

/// The operands of a scatter, checked, in the shape that kernels want.
struct Scatter {
  int64_t dim;
  Tensor index;

  Scatter(const Target& to, const Tensor& self, int64_t d, const Tensor& given, const Tensor& src)
      : dim(wrap_dim(d, self.dim())), index(checked_index("scatter", given)) {
    check(!src.defined() || src.dtype() == self.dtype(),
          "scatter(): Expected self.dtype to be equal to src.dtype");
    const Tensor vector = at_least_vector(self);
    check_scatter(vector, dim, index, src.defined() ? at_least_vector(src) : Tensor());
    to.check_apart({given, src});
    check_bounds(index, dim, vector.sizes()[dim]);
  }
};

Tensor separate(const Target& to, const Tensor& self, const Tensor& operand) {
  return to.is_in_place() && share_memory(self, operand) ? ops::clone(detach(operand)) : operand;
}

/// The gradient of what was scattered: what stands at its places, in the shape of src.
Tensor gathered_back(const Tensor& grad, int64_t dim, const Tensor& index, IntSpan src_shape) {
  Tensor part = ops::gather(grad, dim, index);
  if (same(part.sizes(), src_shape)) return part;
  Tensor result = ops::zeros(src_shape, Options{.dtype = grad.dtype()});
  Tensor view = result;  // src may be larger than index: the rest of it went nowhere
  for (int64_t d = 0; d < part.dim(); ++d) view = ops::slice(view, d, 0, part.sizes()[d]);
  ops::copy_(view, part);
  return result;
}

/// Offsets of elements given by their number in row-major order.
std::vector<int64_t> flat_offsets(const Tensor& self, const Tensor& index) {
  const int64_t n = self.numel();
  const Tensor flat = dense(index);
  std::vector<int64_t> offsets(static_cast<size_t>(flat.numel()));
  if (!flat.has_data()) return offsets;
  for (size_t i = 0; i < offsets.size(); ++i) {
    int64_t at = flat.data<int64_t>()[i];
    check_index(at >= -n && at < n, "out of range: tried to access index ", at, " on a tensor of ", n,
                " elements.");
    if (at < 0) at += n;
    int64_t offset = 0;
    for (size_t d = self.sizes().size(); d-- > 0;) {
      offset += at % self.sizes()[d] * self.strides()[d];
      at /= self.sizes()[d];
    }
    offsets[i] = offset;
  }
  return offsets;
}

}  // namespace

namespace impl {

// ---- gather ----
Tensor gather(Target to, const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  const int64_t at = wrap_dim(dim, self.dim());
  const Tensor places = checked_index("gather", index);
  const Tensor from = at_least_vector(self);
  check_gather(from, at, places);
  const bool is_recording = recording(self);
  to.check_recording(is_recording);
  to.check_apart({self, index});
  Tensor result = Tensor::empty(index.sizes(), self.dtype());
  if (places.numel() > 0) gather_along(at_least_vector(result), from, at, places);
  result = to.deliver(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("GatherBackward0", std::span<const Tensor>(&self, 1),
                                         saving(save(index)), [from = self.shape(), at](Backward& g) {
                                           const Tensor zero =
                                               ops::zeros(from, Options{.dtype = g.grad().dtype()});
                                           g.set(0, ops::scatter_add(zero, at, g.saved(0), g.grad()));
                                         }));
}

// ---- scatter ----
Tensor scatter(Target to, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const Scatter at(to, self, dim, index, src);
  const bool is_recording = recording(self, src);
  to.check_recording(is_recording);
  const auto saved = saving(to.save_if(is_recording, index));
  const Tensor from = separate(to, self, src);
  const Tensor places = separate(to, self, at.index);
  auto edges = edges_of(is_recording, {self, src});
  Tensor result = to.edit(self);
  scatter_along(at_least_vector(result), at.dim, places, at_least_vector(from));
  to.written(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("ScatterBackward0", std::move(edges), saved,
                                         [d = at.dim, shape = src.shape()](Backward& g) {
                                           if (g.needs(0))
                                             g.set(0, ops::scatter(g.grad(), d, g.saved(0), Scalar(0)));
                                           if (g.needs(1))
                                             g.set(1, gathered_back(g.grad(), d, g.saved(0), shape));
                                         }));
}

Tensor scatter(Target to, const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  const Scatter at(to, self, dim, index, Tensor());
  const Tensor number = checked_scalar_tensor(value, self.dtype());
  const bool is_recording = recording(self);
  to.check_recording(is_recording);
  const auto saved = saving(to.save_if(is_recording, index));
  const Tensor places = separate(to, self, at.index);
  auto edges = edges_of(is_recording, {self});
  Tensor result = to.edit(self);
  const Ints still(places.sizes().size(), 0);
  scatter_along(at_least_vector(result), at.dim, places,
                Tensor(TensorImpl::view(number.storage(), places.sizes(), still, 0, number.dtype())));
  to.written(result);
  if (!is_recording) return result;
  return to.attach(result,
                   make_function("ScatterBackward1", std::move(edges), saved, [d = at.dim](Backward& g) {
                     g.set(0, ops::scatter(g.grad(), d, g.saved(0), Scalar(0)));
                   }));
}

// ---- scatter_add ----
Tensor scatter_add(Target to, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const Scatter at(to, self, dim, index, src);
  const bool is_recording = recording(self, src);
  to.check_recording(is_recording);
  const auto saved = saving(to.save_if(is_recording && tracked(src), index));
  const Tensor from = separate(to, self, src);
  const Tensor places = separate(to, self, at.index);
  auto edges = edges_of(is_recording, {self, src});
  Tensor result = to.edit(self);
  combine_along(at_least_vector(result), at.dim, places, at_least_vector(from), Combine::Add);
  to.written(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("ScatterAddBackward0", std::move(edges), saved,
                                         [d = at.dim, shape = src.shape()](Backward& g) {
                                           if (g.needs(0)) g.set(0, g.grad());
                                           if (g.needs(1))
                                             g.set(1, gathered_back(g.grad(), d, g.saved(0), shape));
                                         }));
}

// ---- put ----
Tensor put(Target to, const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  check(index.dtype() == DType::I64, "put_(): Expected a long tensor for index, but got ",
        scalar_type_name(index.dtype()));
  check(source.dtype() == self.dtype(),
        "put_(): self and source expected to have the same dtype, but got self.dtype = ",
        scalar_type_name(self.dtype()), " and source.dtype = ", scalar_type_name(source.dtype()));
  check_index(index.numel() == source.numel(),
              "put_(): Expected source and index to have the same number of elements, but got "
              "source.numel() = ",
              source.numel(), ", index.numel() = ", index.numel());
  to.check_apart({index, source});
  const bool is_recording = recording(self, source);
  to.check_recording(is_recording);
  const auto saved = saving(to.save_if(is_recording, index));
  IndexPlan plan;
  const Tensor from = dense(separate(to, self, source));
  auto edges = edges_of(is_recording, {self, source});
  Tensor result = to.edit(self);
  plan.points = flat_offsets(result, index);
  plan.dense_point = 1;
  if (accumulate) {
    index_accumulate(plan, result, from, 1);
  } else {
    index_write(plan, result, from);
  }
  to.written(result);
  if (!is_recording) return result;
  return to.attach(
      result, make_function(
                  "PutBackward0", std::move(edges), saved, [accumulate, shape = source.shape()](Backward& g) {
                    const Tensor at = g.saved(0);
                    const Tensor& grad = g.grad();
                    if (g.needs(0)) {
                      const Options like{.dtype = grad.dtype()};
                      g.set(0, accumulate ? grad : ops::put(grad, at, ops::zeros(at.sizes(), like)));
                    }
                    if (g.needs(1)) g.set(1, ops::reshape(ops::take(grad, at), shape));
                  }));
}

}  // namespace impl

namespace ops {

// ---- take ----
Tensor take(Body, const Tensor& self, const Tensor& index) {
  check(index.dtype() == DType::I64, "take(): Expected a long tensor for index, but got ",
        scalar_type_name(index.dtype()));
  check_index(self.numel() > 0 || index.numel() == 0, "take(): tried to take from an empty tensor");
  IndexPlan plan;
  plan.points = flat_offsets(self, index);
  plan.dense_point = 1;
  Tensor result = Tensor::empty(index.sizes(), self.dtype());
  index_read(plan, self, result);
  if (!recording(self)) return result;
  return record(result, "TakeBackward0", {self}, saving(save(index)), [from = self.shape()](Backward& g) {
    const Tensor zero = zeros(from, Options{.dtype = g.grad().dtype()});
    g.set(0, put(zero, g.saved(0), g.grad(), true));
  });
}

// ---- take_along_dim ----
Tensor take_along_dim(Body, const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  check(indices.dtype() == DType::I64, "torch.take_along_dim(): dtype of indices should be Long but got ",
        scalar_type_name(indices.dtype()));
  if (!dim) return gather(view(self, Ints{-1}), 0, view(indices, Ints{-1}));
  check(self.dim() == indices.dim(),
        "torch.take_along_dim(): input and indices should have the same number of dimensions, "
        "but got ",
        self.dim(), " dimensions for input, and ", indices.dim(), " dimensions for indices");
  const int64_t at = wrap_dim(*dim, self.dim());
  Ints of_self = self.shape();
  Ints of_indices = indices.shape();
  if (self.dim() > 0) of_self[at] = of_indices[at] = 1;
  Ints common = broadcast_shapes(of_self, of_indices);
  Ints from = common;
  if (self.dim() > 0) {
    common[at] = indices.sizes()[at];
    from[at] = self.sizes()[at];
  }
  return gather(same(from, self.sizes()) ? self : expand(self, from), at, broadcast_to(indices, common));
}

}  // namespace ops
}  // namespace onetape
