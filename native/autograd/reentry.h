#pragma once

#include <functional>

#include "core/tls.h"

namespace onetape {

/// Backward passes inside each other on this thread.
extern ONETAPE_HOT_TLS int t_pass_depth;

bool needs_fresh_thread();
void run_on_fresh_thread(const std::function<void()>& pass);

/// Runs a backward pass, which may be inside others of this thread: where those are too many, or the stack is
/// nearly used up, on a thread of its own that the caller waits for. Grad mode and saved-tensor hooks go
/// along; what it throws comes out here.
template <typename Pass>
void run_nested(Pass&& pass) {
  if (t_pass_depth > 0 && needs_fresh_thread()) [[unlikely]] {
    run_on_fresh_thread(pass);
    return;
  }
  struct Depth {
    Depth() { ++t_pass_depth; }
    ~Depth() { --t_pass_depth; }
  } const depth;
  pass();
}

}  // namespace onetape
