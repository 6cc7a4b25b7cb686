#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "autograd/node.h"
#include "core/ref.h"
#include "core/tensor.h"
#include "core/thread_modes.h"

namespace onetape {

/// What a pack hook made of a tensor that is saved for backward.
class ONETAPE_API PackedTensor {
 public:
  PackedTensor() = default;
  PackedTensor(const PackedTensor&) = delete;
  PackedTensor& operator=(const PackedTensor&) = delete;
  virtual ~PackedTensor() = default;

  /// The tensor again; runs the unpack hook.
  virtual Tensor unpack() = 0;
  /// The Python object behind it, so that cycles through it can be collected.
  virtual void* face_object() const { return nullptr; }

  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_acquire); }

  Edge history;  // where the gradient of the tensor goes; set by who saves it
  Ints sizes;    // of the tensor, as its dtype
  DType dtype = DType::F32;

 private:
  std::atomic<uint32_t> refs_{1};
};

/// A pair of hooks for the tensors that a thread saves while they are the innermost.
class ONETAPE_API SavedTensorHooks {
 public:
  virtual ~SavedTensorHooks() = default;
  virtual Ref<PackedTensor> pack(const Tensor& tensor) = 0;
};

/// Calls the pack hook as PyTorch does: unrecorded, and with an error if it changes the tensor.
Ref<PackedTensor> pack_saved(SavedTensorHooks& hooks, const Tensor& tensor);

/// The pairs that are in force on the calling thread, the innermost last; other threads may take them over.
using SavedHooksList = std::vector<std::shared_ptr<SavedTensorHooks>>;
ONETAPE_API SavedHooksList saved_hooks_list();
ONETAPE_API void set_saved_hooks_list(SavedHooksList list);

/// RuntimeError with the given text while they are switched off.
ONETAPE_API void push_saved_hooks(std::shared_ptr<SavedTensorHooks> hooks);
ONETAPE_API void pop_saved_hooks();
/// Switches them off with a text that says why, or on again with none; RuntimeError if some are in force.
/// Returns the text before.
ONETAPE_API std::string disable_saved_hooks(std::string why);
/// Puts the text back without looking.
ONETAPE_API void restore_saved_hooks(std::string why);

}  // namespace onetape
