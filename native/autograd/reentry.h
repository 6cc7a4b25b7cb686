#pragma once

#include <functional>

namespace onetape {

/// Runs a backward pass, which may be inside others of this thread: where those are too many, or the stack is
/// nearly used up, on a thread of its own that the caller waits for. Grad mode and saved-tensor hooks go
/// along; what it throws comes out here.
void run_nested(const std::function<void()>& pass);

}  // namespace onetape
