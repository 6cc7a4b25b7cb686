#include <array>

#include "ops.h"
#include "ops/copy.h"
#include "ops/reduction.h"

namespace onetape::ops {
namespace {

/// RuntimeError where a reduction over everything has nothing to compare, IndexError where a given dim is
/// empty.
void check_not_empty(const char* op, const Tensor& self, IntSpan dim, const char* after_name = "()") {
  if (self.numel() > 0) return;
  check(!dim.empty(), op, after_name,
        ": Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim ",
        "with the 'dim' argument.");
  for (const int64_t d : dim) {
    check_index(self.size(d) != 0, op, after_name, ": Expected reduction dim ", d, " to have non-zero size.");
  }
}

void check_not_empty(const char* op, const Tensor& self, int64_t dim, const char* after_name = "()") {
  const int64_t at = wrap_dim(dim, self.dim());
  check_not_empty(op, self, IntSpan(&at, 1), after_name);
}

/// The gradient of an extreme, shared evenly among the elements that equal it.
Tensor shared_gradient(const Tensor& grad, const Tensor& self, const Tensor& extreme,
                       const ReducedDims& dims) {
  const Tensor wide = with_reduced(extreme, dims, self.sizes());
  const Tensor equal = to_dtype(eq(self, wide), self.dtype());
  const Ints list = dims.list(self.sizes());
  const Tensor count = self.dim() == 0 ? equal : sum(equal, IntSpan(list), true);
  return div(mul(with_reduced(grad, dims, self.sizes()), equal), count);
}

Tensor extreme_over(const char* op, const char* kernel, const char* node, const Tensor& self, IntSpan dim,
                    bool keepdim) {
  check_not_empty(op, self, dim);
  const ReducedDims dims(self, dim);
  Tensor result = reduce(kernel, self, dims, keepdim, self.dtype());
  if (!recording(self)) return result;
  return record(result, node, {self}, saving(save(self), save_result(result)),
                [dims](Backward& g) { g.set(0, shared_gradient(g.grad(), g.saved(0), g.saved(1), dims)); });
}

Tensor extreme_of_all(const char* op, const char* kernel, const char* node, const Tensor& self) {
  check(self.numel() > 0, op,
        "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
        "the ",
        "'dim' argument.");
  Tensor result = reduce(kernel, self, ReducedDims::all(self), false, self.dtype());
  if (!recording(self)) return result;
  return record(result, node, {self}, saving(save(self), save_result(result)),
                [](Backward& g) { g.set(0, share_gradient(g.grad(), g.saved(0), g.saved(1))); });
}

std::tuple<Tensor, Tensor> extreme_along(const char* op, const char* kernel, const char* node,
                                         const Tensor& self, int64_t dim, bool keepdim) {
  const ReducedDims dims = ReducedDims::one(self, dim);
  check_not_empty(op, self, dim);
  check_type(!is_complex(self.dtype()), op, "(): does not support complex input");
  const auto [indices, values] = reduce_pair(kernel, self, dims, keepdim, DType::I64, self.dtype());
  if (recording(self)) {
    const int64_t at = wrap_dim(dim, self.dim());
    record(values, node, {self}, saving(save(indices)), [at, keepdim, sizes = self.shape()](Backward& g) {
      g.set(0, place_gradient(g.grad(), at, g.saved(0), sizes, keepdim));
    });
  }
  return {values, indices};
}

Tensor position_of(const char* op, const char* kernel, const Tensor& self, std::optional<int64_t> dim,
                   bool keepdim) {
  check_type(!is_complex(self.dtype()), op, "(): does not support complex input");
  if (self.dtype() == DType::Bool) fail(ErrorKind::NotImplemented, op, "(): does not support bool input");
  if (dim) {
    const ReducedDims dims = ReducedDims::one(self, *dim);
    check_not_empty(op, self, *dim);
    return reduce_pair(kernel, self, dims, keepdim, DType::I64, std::nullopt)[0];
  }
  check_index(self.numel() > 0, op, "(): Expected reduction dim to be specified for input.numel() == 0.");
  // Positions count elements in row-major order, so that is the order they must be met in.
  const Tensor in_order = dense(self);
  const Tensor flat(TensorImpl::view(in_order.storage(), std::array<int64_t, 1>{self.numel()},
                                     std::array<int64_t, 1>{1}, in_order.storage_offset(), self.dtype()));
  const Tensor position =
      reduce_pair(kernel, flat, ReducedDims::all(flat), false, DType::I64, std::nullopt)[0];
  const Ints ones(static_cast<size_t>(self.dim()), 1);
  return keepdim ? reshape(position, ones) : position;
}

}  // namespace

// ---- amax ----
Tensor amax(Body, const Tensor& self, IntSpan dim, bool keepdim) {
  return extreme_over("amax", "max_values_cpu", "AmaxBackward0", self, dim, keepdim);
}

// ---- amin ----
Tensor amin(Body, const Tensor& self, IntSpan dim, bool keepdim) {
  return extreme_over("amin", "min_values_cpu", "AminBackward0", self, dim, keepdim);
}

// ---- aminmax ----
std::tuple<Tensor, Tensor> aminmax(Body, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  check_type(!is_complex(self.dtype()), "aminmax not implemented for ", scalar_type_name(self.dtype()));
  const ReducedDims dims = dim ? ReducedDims::one(self, *dim) : ReducedDims::all(self);
  check(dim || self.numel() > 0,
        "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
  if (dim) check_not_empty("aminmax", self, *dim, "");
  const Tensor least = reduce("min_values_cpu", self, dims, keepdim, self.dtype());
  const Tensor greatest = reduce("max_values_cpu", self, dims, keepdim, self.dtype());
  if (recording(self)) {
    const Ref<Node> node = make_function(
        "AminmaxBackward0", std::span(&self, 1),
        saving(save(self), save_result(least, 0), save_result(greatest, 1)),
        [dims](Backward& g) {
          const auto part = [&](size_t i) {
            return g.grad(i).defined() ? shared_gradient(g.grad(i), g.saved(0), g.saved(i + 1), dims)
                                       : Tensor();
          };
          const Tensor low = part(0);
          const Tensor high = part(1);
          g.set(0, !low.defined() ? high : !high.defined() ? low : add(low, high));
        },
        2);
    set_history(least, node, 0);
    set_history(greatest, node, 1);
  }
  return {least, greatest};
}

// ---- max ----
Tensor max(Body, const Tensor& self) { return extreme_of_all("max", "max_all", "MaxBackward1", self); }

std::tuple<Tensor, Tensor> max(Body, const Tensor& self, int64_t dim, bool keepdim) {
  return extreme_along("max", "argmax_cpu", "MaxBackward0", self, dim, keepdim);
}

Tensor max(Body, const Tensor& self, const Tensor& other) { return maximum(self, other); }

// ---- min ----
Tensor min(Body, const Tensor& self) { return extreme_of_all("min", "min_all", "MinBackward1", self); }

std::tuple<Tensor, Tensor> min(Body, const Tensor& self, int64_t dim, bool keepdim) {
  return extreme_along("min", "argmin_cpu", "MinBackward0", self, dim, keepdim);
}

Tensor min(Body, const Tensor& self, const Tensor& other) { return minimum(self, other); }

// ---- argmax ----
Tensor argmax(Body, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  return position_of("argmax", "argmax_cpu", self, dim, keepdim);
}

// ---- argmin ----
Tensor argmin(Body, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  return position_of("argmin", "argmin_cpu", self, dim, keepdim);
}

}  // namespace onetape::ops
