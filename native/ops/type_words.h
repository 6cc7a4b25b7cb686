#pragma once

#include <string_view>

#include "core/dtype.h"

namespace onetape {

/// The words that some of PyTorch's error texts have for a dtype: those of C++.
std::string_view type_words(DType dtype);

}  // namespace onetape
