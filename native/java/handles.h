#pragma once

#include <atomic>
#include <cstdint>

#include "autograd/node.h"
#include "core/export.h"
#include "core/generator.h"
#include "core/tensor.h"

namespace onetape::java {

/// Handles: numbers that stand for a native object on behalf of a Java object.
///
/// A handle is the index of a slot and the generation of its use. Slots are used again, memory for them is
/// never given back, so that an old handle can be told from a new one at any time and from any thread:
/// closing a handle twice, or while another thread uses it, is harmless. A use pins the slot; the object goes
/// when the slot is closed and the last pin has gone.
template <typename T>
class ONETAPE_API HandleTable {
 public:
  struct Slot {
    std::atomic<uint64_t> state{uint64_t{1} << 32};  // generation, open bit, pins
    T object{};
    int64_t charge = 0;  // bytes counted for it
    uint32_t index = 0;  // its own
  };

  /// Pins an open handle; null if it was closed, and for 0, which stands for nothing.
  static Slot* pin(int64_t handle) {
    if (handle == 0) [[unlikely]]
      return nullptr;  // there may be no slots yet
    Slot& slot = at(static_cast<uint32_t>(handle) & kIndexMask);
    const uint64_t wanted = static_cast<uint64_t>(handle) >> 32;
    uint64_t state = slot.state.load(std::memory_order_acquire);
    do {
      if (state >> 32 != wanted || !(state & kOpen)) [[unlikely]]
        return nullptr;
    } while (!slot.state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel));
    return &slot;
  }
  static void unpin(Slot* slot) {
    const uint64_t before = slot->state.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & (kOpen | kPins)) == 1) [[unlikely]]
      retire(*slot);
  }
  /// A handle of an object. The bytes count until it is closed.
  static int64_t open(T object, int64_t charge);
  /// False if it was closed before.
  static bool close(int64_t handle);

 private:
  template <typename U>
  friend class Slots;

  static constexpr uint64_t kOpen = uint64_t{1} << 31;
  static constexpr uint64_t kPins = kOpen - 1;
  static constexpr uint32_t kChunkBits = 12;
  static constexpr uint32_t kChunkSlots = 1u << kChunkBits;
  static constexpr uint32_t kChunks = 1u << 14;
  static constexpr uint32_t kIndexMask = kChunks * kChunkSlots - 1;

  static Slot& at(uint32_t index) {
    return chunks_[index >> kChunkBits].load(std::memory_order_acquire)[index & (kChunkSlots - 1)];
  }
  /// Lets go of the object of a closed slot without pins, and hands the slot on.
  static void retire(Slot& slot);

  static std::atomic<Slot*> chunks_[kChunks];
};

/// The free slots of a kind.
template <typename T>
class Slots;

extern template class HandleTable<Tensor>;
extern template class HandleTable<Ref<Node>>;
extern template class HandleTable<Ref<Generator>>;
extern template class HandleTable<HookRemover>;
using TensorHandles = HandleTable<Tensor>;
using NodeHandles = HandleTable<Ref<Node>>;
using GeneratorHandles = HandleTable<Ref<Generator>>;
using HookHandles = HandleTable<HookRemover>;

/// Closes a handle of any kind.
void close_handle(int64_t handle);

/// Handles of tensors that are open, and the bytes counted for them.
int64_t open_tensors();
int64_t charged_bytes();

/// Opens a handle of a tensor, 0 for the undefined one. Calls back into Java when too many bytes are in use.
ONETAPE_API int64_t new_handle(Tensor tensor);
ONETAPE_API int64_t new_handle(Ref<Node> node);
ONETAPE_API int64_t new_handle(Ref<Generator> generator);
/// Closing it leaves the hook where it is.
ONETAPE_API int64_t new_handle(HookRemover remover);
/// The tensor of a handle that nobody else knows; closes it.
ONETAPE_API Tensor take_handle(int64_t handle);

/// Bytes above which new_handle() asks Java to collect garbage.
void set_pressure_bound(int64_t bytes);

}  // namespace onetape::java
