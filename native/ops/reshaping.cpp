#include "ops/reshaping.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/geometry_lock.h"
#include "ops.h"
#include "ops/view.h"

namespace onetape {
namespace {

struct Layout {
  Ints sizes;
  Ints strides;
  int64_t offset = 0;
};

Layout layout_of(const Tensor& t) { return {t.shape(), Ints(t.strides()), t.storage_offset()}; }

/// Makes self the view of its elements that `viewed(self)` is; `gradient(before)` is the function for
/// backward.
template <typename View, typename Gradient>
Tensor become(const Tensor& self, const char* node, View viewed, Gradient gradient) {
  check_inplace(self);
  const bool is_recording = recording(self);
  auto edges = edges_of(is_recording, {self});
  const Tensor plain = detach(self);  // what is looked at is no view to autograd
  viewed(plain);                      // what is wrong is said before anything stops
  Layout before;
  {
    const ChangingGeometry change;
    before = layout_of(self);
    const Layout now = layout_of(viewed(detach(self)));
    self.impl()->set_geometry(change, self.storage(), now.sizes, now.strides, now.offset, self.dtype());
  }
  bump_version(self);
  if (is_recording) {
    replace_history(self,
                    make_function(node, std::move(edges), std::array<SavedTensor, 0>{}, gradient(before)));
  }
  return self;
}

/// For views that only add or drop dimensions of size 1.
auto back_to_shape(const Layout& before) {
  return [from = before.sizes](Backward& g) { g.set(0, ops::reshape(g.grad(), from)); };
}

void check_sizes(IntSpan size) {
  for (const int64_t n : size) check(n >= 0, "numel: integer multiplication overflow");
}

/// The bytes of a storage that a layout reaches.
size_t bytes_needed(const Layout& layout, DType dtype) {
  int64_t last = layout.offset;
  bool overflow = false;
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    if (layout.sizes[d] == 0) return 0;
    int64_t reach = 0;
    overflow |= __builtin_mul_overflow(layout.sizes[d] - 1, layout.strides[d], &reach);
    overflow |= __builtin_add_overflow(last, reach, &last);
  }
  int64_t bytes = 0;
  overflow |= __builtin_add_overflow(last, 1, &last);
  overflow |= __builtin_mul_overflow(last, static_cast<int64_t>(item_size(dtype)), &bytes);
  check(!overflow, "Storage size calculation overflowed with sizes=", layout.sizes,
        " and strides=", layout.strides);
  return static_cast<size_t>(bytes);
}

/// A storage of at least so many bytes that begins with what stands in `storage`: itself where it is long
/// enough or can be made so.
Ref<Storage> at_least(const ChangingGeometry& /*change*/, Ref<Storage> storage, size_t bytes) {
  const size_t have = storage->nbytes();
  if (bytes <= have) return storage;
  check(storage->resizable(), "Trying to resize storage that is not resizable");
  if (storage->resize(bytes)) return storage;
  Ref<Storage> longer = Storage::allocate(bytes, storage->device());
  if (have > 0 && storage->device() == DeviceType::CPU) std::memcpy(longer->data(), storage->data(), have);
  longer->set_version(storage->version());
  return longer;
}

bool has_own_version(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  return m && m->has_extra.load(std::memory_order_acquire) && m->extra->own_version;
}

/// As in PyTorch the graph takes note of set_, and refuses to be gone through.
void record_set(const Tensor& self, const Tensor& source, bool is_recording) {
  if (!is_recording) return;
  const std::array<Tensor, 2> operands = {self, source};
  replace_history(
      self, make_function("NotImplemented", operands, std::array<SavedTensor, 0>{}, [](Backward& /*g*/) {
        fail(ErrorKind::Runtime, "derivative for set_ is not implemented");
      }));
}

/// Gives self memory and a layout: `place(change)` says which.
template <typename F>
Tensor set_to(const Tensor& self, const Tensor& source, F place) {
  check_inplace(self, recording(source));
  const bool is_recording = recording(self, source);
  const bool counts_with_storage = !has_own_version(self);
  keep_version(self);
  Ref<Storage> old;
  {
    const ChangingGeometry change;
    auto [storage, layout] = place(change);
    old = self.impl()->set_geometry(change, std::move(storage), layout.sizes, layout.strides, layout.offset,
                                    self.dtype());
  }
  bump_version(self);
  // What shared the memory counts that, too, as in PyTorch.
  if (counts_with_storage && old.get() != self.impl()->storage()) old->bump_version();
  record_set(self, source, is_recording);
  return self;
}

void check_same_dtype(const Tensor& self, const Tensor& source) {
  check(self.dtype() == source.dtype(), "Could not set tensor of type ", cpp_name(source.dtype()),
        " to a tensor of type ", cpp_name(self.dtype()));
}

}  // namespace

void resize_storage(const Tensor& elements, const Tensor& tensor, size_t bytes) {
  check(elements.impl()->storage()->resizable(), "Trying to resize storage that is not resizable");
  std::vector<Ref<Storage>> old;
  old.reserve(2);
  const ChangingGeometry change;
  const Ref<Storage> storage = elements.storage();
  if (storage->resize(bytes)) return;
  const Ref<Storage> longer = at_least(change, storage, bytes);
  for (const Tensor& one : {elements, tensor}) {
    if (one.impl()->storage() != storage.get()) continue;
    const Layout layout = layout_of(one);
    old.push_back(
        one.impl()->set_geometry(change, longer, layout.sizes, layout.strides, layout.offset, one.dtype()));
  }
}

