#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "core/device.h"
#include "core/export.h"
#include "core/ref.h"
#include "core/thread_modes.h"

namespace onetape {

class TensorImpl;

/// Throws NoData: what an access to elements meets that are not in the CPU's memory.
[[noreturn]] ONETAPE_API void refuse_access();

/// An untyped block of memory that tensors view, with the version counter they share.
/// Up to kInlineBytes it stands inside the allocation of the tensor that was made with it (`host`).
/// Its memory neither moves nor ends before it does, whatever resize() says: a tensor that shows more of it
/// than there is now reads what stands there, or zeros.
class ONETAPE_API Storage {
 public:
  static constexpr size_t kInlineBytes = 64;

  /// A block of its own from the allocator of a kind of device (see core/backend.h).
  static Ref<Storage> allocate(size_t bytes, DeviceType device = thread_modes.device);
  /// Wraps foreign memory; `release` runs once when nothing uses it any more, on whichever thread that is.
  static Ref<Storage> wrap(void* data, size_t bytes, std::function<void()> release);

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_acquire); }

  /// Its memory; the error of refuse_access() if that is none of the CPU's.
  void* data() const {
    if (device() != DeviceType::CPU) [[unlikely]]
      refuse_access();
    return data_;
  }
  /// Where it begins, for comparing and measuring: nothing may be read there.
  const void* address() const { return data_; }
  DeviceType device() const {
    return static_cast<DeviceType>((bytes_.load(std::memory_order_relaxed) & ~kFixed) >> kDeviceShift);
  }
  size_t nbytes() const { return bytes_.load(std::memory_order_relaxed) & kSize; }
  /// May its size change? Not that of foreign memory, nor of memory that was shown to others.
  bool resizable() const { return !foreign() && !(bytes_.load(std::memory_order_relaxed) & kFixed); }
  void fix_size() { bytes_.fetch_or(kFixed, std::memory_order_relaxed); }
  /// Within the memory that there is; false if that is not enough. What is given up goes back to the system.
  bool resize(size_t bytes);
  /// For memory that takes the place of another's.
  void set_version(uint32_t version) { version_.store(version, std::memory_order_release); }
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
  // In one word: whether the size is fixed, the kind of device, the size.
  static constexpr size_t kFixed = size_t{1} << 63;
  static constexpr int kDeviceShift = 56;
  static constexpr size_t kSize = (size_t{1} << kDeviceShift) - 1;
  /// How the memory ends, where that is not told by `bytes_`.
  struct End {
    std::function<void()> release;
    size_t capacity;  // of own memory that was made smaller; 0 for foreign memory
  };

  Storage(void* data, size_t bytes, TensorImpl* host = nullptr) : data_(data), bytes_(bytes), host_(host) {
    if (thread_modes.watcher) [[unlikely]]
      tell_watcher();
  }
  void tell_watcher() const;
  void destroy();
  void set_nbytes(size_t bytes) {
    const size_t rest = bytes_.load(std::memory_order_relaxed) & ~kSize;
    bytes_.store(rest | bytes, std::memory_order_relaxed);
  }
  bool foreign() const {
    const End* end = end_.load(std::memory_order_acquire);
    return end && end->capacity == 0;
  }

  std::atomic<uint32_t> refs_{1};
  std::atomic<uint32_t> version_{thread_modes.first_version};
  void* data_;
  std::atomic<size_t> bytes_;
  TensorImpl* host_;  // the tensor block this storage is part of
  std::atomic<End*> end_{nullptr};
};

}  // namespace onetape
