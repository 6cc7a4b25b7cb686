#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>

#include "core/allocator.h"
#include "core/device.h"
#include "core/dtype.h"
#include "core/export.h"
#include "core/ints.h"
#include "core/options.h"
#include "core/ref.h"
#include "core/scalar.h"
#include "core/storage.h"

namespace onetape {

class ChangingGeometry;

/// What autograd hangs on a tensor; the one implementation is autograd/meta.h.
class AutogradState {
 public:
  virtual ~AutogradState() = default;
  /// A view made before its base got a history learns of it here.
  virtual bool view_requires_grad(TensorImpl& view) = 0;
};

/// Lets a language face keep one object for a tensor's whole life. `release` runs when the tensor dies while
/// it has an object; false if the face has just taken a reference to the tensor, which then lives on. Set
/// once by the face that is loaded (Python); null without one.
struct FaceHooks {
  bool (*release)(void* object) = nullptr;
};
ONETAPE_API extern FaceHooks face_hooks;

/// The body of a tensor. Shape and strides are in elements. They, dtype and storage change by set_geometry()
/// alone, which waits until no other thread reads them: see core/geometry_lock.h.
class ONETAPE_API TensorImpl {
 public:
  static constexpr int kInlineDims = 5;

  /// Uninitialised elements, contiguous. Up to Storage::kInlineBytes they stand in the same allocation.
  static Ref<TensorImpl> empty(IntSpan sizes, DType dtype);
  /// Another view of a storage. The caller has checked the bounds.
  static Ref<TensorImpl> view(Ref<Storage> storage, IntSpan sizes, IntSpan strides, int64_t offset,
                              DType dtype);

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // The last owner needs no atomic subtraction: nobody can gain a reference any more.
    if (refs_.load(std::memory_order_acquire) == 1) {
      destroy(true);
    } else if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy(false);
    }
  }
  /// Gives a reference up unless it is the last one.
  bool release_unless_last() {
    uint32_t count = refs_.load(std::memory_order_acquire);
    while (count != 1) {
      if (refs_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_acquire); }

  /// What element-wise operators look at first, all of it in one word.
  struct Traits {
    uint8_t ndim = 0;
    DType dtype = DType::F32;
    bool requires_grad = false;
    uint8_t place = 0;         // twice the kind of device; one more for a mere number
    bool is_view = false;      // known to autograd as a view of another tensor
    bool contiguous = true;    // elements stand in row-major order
    uint16_t block_bytes = 0;  // size of the allocation
    constexpr uint64_t word() const { return std::bit_cast<uint64_t>(*this); }
  };
  const Traits& traits() const { return traits_; }
  int dim() const { return traits_.ndim; }
  DType dtype() const { return traits_.dtype; }
  int64_t numel() const { return numel_; }
  const int64_t* sizes() const { return traits_.ndim <= kInlineDims ? inline_dims_ : heap_dims_; }
  const int64_t* strides() const { return sizes() + traits_.ndim; }
  Storage* storage() const { return storage_; }
  DeviceType device() const { return static_cast<DeviceType>(traits_.place >> 1); }
  /// Are its elements in the CPU's memory?
  bool has_data() const { return traits_.place <= 1; }
  /// The elements; NoData if they are not in the CPU's memory.
  char* data() const {
    if (!has_data()) [[unlikely]]
      refuse_access();
    return data_;
  }
  /// Where the elements begin, for comparing and measuring: nothing may be read there.
  char* address() const { return data_; }

  bool is_contiguous() const { return traits_.contiguous; }
  bool requires_grad() {
    return traits_.requires_grad ||
           (traits_.is_view && autograd.load(std::memory_order_acquire)->view_requires_grad(*this));
  }
  void set_is_view() { traits_.is_view = true; }
  bool wrapped_number() const { return (traits_.place & 1) != 0; }
  void set_wrapped_number() { traits_.place |= 1; }

  /// The autograd part, or null. Made and read by autograd/meta.h.
  std::atomic<AutogradState*> autograd{nullptr};
  /// The Python object of this tensor, borrowed, or owned when object_owned (see
  /// native/python/tensor_object.cpp).
  std::atomic<void*> object{nullptr};
  std::atomic<bool> object_owned{false};

  /// How often sizes or dtype changed, as far as it is counted: who kept the tensor for backward finds out.
  static constexpr uint8_t kManyShapes = 255;
  uint8_t shape_changes() const { return shape_changes_.load(std::memory_order_acquire); }

  /// Kept in step by autograd: a leaf that requires a gradient, or a result of recorded operators.
  void set_requires_grad_flag(bool value) { traits_.requires_grad = value; }
  /// Makes this tensor another view (set_data, in-place squeeze_ …). `change` shows that no other thread is
  /// inside an operator. Returns the storage it had, to be let go of after the change.
  Ref<Storage> set_geometry(const ChangingGeometry& change, Ref<Storage> storage, IntSpan sizes,
                            IntSpan strides, int64_t offset, DType dtype);

 private:
  TensorImpl(Traits traits, uint8_t parts, Storage* storage, char* data, int64_t numel)
      : parts_(parts), traits_(traits), storage_(storage), data_(data), numel_(numel) {}
  ~TensorImpl() = default;
  static Ref<TensorImpl> empty_large(IntSpan sizes, DType dtype, int64_t numel);
  void set_dense_dims(IntSpan sizes);
  void set_dims(IntSpan sizes, IntSpan strides);
  void free_dims();
  /// `counted`: the last reference is still counted.
  void destroy(bool counted);
  void drop_part();
  friend class Storage;

  std::atomic<uint8_t> shape_changes_{0};
  std::atomic<uint8_t> parts_;  // 2 while an inline storage also lives in the allocation
  std::atomic<uint32_t> refs_{1};
  alignas(8) Traits traits_;
  Storage* storage_;
  char* data_;
  int64_t numel_;
  union {
    int64_t inline_dims_[2 * kInlineDims];
    int64_t* heap_dims_;
  };
};