namespace ops {

// ---- t_ ----
Tensor t_(Body, const Tensor& self) {
  check(self.dim() <= 2, "t_() expects a tensor with <= 2 dimensions, but self is ", self.dim(), "D");
  return become(
      self, "TBackward1", [](const Tensor& plain) { return t(plain); },
      [](const Layout&) { return [](Backward& g) { g.set(0, t(g.grad())); }; });
}

// ---- transpose_ ----
Tensor transpose_(Body, const Tensor& self, int64_t dim0, int64_t dim1) {
  return become(
      self, "TransposeBackward1", [=](const Tensor& plain) { return transpose(plain, dim0, dim1); },
      [=](const Layout&) { return [=](Backward& g) { g.set(0, transpose(g.grad(), dim0, dim1)); }; });
}

// ---- squeeze_ ----
Tensor squeeze_(Body, const Tensor& self) {
  return become(
      self, "SqueezeBackward3", [](const Tensor& plain) { return squeeze(plain); }, back_to_shape);
}

Tensor squeeze_(Body, const Tensor& self, int64_t dim) {
  return become(
      self, "SqueezeBackward4", [=](const Tensor& plain) { return squeeze(plain, dim); }, back_to_shape);
}

Tensor squeeze_(Body, const Tensor& self, IntSpan dim) {
  return become(
      self, "SqueezeBackward5", [=](const Tensor& plain) { return squeeze(plain, dim); }, back_to_shape);
}

// ---- unsqueeze_ ----
Tensor unsqueeze_(Body, const Tensor& self, int64_t dim) {
  return become(
      self, "UnsqueezeBackward1", [=](const Tensor& plain) { return unsqueeze(plain, dim); }, back_to_shape);
}

// ---- as_strided_ ----
Tensor as_strided_(Body, const Tensor& self, IntSpan size, IntSpan stride,
                   std::optional<int64_t> storage_offset) {
  const Ints sizes(size);
  const Ints strides(stride);
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  return become(
      self, "AsStridedBackward1",
      [&](const Tensor& plain) { return as_strided(plain, sizes, strides, offset); },
      [&](const Layout& before) {
        return [before, sizes, strides, offset](Backward& g) {
          g.set(0, as_strided_backward(g.grad(), before.sizes, before.strides, before.offset, sizes, strides,
                                       offset));
        };
      });
}

// ---- resize_ ----
Tensor resize_(Body, const Tensor& self, IntSpan size) {
  check(!self.requires_grad(), "cannot resize variables that require grad");
  check(!dual_active() || !tangent_of(self).defined(), "cannot resize variables that has a forward grad");
  check_sizes(size);
  const int64_t numel = checked_numel(size, self.dtype());
  if (same(self.sizes(), size)) return self;
  check_not_inference(self);
  Ref<Storage> old;
  {
    const ChangingGeometry change;
    const Layout layout{Ints(size), contiguous_strides(size), self.storage_offset()};
    const size_t bytes = numel == 0 ? 0 : bytes_needed(layout, self.dtype());
    Ref<Storage> storage = at_least(change, self.storage(), bytes);
    old = self.impl()->set_geometry(change, std::move(storage), layout.sizes, layout.strides, layout.offset,
                                    self.dtype());
  }
  bump_version(self);
  return self;
}

// ---- resize_as_ ----
Tensor resize_as_(Body, const Tensor& self, const Tensor& the_template) {
  return resize_(self, the_template.shape());
}

// ---- set_ ----
Tensor set_(Body, const Tensor& self) {
  return set_to(self, Tensor(), [](const ChangingGeometry&) {
    return std::pair(Storage::allocate(0), Layout{Ints{0}, Ints{1}, 0});
  });
}

Tensor set_(Body, const Tensor& self, const Tensor& source) {
  check_same_dtype(self, source);
  return set_to(self, source,
                [&](const ChangingGeometry&) { return std::pair(source.storage(), layout_of(source)); });
}

Tensor set_(Body, const Tensor& self, const Tensor& source, int64_t storage_offset, IntSpan size,
            IntSpan stride) {
  check_same_dtype(self, source);
  check(source.is_contiguous(), "passed in tensor to be used as storage must be contiguous");
  check(storage_offset >= 0, "Tensor: invalid storage offset ", storage_offset);
  check_sizes(size);
  checked_numel(size, self.dtype());
  const Layout layout{Ints(size), stride.empty() ? contiguous_strides(size) : Ints(stride), storage_offset};
  check(size.size() == layout.strides.size(), "unequal size length (", size.size(), ") and stride length (",
        stride.size(), ")");
  for (const int64_t step : layout.strides) {
    check(step >= 0, "Storage size calculation overflowed with sizes=", layout.sizes,
          " and strides=", layout.strides);
  }
  const size_t bytes = bytes_needed(layout, self.dtype());
  return set_to(self, source, [&](const ChangingGeometry& change) {
    return std::pair(at_least(change, source.storage(), bytes), layout);
  });
}

}  // namespace ops
}  // namespace onetape
