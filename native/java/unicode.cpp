#include "java/unicode.h"

#include <cstdint>

namespace onetape::java {
namespace {

bool is_high(char16_t c) { return c >= 0xd800 && c < 0xdc00; }
bool is_low(char16_t c) { return c >= 0xdc00 && c < 0xe000; }

void append(std::string& text, uint32_t code) {
  const auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  put((more == 1 ? 0xc0u : more == 2 ? 0xe0u : 0xf0u) | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) put(0x80u | (code >> (6 * i) & 0x3fu));
}

}  // namespace

std::u16string utf16_of(std::string_view text) {
  std::u16string wide;
  wide.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at++]);
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    uint32_t code = more == 0 ? first : first & (0x3fu >> more);
    for (int i = 0; i < more && at < text.size(); ++i)
      code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fu);
    if (code >= 0x10000) {
      wide += static_cast<char16_t>(0xd7c0 + (code >> 10));
      wide += static_cast<char16_t>(0xdc00 | (code & 0x3ff));
    } else {
      wide += static_cast<char16_t>(code);
    }
  }
  return wide;
}

std::string utf8_of(std::u16string_view wide) {
  std::string text;
  text.reserve(wide.size());
  for (size_t at = 0; at < wide.size(); ++at) {
    const char16_t c = wide[at];
    if (is_high(c) && at + 1 < wide.size() && is_low(wide[at + 1])) {
      append(text, 0x10000 + ((static_cast<uint32_t>(c) - 0xd800) << 10) + (wide[++at] - 0xdc00u));
    } else {
      append(text, is_high(c) || is_low(c) ? static_cast<uint32_t>('?') : c);
    }
  }
  return text;
}

}  // namespace onetape::java
