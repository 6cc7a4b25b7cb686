#pragma once

#include <string>

#include "tape/tape.h"

namespace onetape::tape {

/// A program as a reader wants to see it: an instruction a line, with the names of the parameters and the
/// forms of the results.
ONETAPE_API std::string text_of(const Program& program);

}  // namespace onetape::tape
