#include "ops/copy.h"

#include <array>

#include "core/backend.h"
#include "kernels/copy.h"
#include "ops.h"

namespace onetape {
namespace {

/// Strides for a copy: the same order of dimensions as self if it is dense, else row-major.
Ints preserved_strides(const Tensor& self) {
  const IntSpan sizes = self.sizes();
  const IntSpan strides = self.strides();
  Ints order;
  for (size_t d = sizes.size(); d-- > 0;) {
    size_t at = order.size();
    while (at > 0 && strides[order[at - 1]] > strides[d]) --at;
    order.insert(at, static_cast<int64_t>(d));
  }
  Ints result(sizes.size(), 0);
  int64_t step = 1;
  for (const int64_t d : order) {
    if (sizes[d] != 1 && strides[d] != step) return contiguous_strides(sizes);
    result[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  }
  return result;
}

}  // namespace

void copy_elements(const Tensor& to, const Tensor& from) {
  if (!to.has_data()) return;
  if (!from.has_data()) fail(ErrorKind::NotImplemented, "Cannot copy out of meta tensor; no data!");
  const InnerLoop loop_of_types = copy_loop(to.dtype(), from.dtype());
  constexpr int64_t kSmall = 32768;
  if (to.numel() <= kSmall && same(to.sizes(), from.sizes()) && to.is_contiguous() && from.is_contiguous()) {
    char* const data[] = {to.bytes(), from.bytes()};
    const int64_t strides[] = {static_cast<int64_t>(to.item_bytes()),
                               static_cast<int64_t>(from.item_bytes())};
    loop_of_types(data, strides, to.numel(), nullptr);
    return;
  }
  std::array<LoopOperand, 2> loop = {{
      {to.bytes(), loop_strides(to.sizes(), to.strides(), to.item_bytes(), to.sizes())},
      {from.bytes(), loop_strides(from.sizes(), from.strides(), from.item_bytes(), to.sizes())},
  }};
  run_loop(to.sizes(), loop, loop_of_types);
}

Tensor dense(const Tensor& t) { return t.is_contiguous() ? t : dense_own(t); }

Tensor dense_own(const Tensor& t) {
  Tensor out = Tensor::empty(t.sizes(), t.dtype());
  copy_elements(out, t);
  return out;
}

Tensor empty_laid_out_as(const Tensor& self, DType dtype) {
  Tensor out = Tensor::empty(self.sizes(), dtype);
  if (self.is_contiguous()) return out;
  return Tensor(TensorImpl::view(out.storage(), self.sizes(), preserved_strides(self), 0, dtype));
}

namespace ops {
namespace {

Tensor copy_preserving_layout(const Tensor& self, DType dtype) {
  Tensor out = empty_laid_out_as(self, dtype);
  copy_elements(out, self);
  return out;
}

}  // namespace

// ---- to_dtype ----
Tensor to_dtype(Body, const Tensor& self, DType dtype, bool copy) {
  if (self.dtype() == dtype && !copy) return self;
  Tensor result = copy_preserving_layout(self, dtype);
  if (!recording(self) || !is_differentiable(dtype)) return result;
  const DType from = self.dtype();
  return record(result, "ToCopyBackward0", {self},
                [from](Backward& g) { g.set(0, to_dtype(g.grad(), from)); });
}

// ---- to_place ----
/// On another device: operators of the tables, but this one, leave tensors where they are.
Tensor to_place(Body, const Tensor& self, const Options& options, bool copy) {
  const DType dtype = options.dtype_or(self.dtype());
  const Device device = options.device.value_or(self.device());
  if (device.type == self.device().type) return to_dtype(self, dtype, copy);
  check_available(device);
  const DeviceScope scope(device.type);
  Tensor result = copy_preserving_layout(self, dtype);
  if (!recording(self) || !is_differentiable(dtype)) return result;
  const Options back = {.dtype = self.dtype(), .device = self.device()};
  return record(result, "ToCopyBackward0", {self},
                [back](Backward& g) { g.set(0, to_place(g.grad(), back)); });
}

// ---- clone ----
Tensor clone(Body, const Tensor& self) {
  Tensor result = copy_preserving_layout(self, self.dtype());
  if (!recording(self)) return result;
  return record(result, "CloneBackward0", {self}, [](Backward& g) { g.set(0, g.grad()); });
}

// ---- contiguous ----
Tensor contiguous(Body, const Tensor& self) {
  if (self.is_contiguous()) return self;
  Tensor result = dense(self);
  if (!recording(self)) return result;
  return record(result, "CloneBackward0", {self}, [](Backward& g) { g.set(0, g.grad()); });
}

// ---- copy_ ----
Tensor copy_(Body, const Tensor& self, const Tensor& other, bool /*non_blocking*/) {
  check_inplace(self);
  if (!same(self.sizes(), other.sizes())) {
    const bool fits =
        other.dim() <= self.dim() && same(broadcast_shapes(self.sizes(), other.sizes()), self.sizes());
    check(fits, "output with shape ", self.shape(), " doesn't match the broadcast shape ",
          broadcast_shapes(self.sizes(), other.sizes()));
  }
  const bool is_recording = is_differentiable(self.dtype()) && recording(self, other);
  check_no_internal_overlap(self);
  check_no_partial_overlap(self, other);
  Tensor from = other;
  if (is_recording && tracked(other) && !same(other.sizes(), self.sizes()))
    from = expand(other, self.sizes());
  auto edges = edges_of(is_recording, {self, from});
  const bool identical = self.address() == other.address() && same(self.strides(), other.strides());
  if (share_memory(self, from) && !identical) {
    copy_elements(self, copy_preserving_layout(from, from.dtype()));
  } else {
    copy_elements(self, from);
  }
  bump_version(self);
  if (!is_recording) return self;
  const Options back = {.dtype = other.dtype(), .device = other.device()};
  rebase_history(self, make_function("CopyBackwards", std::move(edges), std::array<SavedTensor, 0>{},
                                     [back](Backward& g) {
                                       if (g.needs(0)) g.set(0, zeros_like(g.grad()));
                                       if (g.needs(1)) g.set(1, to_place(g.grad(), back));
                                     }));
  return self;
}

}  // namespace ops
}  // namespace onetape
