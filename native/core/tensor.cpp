#include "core/tensor.h"

#include <cstring>
#include <limits>
#include <new>

#include "core/backend.h"
#include "core/call_watcher.h"
#include "core/pool.h"

namespace onetape {

FaceHooks face_hooks;

namespace {

/// The traits of a dense tensor, put together in a register: operators soon read them as one word, which must
/// not wait for its parts.
[[gnu::always_inline]] inline TensorImpl::Traits dense_traits(size_t ndim, DType dtype, size_t block_bytes,
                                                              DeviceType device = {}) {
  using Traits = TensorImpl::Traits;
  constexpr uint64_t kDense = Traits{.dtype = {}, .contiguous = true}.word();
  constexpr uint64_t kNdim = Traits{.ndim = 0xff, .dtype = {}, .contiguous = false}.word();
  constexpr uint64_t kDtype = Traits{.dtype = DType{0xff}, .contiguous = false}.word();
  constexpr uint64_t kPlace = Traits{.dtype = {}, .place = 0xff, .contiguous = false}.word();
  constexpr uint64_t kBytes = Traits{.dtype = {}, .contiguous = false, .block_bytes = 0xffff}.word();
  const auto place = [](size_t value, uint64_t where) { return uint64_t{value} << std::countr_zero(where); };
  return std::bit_cast<Traits>(kDense | place(ndim, kNdim) | place(static_cast<size_t>(dtype), kDtype) |
                               place(size_t{static_cast<uint8_t>(device)} << 1, kPlace) |
                               place(block_bytes, kBytes));
}

bool row_major(IntSpan sizes, IntSpan strides) {
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != step) return false;
    step *= sizes[i];
  }
  return true;
}

}  // namespace

Ref<TensorImpl> TensorImpl::empty(IntSpan sizes, DType dtype) {
  int64_t numel = 1;
  if (sizes.size() == 1) numel = sizes[0];
  if (sizes.size() > 1 || numel < 0 || numel > (int64_t{1} << 40)) [[unlikely]]
    numel = checked_numel(sizes, dtype);
  const size_t bytes = static_cast<size_t>(numel) * item_size(dtype);
  if (static_cast<int64_t>(bytes) > thread_modes.inline_bytes) return empty_large(sizes, dtype, numel);
  constexpr size_t kBody = sizeof(TensorImpl) + sizeof(Storage);  // and the elements behind
  static_assert(kBody % alignof(complex128) == 0);
  char* block = static_cast<char*>(pool_allocate_fast(kBody + bytes));
  auto* storage = reinterpret_cast<Storage*>(block + sizeof(TensorImpl));
  auto* impl = new (block)
      TensorImpl(dense_traits(sizes.size(), dtype, kBody + bytes), 2, storage, block + kBody, numel);
  new (storage) Storage(block + kBody, bytes, impl);
  count_tensor(+1);
  Ref<TensorImpl> owned = Ref<TensorImpl>::adopt(impl);
  if (!sizes.empty()) impl->set_dense_dims(sizes);
  return owned;
}

/// The elements stand in a block of their own.
Ref<TensorImpl> TensorImpl::empty_large(IntSpan sizes, DType dtype, int64_t numel) {
  Ref<Storage> storage = Storage::allocate(static_cast<size_t>(numel) * item_size(dtype));
  void* block = pool_allocate_fast(sizeof(TensorImpl));
  auto* data = static_cast<char*>(storage->data_);
  const Traits traits = dense_traits(sizes.size(), dtype, sizeof(TensorImpl), storage->device());
  auto* impl = new (block) TensorImpl(traits, 1, storage.take(), data, numel);
  count_tensor(+1);
  Ref<TensorImpl> owned = Ref<TensorImpl>::adopt(impl);
  impl->set_dense_dims(sizes);
  return owned;
}

