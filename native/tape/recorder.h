#pragma once

#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "autograd/gradient_watcher.h"
#include "profiler/span_watcher.h"
#include "tape/memories.h"
#include "tape/tape.h"

namespace onetape::tape {

/// Records what the calling thread does as a program, from its construction until finish().
///
/// Operators call each other. A call whose results come from calls inside it is left out for those; one that
/// computes by itself stands in the program, and of the calls inside it those remain that have no effect,
/// since backward may have kept their results.
class ONETAPE_API Recorder final : public GradientWatcher {
 public:
  /// The tensors given with every run. RuntimeError if the thread is being recorded already.
  explicit Recorder(std::span<const Tensor> inputs);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  /// Ends the recording. RuntimeError if a result comes from something that was not seen.
  /// `clears`: the program is to begin without gradients whatever there is.
  Program finish(std::span<const Tensor> outputs, bool clears);

  void storage_made(const Storage& storage) override { born_.insert(&storage); }
  void elements_read(const Tensor& t, const char* how) override;
  void constant_made(const Tensor& t) override;
  void numbers_drawn() override;
  void backward_begins() override { program_.ran_backward = true; }

  void gradient_begins(Node& node, std::span<const Tensor> gradients) override;
  void gradient_ends(std::span<const Tensor> results) override;
  void gradient_fails() noexcept override;

  // ---- for record_call ----
  void begin(const Operator& op);
  void argument(const Tensor& t);
  void argument(std::span<const Tensor> all);
  void argument(IntSpan values) { put(Ints(values)); }
  void argument(Generator* generator);
  void argument(std::string_view text) { put(std::string(text)); }
  template <typename T>
  void argument(const std::optional<T>& value) {
    if (value) {
      argument(*value);
    } else {
      put({});
    }
  }
  void argument(const Scalar& value) { put(value); }
  void argument(int64_t value) { put(value); }
  void argument(double value) { put(value); }
  void argument(bool value) { put(value); }
  void argument(DType value) { put(value); }
  void argument(const Options& value) { put(value); }
  void argument(const Reals& value) { put(value); }
  void end(std::span<const Tensor> results);
  /// Instead of end(): the operator failed.
  void abandon() noexcept { frames_.pop_back(); }
  /// Is no operator running that was called by another?
  bool outermost() const { return frames_.empty(); }
  /// The operator that runs decides by elements.
  void depend_on_elements();

 private:
  struct Frame {
    const Operator* op;
    size_t first;             // of the instructions made inside it
    bool decides = false;     // by elements
    bool incomplete = false;  // an effect inside it is no instruction
    bool draws = false;       // numbers from a generator
    bool numbers = false;     // its gradient may know numbers that were computed from elements
    bool blind = false;       // an operand was made by something that was not seen
    std::vector<Value> arguments;
    std::vector<std::pair<SlotNumber, uint32_t>> operands;  // with their versions
  };

  void put(Value value) { frames_.back().arguments.push_back(std::move(value)); }
  SlotNumber operand(const Tensor& t);
  SlotNumber slot_of(const Tensor& t);
  SlotNumber known_slot(const Tensor& t) const;
  SlotNumber add_slot(const Tensor& t, Origin origin);
  SlotNumber add_alias(const Tensor& t, SlotNumber base);
  SlotNumber add_outside(const Tensor& t);
  SlotNumber define(const Tensor& result, const Frame& frame);
  const Tensor& tensor(SlotNumber slot) const { return tensors_[static_cast<size_t>(slot)].kept; }
  bool is_opaque(SlotNumber slot) const {
    return slot != kNoSlot && tensors_[static_cast<size_t>(slot)].opaque;
  }
  std::vector<SlotNumber> written(const Frame& frame) const;
  bool wrote_itself(const Frame& frame, std::span<const SlotNumber> changed) const;
  bool is_composed(const Frame& frame, std::span<const Tensor> results) const;
  void keep_pure(const Frame& frame);
  void add_call(Frame& frame, std::span<const Tensor> results, std::vector<SlotNumber> changed);
  void note_state(const Frame& frame, std::span<const Tensor> results, std::span<const SlotNumber> changed);
  void note_gradients();
  void keep_saved(Instruction& made, std::span<const Tensor> results, const Frame& frame);
  void check_form(SlotNumber slot) const;

  struct Kept {
    Tensor kept;
    History history;
    const char* bytes;
    bool opaque = false;  // not made by an instruction
    Tensor gradient;      // .grad when it was first seen, of what was there before
    int32_t maker = -1;   // the operator that made it makes memory for others to write into
  };

  Program program_;
  std::vector<Kept> tensors_;  // one a slot
  std::vector<Frame> frames_;
  std::unordered_map<const TensorImpl*, SlotNumber> by_tensor_;
  Memories memories_;
  std::unordered_set<const Storage*> born_;  // since the recording began
  std::unordered_map<const Storage*, Tensor> constants_;
  std::vector<Tensor> aliases_;                          // kept, so that by_tensor_ stays right
  std::vector<std::pair<uint64_t, uint64_t>> numbered_;  // nodes whose functions may know such numbers
  std::vector<uint64_t> ages_;        // for each frame, the number that nodes made in it are not below
  std::vector<Ref<Node>> gradients_;  // whose functions run, the innermost last
};

inline std::vector<Tensor> listed(const Tensor& result) { return {result}; }
inline std::span<const Tensor> listed(const std::vector<Tensor>& results) { return results; }
template <typename... T>
std::vector<Tensor> listed(const std::tuple<T...>& results) {
  return std::apply([](const auto&... each) { return std::vector<Tensor>{each...}; }, results);
}

/// The recorder of the calling thread, or null: its watcher may also be the profiler's.
inline Recorder* current_recorder() {
  CallWatcher* const watcher = thread_modes.watcher;
  return watcher == &profiler::span_watcher() ? nullptr : static_cast<Recorder*>(watcher);
}

/// Runs an operator, and notes the call if a tape is recorded, its span if a profile is.
template <typename F, typename... A>
auto record_call(const Operator& op, F&& run, const A&... arguments) {
  if (!thread_modes.watcher) return run();
  const profiler::Span span(profiler::SpanKind::Operator, op.name);
  if (span.wants_shapes()) span.note(arguments...);
  Recorder* const recorder = current_recorder();
  if (!recorder) return run();
  recorder->begin(op);
  try {
    (recorder->argument(arguments), ...);
    auto result = run();
    recorder->end(listed(result));
    return result;
  } catch (...) {
    recorder->abandon();
    throw;
  }
}

/// Runs an operator that gives a number: its program may decide by it.
template <typename F, typename... A>
auto run_for_number(const char* name, F&& run, const A&... arguments) {
  if (!thread_modes.watcher) return run();
  const profiler::Span span(profiler::SpanKind::Operator, name);
  if (span.wants_shapes()) span.note(arguments...);
  if (Recorder* const recorder = current_recorder()) recorder->elements_read({}, name);
  return run();
}

}  // namespace onetape::tape
