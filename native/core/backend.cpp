#include "core/backend.h"

#include <array>

#include "core/allocator.h"
#include "core/storage.h"

namespace onetape {
namespace {

void* allocate_none(size_t /*bytes*/) {
  static std::atomic<bool> first{true};  // from now on operators look where their operands are
  if (first.exchange(false)) call_observers.fetch_add(1, std::memory_order_relaxed);
  static char nowhere;  // has an address, so that views can be told apart by theirs
  return &nowhere;
}
void deallocate_none(void* /*data*/, size_t /*bytes*/) noexcept {}

constexpr Backend kCpu = {[](size_t bytes) { return bytes ? allocate(bytes) : nullptr; }, deallocate};
constexpr Backend kMeta = {allocate_none, deallocate_none};

}  // namespace

const Backend& backend_of(DeviceType type) {
  if (type == DeviceType::CPU) return kCpu;
  check_available(Device{type});
  return kMeta;
}

}  // namespace onetape
