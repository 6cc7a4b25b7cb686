#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "autograd/node.h"
#include "tape/call.h"

namespace onetape::tape {

/// Where the tensor of a slot comes from.
enum class Origin : uint8_t {
  Input,     ///< given with every run
  Captured,  ///< a tensor that was there before: a parameter, a buffer; the tape reads and writes it where it
             ///< is
  Constant,  ///< made of numbers of the program
  Result,    ///< of an instruction
};

/// What a tape knows of one tensor.
struct Slot {
  Origin origin = Origin::Result;
  DType dtype = DType::F32;
  bool requires_grad = false;
  Ints sizes;
  Ints strides;
  int32_t memory = 0;  ///< slots of one memory have one number
  Tensor held;         ///< of a captured tensor or a constant
};

/// A gradient function that is no operator: the node that has it. It runs for one thread at a time, with the
/// tensors that it saved replaced by those of the run.
struct Gradient {
  Ref<Node> node;
  std::mutex lock;
};

/// A tensor that an operator kept for backward and that nothing else gives.
struct Keepsake {
  size_t place;  ///< among all that the nodes behind its results saved
  SlotNumber slot;
};

/// One recorded call.
struct Instruction {
  const Operator* op = nullptr;
  std::vector<Value> arguments;
  std::vector<SlotNumber> results;
  std::vector<SlotNumber> writes;      ///< whose elements it changes
  bool grad = false;                   ///< it was recorded for backward, where an operand required a gradient
  bool draws = false;                  ///< it takes numbers from a generator
  std::shared_ptr<Gradient> gradient;  ///< whose function it is, where it is no operator's
  std::vector<Keepsake> kept;  ///< what the operator is to keep; it then runs as one to be differentiated,
  std::vector<SlotNumber> tracked;  ///< with respect to these operands
};

/// After a run, `.grad` of the tensor in slot `leaf` is the one in slot `gradient`, or none.
struct GradientNote {
  SlotNumber leaf;
  SlotNumber gradient;
};

/// A program as the list of the operators that it called. Does not change once it is made.
struct Program {
  std::vector<Slot> slots;
  std::vector<SlotNumber> inputs;
  std::vector<SlotNumber> outputs;
  std::vector<Instruction> code;
  std::vector<GradientNote> gradients;
  std::vector<GradientNote>
      starts;                 ///< what `.grad` of leaves was, as far as backward cared; a captured tensor
  bool clears = false;        ///< a run begins as if those had no gradient
  bool reorder_sums = false;  ///< passes may change the order that numbers are added in
  DType default_dtype = DType::F32;
  bool grad_mode = true;      ///< while it was recorded
  bool ran_backward = false;  ///< it holds a backward pass, so that no other can go through it
};

/// Calls f(place) for every tensor among an instruction's arguments.
template <typename F>
void for_each_operand(const Instruction& one, F f) {
  for (const Value& value : one.arguments) {
    if (const Place* place = std::get_if<Place>(&value)) {
      if (place->slot != kNoSlot) f(place->slot);
    } else if (const Places* places = std::get_if<Places>(&value)) {
      for (const SlotNumber slot : places->slots) {
        if (slot != kNoSlot) f(slot);
      }
    }
  }
}

/// The operator of instructions with a gradient function: gradient(gradients, saved).
const Operator& gradient_operator();
/// Calls f for everything that the nodes behind some results saved, as far as they are not older than a
/// sequence number; always in the same order.
void visit_kept(std::span<const Tensor> results, uint64_t oldest,
                const std::function<void(const SavedTensor&)>& f);
/// Makes a recorded call again.
void execute(const Instruction& one, std::vector<Tensor>& slots, std::span<const double> numbers = {});

/// Throws unless the results of an instruction have the form that the program says.
void check_results(const Program& program, const Instruction& one, std::span<const Tensor> slots);

/// Does the program change a tensor in place that was there before it?
bool is_written(const Program& program, SlotNumber slot);

}  // namespace onetape::tape
