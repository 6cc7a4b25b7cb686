#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "autograd/saved_tensor.h"
#include "core/error.h"
#include "core/generator.h"

namespace onetape {

/// What a recomputation that differs from the first time throws.
class CheckpointError final : public Error {
 public:
  explicit CheckpointError(std::string message) : Error(ErrorKind::Runtime, std::move(message)) {}
};

struct CheckpointOptions {
  bool preserve_random_state = true;
  bool early_stop = true;    ///< recomputation ends when everything needed has been computed
  bool check_shapes = true;  ///< recomputed tensors must have the shapes and dtypes of the first time
};

/// A stretch of a forward pass of which nothing is kept for backward but its inputs: what it saves is
/// dropped, and computed again when a backward pass asks for it.
class ONETAPE_API Checkpoint final : public std::enable_shared_from_this<Checkpoint> {
 public:
  /// Does the forward pass again with the tensors that it was given.
  using Again = std::function<void(std::vector<Tensor> inputs)>;

  /// Keeps the inputs, as hooks around this checkpoint want it, and the state of the random numbers.
  static std::shared_ptr<Checkpoint> make(const std::vector<Tensor>& inputs, CheckpointOptions options);
  /// While it lives, what the thread saves is dropped. `forward` runs in between.
  void run(const std::function<void()>& forward);
  /// To be told before the first backward pass.
  void set_again(Again again) { again_ = std::move(again); }

 private:
  friend class DroppedTensor;
  friend class CheckpointHooks;
  friend class RecomputeHooks;

  /// What a dropped tensor was.
  struct Record {
    Ints sizes;
    DType dtype;
  };

  explicit Checkpoint(CheckpointOptions options) : options_(options) {}
  Tensor recomputed(size_t index);
  void recompute();
  void call_again();
  void check_recomputed(const std::vector<Tensor>& made) const;

  CheckpointOptions options_;
  Again again_;
  std::vector<SavedTensor> inputs_;
  std::optional<Generator::State> random_;
  Ref<Node> owner_;   // stands for the checkpoint where an input's version is checked
  std::mutex mutex_;  // guards the rest
  std::vector<Record> records_;
  std::vector<Tensor> made_;  // by the recomputation for one run of the engine
  uint64_t made_for_ = 0;
};

}  // namespace onetape
