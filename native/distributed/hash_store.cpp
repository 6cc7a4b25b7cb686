#include "distributed/hash_store.h"

#include "distributed/group_error.h"

namespace onetape::distributed {

void HashStore::wait(const std::vector<std::string>& keys, Milliseconds timeout) {
  if (!table_.wait(keys, deadline_after(timeout)))
    fail_group(GroupError::Part::Store, "wait timeout after ", timeout.count(), "ms, keys: ", key_list(keys));
}

}  // namespace onetape::distributed
