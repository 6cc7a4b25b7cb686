#pragma once

#include <nlohmann/json.hpp>

#include "tape/tape.h"

namespace onetape::tape {

using Json = nlohmann::json;

/// A program without its tensors.
Json to_json(const Program& program);
/// The opposite; ValueError for what is no program. Captured tensors and constants are still undefined.
Program from_json(const Json& json);

}  // namespace onetape::tape
