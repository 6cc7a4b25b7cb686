#include "core/storage.h"

#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "core/allocator.h"
#include "core/backend.h"
#include "core/call_watcher.h"
#include "core/no_data.h"
#include "core/tensor.h"

namespace onetape {
namespace {

/// The system may use whole pages for others; who reads them all the same finds zeros.
void give_pages_back(char* data, size_t bytes) {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace

Ref<Storage> Storage::allocate(size_t bytes, DeviceType device) {
  const Backend& backend = backend_of(device);
  void* data = backend.allocate(bytes);  // first, as a device with memory says that it has not so much
  check(bytes <= kSize, "Storage size calculation overflowed: ", bytes, " bytes");
  const size_t word = static_cast<size_t>(device) << kDeviceShift | bytes;
  auto* storage = new (pool_allocate(sizeof(Storage))) Storage(data, word);
  return Ref<Storage>::adopt(storage);
}

Ref<Storage> Storage::wrap(void* data, size_t bytes, std::function<void()> release) {
  auto end = std::make_unique<End>(End{std::move(release), 0});
  auto* storage = new (pool_allocate(sizeof(Storage))) Storage(data, bytes);
  storage->end_.store(end.release(), std::memory_order_release);
  return Ref<Storage>::adopt(storage);
}

bool Storage::resize(size_t bytes) {
  const size_t now = nbytes();
  if (host_) {  // so few bytes that nothing is kept of them
    if (bytes > now) return false;
    set_nbytes(bytes);
    return true;
  }
  const End* end = end_.load(std::memory_order_acquire);
  const size_t capacity = end ? end->capacity : now;
  if (bytes > capacity) return false;
  if (device() != DeviceType::CPU) {
    set_nbytes(bytes);
    return true;
  }
  if (!end && bytes < now) {
    auto* fresh = new End{[data = data_, now] { deallocate(data, now); }, now};
    End* none = nullptr;
    if (!end_.compare_exchange_strong(none, fresh, std::memory_order_acq_rel)) delete fresh;
  }
  set_nbytes(bytes);
  if (bytes < now) give_pages_back(static_cast<char*>(data_) + bytes, now - bytes);
  return true;
}

void refuse_access() { throw NoData(); }

void Storage::tell_watcher() const { thread_modes.watcher->storage_made(*this); }

void Storage::destroy() {
  if (host_) {
    host_->drop_part();
    return;
  }
  if (const End* end = end_.load(std::memory_order_acquire)) {
    end->release();
    delete end;
  } else {
    backend_of(device()).deallocate(data_, nbytes());
  }
  this->~Storage();
  pool_free(this, sizeof(Storage));
}

}  // namespace onetape
