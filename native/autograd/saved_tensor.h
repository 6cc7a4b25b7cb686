#pragma once

#include "autograd/meta.h"

namespace onetape {

/// A tensor kept for backward, with the version it had. An output of the node itself is kept without its
/// history, so that node and tensor do not own each other.
class ONETAPE_API SavedTensor {
 public:
  SavedTensor() = default;
  /// Keeps an input (or nothing, of an undefined tensor).
  explicit SavedTensor(const Tensor& input)
      : tensor_(input), version_(input.defined() ? onetape::version(input) : 0) {}
  /// Keeps output number `output` of the node being recorded.
  static SavedTensor of_output(const Tensor& result, uint32_t output = 0);

  bool defined() const { return tensor_.defined(); }
  /// The tensor, after checking that it was not changed in place since. `owner` is the node that keeps it.
  Tensor unpack(Node& owner) const;
  /// Only the check.
  void check_unchanged(const Node& owner) const {
    if (tensor_.defined() && onetape::version(tensor_) != version_) [[unlikely]]
      fail_changed(owner);
  }
  bool is_output() const { return is_output_; }
  const Tensor& raw() const { return tensor_; }
  void reset() { tensor_.reset(); }

 private:
  [[noreturn]] void fail_changed(const Node& owner) const;

  Tensor tensor_;
  uint32_t version_ = 0;
  uint32_t output_ = 0;
  bool is_output_ = false;
};

[[noreturn]] ONETAPE_API void fail_backward_twice();

}  // namespace onetape
