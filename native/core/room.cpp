#include "core/room.h"

#include <sys/mman.h>

namespace onetape {

bool leaves_room() noexcept {
  constexpr size_t kRoom = size_t{128} << 20;
  void* room = mmap(nullptr, kRoom, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && munmap(room, kRoom) == 0;
}

}  // namespace onetape
