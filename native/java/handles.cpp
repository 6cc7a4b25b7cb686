#include "java/handles.h"

#include <array>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "core/tls.h"
#include "java/jvm.h"
#include "java/keeper.h"
#include "java/optimizer_handles.h"
#include "java/tape_handles.h"

namespace onetape::java {
namespace {

constexpr size_t kBatch = 64;
// The kind of object stands above the index in a handle, so that close_handle() knows it.
constexpr uint32_t kKindShift = 29;
// Below it stands whether the graph behind a tensor needs Java objects: its Java object then asks for them.
constexpr uint32_t kKept = 1u << 28;
enum Kind : uint32_t { kTensor, kNode, kGenerator, kHook, kOptimizer, kTape, kKinds };
template <typename T>
constexpr Kind kind_of_handle = kTensor;
template <>
constexpr Kind kind_of_handle<Ref<Node>> = kNode;
template <>
constexpr Kind kind_of_handle<Ref<Generator>> = kGenerator;
template <>
constexpr Kind kind_of_handle<HookRemover> = kHook;
template <>
constexpr Kind kind_of_handle<std::shared_ptr<LockedOptimizer>> = kOptimizer;
template <>
constexpr Kind kind_of_handle<Ref<tape::Tape>> = kTape;
// What a small tensor takes besides its elements, on both sides.
constexpr int64_t kTensorBytes = 256;

/// What a thread keeps for itself: free slots of each kind, and its share of the counts, which others only
/// read.
struct Local {
  std::array<std::vector<uint32_t>, kKinds> free;
  std::atomic<int64_t> tensors{0};
  std::atomic<int64_t> bytes{0};
  int64_t unwatched = 0;  // bytes added since the last look at the sum

  void count(int64_t tensor, int64_t charge) {
    tensors.store(tensors.load(std::memory_order_relaxed) + tensor, std::memory_order_relaxed);
    bytes.store(bytes.load(std::memory_order_relaxed) + charge, std::memory_order_relaxed);
  }
};

/// All threads' shares; those of threads that have ended are kept in one, which is also for what they still
/// do while they end.
struct Locals {
  std::mutex lock;
  std::unordered_set<Local*> all;
  Local ended;  // guarded by the lock
};
Locals& locals() {
  static auto* one = new Locals;  // outlives every thread
  return *one;
}

ONETAPE_HOT_TLS Local* t_local = nullptr;
constinit thread_local bool t_ended = false;

int64_t total(std::atomic<int64_t> Local::*counter) {
  Locals& every = locals();
  const std::lock_guard lock(every.lock);
  int64_t sum = (every.ended.*counter).load(std::memory_order_relaxed);
  for (Local* one : every.all) sum += (one->*counter).load(std::memory_order_relaxed);
  return sum;
}

[[gnu::noinline]] Local* make_local();
/// Null while the thread ends.
Local* local() { return t_local ? t_local : make_local(); }

}  // namespace

template <typename T>
class Slots {
 public:
  using Table = HandleTable<T>;

  uint32_t take() {
    Local* mine = local();
    if (!mine) return take_shared();
    std::vector<uint32_t>& free = mine->free[kind_of_handle<T>];
    if (free.empty()) [[unlikely]]
      refill(free);
    const uint32_t index = free.back();
    free.pop_back();
    return index;
  }
  void give(uint32_t index) {
    Local* mine = local();
    if (!mine) {
      const std::lock_guard lock(mutex_);
      free_.push_back(index);
      return;
    }
    std::vector<uint32_t>& free = mine->free[kind_of_handle<T>];
    free.push_back(index);
    if (free.size() >= 2 * kBatch) [[unlikely]]
      spill(free, kBatch);
  }
  void spill(std::vector<uint32_t>& free, size_t count) {
    const std::lock_guard lock(mutex_);
    free_.insert(free_.end(), free.end() - static_cast<std::ptrdiff_t>(count), free.end());
    free.resize(free.size() - count);
  }
  static Slots& instance() {
    static auto* slots = new Slots;  // outlives the threads that end after main()
    return *slots;
  }

