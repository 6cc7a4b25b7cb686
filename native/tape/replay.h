#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/spin_lock.h"
#include "tape/guards.h"
#include "tape/plan.h"

namespace onetape::tape {

/// A recorded program that can run again.
class ONETAPE_API Tape {
 public:
  explicit Tape(Program program);
  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release();

  const Program& program() const { return program_; }
  /// Why the tape cannot run on these inputs; nothing if it can.
  std::optional<std::string> mismatch(std::span<const Tensor> inputs) const;
  /// Runs the program; RuntimeError that says how the inputs, or the tensors from outside, differ from those
  /// it was recorded with. The results are part of the graph where the recorded function's would be.
  /// `numbers`: the options of each optimizer step in the program, where they are others than the recorded
  /// ones.
  std::vector<Tensor> run(std::span<const Tensor> inputs, std::span<const std::vector<double>> numbers = {});
  /// A tape of the same program, whose runs may add numbers in another order than the recorded function.
  Ref<Tape> reordered() const;
  /// Is a run worth letting other threads of an interpreter go on?
  bool is_large() const { return large_; }
  /// The tensors from outside that the program uses.
  std::vector<Tensor> captured() const;

 private:
  ~Tape();
  std::vector<Tensor> run_calls(std::span<const Tensor> inputs,
                                std::span<const std::vector<double>> numbers) const;
  std::vector<Tensor> run_planned(std::span<const Tensor> inputs,
                                  std::span<const std::vector<double>> numbers);
  bool overlaps(std::span<const Tensor> inputs) const;
  std::unique_ptr<Context> take_context();
  void give_back(std::unique_ptr<Context> context);

  const Program program_;
  const Guards guards_;
  bool large_ = false;
  bool changes_outside_ = false;  // inputs, or tensors that were there before
  std::mutex lock_;               // guards the making of the plan
  std::atomic<Plan*> plan_{nullptr};
  SpinLock idle_lock_;  // guards what follows
  std::vector<std::unique_ptr<Context>> idle_;
  std::vector<std::vector<SlotNumber>> ends_;  // the slots that nobody looks at after an instruction
  std::atomic<uint32_t> refs_{1};
};

/// Begins to record what the calling thread does with these inputs, ends it with the results, or gives it up.
ONETAPE_API void begin_recording(std::span<const Tensor> inputs);
ONETAPE_API Ref<Tape> finish_recording(std::span<const Tensor> outputs, bool clears);
ONETAPE_API void abandon_recording() noexcept;

}  // namespace onetape::tape
