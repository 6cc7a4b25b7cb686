#pragma once

#include "java/handles.h"
#include "tape/replay.h"

namespace onetape::java {

extern template class HandleTable<Ref<tape::Tape>>;
using TapeHandles = HandleTable<Ref<tape::Tape>>;

}  // namespace onetape::java
