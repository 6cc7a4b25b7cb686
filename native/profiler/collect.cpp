#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "profiler/profile.h"

namespace onetape::profiler {
namespace {

/// Numbers of nodes -> the innermost span that recorded them, in one thread.
class Owners {
 public:
  void note(int64_t first, int64_t last, int64_t event) {
    for (int64_t number = first; number <= last; ++number)
      owners_.emplace(number, event);  // the innermost ends first
  }
  int64_t find(int64_t number) const {
    const auto found = owners_.find(number);
    return found == owners_.end() ? Event::kNone : found->second;
  }
  void renumber(std::span<const int64_t> places) {
    for (auto& [number, event] : owners_) event = places[static_cast<size_t>(event)];
  }

 private:
  std::unordered_map<int64_t, int64_t> owners_;
};

/// Makes events of one thread's entries.
class Reader {
 public:
  Reader(Profile& profile, const TickScale& scale, uint32_t thread)
      : profile_(profile), scale_(scale), thread_(thread), first_(profile.events.size()) {}

  void read(uint32_t place, const Entry& entry) {
    switch (entry.kind) {
      case Entry::Kind::Begin:
        begin(place, entry);
        break;
      case Entry::Kind::End:
        end(entry);
        break;
      case Entry::Kind::Calls:
        last().calls = reinterpret_cast<const Stack*>(entry.words[0]);
        break;
      case Entry::Kind::Memory:
        memory(entry);
        break;
      default:
        input(entry);
    }
  }
  /// To be called last: what still runs ends where the profile does.
  Owners finish() {
    for (const auto& [place, event] : open_) profile_.events[static_cast<size_t>(event)].end = profile_.end;
    return std::move(owners_);
  }

 private:
  Event& last() { return profile_.events.back(); }

  void begin(uint32_t place, const Entry& entry) {
    Event event{};
    event.kind = static_cast<SpanKind>(entry.code);
    event.name = shown(event.kind, reinterpret_cast<const char*>(entry.words[1]));
    event.thread = thread_;
    event.parent = open_.empty() ? Event::kNone : open_.back().second;
    event.start = scale_.nanoseconds(entry.words[0]);
    event.sequence = entry.words[2];
    open_.emplace_back(place, static_cast<int64_t>(profile_.events.size()));
    profile_.events.push_back(std::move(event));
  }

  const char* shown(SpanKind kind, const char* name) {
    const char*& known = names_[name];
    if (!known) known = profile_.texts->name(shown_name(kind, name));
    return known;
  }

  void end(const Entry& entry) {
    const auto found =
        std::find_if(open_.rbegin(), open_.rend(), [&](const auto& one) { return one.first == entry.place; });
    if (found == open_.rend()) return;
    const int64_t number = found->second;
    open_.erase(std::next(found).base());
    Event& event = profile_.events[static_cast<size_t>(number)];
    event.end = scale_.nanoseconds(entry.words[0]);
    if (event.kind == SpanKind::Backward) {
      if (event.sequence == static_cast<int64_t>(Node::kFirst)) event.sequence = Event::kNone;
      return;
    }
    const int64_t before = event.sequence;
    event.sequence = event.kind == SpanKind::Operator && entry.words[1] > before ? before + 1 : Event::kNone;
    if (event.kind == SpanKind::Operator) owners_.note(before + 1, entry.words[1], number);
  }

  void memory(const Entry& entry) {
    const int64_t event = open_.empty() ? Event::kNone : open_.back().second;
    if (event != Event::kNone) profile_.events[static_cast<size_t>(event)].self_memory += entry.words[1];
    profile_.memory.push_back(
        {scale_.nanoseconds(entry.words[0]), entry.words[1], entry.words[2], thread_, event});
  }

  void input(const Entry& entry) {
    if (entry.kind == Entry::Kind::Sizes) {
      add_sizes(*input_, entry);
      return;
    }
    std::vector<Input>& inputs = last().inputs;
    std::vector<Input>& into = left_ > 0 ? inputs.back().items : inputs;
    if (left_ > 0) --left_;
    Input& one = into.emplace_back();
    input_ = &one;
    if (entry.kind == Entry::Kind::List) {
      one.kind = Input::Kind::List;
      left_ = entry.count;
    } else if (entry.kind == Entry::Kind::Shape) {
      one.kind = Input::Kind::Tensor;
      one.dtype = static_cast<DType>(entry.code);
      wanted_ = entry.count;
      add_sizes(one, entry);
    }
  }
  void add_sizes(Input& one, const Entry& entry) const {
    for (size_t i = 0; i < Entry::kWords && one.sizes.size() < wanted_; ++i)
      one.sizes.push_back(entry.words[i]);
  }

