#pragma once

#include <memory>

#include "core/export.h"
#include "profiler/profile.h"
#include "profiler/spans.h"

namespace onetape::profiler {

/// Begins to profile the calling thread. RuntimeError if a profile is being recorded already, in any thread.
ONETAPE_API void start(const Options& options);
/// Ends it and gives what was seen. RuntimeError if none is being recorded.
ONETAPE_API std::shared_ptr<const Profile> stop();
/// Is a profile being recorded, in any thread?
ONETAPE_API bool running();

}  // namespace onetape::profiler
