#pragma once

#include <cstddef>

namespace onetape {

/// Can others still have some memory, 128 MB of it? Where a process may have so much and no more, a JVM whose
/// own malloc fails ends it; so tensors and graphs do not take the last.
bool leaves_room() noexcept;

}  // namespace onetape
