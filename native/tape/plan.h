#pragma once

#include <array>
#include <optional>

#include "core/reserve.h"
#include "kernels/chain.h"
#include "kernels/loop.h"
#include "kernels/reduce.h"
#include "tape/tape.h"

namespace onetape::tape {

/// An operand of a kernel: where its first element is, and its strides in bytes over the kernel's shape.
struct KernelOperand {
  SlotNumber slot = kNoSlot;  ///< or none, for a number
  int64_t distance = 0;       ///< of the first element from that of the slot's tensor, in bytes
  Tensor number;
  Ints strides;
  int64_t step = 0;     ///< from element to element where the kernel is flat: its size, or 0 for a number
  int32_t row = -1;     ///< of the scratch memory, for what only a fused loop sees
  bool passes = false;  ///< in registers from one kernel to the next, and is nowhere else
};

/// An element-wise kernel as it was seen to run. Operand 0 is the result.
struct KernelCall {
  InnerLoop loop = nullptr;
  Ints shape;
  int64_t numel = 0;
  bool flat = false;  ///< every operand stands in order, or is one number
  std::vector<KernelOperand> operands;
  std::vector<Scalar> params;
};

/// A reduction of neighbouring elements, as it was seen to run.
struct ReduceCall {
  const Reduction* reduction;
  ReduceShape shape;
  std::optional<Scalar> param;
  SlotNumber slot;  ///< what it reads
  SlotNumber result;
  int64_t item;    ///< bytes of an element
  int64_t length;  ///< elements for each result
  int64_t results;
  int32_t row = -1;  ///< of the scratch memory where a fused loop puts what it reads
};

/// An item of a chain.
struct ChainLink {
  ChainStep step;
  ChainOperand kind;
  size_t kernel;   ///< whose operand it is
  size_t operand;  ///< which, unless it is
  Tensor number;
};

/// Kernels of a loop that run as one chain; or one by itself, without links.
struct Part {
  size_t first;
  size_t kernels;
  ChainLoop run = nullptr;
  std::vector<ChainLink> links;
};
constexpr size_t kMostKernels = 32;              // in one loop
constexpr size_t kMostLinks = 4 * kMostKernels;  // Load, two bounds, Store

/// What a run does for an instruction, or for several.
struct Step {
  enum class Kind : uint8_t {
    Once,     ///< nothing: its results stay from run to run
    Calls,    ///< calls the operator
    Into,     ///< calls the operator's form that writes into a given tensor
    Loop,     ///< runs kernels over blocks of elements, one after the other on each block
    Reduces,  ///< runs a reduction
  };
  Kind kind = Kind::Calls;
  size_t instruction = 0;
  const Operator* op = nullptr;       // of Into
  std::vector<Value> arguments;       // of Into
  std::vector<KernelCall> kernels;    // of Loop
  std::vector<Part> parts;            // of several kernels, or of one whose result is reduced
  std::optional<ReduceCall> reduces;  // of Reduces; of Loop, what is done with a kernel's result
  int32_t rows = 0;                   // of scratch memory
  size_t row_bytes = 0;               // of one element in a row
  std::vector<SlotNumber> fresh;      // made anew before the step, since the program gives them away
  std::vector<SlotNumber> changed;    // from outside, in place by kernels
  std::vector<SlotNumber> ends;       // slots that nobody looks at after it
  std::vector<SlotNumber> results;    // of the instructions it stands for
  bool optimizes = false;             // it is an optimizer\'s step
};

/// A place in the memory that a context keeps for its tensors.
struct Reserved {
  SlotNumber slot;
  size_t offset = 0;
  size_t bytes = 0;
};

/// How a program runs where nothing is recorded for backward: its instructions simplified, its element-wise
/// kernels called without their operators, and its memory laid out once. Does not change once it is made.
struct Plan {
  Program program;
  std::vector<Step> steps;
  std::vector<Reserved> reserved;
  size_t bytes = 0;               ///< of the reserved memory
  std::vector<size_t> once;       ///< instructions run when a context is made
  std::vector<SlotNumber> given;  ///< outputs that are new tensors in every run

