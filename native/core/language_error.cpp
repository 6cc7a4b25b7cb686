#include "core/language_error.h"

namespace onetape {

// Here, so that the class's type is one and the same in every library of the process.
LanguageError::~LanguageError() = default;

}  // namespace onetape
