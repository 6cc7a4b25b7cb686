#include "autograd/saved_tensor.h"

#include "autograd/record.h"

namespace onetape {

SavedTensor SavedTensor::of_output(const Tensor& result, uint32_t output) {
  SavedTensor saved;
  saved.tensor_ = detach(result);
  saved.version_ = onetape::version(result);
  saved.output_ = output;
  saved.is_output_ = true;
  return saved;
}

void SavedTensor::fail_changed(const Node& owner) const {
  std::string made_by;
  if (is_output_) {
    made_by = ", which is output " + std::to_string(output_) + " of " + owner.name() + ",";
  } else if (const Edge edge = gradient_edge(tensor_); edge.node && !is_leaf(tensor_)) {
    made_by = ", which is output " + std::to_string(edge.input) + " of " + edge.node->name() + ",";
  }
  fail(ErrorKind::Runtime,
       "one of the variables needed for gradient computation has been modified by an inplace operation: "
       "[torch.",
       scalar_type_name(tensor_.dtype()), "Tensor ", tensor_.shape(), "]", made_by, " is at version ",
       onetape::version(tensor_), "; expected version ", version_,
       " instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
       "with "
       "torch.autograd.set_detect_anomaly(True).");
}

Tensor SavedTensor::unpack(Node& owner) const {
  check_unchanged(owner);
  if (!is_output_ || !tensor_.defined()) return tensor_;
  Tensor again = detach(tensor_);
  attach_history(again, Ref<Node>::share(&owner), output_);
  if (dual_active()) pass_tangent(tensor_, again);
  return again;
}

const Tensor& Backward::rebuilt(size_t i) const {
  rebuilt_.resize(saved_.size());
  Tensor& output = rebuilt_[i];
  if (!output.defined()) output = saved_[i].unpack(node_);
  return output;
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
