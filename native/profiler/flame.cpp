// Where the time went, as a flame graph on a page of its own.

#include <map>

#include "autograd/graph_export.h"
#include "flame_page_files.h"
#include "profiler/profile.h"

namespace onetape::profiler {
namespace {

/// Spans of one path from the outermost call, laid together.
struct Flame {
  std::string name;
  char kind;  // of its colour: a thread, a call of a program, what it named itself, an operator, a node's run
  size_t parent;
  int64_t self = 0;  // ns
  int64_t count = 0;
};

char kind_of(const Event& event) {
  if (event.kind == SpanKind::User) return 'u';
  return event.kind == SpanKind::Backward ? 'b' : 'o';
}

class Flames {
 public:
  explicit Flames(const Profile& profile) : profile_(profile), places_(profile.events.size()) {
    for (const Thread& one : profile.threads) {
      const std::string id = std::to_string(one.id);
      child(kRoot, one.name.empty() ? "thread " + id : one.name + " " + id, 't');
    }
    for (size_t i = 0; i < profile.events.size(); ++i) add(i);
  }

  std::string json() const {
    std::string names = "[", parents = "[", selves = "[", counts = "[", kinds;
    for (const Flame& flame : flames_) {
      const char* const comma = names.size() > 1 ? "," : "";
      names += comma + json_text(flame.name);
      parents += comma + std::to_string(flame.parent == kRoot ? -1 : static_cast<int64_t>(flame.parent));
      selves += comma + std::to_string(flame.self);
      counts += comma + std::to_string(flame.count);
      kinds += flame.kind;
    }
    return "{\"names\":" + names + "],\n\"parents\":" + parents + "],\n\"selves\":" + selves +
           "],\n\"counts\":" + counts + "],\n\"kinds\":\"" + kinds +
           "\",\n\"duration\":" + std::to_string(profile_.end - profile_.start) + "}";
  }

 private:
  static constexpr size_t kRoot = SIZE_MAX;

  size_t child(size_t parent, const std::string& name, char kind) {
    const auto [place, fresh] = known_.try_emplace({parent, kind, name}, flames_.size());
    if (fresh) flames_.push_back({name, kind, parent});
    return place->second;
  }

  /// A parent's flame is known already. The calls stand above what the program named, below the outermost
  /// operator.
  void add(size_t number) {
    const Event& event = profile_.events[number];
    const bool has_parent = event.parent != Event::kNone;
    size_t at = has_parent ? places_[static_cast<size_t>(event.parent)] : size_t{event.thread};
    const bool outermost =
        !has_parent || profile_.events[static_cast<size_t>(event.parent)].kind == SpanKind::User;
    if (event.kind == SpanKind::Operator && outermost && event.calls) {
      for (size_t i = event.calls->size(); i-- > 0;) at = child(at, (*event.calls)[i], 'c');
    }
    at = child(at, event.name, kind_of(event));
    places_[number] = at;
    flames_[at].self += event.self;
    ++flames_[at].count;
  }

  const Profile& profile_;
  std::vector<Flame> flames_;
  std::vector<size_t> places_;  // of each event
  std::map<std::tuple<size_t, char, std::string>, size_t> known_;
};

}  // namespace

std::string flame_page(const Profile& profile, std::string_view title) {
  return filled_page(flame_files::kPage, [&](std::string_view word) -> std::string {
    if (word == "title") return escaped_xml(title);
    if (word == "data") return Flames(profile).json();
    return std::string(word == "style" ? flame_files::kStyle : flame_files::kScript);
  });
}

}  // namespace onetape::profiler
