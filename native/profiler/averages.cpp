#include <unordered_map>

#include "profiler/profile.h"

namespace onetape::profiler {
namespace {

void add_sizes(std::string& text, const Input& input) {
  text += '[';
  for (size_t i = 0; i < input.sizes.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(input.sizes[i]);
  }
  text += ']';
}

/// What tells a group's spans from others.
std::string key_of(const Event& event, bool by_inputs, size_t by_calls) {
  std::string key = event.name;
  key += event.kind == SpanKind::User ? "\1" : "\2";
  if (by_inputs) key += shapes_text(event.inputs);
  if (!event.calls) return key;
  for (size_t i = 0; i < by_calls && i < event.calls->size(); ++i) key += '\n' + (*event.calls)[i];
  return key;
}

}  // namespace

std::string shapes_text(std::span<const Input> inputs) {
  std::string text = "[";
  for (const Input& input : inputs) {
    if (text.size() > 1) text += ", ";
    if (input.kind == Input::Kind::List) {
      text += shapes_text(input.items);
    } else {
      add_sizes(text, input);
    }
  }
  return text + ']';
}

std::vector<Average> averages(const Profile& profile, std::span<const int64_t> events, bool by_inputs,
                              size_t by_calls) {
  std::vector<Average> all;
  std::unordered_map<std::string, size_t> places;
  for (const int64_t number : events) {
    const Event& event = profile.events.at(static_cast<size_t>(number));
    const auto [place, fresh] = places.try_emplace(key_of(event, by_inputs, by_calls), all.size());
    if (fresh) all.push_back({.example = number});
    Average& average = all[place->second];
    ++average.count;
    average.total += event.end - event.start;
    average.self += event.self;
    average.memory += event.memory;
    average.self_memory += event.self_memory;
  }
  return all;
}

}  // namespace onetape::profiler
