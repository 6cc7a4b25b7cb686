#include "autograd/graph_export.h"

#include <map>
#include <sstream>
#include <unordered_map>

#include "autograd/accumulate.h"
#include "autograd/meta.h"
#include "autograd/node.h"

namespace onetape {
namespace {

std::string shape_text(const Tensor& t) {
  std::ostringstream text;
  text << '(';
  for (size_t i = 0; i < t.sizes().size(); ++i) text << (i ? ", " : "") << t.sizes()[i];
  text << ") " << name_of(t.dtype());
  return text.str();
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
    if (edge.node) connect(edge.node, box);
    while (!waiting_.empty()) {
      const Ref<Node> node = std::move(waiting_.back());
      waiting_.pop_back();
      const size_t at = index_.at(node.get());
      for (const Edge& input : node->edges()) {
        if (input.node) connect(input.node, at);
      }
    }
  }

  GraphPicture take() { return std::move(picture_); }

 private:
  std::string name_or(const Tensor& t, const std::string& otherwise) const {
    const auto found = names_.find(t.impl());
    return found != names_.end() ? found->second : otherwise;
  }

  GraphBox box_of(Node& node) const {
    if (const auto* leaf = dynamic_cast<const AccumulateGrad*>(&node)) {
      const Tensor& t = leaf->variable();
      return {.kind = GraphBox::Kind::Leaf,
              .title = name_or(t, "leaf"),
              .subtitle = shape_text(t),
              .details = {"requires_grad: True"}};
    }
    GraphBox box{.kind = GraphBox::Kind::Operation, .title = node.name()};
    for (const Tensor& saved : node.saved()) {
      if (saved.defined())
        box.details.push_back("keeps " + name_or(saved, "a tensor") + " " + shape_text(saved));
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

  GraphPicture picture_;
  std::unordered_map<const TensorImpl*, std::string> names_;
  std::unordered_map<const Node*, size_t> index_;
  std::map<std::pair<size_t, size_t>, size_t> arrow_index_;
  std::vector<Ref<Node>> waiting_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    c == '\n' ? out += "\\n" : out += c;
  }
  return out + '"';
}

const char* dot_style(GraphBox::Kind kind) {
  switch (kind) {
    case GraphBox::Kind::Leaf:
      return "shape=box, style=filled, fillcolor=\"#dbeafe\"";
    case GraphBox::Kind::Result:
      return "shape=box, style=filled, fillcolor=\"#dcfce7\"";
    default:
      return "shape=box, style=\"rounded,filled\", fillcolor=\"#fef3c7\"";
  }
}

}  // namespace

GraphPicture picture_of(std::span<const Tensor> roots, NamedTensors names) {
  Collector collector(names);
  for (size_t i = 0; i < roots.size(); ++i) {
    check_value(roots[i].defined(), "graph: a tensor is undefined");
    collector.add_root(roots[i], i);
  }
  GraphPicture picture = collector.take();
  lay_out(picture);
  return picture;
}

std::string GraphPicture::dot() const {
  std::ostringstream out;
  out << "digraph onetape {\n  node [fontname=\"monospace\", fontsize=10];\n";
  for (size_t i = 0; i < boxes.size(); ++i) {
    const GraphBox& box = boxes[i];
    const std::string label = box.title + (box.subtitle.empty() ? "" : "\n" + box.subtitle);
    out << "  n" << i << " [label=" << quoted(label) << ", " << dot_style(box.kind) << "];\n";
  }
  for (const GraphArrow& arrow : arrows) {
    out << "  n" << arrow.from << " -> n" << arrow.to;
    if (arrow.count > 1) out << " [label=\"" << arrow.count << "×\"]";
    out << ";\n";
  }
  out << "}\n";
  return out.str();
}

}  // namespace onetape
