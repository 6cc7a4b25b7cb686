#pragma once

#include <string>

#include "tape/replay.h"

namespace onetape::tape {

/// The version of the format that is written; files of it and of those before can be read. See docs/tape.md.
inline constexpr int kFormatVersion = 1;

/// A tape as bytes: a safetensors file with the tensors of the tape, and the program as JSON among its
/// metadata. RuntimeError for one with a generator of its own.
ONETAPE_API std::string to_bytes(const Program& program);
/// The opposite. ValueError, and nothing else, for bytes that are no such file.
ONETAPE_API Ref<Tape> from_bytes(std::string_view bytes);

/// The same with a file, which is replaced as a whole.
ONETAPE_API void save(const Tape& tape, const std::string& path);
ONETAPE_API Ref<Tape> load(const std::string& path);

}  // namespace onetape::tape
