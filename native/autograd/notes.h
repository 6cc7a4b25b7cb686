#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autograd/node.h"
#include "core/export.h"

namespace onetape {

/// A module as the path that leads to it, `Net.layers.0`, with the class of each part,
/// `Net.Sequential.Linear`.
struct ModulePath {
  std::string names;
  std::string classes;
};

/// Where a thread is in its programs: `train.py:12 in step`, and the module whose forward() runs, if any.
struct CallPlace {
  std::string place;
  std::shared_ptr<const ModulePath> module;
};

/// What the picture of a graph tells of a node besides what the node needs itself.
struct NodeNotes {
  std::vector<std::string> places;  // one of each language that has a part in the call
  std::shared_ptr<const ModulePath> module;
  std::vector<std::string> outputs;  // `(2, 3) float32`, empty where not known
  size_t saved_bytes = 0;            // when it was recorded
};

/// Begins to record for the whole process; ends when each has ended.
ONETAPE_API void start_recording();
ONETAPE_API void stop_recording();
/// To be called when anomaly mode changes.
void update_notes_wanted();

/// A language tells where the calling thread is; nothing where the thread runs none of its programs.
using PlaceTeller = CallPlace (*)();
ONETAPE_API void add_place_teller(PlaceTeller teller);

/// Notes what is known of a new node.
void note_node(Node& node);
/// Notes what is known once `t` became the output of a node.
void note_output(Node& node, uint32_t output, const Tensor& t);

/// `(2, 3) float32`
std::string shape_text(const Tensor& t);
/// Bytes of the elements that a node keeps for backward.
size_t saved_bytes(const Node& node);

}  // namespace onetape
