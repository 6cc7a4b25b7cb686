#include "autograd/jvp.h"

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "ops.h"

namespace onetape {
namespace {

/// Stands where a gradient is wanted and goes nowhere.
class Sink final : public Node {
 public:
  Sink() : Node(1, next_sequence()) {}
  std::string name() const override { return "Sink"; }
  TensorList apply(TensorList&&) override { return {}; }
};

/// While it lives, the node's gradient function is asked for the gradients of the inputs with tangents alone.
class AskedInputs {
 public:
  AskedInputs(Node& node, const std::vector<InputTangent>& tangents) : node_(node) {
    for (Edge& edge : node.edges()) {
      edges_.push_back(std::move(edge));
      edge = Edge();
    }
    const Ref<Node> sink = Ref<Node>::adopt(make_node<Sink>(std::span<Edge>()).take());
    for (const InputTangent& one : tangents) {
      if (one.slot->value.defined()) node.edges()[one.input] = {sink, 0};
    }
  }
  ~AskedInputs() {
    for (size_t i = 0; i < edges_.size(); ++i) node_.edges()[i] = std::move(edges_[i]);
  }
  AskedInputs(const AskedInputs&) = delete;
  AskedInputs& operator=(const AskedInputs&) = delete;

  bool any_real() const {
    for (const Edge& edge : edges_) {
      if (edge.node) return true;
    }
    return false;
  }

 private:
  Node& node_;
  InlineVector<Edge, 3> edges_;
};

}  // namespace

Tensor jacobian_vector_product(Node& node, const std::vector<InputTangent>& tangents, const Tensor& result,
                               uint32_t output) {
  const AskedInputs asked(node, tangents);
  bool wanted = asked.any_real();
  for (const InputTangent& one : tangents) {
    wanted = wanted || (one.slot->value.defined() && one.slot->value.requires_grad());
  }
  // The gradient function is linear in `probe`, so any value will do.
  const Tensor probe = ops::zeros(result.sizes(), Options{.dtype = result.dtype()});
  set_requires_grad(probe, true);
  TensorList given(node.outputs());
  given[output] = probe;
  TensorList gradients;
  {
    const GradModeGuard recorded(true);
    gradients = node.apply(std::move(given));
  }
  std::vector<Tensor> along;
  std::vector<Tensor> directions;
  for (const InputTangent& one : tangents) {
    if (one.input >= gradients.size() || !one.slot->value.defined()) continue;
    const Tensor& gradient = gradients[one.input];
    if (!gradient.defined() || !gradient.requires_grad()) continue;
    along.push_back(gradient);
    directions.push_back(one.slot->value);
  }
  if (along.empty()) return {};
  const BackwardOptions options = {.retain_graph = false, .create_graph = wanted && grad_enabled()};
  return grad(along, std::span(&probe, 1), directions, options, true)[0];
}

}  // namespace onetape
