#include "core/thread_modes.h"

namespace onetape {

ONETAPE_HOT_TLS ThreadModes thread_modes;

}  // namespace onetape