Ref<TensorImpl> TensorImpl::view(Ref<Storage> storage, IntSpan sizes, IntSpan strides, int64_t offset,
                                 DType dtype) {
  void* block = pool_allocate_fast(sizeof(TensorImpl));
  char* data = static_cast<char*>(storage->data_) + offset * static_cast<int64_t>(item_size(dtype));
  const Traits traits = dense_traits(0, dtype, sizeof(TensorImpl), storage->device());
  auto* impl = new (block) TensorImpl(traits, 1, storage.take(), data, 1);
  count_tensor(+1);
  Ref<TensorImpl> owned = Ref<TensorImpl>::adopt(impl);
  impl->set_dims(sizes, strides);
  return owned;
}

void TensorImpl::set_dense_dims(IntSpan sizes) {
  if (sizes.size() > kInlineDims) {
    traits_.ndim = 0;  // none so far, should there be no memory
    set_dims(sizes, contiguous_strides(sizes));
    return;
  }
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    inline_dims_[i] = sizes[i];
    inline_dims_[sizes.size() + i] = step;
    step *= sizes[i] > 1 ? sizes[i] : 1;
  }
}

void TensorImpl::set_dims(IntSpan sizes, IntSpan strides) {
  check(sizes.size() <= 64, "a tensor has at most 64 dimensions, got ", sizes.size());
  if (sizes.size() > kInlineDims) {
    auto* heap = new int64_t[2 * sizes.size()];  // may fail: nothing is changed yet
    heap_dims_ = heap;
  }
  traits_.ndim = static_cast<uint8_t>(sizes.size());
  int64_t* dims = traits_.ndim > kInlineDims ? heap_dims_ : inline_dims_;
  numel_ = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    dims[i] = sizes[i];
    dims[sizes.size() + i] = strides[i];
    numel_ *= sizes[i];
  }
  traits_.contiguous = numel_ == 0 || row_major(sizes, strides);
}

inline void TensorImpl::free_dims() {
  if (traits_.ndim <= kInlineDims) return;
  delete[] heap_dims_;
  traits_.ndim = 0;
}

Ref<Storage> TensorImpl::set_geometry(const ChangingGeometry& /*change*/, Ref<Storage> storage, IntSpan sizes,
                                      IntSpan strides, int64_t offset, DType dtype) {
  const Ints kept_sizes(sizes);
  const Ints kept_strides(strides);
  const bool other_shape = traits_.dtype != dtype || !same(IntSpan(this->sizes(), traits_.ndim), sizes);
  if (const uint8_t changes = shape_changes(); other_shape && changes < kManyShapes)
    shape_changes_.store(changes + 1, std::memory_order_release);
  const int64_t* const old_dims = traits_.ndim > kInlineDims ? heap_dims_ : nullptr;
  set_dims(kept_sizes, kept_strides);
  delete[] old_dims;
  traits_.dtype = dtype;
  traits_.place = static_cast<uint8_t>(static_cast<int>(storage->device()) << 1 | (traits_.place & 1));
  Ref<Storage> old = Ref<Storage>::adopt(storage_);
  storage_ = storage.take();
  data_ = static_cast<char*>(storage_->data_) + offset * static_cast<int64_t>(item_size(dtype));
  return old;
}

void TensorImpl::destroy(bool counted) {
  if (void* face = object.load(std::memory_order_acquire)) [[unlikely]] {
    if (!face_hooks.release(face)) {
      if (counted) release();
      return;
    }
  }
  delete autograd.load(std::memory_order_acquire);
  free_dims();
  count_tensor(-1);
  if (storage_->host_ == this && storage_->use_count() == 1) {  // nobody else can reach the inline storage
    pool_free_fast(this, traits_.block_bytes);
    return;
  }
  storage_->release();
  drop_part();
}

void TensorImpl::drop_part() {
  if (parts_.fetch_sub(1, std::memory_order_acq_rel) == 1) pool_free_fast(this, traits_.block_bytes);
}

int64_t Tensor::size(int64_t d) const { return sizes()[wrap_dim(d, dim())]; }
int64_t Tensor::stride(int64_t d) const { return strides()[wrap_dim(d, dim())]; }

Ints contiguous_strides(IntSpan sizes) {
  Ints strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * (sizes[i] > 1 ? sizes[i] : 1);
  return strides;
}

