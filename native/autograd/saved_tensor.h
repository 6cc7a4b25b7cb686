#pragma once

#include "autograd/meta.h"
#include "autograd/saved_hooks.h"

namespace onetape {

/// A tensor kept for backward, with the version it had. An output of the node itself is kept without its
/// history, so that node and tensor do not own each other. Where hooks are in force it is kept as they packed
/// it.
class ONETAPE_API SavedTensor {
 public:
  SavedTensor() = default;
  /// Keeps an input (or nothing, of an undefined tensor).
  explicit SavedTensor(const Tensor& input)
      : tensor_(input),
        version_(input.defined() ? onetape::version(input) : 0),
        tracked_(input.defined() && input.impl()->traits().requires_grad),
        shape_changes_(input.defined() ? input.impl()->shape_changes() : 0) {
    if (version_ >= Storage::kInference || thread_modes.saved_hooks ||
        shape_changes_ == TensorImpl::kManyShapes) [[unlikely]]
      keep_specially();
  }
  /// Keeps output number `output` of the node being recorded.
  static SavedTensor of_output(const Tensor& result, uint32_t output = 0);

  bool defined() const { return tensor_.defined() || packed_; }
  /// The tensor, after checking that it was not changed in place since. `owner` is the node that keeps it.
  Tensor unpack(Node& owner) const;
  /// Only the check.
  void check_unchanged(const Node& owner) const {
    if (tensor_.defined() && is_changed()) [[unlikely]]
      fail_changed(owner);
    if (tracked_ && tensor_.defined() && !tensor_.impl()->traits().requires_grad) [[unlikely]]
      check_not_cut();
  }
  /// Is raw() the tensor itself?
  bool is_plain() const { return !is_output_ && !packed_; }
  bool is_output() const { return is_output_; }
  /// Undefined if hooks have packed the tensor.
  const Tensor& raw() const { return tensor_; }
  const PackedTensor* packed() const { return packed_.get(); }
  /// Lets go of what is kept.
  void reset() {
    tensor_.reset();
    packed_.reset();
  }
  /// The same tensor, packed by these hooks; RuntimeError if others have done so.
  SavedTensor packed_by(SavedTensorHooks& hooks, Node& owner) const;

 private:
  bool is_changed() const {
    return onetape::version(tensor_) != version_ || tensor_.impl()->shape_changes() != shape_changes_;
  }
  [[noreturn]] void fail_changed(const Node& owner) const;
  /// Throws if the tensor was a result and was detached in place.
  void check_not_cut() const;
  void keep_specially();

  Tensor tensor_;
  Ref<PackedTensor> packed_;
  uint32_t version_ = 0;
  uint32_t tracked_ : 1 = 0;  // it required a gradient
  uint32_t is_output_ : 1 = 0;
  uint32_t shape_changes_ : 8 = 0;
  uint32_t output_ : 22 = 0;
};

[[noreturn]] ONETAPE_API void fail_backward_twice();

}  // namespace onetape
