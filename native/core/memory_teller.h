#pragma once

#include <cstdint>

#include "core/export.h"
#include "core/tls.h"

namespace onetape {

/// Is told of memory for elements that the calling thread takes, or (negative) gives back, by its address.
using MemoryTeller = void (*)(int64_t bytes, const void* address) noexcept;
/// Null unless somebody asks; see profiler/session.h.
extern ONETAPE_API ONETAPE_HOT_TLS MemoryTeller t_memory_teller;

inline void tell_memory(int64_t bytes, const void* address) noexcept {
  if (t_memory_teller) [[unlikely]]
    t_memory_teller(bytes, address);
}

}  // namespace onetape
