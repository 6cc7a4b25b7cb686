// The graph behind tensors, read into a GraphPicture.

#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "autograd/accumulate.h"
#include "autograd/graph_export.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "autograd/node.h"
#include "autograd/notes.h"
#include "ops.h"

namespace onetape {
namespace {

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', from)) {
    parts.push_back(path.substr(from, dot - from));
    from = dot + 1;
  }
  parts.push_back(path.substr(from));
  return parts;
}

std::optional<double> norm_of(const Tensor& gradient) {
  if (!gradient.defined() || !is_differentiable(gradient.dtype())) return {};
  const GradModeGuard mode(false);
  return item(ops::linalg_vector_norm(detach(gradient))).to<double>();
}

/// Walks the graph without recursion, since it may be a chain of any length.
class Collector {
 public:
  explicit Collector(NamedTensors names) {
    for (const auto& [name, tensor] : names) {
      if (tensor.defined()) names_.emplace(tensor.impl(), name);
    }
  }

  void add_root(const Tensor& root, size_t number) {
    const size_t box = picture_.boxes.size();
    GraphBox result{.kind = GraphBox::Kind::Result,
                    .title = name_or(root, number == 0 ? "result" : "result " + std::to_string(number))};
    result.subtitle = shape_text(root);
    result.details.push_back(root.requires_grad() ? "requires_grad: True" : "requires_grad: False");
    picture_.boxes.push_back(std::move(result));
    const Edge edge = gradient_edge(root);
    if (edge.node) {
      connect(edge.node, box);
      know_output(edge, root);
    }
    while (!waiting_.empty()) {
      const Ref<Node> node = std::move(waiting_.back());
      waiting_.pop_back();
      const size_t at = index_.at(node.get());
      for (const Edge& input : node->edges()) {
        if (input.node) connect(input.node, at);
      }
    }
  }

  GraphPicture take() {
    for (const auto& [node, at] : index_) {
      const auto known = outputs_.find(node);
      if (picture_.boxes[at].subtitle.empty() && known != outputs_.end())
        picture_.boxes[at].subtitle = known->second;
    }
    place_leaves();
    for (const auto& [storage, bytes] : kept_) {
      if (!leaves_.contains(storage)) picture_.kept_bytes += bytes;
    }
    return std::move(picture_);
  }

 private:
  std::string name_or(const Tensor& t, const std::string& otherwise) const {
    const auto found = names_.find(t.impl());
    return found != names_.end() ? found->second : otherwise;
  }

  /// A tensor that is at hand tells the shape of what the node that made it gives.
  void know_output(const Edge& made_by, const Tensor& t) {
    if (made_by.input == 0) outputs_.emplace(made_by.node.get(), shape_text(t));
  }

  void know_maker(const Tensor& t) {
    AutogradMeta* m = meta_or_null(t);
    if (!m || m->view) return;
    Edge made_by;
    {
      const std::lock_guard guard(m->lock);
      made_by = {m->grad_fn, m->output};
    }
    if (made_by.node) know_output(made_by, t);
  }

  std::optional<size_t> module_of(const ModulePath& path) {
    std::optional<size_t> parent;
    const std::vector<std::string> names = parts_of(path.names);
    const std::vector<std::string> classes = parts_of(path.classes);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::pair key(parent.value_or(SIZE_MAX), names[i]);
      const auto [found, is_new] = modules_.emplace(key, picture_.modules.size());
      if (is_new) picture_.modules.push_back({names[i], i < classes.size() ? classes[i] : "", parent});
      parent = found->second;
    }
    return parent;
  }

  GraphBox leaf_box(const AccumulateGrad& leaf) {
    const Tensor& t = leaf.variable();
    leaves_.insert(t.impl()->storage());
    GraphBox box{.kind = GraphBox::Kind::Leaf,
                 .title = name_or(t, "leaf"),
                 .subtitle = shape_text(t),
                 .details = {"requires_grad: True"}};
    box.grad_norm = norm_of(grad(t));
    return box;
  }

  GraphBox box_of(Node& node) {
    if (const auto* leaf = dynamic_cast<const AccumulateGrad*>(&node)) return leaf_box(*leaf);
    GraphBox box{.kind = GraphBox::Kind::Operation, .title = node.name()};
    for (const Tensor& saved : node.saved()) {
      if (!saved.defined()) continue;
      box.details.push_back("keeps " + name_or(saved, "a tensor") + " " + shape_text(saved));
      box.saved_bytes += static_cast<size_t>(saved.numel()) * item_size(saved.dtype());
      kept_.emplace(saved.impl()->storage(), saved.impl()->storage()->nbytes());
      know_maker(saved);
    }
    const NodeExtra* extra = node.extra_or_null();
    if (const NodeNotes* notes = extra ? extra->notes.get() : nullptr) {
      box.places = notes->places;
      if (notes->module) box.module = module_of(*notes->module);
      box.freed = box.saved_bytes == 0 && notes->saved_bytes > 0;
      if (box.freed) box.saved_bytes = notes->saved_bytes;
      for (const std::string& output : notes->outputs) {
        if (!output.empty()) box.subtitle += (box.subtitle.empty() ? "" : ", ") + output;
      }
    }
    return box;
  }

  void connect(const Ref<Node>& from, size_t to) {
    const auto [found, is_new] = index_.emplace(from.get(), picture_.boxes.size());
    if (is_new) {
      picture_.boxes.push_back(box_of(*from));
      waiting_.push_back(from);
    }
    const auto [arrow, first] = arrow_index_.emplace(std::pair(found->second, to), picture_.arrows.size());
    if (first) {
      picture_.arrows.push_back({.from = found->second, .to = to});
    } else {
      ++picture_.arrows[arrow->second].count;
    }
  }

  std::vector<size_t> path_to(std::optional<size_t> module) const {
    std::vector<size_t> path;
    for (; module; module = picture_.modules[*module].parent) path.insert(path.begin(), *module);
    return path;
  }

  /// A leaf belongs to the innermost module that has all its users.
  void place_leaves() {
    std::vector<bool> seen(picture_.boxes.size(), false);
    for (const GraphArrow& arrow : picture_.arrows) {
      GraphBox& leaf = picture_.boxes[arrow.from];
      const std::optional<size_t> user = picture_.boxes[arrow.to].module;
      if (leaf.kind != GraphBox::Kind::Leaf) continue;
      if (!seen[arrow.from]) {
        leaf.module = user;
      } else if (leaf.module != user) {
        const std::vector<size_t> one = path_to(leaf.module);
        const std::vector<size_t> other = path_to(user);
        leaf.module.reset();
        for (size_t i = 0; i < std::min(one.size(), other.size()) && one[i] == other[i]; ++i)
          leaf.module = one[i];
      }
      seen[arrow.from] = true;
    }
  }

  GraphPicture picture_;
  std::unordered_map<const TensorImpl*, std::string> names_;
  std::unordered_map<const Node*, size_t> index_;
  std::unordered_map<const Node*, std::string> outputs_;
  std::map<std::pair<size_t, size_t>, size_t> arrow_index_;
  std::map<std::pair<size_t, std::string>, size_t> modules_;
  std::unordered_map<const Storage*, size_t> kept_;
  std::unordered_set<const Storage*> leaves_;
  std::vector<Ref<Node>> waiting_;
};

}  // namespace

GraphPicture picture_of(std::span<const Tensor> roots, NamedTensors names) {
  Collector collector(names);
  for (size_t i = 0; i < roots.size(); ++i) {
    check_value(roots[i].defined(), "graph: a tensor is undefined");
    collector.add_root(roots[i], i);
  }
  return collector.take();
}

}  // namespace onetape
