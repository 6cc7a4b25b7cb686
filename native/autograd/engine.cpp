#include "autograd/engine.h"

#include "autograd/forward.h"
#include "autograd/graph_task.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "ops.h"

namespace onetape {
namespace {

/// The first gradient of a root: the given one after checks, or 1 for a scalar.
Tensor root_gradient(const Tensor& root, const Tensor& given, size_t index, bool create_graph) {
  if (!given.defined()) {
    check(root.numel() == 1, "grad can be implicitly created only for scalar outputs");
    check(is_floating(root.dtype()), "grad can be implicitly created only for real scalar outputs but got ",
          root.dtype());
    return root.dim() == 0 && root.has_data() ? scalar_tensor(1, root.dtype()) : ops::ones_like(root);
  }
  check(same(given.sizes(), root.sizes()), "Mismatch in shape: grad_output[", index,
        "] has a shape of torch.Size(", ShapeText{given.sizes()}, ") and output[", index,
        "] has a shape of torch.Size(", ShapeText{root.sizes()}, ").");
  check(is_complex(given.dtype()) == is_complex(root.dtype()),
        "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
        "dtype: grad_output[",
        index, "] has a dtype of ", given.dtype(), " and output[", index, "] has a dtype of ", root.dtype(),
        ".");
  const bool number = given.dim() == 0 && given.has_data();  // goes with any device
  check(number || given.device() == root.device(), "invalid gradient at index ", index, " - expected device ",
        root.device(), " but got ", given.device());
  const Options form = {.dtype = root.dtype(), .device = root.device()};
  const bool fits = given.dtype() == root.dtype() && given.device() == root.device();
  const Tensor typed = fits ? given : ops::to_place(given, form);
  // The program has the tensor: the pass goes on with another name of it.
  return create_graph || dual_active() ? another_name(typed) : detach(typed);
}

void check_root(const Tensor& root, const Edge& edge, size_t index) {
  check(root.defined(), "element ", index, " of tensors is undefined");
  check(static_cast<bool>(edge.node), "element ", index,
        " of tensors does not require grad and does not have a grad_fn");
}

void check_roots(std::span<const Tensor> roots) {
  for (size_t i = 0; i < roots.size(); ++i)
    check_root(roots[i], roots[i].defined() ? gradient_edge(roots[i]) : Edge(), i);
}

void add_roots(GraphTask& task, std::span<const Tensor> roots, std::span<const Tensor> gradients,
               bool create_graph) {
  check(gradients.size() <= roots.size(), "got ", roots.size(), " tensors and ", gradients.size(),
        " gradients");
  const GradModeGuard mode(create_graph);
  for (size_t i = 0; i < roots.size(); ++i) {
    Edge edge = roots[i].defined() ? gradient_edge(roots[i]) : Edge();
    check_root(roots[i], edge, i);
    const Tensor given = i < gradients.size() ? gradients[i] : Tensor();
    task.add_root(std::move(edge), root_gradient(roots[i], given, i, create_graph));
  }
}

}  // namespace

void backward(std::span<const Tensor> roots, std::span<const Tensor> gradients, BackwardOptions options,
              std::span<const Tensor> inputs) {
  GraphTask task(options);
  for (const Tensor& input : inputs) {
    check(input.defined(), "One of the differentiated Tensors does not require grad");
    if (!input.requires_grad() || !is_leaf(input)) retain_grad(input);
    task.require(gradient_edge(input));
  }
  add_roots(task, roots, gradients, options.create_graph);
  task.run();
}

std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                         std::span<const Tensor> gradients, BackwardOptions options, bool allow_unused) {
  std::vector<Edge> edges;
  for (const Tensor& input : inputs) {
    if (!input.defined() || !input.requires_grad()) {
      check_roots(outputs);  // as in PyTorch these come first
      fail(ErrorKind::Runtime, "One of the differentiated Tensors does not require grad");
    }
    edges.push_back(gradient_edge(input));
  }
  return grad_at(outputs, edges, gradients, options, allow_unused);
}

std::vector<Tensor> grad_at(std::span<const Tensor> outputs, std::span<const Edge> inputs,
                            std::span<const Tensor> gradients, BackwardOptions options, bool allow_unused) {
  GraphTask task(options);
  check(!inputs.empty(), "`inputs` argument to `grad()` cannot be empty.");
  for (const Edge& edge : inputs) {
    check(!edge.node || edge.input < edge.node->outputs(), "a gradient edge leads nowhere");
    task.capture(edge);
  }
  add_roots(task, outputs, gradients, options.create_graph);
  task.run();
  for (size_t i = 0; i < task.captured().size(); ++i) {
    check(task.captured()[i].defined() || allow_unused, "The differentiated Tensor at index ", i,
          " appears to not have been used in the graph. Set allow_unused=True if this is the desired "
          "behavior.");
  }
  return std::move(task.captured());
}

}  // namespace onetape