 private:
  uint32_t take_shared() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    const uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void refill(std::vector<uint32_t>& free) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    const size_t count = std::min(kBatch, free_.size());
    free.assign(free_.end() - static_cast<std::ptrdiff_t>(count), free_.end());
    free_.resize(free_.size() - count);
  }
  void grow() {
    if (used_ == Table::kChunks) throw_error(ErrorKind::OutOfMemory, "there are too many open tensors");
    // Room for every slot there is, so that closing a handle never needs memory.
    free_.reserve(size_t{used_ + 1} * Table::kChunkSlots);
    auto* chunk = new typename Table::Slot[Table::kChunkSlots];
    const uint32_t first = used_ << Table::kChunkBits;
    for (uint32_t i = 0; i < Table::kChunkSlots; ++i) chunk[i].index = first + i;
    for (uint32_t i = Table::kChunkSlots; i-- > 0;) free_.push_back(first + i);
    Table::chunks_[used_].store(chunk, std::memory_order_release);
    ++used_;
  }

  std::mutex mutex_;
  std::vector<uint32_t> free_;
  uint32_t used_ = 0;
};

namespace {

/// A thread's Local from its first handle to its end.
struct LocalOwner {
  std::unique_ptr<Local> local = std::make_unique<Local>();
  LocalOwner() {
    for (std::vector<uint32_t>& free : local->free) free.reserve(2 * kBatch);
    const std::lock_guard lock(locals().lock);
    locals().all.insert(local.get());
    t_local = local.get();
  }
  ~LocalOwner() {
    t_local = nullptr;
    t_ended = true;
    Slots<Tensor>::instance().spill(local->free[kTensor], local->free[kTensor].size());
    Slots<Ref<Node>>::instance().spill(local->free[kNode], local->free[kNode].size());
    Slots<Ref<Generator>>::instance().spill(local->free[kGenerator], local->free[kGenerator].size());
    Slots<HookRemover>::instance().spill(local->free[kHook], local->free[kHook].size());
    Slots<std::shared_ptr<LockedOptimizer>>::instance().spill(local->free[kOptimizer],
                                                              local->free[kOptimizer].size());
    Slots<Ref<tape::Tape>>::instance().spill(local->free[kTape], local->free[kTape].size());
    const std::lock_guard lock(locals().lock);
    locals().all.erase(local.get());
    locals().ended.count(local->tensors.load(std::memory_order_relaxed),
                         local->bytes.load(std::memory_order_relaxed));
  }
};

Local* make_local() {
  if (t_ended) return nullptr;
  thread_local LocalOwner owner;
  return owner.local.get();
}

void count(int64_t tensors, int64_t charge) {
  if (Local* mine = local()) [[likely]] {
    mine->count(tensors, charge);
    return;
  }
  const std::lock_guard lock(locals().lock);
  locals().ended.count(tensors, charge);
}

std::atomic<int64_t> pressure_bound{INT64_MAX};

/// Every megabyte that this thread has added it looks at the sum; above the bound Java is asked to collect.
void watch_pressure(int64_t added) {
  Local* mine = local();
  if (!mine) return;
  mine->unwatched += added;
  if (mine->unwatched < (1 << 20)) [[likely]]
    return;
  mine->unwatched = 0;
  if (charged_bytes() < pressure_bound.load(std::memory_order_relaxed)) return;
  const AttachedThread thread;
  if (!thread.env() || thread.env()->ExceptionCheck()) return;
  thread.env()->CallStaticVoidMethod(classes().collector, classes().relieve);
  thread.env()->ExceptionClear();
}

}  // namespace

template <typename T>
std::atomic<typename HandleTable<T>::Slot*> HandleTable<T>::chunks_[kChunks];