  /// Runs the program for the first time, and sees how; `outputs` gets what it gives.
  static Plan make(Program program, std::span<const Tensor> inputs,
                   std::span<const std::vector<double>> numbers, std::vector<Tensor>& outputs);
};

/// The tensors of a plan for one run at a time.
class Context {
 public:
  explicit Context(const Plan& plan);
  /// Do the tensors from outside still have the memory they had?
  bool fits() const;
  std::vector<Tensor> run(std::span<const Tensor> inputs, std::span<const std::vector<double>> numbers);

 private:
  /// One kernel of a loop with the addresses of its operands.
  struct Bound {
    const KernelCall* kernel;
    std::array<char*, kMaxLoopOperands> data;
    std::array<int64_t, kMaxLoopOperands> steps;
  };
  /// An address that is known in each run only.
  struct Moving {
    uint32_t kernel;
    uint32_t operand;
    SlotNumber slot;
    int64_t distance;
  };
  struct BoundLoop {
    std::vector<Bound> kernels;
    std::vector<Moving> moving;
    int64_t block = 0;        ///< elements at once
    char* reduced = nullptr;  ///< where what is reduced goes as a whole
  };

  void bind(const Step& step);
  void make_fresh(const Step& step);
  void run_loop_step(const Step& step, BoundLoop& loop);
  void run_block(const Step& step, const BoundLoop& loop, char* scratch, int64_t at, int64_t count) const;
  void run_blocks(const Step& step, const BoundLoop& loop) const;
  void run_reduced(const Step& step, BoundLoop& loop);
  void reduce_rows(const Step& step, const BoundLoop& loop);
  void reduce_pieces(const Step& step, const BoundLoop& loop);
  void run_call(const Step& step, std::span<const std::vector<double>> numbers);
  const Slot& slot_of(SlotNumber slot) const { return plan_.program.slots[static_cast<size_t>(slot)]; }
  Tensor& tensor(SlotNumber slot) { return slots_[static_cast<size_t>(slot)]; }

  const Plan& plan_;
  MemoryReserve reserve_;  // for what operators make by themselves
  std::vector<Tensor> slots_;
  std::vector<Tensor> kept_;                                 // whose addresses the loops know
  std::vector<BoundLoop> loops_;                             // in the order of the steps
  std::vector<std::pair<SlotNumber, const void*>> outside_;  // with the memory of each
};

// ---- what plans are made with ----

/// What happened while an instruction ran for the first time.
struct Observation {
  bool is_view = false;              ///< its results show memory of its operands
  std::optional<KernelCall> kernel;  ///< all that it did
  std::optional<ReduceCall> reduces;
  const Operator* into = nullptr;  ///< its form with out=, which gives the same
};

constexpr int64_t kLoopGrain = 32768;    // elements of a loop worth a thread
constexpr size_t kScratchBytes = 16384;  // of a loop, in the first cache
constexpr int64_t kMostBlock = 2048;     // elements of a loop at once
constexpr int64_t kLeastReduced = 64;    // elements whose reduction does not depend on its neighbours

/// Runs the program and observes each instruction. All slots keep their tensors.
std::vector<Observation> observe(const Program& program, std::vector<Tensor>& slots,
                                 std::span<const std::vector<double>> numbers);
/// Joins neighbouring kernels into loops.
void fuse(Plan& plan, const std::vector<bool>& leaving);
/// Makes the parts of a loop of several kernels. `uses`: how often each memory is looked at.
void make_chains(const Program& program, Step& loop, const std::vector<size_t>& uses);
/// Lays out the memory of the tensors that kernels, and operators with a given result, write.
void lay_out(Plan& plan, const std::vector<bool>& leaving);

/// The memories that a program gives away: those of its outputs; with `gradients` also of what stays in
/// .grad.
std::vector<bool> leaving_memories(const Program& program, bool gradients);
/// Runs a kernel over all its elements.
void run_kernel_call(const KernelCall& kernel, std::span<char* const> data);

}  // namespace onetape::tape
