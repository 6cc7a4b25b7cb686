#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/export.h"
#include "profiler/spans.h"

namespace onetape::profiler {

/// What an operator was given as one argument.
struct Input {
  enum class Kind : uint8_t { Tensor, List, Other } kind = Kind::Other;
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  std::vector<Input> items;  // of a list
};

/// One span. Times in nanoseconds of the system's monotonic clock.
struct Event {
  static constexpr int64_t kNone = -1;

  const char* name;  // `aten::mul`, `MulBackward0`
  SpanKind kind;
  uint32_t thread;         // number in Profile::threads
  int64_t parent = kNone;  // number of the span around it, in the same thread
  int64_t start = 0;
  int64_t end = 0;
  int64_t self = 0;          // without the spans inside it
  int64_t memory = 0;        // bytes taken less bytes given back
  int64_t self_memory = 0;   // the same without the spans inside it
  int64_t sequence = kNone;  // number of the node that it recorded first, or that it runs
  int64_t forward = kNone;   // of a node's run: the operator that recorded the node
  const Stack* calls = nullptr;
  std::vector<Input> inputs;
};

/// Memory of elements that was taken, or given back.
struct MemoryChange {
  int64_t time;
  int64_t bytes;
  int64_t address;
  uint32_t thread;
  int64_t event;  // the innermost span around it
};

struct Thread {
  int64_t id;  // the system's
  std::string name;
};

/// What was seen while a profile was recorded. Spans are in the order in which they began.
struct Profile {
  Options options;
  int64_t start = 0;
  int64_t end = 0;
  int64_t memory_before = 0;  // bytes
  std::vector<Thread> threads;
  std::vector<Event> events;
  std::vector<MemoryChange> memory;
  std::shared_ptr<KeptTexts> texts;
};

/// What the lists of all threads tell, from the moment `first` to `last`.
Profile collect(std::span<const std::shared_ptr<ThreadSpans>> lists, const Options& options,
                const Moment& first, const Moment& last);

/// Spans of one name, or of one name and inputs or calls.
struct Average {
  int64_t example;  // one of the spans
  int64_t count = 0;
  int64_t total = 0;
  int64_t self = 0;
  int64_t memory = 0;
  int64_t self_memory = 0;
};
/// The spans with these numbers in groups, in the order in which the first of each began.
ONETAPE_API std::vector<Average> averages(const Profile& profile, std::span<const int64_t> events,
                                          bool by_inputs, size_t by_calls);

/// `[[2, 3], [], [[4], [5]]]`
ONETAPE_API std::string shapes_text(std::span<const Input> inputs);

/// A line of a table; times in microseconds.
struct Row {
  std::string name;
  double self = 0;
  double total = 0;
  int64_t count = 0;
  int64_t memory = 0;
  int64_t self_memory = 0;
  std::string shapes;  // empty if they were not asked for
  Stack calls;
  bool top_level = true;
};
struct TableOptions {
  int64_t row_limit = 100;  // all if negative
  int64_t name_width = 55;  // as wide as needed if negative; so the other two
  int64_t shapes_width = 80;
  int64_t source_width = 75;
  std::string header;
  bool with_header = false;
  bool with_memory = false;
  bool top_level_only = false;
  std::string time_unit;  // s, ms, us, or what suits each number
};
/// The rows as PyTorch prints them; empty if there are none.
ONETAPE_API std::string table_text(std::span<const Row> rows, const TableOptions& options);

/// The profile for chrome://tracing and Perfetto. `metadata` holds further members of the object: `"key":
/// value, `.
ONETAPE_API std::string chrome_trace(const Profile& profile, std::string_view metadata);
/// Lines `outermost;…;innermost microseconds` of the spans that know their calls, for programs that draw
/// flame graphs.
ONETAPE_API std::string stacks_text(const Profile& profile);
/// A page with a flame graph that needs nothing else.
ONETAPE_API std::string flame_page(const Profile& profile, std::string_view title);
/// A picture of the memory of elements over time, by what took it.
ONETAPE_API std::string memory_svg(const Profile& profile, std::string_view title);
/// The same as numbers: `[times in ns, [[bytes of each kind], …]]`, and the kinds' names.
ONETAPE_API std::string memory_json(const Profile& profile);

}  // namespace onetape::profiler
