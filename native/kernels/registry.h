#pragma once

#include <array>
#include <string_view>

#include "core/dtype.h"
#include "kernels/loop.h"

namespace onetape {

/// The inner loops of one kernel, by dtype of its inputs; null where there is none.
struct Kernel {
  std::string_view name;
  std::array<InnerLoop, kDTypes> loops{};

  bool has_loop(DType dtype) const { return loops[static_cast<size_t>(dtype)] != nullptr; }
  /// The loop for a dtype; NotImplementedError in PyTorch's words if there is none.
  InnerLoop loop(DType dtype) const {
    const InnerLoop found = loops[static_cast<size_t>(dtype)];
    if (!found) [[unlikely]]
      fail_missing(dtype);
    return found;
  }
  [[noreturn]] void fail_missing(DType dtype) const;
};

/// The best kernel of that name for this machine's CPU: each dtype's loop from the highest level that has
/// one.
const Kernel& find_kernel(std::string_view name);

/// CPU levels a kernel file is compiled for.
enum class CpuLevel : int { Base, V2, V3, V4 };
CpuLevel cpu_level();

/// Kernels that are no inner loops register functions of their own type F, and are found by the same type.
template <typename F>
InnerLoop as_loop(F function) {
  return reinterpret_cast<InnerLoop>(reinterpret_cast<void (*)()>(function));
}
template <typename F>
F find_function(std::string_view name, DType dtype) {
  return reinterpret_cast<F>(reinterpret_cast<void (*)()>(find_kernel(name).loop(dtype)));
}

/// Called by kernel files while the library loads, once for each dtype; also for levels that this CPU does
/// not have. So what calls it must do nothing else: filling an array, say, would use vectors of that level.
bool register_loop(CpuLevel level, std::string_view name, DType dtype, InnerLoop loop);

}  // namespace onetape
