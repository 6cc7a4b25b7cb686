#pragma once

#include <string>

#include "distributed/store.h"

namespace onetape::distributed {

/// One operation of one rank, as it tells the others when it fails.
struct FailedCall {
  std::string group;
  int rank = 0;
  int size = 1;
  int64_t number = 0;     // of the operation within the group; negative for what is not counted
  std::string operation;  // `all_reduce(SUM) of 10 float32`
  std::string cause;      // what the transport said
};

/// What there is of a timeout for finding out who is to blame.
inline Milliseconds time_to_ask(Milliseconds timeout) {
  return std::clamp(timeout / 10, Milliseconds(50), Milliseconds(2000));
}

/// Who failed, and where: all that still live tell each other by the store what they were doing; who says
/// nothing within `patience` is to blame, or who was doing something else. Returns the text of the error.
std::string explain_failure(Store& store, const FailedCall& call, Milliseconds patience);

/// While it lives, no question of the calling thread to a store takes longer.
class StorePatience {
 public:
  explicit StorePatience(Milliseconds most);
  ~StorePatience();
  StorePatience(const StorePatience&) = delete;
  StorePatience& operator=(const StorePatience&) = delete;
  static Milliseconds limited(Milliseconds time);

 private:
  Milliseconds before_;
};

}  // namespace onetape::distributed
