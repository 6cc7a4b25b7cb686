#include "autograd/notes.h"

#include <array>
#include <mutex>
#include <sstream>

#include "autograd/anomaly.h"

namespace onetape {

NoteSwitch note_switch;

namespace {

std::mutex g_lock;
int g_recorders = 0;
std::array<std::atomic<PlaceTeller>, 4> g_tellers{};

NodeNotes& notes_of(Node& node) {
  std::unique_ptr<NodeNotes>& notes = node.extra().notes;
  if (!notes) notes = std::make_unique<NodeNotes>();
  return *notes;
}

void change_recorders(int by) {
  {
    const std::lock_guard guard(g_lock);
    if (g_recorders + by >= 0) g_recorders += by;
  }
  update_notes_wanted();
}

}  // namespace

void start_recording() { change_recorders(+1); }
void stop_recording() { change_recorders(-1); }

void update_notes_wanted() {
  const std::lock_guard guard(g_lock);
  note_switch.wanted.store(g_recorders > 0 || anomaly_mode(), std::memory_order_relaxed);
}

void add_place_teller(PlaceTeller teller) {
  for (auto& place : g_tellers) {
    PlaceTeller expected = nullptr;
    if (place.compare_exchange_strong(expected, teller) || expected == teller) return;
  }
}

void note_node(Node& node) {
  NodeNotes& notes = notes_of(node);
  for (const auto& teller : g_tellers) {
    const PlaceTeller tell = teller.load(std::memory_order_acquire);
    if (!tell) break;
    CallPlace told = tell();
    if (!told.place.empty()) notes.places.push_back(std::move(told.place));
    if (told.module) notes.module = std::move(told.module);
  }
}

void note_output(Node& node, uint32_t output, const Tensor& t) {
  NodeNotes& notes = notes_of(node);
  if (notes.outputs.size() <= output) notes.outputs.resize(size_t{output} + 1);
  notes.outputs[output] = shape_text(t);
  notes.saved_bytes = saved_bytes(node);
}

std::string shape_text(const Tensor& t) {
  std::ostringstream text;
  text << '(';
  for (size_t i = 0; i < t.sizes().size(); ++i) text << (i ? ", " : "") << t.sizes()[i];
  text << ") " << name_of(t.dtype());
  return text.str();
}

size_t saved_bytes(const Node& node) {
  size_t bytes = 0;
  for (const Tensor& t : node.saved()) {
    if (t.defined()) bytes += static_cast<size_t>(t.numel()) * item_size(t.dtype());
  }
  return bytes;
}

}  // namespace onetape
