#include "core/error.h"

namespace onetape {

void throw_error(ErrorKind kind, std::string message) { throw Error(kind, std::move(message)); }

}  // namespace onetape