int64_t checked_numel(IntSpan sizes, DType dtype) {
  check(sizes.size() <= 64, "a tensor has at most 64 dimensions, got ", sizes.size());
  int64_t numel = 1;
  bool overflow = false;
  for (const int64_t size : sizes) {
    check(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", Ints(sizes));
    overflow |= __builtin_mul_overflow(numel, size > 0 ? size : 1, &numel);
  }
  int64_t bytes = 0;
  overflow |= __builtin_mul_overflow(numel, static_cast<int64_t>(item_size(dtype)), &bytes);
  check(!overflow, "Storage size calculation overflowed with sizes=", Ints(sizes));
  for (const int64_t size : sizes) {
    if (size == 0) return 0;
  }
  return numel;
}

int64_t wrap_dim(int64_t dim, int64_t ndim) {
  const int64_t range = ndim > 0 ? ndim : 1;
  check_index(dim >= -range && dim < range, "Dimension out of range (expected to be in range of [", -range,
              ", ", range - 1, "], but got ", dim, ")");
  return dim < 0 ? dim + range : dim;
}

Ints broadcast_shapes(IntSpan a, IntSpan b) {
  const size_t n = std::max(a.size(), b.size());
  Ints out(n, 1);
  for (size_t i = 0; i < n; ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    check(x == y || x == 1 || y == 1, "The size of tensor a (", x, ") must match the size of tensor b (", y,
          ") at non-singleton dimension ", n - 1 - i);
    out[n - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Scalar read_scalar(DType dtype, const void* at) {
  return visit_all(dtype, [at](auto tag) -> Scalar {
    using T = typename decltype(tag)::type;
    const T value = *static_cast<const T*>(at);
    if constexpr (std::is_same_v<T, bool>) {
      return Scalar(value);
    } else if constexpr (std::is_integral_v<T>) {
      return Scalar(static_cast<int64_t>(value));
    } else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
      return Scalar(complex128(value));
    } else {
      return Scalar(static_cast<double>(static_cast<compute_t<T>>(value)));
    }
  });
}

Scalar item(const Tensor& self) {
  check(self.defined(), "item() called on an undefined tensor");
  check(self.numel() == 1, "a Tensor with ", self.numel(), " elements cannot be converted to Scalar");
  note_read(self, "item()");
  check(self.device().type != DeviceType::Meta, "Tensor.item() cannot be called on meta tensors");
  return read_scalar(self.dtype(), self.bytes());
}

Tensor scalar_tensor(const Scalar& value, DType dtype) {
  Tensor out = Tensor::empty({}, dtype);
  if (!out.has_data()) [[unlikely]]
    return out;
  visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *reinterpret_cast<T*>(out.impl()->address()) = value.to<T>();
  });
  note_constant(out);
  return out;
}

Tensor wrapped_number(const Scalar& value) {
  if (thread_modes.device != DeviceType::CPU) [[unlikely]] {  // operators read it on any device
    const DeviceScope here(DeviceType::CPU);
    return wrapped_number(value);
  }
  // The number itself is kept in full precision; promotion looks only at its kind.
  DType dtype = value.dtype();
  if (dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16) dtype = DType::F64;
  if (dtype == DType::C64) dtype = DType::C128;
  Tensor out = scalar_tensor(value, dtype);
  out.impl()->set_wrapped_number();
  return out;
}

bool within_storage(const Ref<Storage>& storage, IntSpan sizes, IntSpan strides, int64_t offset,
                    DType dtype) {
  int64_t low = offset;
  int64_t high = offset;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return true;
    int64_t reach = 0;
    if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach)) return false;
    if (__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high)) return false;
  }
  int64_t end = 0;
  if (__builtin_add_overflow(high, 1, &end)) return false;
  if (__builtin_mul_overflow(end, static_cast<int64_t>(item_size(dtype)), &end)) return false;
  return low >= 0 && end <= static_cast<int64_t>(storage->nbytes());
}

}  // namespace onetape
