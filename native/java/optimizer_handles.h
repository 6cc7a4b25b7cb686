#pragma once

#include <memory>

#include "java/handles.h"

namespace onetape::java {

/// The native side of one group of an optimizer of Java; see engine_optimize.cpp.
struct LockedOptimizer;

extern template class HandleTable<std::shared_ptr<LockedOptimizer>>;
using OptimizerHandles = HandleTable<std::shared_ptr<LockedOptimizer>>;

}  // namespace onetape::java
