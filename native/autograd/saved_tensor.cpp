#include "autograd/saved_tensor.h"

#include "autograd/anomaly.h"
#include "autograd/record.h"
#include "ops.h"

namespace onetape {

SavedTensor SavedTensor::of_output(const Tensor& result, uint32_t output) {
  SavedTensor saved;
  saved.tensor_ = detach(result);
  saved.version_ = onetape::version(result);
  saved.output_ = output;
  saved.is_output_ = true;
  if (thread_modes.saved_hooks) [[unlikely]]
    saved.keep_specially();
  return saved;
}

void SavedTensor::keep_specially() {
  if (!tensor_.defined()) return;
  check(version_ < Storage::kInference,
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
        "in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor "
        "and use it "
        "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.");
  if (!thread_modes.saved_hooks) {
    if (shape_changes_ != TensorImpl::kManyShapes) return;
    tensor_ = another_name(tensor_);  // whose changes are counted anew
    shape_changes_ = 0;
    return;
  }
  // Hooks see what requires a gradient as such, also an output whose node does not stand yet.
  if (is_output_ && is_differentiable(tensor_.dtype())) tensor_.impl()->set_requires_grad_flag(true);
  const Edge history = is_output_ ? Edge() : gradient_edge(tensor_);
  packed_ = pack_saved(*thread_modes.saved_hooks, tensor_);
  packed_->history = history;
  tensor_.reset();
}

void SavedTensor::check_not_cut() const {
  const AutogradMeta* m = meta_or_null(tensor_);
  check(!m || !m->cut.load(std::memory_order_acquire),
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
        "supported, please use out-of-place `.detach()` instead");
}

SavedTensor SavedTensor::packed_by(SavedTensorHooks& hooks, Node& owner) const {
  check(!packed_,
        "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
        "hooks is "
        "allowed at a time.");
  SavedTensor saved;
  saved.version_ = version_;
  saved.output_ = output_;
  saved.is_output_ = is_output_;
  const Tensor whole = unpack(owner);
  saved.packed_ = pack_saved(hooks, whole);
  if (!is_output_) saved.packed_->history = gradient_edge(whole);
  return saved;
}

void SavedTensor::fail_changed(const Node& owner) const {
  check(onetape::version(tensor_) != version_,
        "one of the variables needed for gradient computation was given other sizes or another dtype, which "
        "are "
        "now ",
        tensor_.shape(), " and ", tensor_.dtype(), ", by setting its .data");
  std::string made_by;
  if (is_output_) {
    made_by = ", which is output " + std::to_string(output_) + " of " + operator_name(owner) + ",";
  } else if (const Edge edge = gradient_edge(tensor_); edge.node && !is_leaf(tensor_)) {
    made_by = ", which is output " + std::to_string(edge.input) + " of " + operator_name(*edge.node) + ",";
  }
  const char* hint =
      anomaly_mode()
          ? "the backtrace further above shows the operation that failed to compute its gradient. The "
            "variable in question was changed in there or anywhere later. Good luck!"
          : "enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).";
  fail(ErrorKind::Runtime,
       "one of the variables needed for gradient computation has been modified by an inplace operation: "
       "[",
       is_complex(tensor_.dtype()) ? "CPU" : "torch.", scalar_type_name(tensor_.dtype()),
       is_complex(tensor_.dtype()) ? "Type " : "Tensor ", tensor_.shape(), "]", made_by, " is at version ",
       onetape::version(tensor_), "; expected version ", version_, " instead. Hint: ", hint);
}

Tensor SavedTensor::unpack(Node& owner) const {
  // As in PyTorch, functions of programs may use what was detached in place since.
  if (tensor_.defined() && is_changed()) fail_changed(owner);
  Edge history = is_output_ ? Edge{Ref<Node>::share(&owner), output_} : Edge();
  Tensor kept = tensor_;
  if (packed_) {
    kept = packed_->unpack();
    if (!is_output_) history = packed_->history;
  }
  if (!history.node || !kept.defined()) return kept;
  Tensor again = detach(kept);
  attach_history(again, std::move(history.node), history.input);
  if (dual_active()) pass_tangent(kept, again);
  return again;
}

const Tensor& Backward::rebuilt(size_t i) const {
  rebuilt_.resize(saved_.size());
  Tensor& output = rebuilt_[i];
  if (output.defined() || !saved_[i].defined()) return output;
  output = saved_[i].unpack(node_);
  if (const PackedTensor* packed = saved_[i].packed(); packed && output.defined()) {
    if (!same(output.sizes(), packed->sizes))
      broadcast_shapes(packed->sizes, output.sizes());  // PyTorch's words
    check(same(output.sizes(), packed->sizes), "Output of saved tensor unpack_hook has shape ",
          output.shape(), ", but what was packed had shape ", packed->sizes);
    // Other names, so that nobody changes sizes while this function works.
    output = output.dtype() == packed->dtype ? another_name(output) : ops::to_dtype(output, packed->dtype);
  }
  return output;
}

void Backward::unpack_all() const {
  for (size_t i = 0; i < saved_.size(); ++i) {
    if (saved_[i].packed()) rebuilt(i);
  }
}

void fail_backward_twice() {
  fail(ErrorKind::Runtime,
       "Trying to backward through the graph a second time (or directly access saved tensors after they have "
       "already been "
       "freed). Saved intermediate values of the graph are freed when you call .backward() or "
       "autograd.grad(). Specify "
       "retain_graph=True if you need to backward through the graph a second time or if you need to access "
       "saved tensors "
       "after calling backward.");
}

}  // namespace onetape
