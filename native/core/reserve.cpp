#include "core/reserve.h"

#include <utility>

#include "core/allocator.h"

namespace onetape {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeeping = false;  // a kept block would hide a use after free
#else
constexpr bool kKeeping = true;
#endif

}  // namespace

ONETAPE_HOT_TLS MemoryReserve* t_reserve = nullptr;

MemoryReserve::~MemoryReserve() {
  for (const Kept& kept : kept_) {
    for (void* block : kept.blocks) deallocate(block, kept.bytes);
  }
}

void* MemoryReserve::take(size_t bytes) noexcept {
  for (Kept& kept : kept_) {
    if (kept.bytes != bytes || kept.blocks.empty()) continue;
    void* const block = kept.blocks.back();
    kept.blocks.pop_back();
    return block;
  }
  return nullptr;
}

bool MemoryReserve::keep(void* block, size_t bytes) noexcept {
  if (!kKeeping) return false;
  try {
    for (Kept& kept : kept_) {
      if (kept.bytes != bytes) continue;
      kept.blocks.push_back(block);
      return true;
    }
    kept_.push_back({bytes, {block}});
    return true;
  } catch (...) {
    return false;  // no memory for the list itself
  }
}

MemoryReserve::Scope::Scope(MemoryReserve& reserve) : outer_(std::exchange(t_reserve, &reserve)) {}
MemoryReserve::Scope::~Scope() { t_reserve = outer_; }

}  // namespace onetape
