#pragma once

#include <string>
#include <string_view>

namespace onetape::java {

/// UTF-8 as Java's characters, which JNI's own functions do not give outside the basic plane.
std::u16string utf16_of(std::string_view text);

/// Java's characters as UTF-8; half a pair becomes a question mark.
std::string utf8_of(std::u16string_view text);

}  // namespace onetape::java
