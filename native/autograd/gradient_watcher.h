#pragma once

#include <span>

#include "autograd/node.h"
#include "core/call_watcher.h"

namespace onetape {

/// What a CallWatcher learns of a backward pass; every one but the profiler's is such a watcher.
class GradientWatcher : public CallWatcher {
 public:
  /// The gradient function of a node is about to run on these gradients.
  virtual void gradient_begins(Node& node, std::span<const Tensor> gradients) = 0;
  /// It gave these.
  virtual void gradient_ends(std::span<const Tensor> results) = 0;
  /// It failed.
  virtual void gradient_fails() noexcept = 0;
};

}  // namespace onetape
