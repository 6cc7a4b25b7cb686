#pragma once

#include <exception>
#include <initializer_list>

#include "autograd/record.h"
#include "core/tensor.h"

namespace onetape {

/// Says that sizes an operator knows may be out of date, since its out= tensor was made to fit.
class GeometryMoved final : public std::exception {
 public:
  const char* what() const noexcept override { return "sizes changed while a result was made to fit"; }
};

/// Runs an operator with an out= tensor, again where it could not go on.
template <typename F>
auto until_it_fits(F&& f) {
  for (;;) {
    try {
      return f();
    } catch (const GeometryMoved&) {
      continue;  // the tensor fits now
    }
  }
}

/// First parameter of the function of an operator that always makes a new result: tells it from the function
/// of the same name that callers see (ops.h), which a tape notices.
struct Body {};

/// Where an operator puts its result: a new tensor, its first operand (in-place form), or a given tensor
/// (out=).
class ONETAPE_API Target {
 public:
  static Target fresh() { return {}; }
  static Target in_place(const Tensor& self) { return {&self, nullptr}; }
  /// The operator's name stands in errors about the given tensor.
  static Target out(const Tensor& tensor, const char* name) { return {&tensor, name}; }

  bool is_fresh() const { return tensor_ == nullptr; }
  bool is_in_place() const { return tensor_ && !name_; }
  /// Where a result of this shape and dtype goes. For an existing tensor: checks that it fits and may be
  /// changed; one given without elements is made to fit. Its dtype can differ from `dtype` (then the result
  /// is computed apart and converted).
  /// `recorded`: the operator is, be it for another operand's sake.
  Tensor prepare(IntSpan shape, DType dtype, bool recorded = false) const;
  /// Can the existing tensor take a result of that shape and dtype? RuntimeError in PyTorch's words if not.
  void check_fit(IntSpan shape, DType dtype) const;
  /// Notes that an existing tensor's elements were changed (its version); call once, after the kernel.
  void written(const Tensor& delivered) const;
  /// Delivers a finished result of an operator that cannot compute in place; returns the tensor users get.
  Tensor deliver(const Tensor& result) const;
  /// For an operator that changes some elements of self only: self itself (in-place form) or a copy of it to
  /// work on.
  Tensor edit(const Tensor& self) const;
  /// Keeps an operand for backward; a copy of it if the operator is about to overwrite it.
  SavedTensor save_if(bool condition, const Tensor& operand) const;
  /// Hangs the delivered tensor into the graph; a null node records nothing.
  Tensor attach(Tensor delivered, Ref<Node> node) const;
  /// For an operator that reads its operands while it writes: refuses those that lie where it writes, and a
  /// tensor that may not be changed.
  void check_apart(std::initializer_list<Tensor> operands) const;
  /// The same for an operator on element by element: such an operand may be the tensor itself.
  void check_partly_apart(std::span<const Tensor* const> operands) const;
  /// For an operator that changes some elements of self only, which may be an expanded tensor.
  Tensor edit_expanded(const Tensor& self) const;
  /// out= takes no part in the graph.
  void check_recording(bool recording) const;

 private:
  Target() = default;
  Target(const Tensor* tensor, const char* name) : tensor_(tensor), name_(name) {}

  // Two words, which calls pass in registers.
  const Tensor* tensor_ = nullptr;
  const char* name_ = nullptr;  // of the operator, for out=
};

/// RuntimeError if two elements of a tensor about to be written are one place in memory.
void check_no_internal_overlap(const Tensor& t);
/// RuntimeError if an operand lies partly where the result is about to be written. As in PyTorch only what
/// lies dense in memory is looked at.
void check_no_partial_overlap(const Tensor& written, const Tensor& operand);
/// The same, also for one that lies there entirely.
void check_no_overlap(const Tensor& written, const Tensor& operand);
bool share_memory(const Tensor& a, const Tensor& b);

}  // namespace onetape
