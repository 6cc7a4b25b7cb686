#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/graph_export.h"

namespace onetape {
namespace {

constexpr double kCharWidth = 7.25;
constexpr double kLineHeight = 16;
constexpr double kPadding = 10;
constexpr double kBetweenBoxes = 24;
constexpr double kBetweenLayers = 36;
constexpr double kMargin = 16;
/// Longer arrows are drawn straight through; places for them would grow with the square of a graph.
constexpr size_t kLongestWithPlaces = 40;
constexpr int kOrderSweeps = 12;
constexpr int kPlaceSweeps = 16;

/// A place in a layer: a box, or a point where a long arrow passes.
struct Slot {
  double width = 0;
  double x = 0;
  double rank = 0;  // position in its layer
  std::vector<size_t> above;
  std::vector<size_t> below;
};

/// Sugiyama's method: layers by longest path, order by barycentres, places by least squares.
class Layout {
 public:
  explicit Layout(GraphPicture& picture) : picture_(picture), layer_(picture.boxes.size(), 0) {}

  void run() {
    measure();
    assign_layers();
    make_slots();
    order();
    place();
    write_back();
  }

 private:
  void measure() {
    for (GraphBox& box : picture_.boxes) {
      const size_t longest = std::max(box.title.size(), box.subtitle.size());
      box.width = static_cast<double>(longest) * kCharWidth + 2 * kPadding;
      box.height = kLineHeight * (box.subtitle.empty() ? 1 : 2) + kPadding;
    }
  }

  void assign_layers() {
    const size_t n = picture_.boxes.size();
    std::vector<std::vector<size_t>> next(n);
    std::vector<size_t> open(n, 0);
    for (const GraphArrow& arrow : picture_.arrows) {
      next[arrow.from].push_back(arrow.to);
      ++open[arrow.to];
    }
    const std::vector<size_t> inputs = open;
    std::vector<size_t> ready;
    for (size_t i = 0; i < n; ++i) {
      if (open[i] == 0) ready.push_back(i);
    }
    for (size_t at = 0; at < ready.size(); ++at) {
      for (const size_t to : next[ready[at]]) {
        layer_[to] = std::max(layer_[to], layer_[ready[at]] + 1);
        if (--open[to] == 0) ready.push_back(to);
      }
    }
    // What has no more inputs than uses moves down to its first use, since that makes no arrow longer than
    // another becomes shorter; so a leaf stands near the operation it belongs to, not at the top.
    for (size_t at = ready.size(); at-- > 0;) {
      const size_t i = ready[at];
      if (next[i].empty() || inputs[i] > next[i].size()) continue;
      size_t first = SIZE_MAX;
      for (const size_t to : next[i]) first = std::min(first, layer_[to]);
      layer_[i] = first - 1;
    }
  }

  size_t add_slot(size_t layer, double width) {
    slots_.push_back({.width = width});
    layers_[layer].push_back(slots_.size() - 1);
    return slots_.size() - 1;
  }

  void make_slots() {
    const size_t n = picture_.boxes.size();
    layers_.resize(n == 0 ? 0 : *std::max_element(layer_.begin(), layer_.end()) + 1);
    for (size_t i = 0; i < n; ++i) add_slot(layer_[i], picture_.boxes[i].width);
    paths_.resize(picture_.arrows.size());
    for (size_t a = 0; a < picture_.arrows.size(); ++a) {
      const GraphArrow& arrow = picture_.arrows[a];
      size_t last = arrow.from;
      paths_[a] = {last};
      if (layer_[arrow.to] - layer_[arrow.from] > kLongestWithPlaces) {
        paths_[a].push_back(arrow.to);
        continue;
      }
      for (size_t layer = layer_[arrow.from] + 1; layer <= layer_[arrow.to]; ++layer) {
        const size_t slot = layer == layer_[arrow.to] ? arrow.to : add_slot(layer, 0);
        slots_[last].below.push_back(slot);
        slots_[slot].above.push_back(last);
        paths_[a].push_back(slot);
        last = slot;
      }
    }
  }

  void number(const std::vector<size_t>& layer) {
    for (size_t i = 0; i < layer.size(); ++i) slots_[layer[i]].rank = static_cast<double>(i);
  }

  template <typename Get>
  double mean_of(const std::vector<size_t>& neighbours, double otherwise, const Get& get) const {
    if (neighbours.empty()) return otherwise;
    double sum = 0;
    for (const size_t i : neighbours) sum += get(slots_[i]);
    return sum / static_cast<double>(neighbours.size());
  }