  Profile& profile_;
  const TickScale& scale_;
  uint32_t thread_;
  size_t first_;
  std::vector<std::pair<uint32_t, int64_t>> open_;  // places and numbers, the innermost last
  std::unordered_map<const char*, const char*> names_;
  Owners owners_;
  Input* input_ = nullptr;  // the last
  size_t wanted_ = 0;       // sizes it has
  size_t left_ = 0;         // tensors of a list still to come
};

/// Spans that the program opened may end in any order: the parent is the innermost that lasts longer.
void mend_parents(std::vector<Event>& events) {
  for (Event& event : events) {
    while (event.parent != Event::kNone && events[static_cast<size_t>(event.parent)].end < event.end)
      event.parent = events[static_cast<size_t>(event.parent)].parent;
  }
}

/// Of an operator that calls only itself, with other arguments, one remains. Gives the new numbers.
std::vector<int64_t> merge_repeated(std::vector<Event>& events) {
  std::vector<int64_t> children(events.size(), 0);
  for (const Event& event : events) {
    if (event.parent != Event::kNone) ++children[static_cast<size_t>(event.parent)];
  }
  std::vector<int64_t> places(events.size());
  size_t kept = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    Event& event = events[i];
    const int64_t parent =
        event.parent == Event::kNone ? Event::kNone : places[static_cast<size_t>(event.parent)];
    event.parent = parent;
    if (parent != Event::kNone) {
      const auto around = static_cast<size_t>(parent);
      if (children[around] == 1 && event.kind == events[around].kind &&
          std::string_view(event.name) == events[around].name) {
        events[around].self_memory += event.self_memory;
        children[around] = children[i];
        places[i] = parent;
        continue;
      }
    }
    places[i] = static_cast<int64_t>(kept);
    children[kept] = children[i];
    if (kept != i) events[kept] = std::move(event);
    ++kept;
  }
  events.resize(kept);
  return places;
}

/// Brings the spans of all threads into the order of their beginnings. Gives the new numbers.
std::vector<int64_t> sort_events(std::vector<Event>& events) {
  std::vector<int64_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return events[static_cast<size_t>(i)].start; });
  std::vector<int64_t> places(events.size());
  std::vector<Event> sorted;
  sorted.reserve(events.size());
  for (const int64_t i : order) {
    places[static_cast<size_t>(i)] = static_cast<int64_t>(sorted.size());
    sorted.push_back(std::move(events[static_cast<size_t>(i)]));
  }
  for (Event& event : sorted) {
    if (event.parent != Event::kNone) event.parent = places[static_cast<size_t>(event.parent)];
  }
  events = std::move(sorted);
  return places;
}

void sum_up(std::vector<Event>& events) {
  for (Event& event : events) {
    event.self = event.end - event.start;
    event.memory = event.self_memory;
  }
  for (size_t i = events.size(); i-- > 0;) {  // parents come before what is inside them
    if (events[i].parent == Event::kNone) continue;
    Event& parent = events[static_cast<size_t>(events[i].parent)];
    parent.self -= events[i].end - events[i].start;
    parent.memory += events[i].memory;
  }
}

/// Nodes have numbers of the thread that recorded them: most often the one that runs them.
void link_backward(std::vector<Event>& events, std::span<const Owners> owners) {
  for (Event& event : events) {
    if (event.kind != SpanKind::Backward || event.sequence == Event::kNone) continue;
    event.forward = owners[event.thread].find(event.sequence);
    for (const Owners& other : owners) {
      if (event.forward != Event::kNone) break;
      event.forward = other.find(event.sequence);
    }
  }
}

/// What runs inside another was called where that was; what a node runs, where the node was recorded.
void spread_calls(std::vector<Event>& events) {
  for (Event& event : events) {
    if (event.kind == SpanKind::Backward) {
      event.calls =
          event.forward == Event::kNone ? nullptr : events[static_cast<size_t>(event.forward)].calls;
    } else if (!event.calls && event.parent != Event::kNone) {
      event.calls = events[static_cast<size_t>(event.parent)].calls;
    }
  }
}

void renumber_memory(std::vector<MemoryChange>& memory, std::span<const int64_t> places) {
  for (MemoryChange& change : memory) {
    if (change.event != Event::kNone) change.event = places[static_cast<size_t>(change.event)];
  }
}

}  // namespace

Profile collect(std::span<const std::shared_ptr<ThreadSpans>> lists, const Options& options,
                const Moment& first, const Moment& last) {
  Profile profile;
  profile.options = options;
  profile.start = first.nanoseconds;
  profile.end = last.nanoseconds;
  profile.texts = lists.empty() ? std::make_shared<KeptTexts>() : lists.front()->shared_texts();
  const TickScale scale(first, last);
  std::vector<Owners> owners;
  for (const auto& list : lists) {
    Reader reader(profile, scale, static_cast<uint32_t>(profile.threads.size()));
    profile.threads.push_back({list->thread_id(), list->thread_name()});
    list->visit([&](uint32_t place, const Entry& entry) { reader.read(place, entry); });
    owners.push_back(reader.finish());
  }
  mend_parents(profile.events);
  for (const auto& change : {merge_repeated, sort_events}) {
    const std::vector<int64_t> places = change(profile.events);
    for (Owners& one : owners) one.renumber(places);
    renumber_memory(profile.memory, places);
  }
  std::ranges::stable_sort(profile.memory, {}, &MemoryChange::time);
  sum_up(profile.events);
  link_backward(profile.events, owners);
  spread_calls(profile.events);
  return profile;
}

}  // namespace onetape::profiler
