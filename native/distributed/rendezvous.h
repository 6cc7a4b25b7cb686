#pragma once

#include "distributed/store.h"

namespace onetape::distributed {

/// Where and as whom a process meets the others.
struct MeetingPoint {
  StoreRef store;
  int rank = 0;
  int world_size = 1;
  /// At which others of the group reach this process.
  std::string address;
};

/// From a URL: `env://` with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT of the environment,
/// `tcp://host:port`, or `file:///path`, and what stands behind '?': rank, world_size, token. Numbers that
/// are negative are not given. Errors are PyTorch's.
ONETAPE_API MeetingPoint rendezvous(const std::string& url, int64_t rank, int64_t world_size,
                                    Milliseconds timeout);

}  // namespace onetape::distributed
