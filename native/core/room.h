#pragma once

#include <cstddef>

namespace onetape {

/// Can so many bytes be had so that others still get 128 MB? Where a process may have so much and no more, a
/// JVM whose own malloc fails ends it; so tensors and graphs do not take the last.
bool leaves_room(size_t bytes) noexcept;

}  // namespace onetape
