#pragma once

#include <unordered_map>
#include <vector>

#include "autograd/meta.h"
#include "tape/call.h"

namespace onetape::tape {

/// Where a tensor stands in the graph.
struct History {
  const Node* node = nullptr;
  uint32_t output = 0;
  bool requires_grad = false;
  bool operator==(const History&) const = default;
};
History history_of(const Tensor& t);

/// The storages that a recording has met: which slots show them, and what stood there when it last looked. So
/// it finds out what is changed by something it does not see.
class Memories {
 public:
  struct Memory {
    int32_t number;
    uint32_t version = 0;
    uint64_t content = 0;
    std::vector<SlotNumber> slots;
  };

  const Memory* find(const Tensor& t) const;
  /// The memory of a slot's tensor, which it notes.
  Memory& add(const Tensor& t, SlotNumber slot);
  /// Notes what stands there now.
  void look(const Tensor& t);
  /// Does the same stand there as before, and was nothing counted as a change?
  bool unchanged(const Tensor& t) const;
  size_t size() const { return all_.size(); }

 private:
  std::unordered_map<const Storage*, Memory> all_;
};

}  // namespace onetape::tape
