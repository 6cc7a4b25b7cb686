#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "core/export.h"
#include "core/ref.h"
#include "core/thread_modes.h"

namespace onetape {

class TensorImpl;

/// An untyped block of memory that tensors view, with the version counter they share.
/// Up to kInlineBytes it stands inside the allocation of the tensor that was made with it (`host`).
class ONETAPE_API Storage {
 public:
  static constexpr size_t kInlineBytes = 64;

  /// A block of its own from the caching allocator.
  static Ref<Storage> allocate(size_t bytes);
  /// Wraps foreign memory; `release` runs once when nothing uses it any more, on whichever thread that is.
  static Ref<Storage> wrap(void* data, size_t bytes, std::function<void()> release);

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_acquire); }

  void* data() const { return data_; }
  size_t nbytes() const { return bytes_; }
  uint32_t version() const { return version_.load(std::memory_order_acquire); }
  void bump_version() {
    const uint32_t now = version_.fetch_add(1, std::memory_order_acq_rel) + 1;
    if ((now & ~kInference) == 0) [[unlikely]]
      version_.fetch_xor(kInference, std::memory_order_acq_rel);  // all numbers were used: the mark stays
  }
  /// Stands in the version of what was made in inference mode, which counts no changes.
  static constexpr uint32_t kInference = uint32_t{1} << 31;
  bool is_inference() const { return (version() & kInference) != 0; }

 private:
  friend class TensorImpl;
  Storage(void* data, size_t bytes, TensorImpl* host = nullptr) : data_(data), bytes_(bytes), host_(host) {}
  void destroy();

  std::atomic<uint32_t> refs_{1};
  std::atomic<uint32_t> version_{thread_modes.first_version};
  void* data_;
  size_t bytes_;
  TensorImpl* host_;                          // the tensor block this storage is part of
  std::function<void()>* foreign_ = nullptr;  // how to release wrapped memory
};

}  // namespace onetape