template <typename T>
void HandleTable<T>::retire(Slot& slot) {
  const T object = std::move(slot.object);
  if constexpr (std::is_same_v<T, Tensor>) {
    count(-1, -slot.charge);
  }
  const uint64_t next = (slot.state.load(std::memory_order_relaxed) >> 32) + 1;
  slot.state.store(next << 32, std::memory_order_release);
  // A slot whose generations have run out is left alone for ever.
  if (next != UINT32_MAX) Slots<T>::instance().give(slot.index);
}

template <typename T>
int64_t HandleTable<T>::open(T object, int64_t charge) {
  const uint32_t index = Slots<T>::instance().take();
  Slot& slot = at(index);
  slot.object = std::move(object);
  slot.charge = charge;
  if constexpr (std::is_same_v<T, Tensor>) {
    count(1, charge);
  }
  const uint64_t number = slot.state.load(std::memory_order_relaxed) >> 32;
  slot.state.store(number << 32 | kOpen, std::memory_order_release);
  return static_cast<int64_t>(number << 32 | kind_of_handle<T> << kKindShift | index);
}

template <typename T>
bool HandleTable<T>::close(int64_t handle) {
  if (handle == 0) return false;
  Slot& slot = at(static_cast<uint32_t>(handle) & kIndexMask);
  const uint64_t wanted = static_cast<uint64_t>(handle) >> 32;
  uint64_t state = slot.state.load(std::memory_order_acquire);
  do {
    if (state >> 32 != wanted || !(state & kOpen)) return false;
  } while (!slot.state.compare_exchange_weak(state, state & ~kOpen, std::memory_order_acq_rel));
  if ((state & kPins) == 0) retire(slot);
  return true;
}

template class HandleTable<Tensor>;
template class HandleTable<Ref<Node>>;
template class HandleTable<Ref<Generator>>;
template class HandleTable<HookRemover>;
template class HandleTable<std::shared_ptr<LockedOptimizer>>;
template class HandleTable<Ref<tape::Tape>>;

void close_handle(int64_t handle) {
  if (handle == 0) return;
  switch (static_cast<uint32_t>(handle) >> kKindShift) {
    case kNode:
      NodeHandles::close(handle);
      break;
    case kGenerator:
      GeneratorHandles::close(handle);
      break;
    case kHook:
      HookHandles::close(handle);
      break;
    case kOptimizer:
      OptimizerHandles::close(handle);
      break;
    case kTape:
      TapeHandles::close(handle);
      break;
    default:
      TensorHandles::close(handle);
  }
}

int64_t open_tensors() { return total(&Local::tensors); }
int64_t charged_bytes() { return total(&Local::bytes); }

int64_t new_handle(Tensor tensor) {
  if (!tensor.defined()) return 0;
  Storage* storage = tensor.impl()->storage();
  // A tensor that shares its elements costs nothing more.
  const bool owns = storage && storage->use_count() == 1;
  const int64_t charge = kTensorBytes + (owns ? static_cast<int64_t>(storage->nbytes()) : 0);
  const uint32_t kept = JavaKeeper::any() && has_keeper(tensor) ? kKept : 0;
  const int64_t handle = TensorHandles::open(std::move(tensor), charge);
  watch_pressure(charge);
  return handle | kept;
}

int64_t new_handle(Ref<Node> node) { return node ? NodeHandles::open(std::move(node), 0) : 0; }

int64_t new_handle(Ref<Generator> generator) { return GeneratorHandles::open(std::move(generator), 0); }

int64_t new_handle(HookRemover remover) { return HookHandles::open(std::move(remover), 0); }

Tensor take_handle(int64_t handle) {
  if (handle == 0) return Tensor();
  TensorHandles::Slot* slot = TensorHandles::pin(handle);
  if (!slot) throw_error(ErrorKind::Closed, "closed");
  Tensor tensor = slot->object;
  TensorHandles::unpin(slot);
  TensorHandles::close(handle);
  keep_natively(tensor);
  return tensor;
}

void set_pressure_bound(int64_t bytes) { pressure_bound.store(bytes, std::memory_order_relaxed); }

}  // namespace onetape::java
