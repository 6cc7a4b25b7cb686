#pragma once

#include <cstdint>

#include "core/export.h"
#include "core/ref.h"
#include "core/storage.h"

namespace onetape {

/// A file in memory: its bytes come from the disk when they are first used, and changes of them stay in
/// memory. The descriptor may be closed afterwards.
///
/// A file that another program shortens meanwhile cannot end the process: the bytes that have gone read as 0,
/// and a line on the standard error says so. Throws a Runtime error if the file cannot be mapped.
ONETAPE_API Ref<Storage> map_file(int descriptor, size_t bytes);

/// Some bytes of a storage as a storage of their own, which keeps the whole one. Throws a Value error if
/// there are not as many bytes.
ONETAPE_API Ref<Storage> part_of(const Ref<Storage>& whole, int64_t offset, int64_t bytes);

}  // namespace onetape
