#pragma once

#include <functional>
#include <string>
#include <vector>

#include "distributed/process_group.h"

namespace onetape::distributed {

/// A collective operation, ready to be run by a thread of the group.
struct ProcessGroup::Operation {
  std::string name;  // the same on all ranks where the calls belong together
  std::vector<Tensor> results;
  Body body;                  // empty where there is nothing to move
  std::function<void()> end;  // after it
  bool after_all = false;     // not before all earlier ones are done
  std::vector<std::weak_ptr<Work>> before;
};

/// ` of 10 float32`: what all ranks must have in common.
std::string elements_of(const Tensor& t);
/// `(3, 4)`
std::string shape_text(IntSpan sizes);
/// ValueError in PyTorch's words.
void check_same_dtype(const std::vector<Tensor>& tensors, const Tensor& other);

}  // namespace onetape::distributed
