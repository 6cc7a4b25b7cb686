#include "ops/target.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/geometry_lock.h"
#include "ops.h"
#include "ops/copy.h"

namespace onetape {
namespace {

void make_fit(const Tensor& t, IntSpan shape) {
  const Tensor memory = Tensor::empty(shape, t.dtype());
  memory.impl()->storage()->set_version(t.impl()->storage()->version());
  const uint64_t before = geometry_changes();
  {
    Ref<Storage> old;
    const ChangingGeometry change;
    if (t.numel() == 0 && t.dtype() == memory.dtype()) {
      old = t.impl()->set_geometry(change, memory.storage(), memory.sizes(), memory.strides(), 0, t.dtype());
    }
  }
  // Another thread may have changed an operand before or after.
  if (geometry_changes() != before + 1) throw GeometryMoved();
}

/// Do the elements fill a stretch of memory, in whatever order, each place once?
bool fills_stretch(const Tensor& t) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride and size
  for (size_t d = 0; d < t.sizes().size(); ++d) {
    if (t.sizes()[d] != 1) dims.emplace_back(t.strides()[d], t.sizes()[d]);
  }
  std::ranges::sort(dims);
  int64_t step = 1;
  for (const auto& [stride, size] : dims) {
    if (stride != step) return false;
    step *= size;
  }
  return true;
}

enum class Overlap : uint8_t { None, Partial, Full };

Overlap overlap_of(const Tensor& a, const Tensor& b) {
  if (a.impl() == b.impl()) return Overlap::Full;
  if (!share_memory(a, b) || !fills_stretch(a) || !fills_stretch(b)) return Overlap::None;
  const char* const a_end = a.address() + a.numel() * static_cast<int64_t>(a.item_bytes());
  const char* const b_end = b.address() + b.numel() * static_cast<int64_t>(b.item_bytes());
  if (a.address() >= b_end || b.address() >= a_end) return Overlap::None;
  const bool whole = a.address() == b.address() && a_end == b_end && same(a.strides(), b.strides());
  return whole ? Overlap::Full : Overlap::Partial;
}

[[noreturn]] void fail_overlap() {
  fail(ErrorKind::Runtime,
       "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
       "memory location. Please clone() the tensor before performing the operation.");
}

}  // namespace

void Target::check_fit(IntSpan shape, DType dtype) const {
  const Tensor& t = *tensor_;
  const bool fits = same(t.sizes(), shape) || (!is_in_place() && t.numel() == 0);
  check(fits, "output with shape ", ShapeText{t.sizes()}, " doesn't match the broadcast shape ",
        ShapeText{shape});
  check(can_cast(dtype, t.dtype()), "result type ", scalar_type_name(dtype),
        " can't be cast to the desired output type ", scalar_type_name(t.dtype()));
}

Tensor Target::prepare(IntSpan shape, DType dtype, bool recorded) const {
  if (is_fresh()) return Tensor::empty(shape, dtype);
  const Tensor& t = *tensor_;
  // As in PyTorch, whether a tensor may be changed at all comes first.
  if (is_in_place()) {
    check_inplace(t, recorded);
  } else {
    check_not_inference(t);
  }
  check_no_internal_overlap(t);
  check_fit(shape, dtype);
  if (!same(t.sizes(), shape)) make_fit(t, shape);
  return t;
}

Tensor Target::deliver(const Tensor& result) const {
  if (is_fresh()) return result;
  const Tensor where = prepare(result.sizes(), result.dtype());
  copy_elements(where, result);
  written(where);
  return where;
}

Tensor Target::edit(const Tensor& self) const {
  if (is_in_place()) return prepare(self.sizes(), self.dtype());
  const Tensor copy = prepare(self.sizes(), self.dtype());
  copy_elements(copy, self);
  return copy;
}

Tensor Target::edit_expanded(const Tensor& self) const {
  if (!is_in_place()) return edit(self);
  check_inplace(self);
  return self;
}

void Target::check_apart(std::initializer_list<Tensor> operands) const {
  if (is_fresh()) return;
  if (is_in_place()) check_inplace(*tensor_);
  for (const Tensor& operand : operands) {
    if (operand.defined()) check_no_overlap(*tensor_, operand);
  }
}

void Target::check_partly_apart(std::span<const Tensor* const> operands) const {
  if (is_in_place()) check_inplace(*tensor_);
  for (const Tensor* operand : operands) check_no_partial_overlap(*tensor_, *operand);
}

SavedTensor Target::save_if(bool condition, const Tensor& operand) const {
  if (!condition) return {};
  // Without elements, too: the version is what counts.
  if (tensor_ && tensor_->impl()->storage() == operand.impl()->storage())
    return SavedTensor(ops::clone(operand));
  return SavedTensor(operand);
}

void Target::written(const Tensor& delivered) const {
  if (!is_fresh()) bump_version(delivered);
}

Tensor Target::attach(Tensor delivered, Ref<Node> node) const {
  if (!node) return delivered;
  if (is_fresh()) {
    set_new_history(delivered, std::move(node));
  } else {
    rebase_history(delivered, std::move(node));
  }
  return delivered;
}

void Target::check_recording(bool recording) const {
  if (is_fresh() || is_in_place()) return;
  if (recording && dual_active()) {
    fail(ErrorKind::NotImplemented, "Trying to use forward AD with ", name_,
         "_out that does not support it because it is an out= function");
  }
  check(!(recording || tensor_->requires_grad()) || !grad_enabled(), name_,
        "(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.");
}

void check_no_internal_overlap(const Tensor& t) {
  if (t.numel() == 0) return;
  const IntSpan sizes = t.sizes();
  const IntSpan strides = t.strides();
  for (size_t d = 0; d < sizes.size(); ++d) {
    check(strides[d] != 0 || sizes[d] <= 1,
          "unsupported operation: more than one element of the written-to tensor refers to a single memory "
          "location. Please "
          "clone() the tensor before performing the operation.");
  }
}

void check_no_partial_overlap(const Tensor& written, const Tensor& operand) {
  if (overlap_of(written, operand) == Overlap::Partial) fail_overlap();
}

void check_no_overlap(const Tensor& written, const Tensor& operand) {
  if (overlap_of(written, operand) != Overlap::None) fail_overlap();
}

bool share_memory(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.impl()->storage() == b.impl()->storage() && a.numel() > 0 &&
         b.numel() > 0;
}

}  // namespace onetape
