#include "java/handles.h"

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "core/error.h"
#include "java/jvm.h"

namespace onetape::java {
namespace {

constexpr uint64_t kOpen = uint64_t{1} << 31;
constexpr uint64_t kPins = kOpen - 1;
constexpr uint32_t kChunkBits = 12;
constexpr uint32_t kChunkSlots = 1u << kChunkBits;
constexpr uint32_t kChunks = 1u << 14;
constexpr size_t kBatch = 64;
// The kind of object stands above the index in a handle, so that close_handle() knows it.
constexpr uint32_t kKindShift = 30;
constexpr uint32_t kIndexMask = (1u << kKindShift) - 1;
enum Kind : uint32_t { kTensor, kNode, kGenerator };
template <typename T>
constexpr Kind kind_of_handle = kTensor;
template <>
constexpr Kind kind_of_handle<Ref<Node>> = kNode;
template <>
constexpr Kind kind_of_handle<Ref<Generator>> = kGenerator;
// What a small tensor takes besides its elements, on both sides.
constexpr int64_t kTensorBytes = 256;

uint64_t generation(uint64_t state) { return state >> 32; }

/// Counters that threads add to without meeting often.
struct alignas(64) Counters {
  std::atomic<int64_t> tensors{0};
  std::atomic<int64_t> bytes{0};
};
std::array<Counters, 16> counters;
Counters& my_counters() {
  static std::atomic<uint32_t> next{0};
  thread_local Counters& mine = counters[next.fetch_add(1) % counters.size()];
  return mine;
}

template <typename T>
class Slots {
 public:
  using Slot = typename HandleTable<T>::Slot;

  Slot& at(uint32_t index) {
    return chunks_[index >> kChunkBits].load(std::memory_order_acquire)[index & (kChunkSlots - 1)];
  }
  uint32_t take() {
    std::vector<uint32_t>& free = cache().free;
    if (free.empty()) refill(free);
    const uint32_t index = free.back();
    free.pop_back();
    return index;
  }
  void give(uint32_t index) {
    std::vector<uint32_t>& free = cache().free;
    free.push_back(index);
    if (free.size() >= 2 * kBatch) spill(free, kBatch);
  }
  static Slots& instance() {
    static auto* slots = new Slots;  // outlives the threads that end after main()
    return *slots;
  }

 private:
  /// Free slots of one thread.
  struct Cache {
    Cache() { free.reserve(2 * kBatch); }
    ~Cache() { instance().spill(free, free.size()); }
    std::vector<uint32_t> free;
  };
  static Cache& cache() {
    thread_local Cache mine;
    return mine;
  }

  void refill(std::vector<uint32_t>& free) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    const size_t count = std::min(kBatch, free_.size());
    free.assign(free_.end() - static_cast<std::ptrdiff_t>(count), free_.end());
    free_.resize(free_.size() - count);
  }
  void spill(std::vector<uint32_t>& free, size_t count) {
    const std::lock_guard lock(mutex_);
    free_.insert(free_.end(), free.end() - static_cast<std::ptrdiff_t>(count), free.end());
    free.resize(free.size() - count);
  }
  void grow() {
    if (used_ == kChunks) throw_error(ErrorKind::OutOfMemory, "there are too many open tensors");
    chunks_[used_].store(new Slot[kChunkSlots], std::memory_order_release);
    // Room for every slot there is, so that closing a handle never needs memory.
    free_.reserve(size_t{used_ + 1} * kChunkSlots);
    for (uint32_t i = kChunkSlots; i-- > 0;) free_.push_back((used_ << kChunkBits) + i);
    ++used_;
  }

  std::mutex mutex_;
  std::vector<uint32_t> free_;
  uint32_t used_ = 0;
  std::array<std::atomic<Slot*>, kChunks> chunks_{};
};

template <typename T>
typename HandleTable<T>::Slot& slot_of(int64_t handle, uint32_t* index = nullptr) {
  const uint32_t place = static_cast<uint32_t>(handle) & kIndexMask;
  if (index) *index = place;
  return Slots<T>::instance().at(place);
}

/// Lets go of the object of a closed slot without pins, and hands the slot on.
template <typename T>
void retire(typename HandleTable<T>::Slot& slot, uint32_t index) {
  T object = std::move(slot.object);
  slot.object = T();
  if constexpr (std::is_same_v<T, Tensor>) {
    Counters& mine = my_counters();
    mine.tensors.fetch_sub(1, std::memory_order_relaxed);
    mine.bytes.fetch_sub(slot.charge, std::memory_order_relaxed);
  }
  const uint64_t next = generation(slot.state.load(std::memory_order_relaxed)) + 1;
  slot.state.store(next << 32, std::memory_order_release);
  // A slot whose generations have run out is left alone for ever.
  if (next != UINT32_MAX) Slots<T>::instance().give(index);
}

std::atomic<int64_t> pressure_bound{INT64_MAX};

/// Every megabyte that this thread has added it looks at the sum; above the bound Java is asked to collect.
void watch_pressure(int64_t added) {
  thread_local int64_t unwatched = 0;
  unwatched += added;
  if (unwatched < (1 << 20)) return;
  unwatched = 0;
  if (charged_bytes() < pressure_bound.load(std::memory_order_relaxed)) return;
  const AttachedThread thread;
  if (!thread.env() || thread.env()->ExceptionCheck()) return;
  thread.env()->CallStaticVoidMethod(classes().collector, classes().relieve);
  thread.env()->ExceptionClear();
}

}  // namespace

