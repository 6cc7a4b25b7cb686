#include "core/storage.h"

#include <new>
#include <utility>

#include "core/allocator.h"
#include "core/tensor.h"

namespace onetape {

Ref<Storage> Storage::allocate(size_t bytes) {
  void* data = bytes ? onetape::allocate(bytes) : nullptr;
  auto* storage = new (pool_allocate(sizeof(Storage))) Storage(data, bytes);
  return Ref<Storage>::adopt(storage);
}

Ref<Storage> Storage::wrap(void* data, size_t bytes, std::function<void()> release) {
  auto foreign = std::make_unique<std::function<void()>>(std::move(release));
  auto* storage = new (pool_allocate(sizeof(Storage))) Storage(data, bytes);
  storage->foreign_ = foreign.release();
  return Ref<Storage>::adopt(storage);
}

void Storage::destroy() {
  if (host_) {
    host_->drop_part();
    return;
  }
  if (foreign_) {
    (*foreign_)();
    delete foreign_;
  } else {
    deallocate(data_, bytes_);
  }
  this->~Storage();
  pool_free(this, sizeof(Storage));
}

}  // namespace onetape
