#pragma once

#include <cstddef>
#include <vector>

#include "core/tls.h"

namespace onetape {

/// Memory that a program which runs again and again keeps for its next run: what its thread frees inside a
/// scope stays here and is handed out again there, before anything else is asked. Each block is used for its
/// own size only.
class MemoryReserve {
 public:
  MemoryReserve() = default;
  /// Frees what is kept.
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  /// A block, or null if there is none of that size.
  void* take(size_t bytes) noexcept;
  /// False if it cannot be kept.
  bool keep(void* block, size_t bytes) noexcept;

  /// The calling thread uses the reserve until the scope ends.
  class Scope {
   public:
    explicit Scope(MemoryReserve& reserve);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    MemoryReserve* outer_;
  };
  /// The calling thread's reserve, or null.
  static inline MemoryReserve* current() noexcept;

 private:
  struct Kept {
    size_t bytes;
    std::vector<void*> blocks;
  };
  std::vector<Kept> kept_;  // few sizes
};

extern ONETAPE_HOT_TLS MemoryReserve* t_reserve;
inline MemoryReserve* MemoryReserve::current() noexcept { return t_reserve; }

}  // namespace onetape