  void order() {
    for (const auto& layer : layers_) number(layer);
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t step = 0; step < layers_.size(); ++step) {
        std::vector<size_t>& layer = layers_[down ? step : layers_.size() - 1 - step];
        std::vector<std::pair<double, size_t>> wanted;
        for (const size_t i : layer) {
          const Slot& slot = slots_[i];
          wanted.emplace_back(
              mean_of(down ? slot.above : slot.below, slot.rank, [](const Slot& s) { return s.rank; }), i);
        }
        std::stable_sort(wanted.begin(), wanted.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (size_t i = 0; i < layer.size(); ++i) layer[i] = wanted[i].second;
        number(layer);
      }
    }
  }

  /// Moves the slots of a layer as little as possible from where they want to be so that none overlap: least
  /// squares under an order, solved by merging neighbours that want to pass each other (isotonic regression).
  void settle(const std::vector<size_t>& layer, const std::vector<double>& wanted) {
    struct Block {
      double sum;
      size_t count;
      double value() const { return sum / static_cast<double>(count); }
    };
    std::vector<double> offset(layer.size(), 0);
    for (size_t i = 1; i < layer.size(); ++i) {
      offset[i] = offset[i - 1] + (slots_[layer[i - 1]].width + slots_[layer[i]].width) / 2 + kBetweenBoxes;
    }
    std::vector<Block> blocks;
    for (size_t i = 0; i < layer.size(); ++i) {
      blocks.push_back({wanted[i] - offset[i], 1});
      while (blocks.size() > 1 && blocks[blocks.size() - 2].value() > blocks.back().value()) {
        const Block last = blocks.back();
        blocks.pop_back();
        blocks.back() = {blocks.back().sum + last.sum, blocks.back().count + last.count};
      }
    }
    size_t i = 0;
    for (const Block& block : blocks) {
      for (size_t k = 0; k < block.count; ++k, ++i) slots_[layer[i]].x = block.value() + offset[i];
    }
  }

  void place() {
    for (const auto& layer : layers_) settle(layer, std::vector<double>(layer.size(), 0));
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t step = 0; step < layers_.size(); ++step) {
        const std::vector<size_t>& layer = layers_[down ? step : layers_.size() - 1 - step];
        std::vector<double> wanted;
        for (const size_t i : layer) {
          const Slot& slot = slots_[i];
          const auto x = [](const Slot& s) { return s.x; };
          const double ahead = mean_of(down ? slot.above : slot.below, slot.x, x);
          const double behind = mean_of(down ? slot.below : slot.above, ahead, x);
          wanted.push_back(0.75 * ahead + 0.25 * behind);
        }
        settle(layer, wanted);
      }
    }
  }

  void write_back() {
    double left = 0;
    double right = 0;
    for (const Slot& slot : slots_) {
      left = std::min(left, slot.x - slot.width / 2);
      right = std::max(right, slot.x + slot.width / 2);
    }
    std::vector<double> middle(layers_.size(), 0);
    double y = kMargin;
    for (size_t l = 0; l < layers_.size(); ++l) {
      if (layers_[l].empty()) continue;  // its leaves have moved down
      double tallest = 0;
      for (const size_t i : layers_[l]) {
        if (i < picture_.boxes.size()) tallest = std::max(tallest, picture_.boxes[i].height);
      }
      middle[l] = y + tallest / 2;
      y += tallest + kBetweenLayers;
    }
    for (size_t i = 0; i < picture_.boxes.size(); ++i) {
      picture_.boxes[i].x = slots_[i].x - left + kMargin;
      picture_.boxes[i].y = middle[layer_[i]];
    }
    for (size_t a = 0; a < picture_.arrows.size(); ++a) {
      GraphArrow& arrow = picture_.arrows[a];
      const GraphBox& from = picture_.boxes[arrow.from];
      const GraphBox& to = picture_.boxes[arrow.to];
      arrow.route.emplace_back(from.x, from.y + from.height / 2);
      for (size_t k = 1; k + 1 < paths_[a].size(); ++k) {
        arrow.route.emplace_back(slots_[paths_[a][k]].x - left + kMargin, middle[layer_[arrow.from] + k]);
      }
      arrow.route.emplace_back(to.x, to.y - to.height / 2);
    }
    picture_.width = right - left + 2 * kMargin;
    picture_.height = std::max(y - kBetweenLayers, 0.0) + kMargin;
  }

  GraphPicture& picture_;
  std::vector<size_t> layer_;                // of each box
  std::vector<Slot> slots_;                  // those of the boxes first
  std::vector<std::vector<size_t>> layers_;  // slots from left to right
  std::vector<std::vector<size_t>> paths_;   // slots along each arrow
};

}  // namespace

void lay_out(GraphPicture& picture) { Layout(picture).run(); }

}  // namespace onetape