template <typename T>
typename HandleTable<T>::Slot* HandleTable<T>::pin(int64_t handle) {
  Slot& slot = slot_of<T>(handle);
  const uint64_t wanted = generation(static_cast<uint64_t>(handle));
  uint64_t state = slot.state.load(std::memory_order_acquire);
  do {
    if (generation(state) != wanted || !(state & kOpen)) return nullptr;
  } while (!slot.state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel));
  return &slot;
}

template <typename T>
void HandleTable<T>::unpin(Slot* slot) {
  const uint64_t before = slot->state.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & kPins) == 1 && !(before & kOpen)) [[unlikely]] {
    retire<T>(*slot, slot->index);
  }
}

template <typename T>
int64_t HandleTable<T>::open(T object, int64_t charge) {
  uint32_t index = Slots<T>::instance().take();
  Slot& slot = Slots<T>::instance().at(index);
  slot.object = std::move(object);
  slot.charge = charge;
  slot.index = index;
  if constexpr (std::is_same_v<T, Tensor>) {
    Counters& mine = my_counters();
    mine.tensors.fetch_add(1, std::memory_order_relaxed);
    mine.bytes.fetch_add(charge, std::memory_order_relaxed);
  }
  const uint64_t number = generation(slot.state.load(std::memory_order_relaxed));
  slot.state.store(number << 32 | kOpen, std::memory_order_release);
  return static_cast<int64_t>(number << 32 | kind_of_handle<T> << kKindShift | index);
}

template <typename T>
bool HandleTable<T>::close(int64_t handle) {
  uint32_t index = 0;
  Slot& slot = slot_of<T>(handle, &index);
  const uint64_t wanted = generation(static_cast<uint64_t>(handle));
  uint64_t state = slot.state.load(std::memory_order_acquire);
  do {
    if (generation(state) != wanted || !(state & kOpen)) return false;
  } while (!slot.state.compare_exchange_weak(state, state & ~kOpen, std::memory_order_acq_rel));
  if ((state & kPins) == 0) retire<T>(slot, index);
  return true;
}

template class HandleTable<Tensor>;
template class HandleTable<Ref<Node>>;
template class HandleTable<Ref<Generator>>;

void close_handle(int64_t handle) {
  if (handle == 0) return;
  switch (static_cast<uint32_t>(handle) >> kKindShift) {
    case kNode:
      NodeHandles::close(handle);
      break;
    case kGenerator:
      GeneratorHandles::close(handle);
      break;
    default:
      TensorHandles::close(handle);
  }
}

int64_t open_tensors() {
  int64_t sum = 0;
  for (const Counters& c : counters) sum += c.tensors.load(std::memory_order_relaxed);
  return sum;
}

int64_t charged_bytes() {
  int64_t sum = 0;
  for (const Counters& c : counters) sum += c.bytes.load(std::memory_order_relaxed);
  return sum;
}

int64_t new_handle(Tensor tensor) {
  if (!tensor.defined()) return 0;
  Storage* storage = tensor.impl()->storage();
  // A tensor that shares its elements costs nothing more.
  const bool owns = storage && storage->use_count() == 1;
  const int64_t charge = kTensorBytes + (owns ? static_cast<int64_t>(storage->nbytes()) : 0);
  const int64_t handle = TensorHandles::open(std::move(tensor), charge);
  watch_pressure(charge);
  return handle;
}

int64_t new_handle(Ref<Node> node) { return node ? NodeHandles::open(std::move(node), 0) : 0; }

int64_t new_handle(Ref<Generator> generator) { return GeneratorHandles::open(std::move(generator), 0); }

Tensor take_handle(int64_t handle) {
  if (handle == 0) return Tensor();
  TensorHandles::Slot* slot = TensorHandles::pin(handle);
  if (!slot) throw_error(ErrorKind::Closed, "closed");
  Tensor tensor = slot->object;
  TensorHandles::unpin(slot);
  TensorHandles::close(handle);
  return tensor;
}

void set_pressure_bound(int64_t bytes) { pressure_bound.store(bytes, std::memory_order_relaxed); }

}  // namespace onetape::java