/// A handle on a TensorImpl; the undefined tensor is the null handle.
class Tensor {
 public:
  static constexpr bool kRelocatable = true;  // see core/inline_vector.h
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}
  static Tensor adopt(TensorImpl* impl) { return Tensor(Ref<TensorImpl>::adopt(impl)); }
  static Tensor share(TensorImpl* impl) { return Tensor(Ref<TensorImpl>::share(impl)); }
  static Tensor empty(IntSpan sizes, DType dtype) { return Tensor(TensorImpl::empty(sizes, dtype)); }

  bool defined() const { return static_cast<bool>(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  TensorImpl* take() { return impl_.take(); }
  bool is(const Tensor& other) const { return impl_ == other.impl_; }
  void reset() { impl_.reset(); }

  int dim() const { return impl_->dim(); }
  DType dtype() const { return impl_->dtype(); }
  Device device() const { return {.type = impl_->device()}; }
  /// Are its elements in the CPU's memory? Kernels run on such tensors only.
  bool has_data() const { return impl_->has_data(); }
  int64_t numel() const { return impl_->numel(); }
  IntSpan sizes() const { return {impl_->sizes(), static_cast<size_t>(impl_->dim())}; }
  IntSpan strides() const { return {impl_->strides(), static_cast<size_t>(impl_->dim())}; }
  Ints shape() const { return Ints(sizes()); }
  /// Size of a dimension, which may be negative to count from the back; checked.
  ONETAPE_API int64_t size(int64_t d) const;
  ONETAPE_API int64_t stride(int64_t d) const;
  int64_t storage_offset() const {
    return (impl_->address() - static_cast<const char*>(impl_->storage()->address())) /
           static_cast<int64_t>(item_size(dtype()));
  }
  size_t item_bytes() const { return item_size(dtype()); }
  bool is_contiguous() const { return impl_->is_contiguous(); }
  Ref<Storage> storage() const { return Ref<Storage>::share(impl_->storage()); }
  template <typename T>
  T* data() const {
    return reinterpret_cast<T*>(impl_->data());
  }
  char* bytes() const { return impl_->data(); }
  const char* address() const { return impl_->address(); }
  bool requires_grad() const { return impl_->requires_grad(); }

 private:
  Ref<TensorImpl> impl_;
};

static_assert(sizeof(Tensor) == sizeof(void*));

/// Row-major strides of a shape.
ONETAPE_API Ints contiguous_strides(IntSpan sizes);
/// Product of the sizes; RuntimeError when it overflows or a size is negative.
ONETAPE_API int64_t checked_numel(IntSpan sizes, DType dtype);
/// dim in [-ndim, ndim) to [0, ndim); a 0-dim tensor counts as having one. IndexError with PyTorch's text.
ONETAPE_API int64_t wrap_dim(int64_t dim, int64_t ndim);
/// Shape after broadcasting; RuntimeError with PyTorch's text if they do not fit.
ONETAPE_API Ints broadcast_shapes(IntSpan a, IntSpan b);

/// The number that stands at an address.
ONETAPE_API Scalar read_scalar(DType dtype, const void* at);
/// The element of a one-element tensor; RuntimeError with PyTorch's text otherwise.
ONETAPE_API Scalar item(const Tensor& self);
/// A 0-dim tensor holding the number in the given dtype.
ONETAPE_API Tensor scalar_tensor(const Scalar& value, DType dtype);
/// The same in the number's own dtype, marked so that promotion treats it as a number.
ONETAPE_API Tensor wrapped_number(const Scalar& value);
/// Runs when a test wants to see them: true if every element of the view lies within its storage.
ONETAPE_API bool within_storage(const Ref<Storage>& storage, IntSpan sizes, IntSpan strides, int64_t offset,
                                DType dtype);

}  // namespace onetape
