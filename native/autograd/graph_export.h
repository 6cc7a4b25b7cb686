#pragma once

#include <functional>
#include <optional>
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
  std::string subtitle;              ///< shape and dtype of what it is or gives; empty where not known
  std::vector<std::string> details;  ///< what else there is to know, a line each
  std::vector<std::string> places;   ///< the calls that recorded it, where they were noted
  std::optional<size_t> module;      ///< in GraphPicture::modules: whose forward() it belongs to
  size_t saved_bytes = 0;            ///< of what an operation keeps for backward
  bool freed = false;                ///< a backward pass has given those back
  std::optional<double> grad_norm;   ///< of a leaf that has a gradient

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

/// A module whose forward() recorded some of the boxes.
struct GraphModule {
  std::string name;              ///< `0`: the last part of the path that leads to it
  std::string type;              ///< `Linear`
  std::optional<size_t> parent;  ///< always one that comes before
};

/// The graph behind some tensors as boxes and arrows.
struct GraphPicture {
  std::vector<GraphBox> boxes;
  std::vector<GraphArrow> arrows;
  std::vector<GraphModule> modules;
  size_t kept_bytes = 0;  ///< of all storages that are kept for backward and belong to no leaf
  double width = 0;
  double height = 0;

  /// Graphviz's language, with the modules as clusters.
  ONETAPE_API std::string dot() const;
  ONETAPE_API std::string json(const std::string& title) const;
  /// A drawing of its own, for where there is no Graphviz.
  ONETAPE_API std::string svg() const;
  /// A page that needs nothing else: drag, zoom, fold modules, search, and a click tells more about a box.
  ONETAPE_API std::string html(const std::string& title) const;
};

using NamedTensors = std::span<const std::pair<std::string, Tensor>>;

/// Collects the graph from `roots` back to the leaves. `names` may name leaves and roots.
ONETAPE_API GraphPicture picture_of(std::span<const Tensor> roots, NamedTensors names = {});

/// The picture in the form `dot`, `json`, `svg` or `html`.
ONETAPE_API std::string graph_text(const GraphPicture& picture, std::string_view form,
                                   const std::string& title);

/// The page without a graph: it asks the server that it came from for one, again and again.
ONETAPE_API std::string live_graph_page(const std::string& title);

/// Gives every box its place: data flows downwards, few arrows cross, and related boxes stand below each
/// other.
ONETAPE_API void lay_out(GraphPicture& picture);

/// A page with each {{word}} replaced by what `of` gives for it; what is put in is not looked at again.
std::string filled_page(std::string_view page, const std::function<std::string(std::string_view)>& of);
/// A text as it stands in a page or a picture: without what XML does not know.
std::string escaped_xml(std::string_view text);
/// A string of JSON that may also stand in a script of a page.
std::string json_text(std::string_view text);

}  // namespace onetape
