#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace onetape {

/// One box of a picture of a graph.
struct GraphBox {
  enum class Kind : uint8_t { Leaf, Operation, Result };

  Kind kind = Kind::Operation;
  std::string title;                 ///< `weight`, `MulBackward0`, `loss`
  std::string subtitle;              ///< shape and dtype of a tensor; empty for an operation
  std::vector<std::string> details;  ///< what else there is to know, a line each

  // Set by lay_out(): the middle of the box and its size, in pixels.
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// Data flows from one box to another; the gradient flows back.
struct GraphArrow {
  size_t from = 0;
  size_t to = 0;
  int count = 1;                                 ///< how often `to` takes the very same input: 2 for x * x
  std::vector<std::pair<double, double>> route;  ///< points on the way, from top to bottom
};

/// The graph behind some tensors as boxes and arrows.
struct GraphPicture {
  std::vector<GraphBox> boxes;
  std::vector<GraphArrow> arrows;
  double width = 0;
  double height = 0;

  /// Graphviz's language.
  ONETAPE_API std::string dot() const;
  ONETAPE_API std::string svg() const;
  /// A page that needs nothing else: drag, zoom, search, and a click tells more about a box.
  ONETAPE_API std::string html(const std::string& title) const;
};

using NamedTensors = std::span<const std::pair<std::string, Tensor>>;

/// Collects and arranges the graph from `roots` back to the leaves. `names` may name leaves and roots.
ONETAPE_API GraphPicture picture_of(std::span<const Tensor> roots, NamedTensors names = {});

/// Gives every box its place: data flows downwards, few arrows cross, and related boxes stand below each
/// other.
void lay_out(GraphPicture& picture);

}  // namespace onetape
