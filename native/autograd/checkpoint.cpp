#include "autograd/checkpoint.h"

#include "autograd/graph_task.h"
#include "autograd/mode.h"

namespace onetape {
namespace {

constexpr const char* kWhere = "torch.utils.checkpoint: ";

/// Thrown through the forward part when nothing more is needed of it.
class StopRecomputing final : public std::exception {
 public:
  const char* what() const noexcept override { return "recomputation of a checkpoint may end here"; }
};

/// Hooks that are in force for a scope.
class HooksGuard {
 public:
  explicit HooksGuard(std::shared_ptr<SavedTensorHooks> hooks) { push_saved_hooks(std::move(hooks)); }
  ~HooksGuard() { pop_saved_hooks(); }
  HooksGuard(const HooksGuard&) = delete;
  HooksGuard& operator=(const HooksGuard&) = delete;
};

Generator::State random_state() {
  Generator& generator = default_generator();
  const std::lock_guard guard(generator.mutex);
  return generator.state();
}

void set_random_state(const Generator::State& state) {
  Generator& generator = default_generator();
  const std::lock_guard guard(generator.mutex);
  generator.set_state(state);
}

/// The random numbers of the forward pass for a scope; then those that would have come.
class RandomGuard {
 public:
  explicit RandomGuard(const std::optional<Generator::State>& state) {
    if (!state) return;
    before_ = random_state();
    set_random_state(*state);
  }
  ~RandomGuard() {
    if (before_) set_random_state(*before_);
  }
  RandomGuard(const RandomGuard&) = delete;
  RandomGuard& operator=(const RandomGuard&) = delete;

 private:
  std::optional<Generator::State> before_;
};

/// Inputs are saved by no node; this one answers for them in errors.
class CheckpointNode final : public Node {
 public:
  CheckpointNode() : Node(0, next_sequence()) {}
  std::string name() const override { return "CheckpointBackward"; }
  TensorList apply(TensorList&& /*grads*/) override { return {}; }
};

}  // namespace

/// Stands for a tensor that the forward pass wanted to keep.
class DroppedTensor final : public PackedTensor {
 public:
  DroppedTensor(std::shared_ptr<Checkpoint> checkpoint, size_t index)
      : checkpoint_(std::move(checkpoint)), index_(index) {}
  Tensor unpack() override { return checkpoint_->recomputed(index_); }

 private:
  std::shared_ptr<Checkpoint> checkpoint_;
  size_t index_;
};

class CheckpointHooks final : public SavedTensorHooks {
 public:
  explicit CheckpointHooks(std::shared_ptr<Checkpoint> checkpoint) : checkpoint_(std::move(checkpoint)) {}
  Ref<PackedTensor> pack(const Tensor& tensor) override {
    size_t index = 0;
    {
      const std::lock_guard guard(checkpoint_->mutex_);
      index = checkpoint_->records_.size();
      checkpoint_->records_.push_back({tensor.shape(), tensor.dtype()});
    }
    return Ref<PackedTensor>::adopt(new DroppedTensor(checkpoint_, index));
  }

 private:
  std::shared_ptr<Checkpoint> checkpoint_;
};

/// Keeps what the recomputation wants to save, in the order of the first time.
class RecomputeHooks final : public SavedTensorHooks {
 public:
  RecomputeHooks(size_t wanted, bool early_stop) : wanted_(wanted), early_stop_(early_stop) {}
  Ref<PackedTensor> pack(const Tensor& tensor) override {
    made.push_back(detach(tensor));
    if (early_stop_ && made.size() == wanted_) {
      stopped = true;
      throw StopRecomputing();
    }
    return Ref<PackedTensor>::adopt(new Kept(made.back()));
  }

  std::vector<Tensor> made;
  bool stopped = false;

 private:
  /// The recomputed graph may be gone through by the forward part itself.
  class Kept final : public PackedTensor {
   public:
    explicit Kept(Tensor tensor) : tensor_(std::move(tensor)) {}
    Tensor unpack() override { return tensor_; }

   private:
    Tensor tensor_;
  };

  size_t wanted_;
  bool early_stop_;
};

std::shared_ptr<Checkpoint> Checkpoint::make(const std::vector<Tensor>& inputs, CheckpointOptions options) {
  const std::shared_ptr<Checkpoint> made(new Checkpoint(options));
  const Ref<CheckpointNode> owner = make_node<CheckpointNode>(std::span<Edge>());
  made->owner_ = Ref<Node>::share(owner.get());
  for (const Tensor& input : inputs) made->inputs_.emplace_back(input);
  if (options.preserve_random_state) made->random_ = random_state();
  return made;
}

void Checkpoint::run(const std::function<void()>& forward) {
  const HooksGuard hooks(std::make_shared<CheckpointHooks>(shared_from_this()));
  forward();
}

Tensor Checkpoint::recomputed(size_t index) {
  const GraphTask* task = GraphTask::current();
  const uint64_t id = task ? task->id() : 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    {
      const std::lock_guard guard(mutex_);
      if (made_for_ == id && index < made_.size() && made_[index].defined()) {
        return std::exchange(made_[index], Tensor());  // it is asked for once a pass, as a rule
      }
    }
    recompute();
  }
  fail(ErrorKind::Runtime, kWhere, "a recomputed tensor is missing");
}

void Checkpoint::recompute() {
  size_t wanted = 0;
  {
    const std::lock_guard guard(mutex_);
    wanted = records_.size();
  }
  const auto hooks = std::make_shared<RecomputeHooks>(wanted, options_.early_stop);
  try {
    const RandomGuard random(random_);
    const GradModeGuard mode(true);
    const HooksGuard guard(hooks);
    call_again();
  } catch (...) {
    if (!hooks->stopped) throw;
  }
  check_recomputed(hooks->made);
  const GraphTask* task = GraphTask::current();
  std::vector<Tensor> old;  // freed after the lock
  const std::lock_guard guard(mutex_);
  old.swap(made_);
  made_ = std::move(hooks->made);
  made_for_ = task ? task->id() : 0;
}

void Checkpoint::call_again() {
  std::vector<Tensor> inputs;
  for (const SavedTensor& one : inputs_) {
    const Tensor input = one.unpack(*owner_);
    Tensor again = input.defined() ? detach(input) : input;
    if (again.defined() && input.requires_grad()) set_requires_grad(again, true);
    inputs.push_back(std::move(again));
  }
  again_(std::move(inputs));
}

void Checkpoint::check_recomputed(const std::vector<Tensor>& made) const {
  std::ostringstream text;
  text << kWhere;
  if (made.size() != records_.size()) {
    text << "A different number of tensors was saved during the original forward and recomputation.\n"
         << "Number of tensors saved during forward: " << records_.size()
         << "\nNumber of tensors saved during recomputation: " << made.size();
    throw CheckpointError(text.str());
  }
  for (size_t i = 0; options_.check_shapes && i < made.size(); ++i) {
    const Record& then = records_[i];
    if (same(made[i].sizes(), then.sizes) && made[i].dtype() == then.dtype) continue;
    text << "Recomputed values for the following tensors have different metadata than during the forward "
            "pass.\n"
         << "tensor at position " << i << ":\nsaved metadata: " << then.sizes << " " << then.dtype
         << "\nrecomputed metadata: " << made[i].shape() << " " << made[i].dtype();
    throw CheckpointError(text.str());
  }
}

}  // namespace onetape
