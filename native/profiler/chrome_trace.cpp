// The trace as PyTorch writes it: microseconds, a row a thread, arrows from operators to the nodes they
// recorded.

#include <array>
#include <cstdio>

#include <unistd.h>

#include "autograd/graph_export.h"
#include "ops/type_words.h"
#include "profiler/profile.h"

namespace onetape::profiler {
namespace {

/// The names that PyTorch's traces give to dtypes.
std::string_view type_name(DType dtype) { return dtype == DType::I16 ? "short" : type_words(dtype); }

std::string types_text(std::span<const Input> inputs) {
  std::string text = "[";
  for (const Input& input : inputs) {
    if (text.size() > 1) text += ", ";
    switch (input.kind) {
      case Input::Kind::Tensor:
        text += json_text(type_name(input.dtype));
        break;
      case Input::Kind::List:
        text += types_text(input.items);
        break;
      case Input::Kind::Other:
        text += "\"\"";
        break;
    }
  }
  return text + ']';
}

std::string microseconds(int64_t nanoseconds) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%lld.%03lld", static_cast<long long>(nanoseconds / 1000),
                static_cast<long long>(nanoseconds % 1000));
  return text.data();
}

class Trace {
 public:
  explicit Trace(const Profile& profile) : profile_(profile), process_(std::to_string(getpid())) {}

  std::string text(std::string_view metadata) {
    out_ = "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [],\n";
    if (profile_.options.stacks) out_ += "\"with_stack\": 1,\n";
    if (profile_.options.memory) out_ += "\"profile_memory\": 1,\n";
    if (profile_.options.shapes) out_ += "\"record_shapes\": 1,\n";
    out_ += metadata;
    out_ += "\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": 0,\n\"traceEvents\": [";
    add_names();
    for (size_t i = 0; i < profile_.events.size(); ++i) add_event(i);
    int64_t live = profile_.memory_before;
    for (const MemoryChange& change : profile_.memory) add_memory(change, live += change.bytes);
    out_ += "\n]\n}\n";
    return std::move(out_);
  }

 private:
  std::string thread(uint32_t number) const { return std::to_string(profile_.threads[number].id); }

  /// Begins an object of the list with what all have.
  void begin(std::string_view phase, std::string_view name, std::string_view thread, int64_t time) {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    out_ += "{\"ph\": \"";
    out_ += phase;
    out_ += "\", \"name\": " + json_text(name) + ", \"pid\": " + process_ + ", \"tid\": ";
    out_ += thread;
    out_ += ", \"ts\": " + microseconds(time);
  }

  void add_name(std::string_view what, std::string_view thread, const std::string& arguments) {
    begin("M", what, thread, profile_.start);
    out_ += ", \"args\": {" + arguments + "}}";
  }

  void add_names() {
    add_name("process_name", "0", "\"name\": \"onetape\"");
    add_name("process_labels", "0", "\"labels\": \"CPU\"");
    for (const Thread& one : profile_.threads) {
      const std::string id = std::to_string(one.id);
      add_name("thread_name", id, "\"name\": " + json_text("thread " + id + " (" + one.name + ")"));
      add_name("thread_sort_index", id, "\"sort_index\": " + id);
    }
  }

  void add_event(size_t number) {
    const Event& event = profile_.events[number];
    begin("X", event.name, thread(event.thread), event.start);
    out_ += ", \"dur\": " + microseconds(event.end - event.start);
    out_ += event.kind == SpanKind::User ? ", \"cat\": \"user_annotation\"" : ", \"cat\": \"cpu_op\"";
    out_ += ", \"args\": {\"External id\": " + std::to_string(number + 1);
    if (event.sequence != Event::kNone) {
      const uint32_t forward = event.forward == Event::kNone
                                   ? event.thread
                                   : profile_.events[static_cast<size_t>(event.forward)].thread;
      out_ += ", \"Sequence number\": " + std::to_string(event.sequence);
      out_ += ", \"Fwd thread id\": " + (event.kind == SpanKind::Backward ? thread(forward) : "0");
    }
    if (!event.inputs.empty()) {
      out_ += ", \"Input type\": " + types_text(event.inputs);
      out_ += ", \"Input Dims\": " + shapes_text(event.inputs);
    }
    if (event.calls && !event.calls->empty()) {
      std::string calls;
      for (const std::string& call : *event.calls) calls += (calls.empty() ? "" : "\n") + call;
      out_ += ", \"Call stack\": " + json_text(calls);
    }
    out_ += ", \"Ev Idx\": " + std::to_string(number) + "}}";
    if (event.forward != Event::kNone) add_flow(number, static_cast<size_t>(event.forward));
  }

  /// An arrow from a forward operator to the run of its node.
  void add_flow(size_t backward, size_t forward) {
    const std::string id = ", \"id\": " + std::to_string(backward + 1) + ", \"cat\": \"fwdbwd\"";
    const Event& from = profile_.events[forward];
    const Event& to = profile_.events[backward];
    begin("s", "fwdbwd", thread(from.thread), from.start);
    out_ += id + "}";
    begin("f", "fwdbwd", thread(to.thread), to.start);
    out_ += id + ", \"bp\": \"e\"}";
  }

  void add_memory(const MemoryChange& change, int64_t live) {
    begin("i", "[memory]", thread(change.thread), change.time);
    out_ += ", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"args\": {\"Total Allocated\": " +
            std::to_string(live);
    out_ += ", \"Bytes\": " + std::to_string(change.bytes) + ", \"Addr\": " + std::to_string(change.address);
    out_ += ", \"Device Type\": 0, \"Device Id\": -1}}";
  }

  const Profile& profile_;
  std::string process_;
  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string chrome_trace(const Profile& profile, std::string_view metadata) {
  return Trace(profile).text(metadata);
}

std::string stacks_text(const Profile& profile) {
  std::string text;
  for (const Event& event : profile.events) {
    const int64_t whole = event.self / 1000;
    if (!event.calls || event.calls->empty() || whole <= 0) continue;
    for (size_t i = event.calls->size(); i-- > 0;) {
      for (const char c : (*event.calls)[i]) text += c == ' ' || c == ';' || c == '\t' || c == '\n' ? '_' : c;
      text += i > 0 ? ';' : ' ';
    }
    text += std::to_string(whole) + '\n';
  }
  return text;
}

}  // namespace onetape::profiler
