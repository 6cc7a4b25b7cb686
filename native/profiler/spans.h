#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "autograd/node.h"
#include "core/export.h"
#include "core/tensor.h"
#include "core/tls.h"
#include "profiler/clock.h"
#include "profiler/kept_texts.h"

namespace onetape::profiler {

/// What a thread was doing; the numbers are PyTorch's of a RecordScope.
enum class SpanKind : uint8_t { Operator = 0, Backward = 1, User = 7 };

/// What is noted of each span.
struct Options {
  bool shapes = false;
  bool memory = false;
  bool stacks = false;
};

/// One entry in a thread's list: a span's begin or its end, or something about the span that began last.
struct Entry {
  enum class Kind : uint8_t {
    Begin,   // ticks, name, how many nodes the thread had recorded, or the number of the node that runs
    End,     // ticks, how many nodes it had recorded
    Shape,   // of a tensor: up to three sizes
    Sizes,   // three more
    List,    // of tensors, which follow
    Other,   // an argument that is no tensor
    Calls,   // a Stack
    Memory,  // ticks, bytes taken or (negative) given back, address
  };
  static constexpr size_t kWords = 3;

  int64_t words[kWords];
  Kind kind;
  uint8_t code;    // SpanKind or DType
  uint16_t count;  // dimensions of a tensor, tensors in a list
  uint32_t place;  // of an end: where it began
};
static_assert(sizeof(Entry) == 32);

/// What happens in one thread while it is profiled: a list that only this thread adds to, and others may
/// read.
class ONETAPE_API ThreadSpans {
 public:
  ThreadSpans(const Options& options, std::shared_ptr<KeptTexts> texts);
  ~ThreadSpans();
  ThreadSpans(const ThreadSpans&) = delete;
  ThreadSpans& operator=(const ThreadSpans&) = delete;

  const Options& options() const { return options_; }
  /// Notes that a span begins; returns its place, for end(). The name must stay where it is.
  uint32_t begin(SpanKind kind, const char* name, int64_t sequence) {
    const auto place = static_cast<uint32_t>(size_.load(std::memory_order_relaxed));
    push({{ticks(), reinterpret_cast<int64_t>(name), sequence},
          Entry::Kind::Begin,
          static_cast<uint8_t>(kind),
          0,
          0});
    return place;
  }
  void end(uint32_t place) {
    push({{ticks(), static_cast<int64_t>(t_sequence), 0}, Entry::Kind::End, 0, 0, place});
  }
  void note_shape(const Tensor& t);
  void note_shapes(std::span<const Tensor> all);
  void note_other() { push({{}, Entry::Kind::Other, 0, 0, 0}); }
  /// Notes the calls that the thread is in.
  void note_calls();
  void note_memory(int64_t bytes, const void* address) noexcept {
    push({{ticks(), bytes, reinterpret_cast<int64_t>(address)}, Entry::Kind::Memory, 0, 0, 0});
  }
  KeptTexts& texts() { return *texts_; }
  const std::shared_ptr<KeptTexts>& shared_texts() const { return texts_; }
  /// The name of a node, where it stays; most were met before.
  const char* node_name(std::string&& name);
  /// A number that no other list has.
  uint64_t number() const { return number_; }
  /// From now on nothing is added.
  void close() { closed_.store(true, std::memory_order_relaxed); }

  /// How many operators and nodes run inside each other.
  int depth = 0;

  /// Calls f(place, entry) for each entry.
  template <typename F>
  void visit(F f) const {
    const size_t all = size_.load(std::memory_order_acquire);
    const Chunk* chunk = first_.get();
    for (size_t i = 0; i < all; ++i) {
      if (i > 0 && i % kChunk == 0) chunk = chunk->next.get();
      f(static_cast<uint32_t>(i), chunk->entries[i % kChunk]);
    }
  }
  size_t size() const { return size_.load(std::memory_order_acquire); }
  int64_t thread_id() const { return thread_id_; }
  const std::string& thread_name() const { return thread_name_; }

 private:
  static constexpr size_t kChunk = 2048;
  static constexpr size_t kMost = UINT32_MAX;
  struct Chunk {
    Entry entries[kChunk];
    std::unique_ptr<Chunk> next;
  };

  void push(const Entry& entry) noexcept {
    const size_t size = size_.load(std::memory_order_relaxed);
    if (closed_.load(std::memory_order_relaxed)) [[unlikely]]
      return;
    if (size % kChunk == 0 && size > 0 && !grow(size)) [[unlikely]]
      return;
    last_->entries[size % kChunk] = entry;
    size_.store(size + 1, std::memory_order_release);
  }
  bool grow(size_t size) noexcept;

  std::atomic<size_t> size_{0};
  Chunk* last_;
  std::atomic<bool> closed_{false};
  Options options_;
  std::unique_ptr<Chunk> first_;
  std::shared_ptr<KeptTexts> texts_;
  uint64_t number_;
  int64_t thread_id_;
  std::string thread_name_;
  std::unordered_map<std::string, const char*> node_names_;
};

/// The calling thread's list while it is profiled, else null.
extern ONETAPE_API ONETAPE_HOT_TLS ThreadSpans* t_spans;

/// The name that PyTorch gives to what has ours: `aten::mul`.
ONETAPE_API std::string shown_name(SpanKind kind, std::string_view name);

/// Sees spans as they begin and end, in the thread that is in them.
struct Listener {
  void (*begin)(SpanKind kind, const char* name);
  void (*end)();
};
ONETAPE_API extern std::atomic<const Listener*> listener;

/// Adds the calls that one language's part of the calling thread is in, innermost first. Gives how far out
/// they stand among those of other languages: the smallest number is the innermost.
using StackTeller = int (*)(Stack& calls);
ONETAPE_API void add_stack_teller(StackTeller teller);

/// A span that begins and ends where the program says so.
struct OpenSpan {
  uint64_t list = 0;  // 0 for none
  uint32_t place = 0;
};
/// Begins a span in the calling thread, if it is profiled.
ONETAPE_API OpenSpan open_span(SpanKind kind, std::string_view name);
ONETAPE_API void close_span(const OpenSpan& span);

/// A span for a scope of C++ code; nothing where the thread is not profiled. The name stays where it is.
class ONETAPE_API Span {
 public:
  Span(SpanKind kind, const char* name) {
    if (t_spans) [[unlikely]]
      begin(kind, name, static_cast<int64_t>(t_sequence));
  }
  /// The run of a node.
  explicit Span(const Node& node) {
    if (t_spans) [[unlikely]]
      begin_node(node);
  }
  ~Span() {
    if (list_) [[unlikely]]
      end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  /// Are shapes wanted of what it is given?
  bool wants_shapes() const { return list_ && t_spans->options().shapes; }
  template <typename... A>
  void note(const A&... arguments) const {
    (note_one(arguments), ...);
  }

 private:
  void begin(SpanKind kind, const char* name, int64_t sequence);
  void begin_node(const Node& node);
  void end() noexcept;

  static void note_one(const Tensor& t) { t_spans->note_shape(t); }
  static void note_one(std::span<const Tensor> all) { t_spans->note_shapes(all); }
  template <typename T>
  static void note_one(const T& argument) {
    if constexpr (std::is_convertible_v<const T&, std::span<const Tensor>>) {
      t_spans->note_shapes(argument);
    } else {
      t_spans->note_other();
    }
  }

  uint64_t list_ = 0;
  uint32_t place_ = 0;
};

}  // namespace onetape::profiler
