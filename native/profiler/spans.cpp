#include "profiler/spans.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <vector>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace onetape::profiler {

ONETAPE_HOT_TLS ThreadSpans* t_spans = nullptr;
std::atomic<const Listener*> listener{nullptr};

namespace {

std::array<std::atomic<StackTeller>, 4> g_tellers{};

std::string name_of_this_thread() {
  char name[16] = {};
  return pthread_getname_np(pthread_self(), name, sizeof name) == 0 ? name : std::string();
}

uint64_t next_number() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace

void add_stack_teller(StackTeller teller) {
  for (auto& place : g_tellers) {
    StackTeller expected = nullptr;
    if (place.compare_exchange_strong(expected, teller) || expected == teller) return;
  }
}

std::string shown_name(SpanKind kind, std::string_view name) {
  constexpr std::string_view kOut = "_out";  // the form of an operator that writes into a given tensor
  if (kind == SpanKind::Operator) {
    return "aten::" + std::string(name.ends_with(kOut) ? name.substr(0, name.size() - kOut.size()) : name);
  }
  const bool is_engines = kind == SpanKind::Backward && (name == "AccumulateGrad" || name == "CopySlices");
  return (is_engines ? "torch::autograd::" : "") + std::string(name);
}

// ---- a thread's list ----

ThreadSpans::ThreadSpans(const Options& options, std::shared_ptr<KeptTexts> texts)
    : options_(options),
      first_(std::make_unique_for_overwrite<Chunk>()),
      texts_(std::move(texts)),
      number_(next_number()),
      thread_id_(syscall(SYS_gettid)),
      thread_name_(name_of_this_thread()) {
  last_ = first_.get();
}

ThreadSpans::~ThreadSpans() {
  while (first_) first_ = std::move(first_->next);  // not each inside the one before
}

bool ThreadSpans::grow(size_t size) noexcept {
  if (size >= kMost) return false;
  last_->next.reset(new (std::nothrow) Chunk);
  if (!last_->next) return false;
  last_ = last_->next.get();
  return true;
}

const char* ThreadSpans::node_name(std::string&& name) {
  const auto [place, fresh] = node_names_.try_emplace(std::move(name));
  if (fresh) place->second = texts_->name(place->first);
  return place->second;
}

void ThreadSpans::note_shape(const Tensor& t) {
  if (!t.defined()) {
    note_other();
    return;
  }
  const IntSpan sizes = t.sizes();
  Entry entry{
      {}, Entry::Kind::Shape, static_cast<uint8_t>(t.dtype()), static_cast<uint16_t>(sizes.size()), 0};
  for (size_t i = 0; i == 0 || i < sizes.size(); i += Entry::kWords) {
    for (size_t k = 0; k < Entry::kWords && i + k < sizes.size(); ++k) entry.words[k] = sizes[i + k];
    push(entry);
    entry.kind = Entry::Kind::Sizes;
  }
}

void ThreadSpans::note_shapes(std::span<const Tensor> all) {
  push({{}, Entry::Kind::List, 0, static_cast<uint16_t>(std::min<size_t>(all.size(), UINT16_MAX)), 0});
  for (const Tensor& t : all.first(std::min<size_t>(all.size(), UINT16_MAX))) note_shape(t);
}

void ThreadSpans::note_calls() {
  std::vector<std::pair<int, Stack>> all;
  for (const auto& teller : g_tellers) {
    const StackTeller tell = teller.load(std::memory_order_acquire);
    if (!tell) break;
    Stack told;
    const int place = tell(told);
    all.emplace_back(place, std::move(told));
  }
  std::ranges::stable_sort(all, {}, &std::pair<int, Stack>::first);
  Stack calls;
  for (auto& [place, told] : all) std::ranges::move(told, std::back_inserter(calls));
  push({{reinterpret_cast<int64_t>(texts_->stack(std::move(calls))), 0, 0}, Entry::Kind::Calls, 0, 0, 0});
}

// ---- spans ----

void Span::begin(SpanKind kind, const char* name, int64_t sequence) {
  ThreadSpans& spans = *t_spans;
  if (const Listener* one = listener.load(std::memory_order_relaxed)) [[unlikely]]
    one->begin(kind, name);
  list_ = spans.number();
  place_ = spans.begin(kind, name, sequence);
  // What runs inside another operator was called where that was.
  if (spans.depth++ == 0 && spans.options().stacks) [[unlikely]]
    spans.note_calls();
}

void Span::begin_node(const Node& node) {
  const char* name = t_spans->node_name(node.name());
  begin(SpanKind::Backward, name, static_cast<int64_t>(node.sequence()));
}

void Span::end() noexcept {
  if (const Listener* one = listener.load(std::memory_order_relaxed)) [[unlikely]]
    one->end();
  ThreadSpans* const spans = t_spans;
  if (!spans || spans->number() != list_) return;  // profiling ended meanwhile
  --spans->depth;
  spans->end(place_);
}

OpenSpan open_span(SpanKind kind, std::string_view name) {
  ThreadSpans* const spans = t_spans;
  if (!spans) return {};
  const char* kept = spans->texts().name(name);
  if (const Listener* one = listener.load(std::memory_order_relaxed)) one->begin(kind, kept);
  const OpenSpan opened{spans->number(), spans->begin(kind, kept, static_cast<int64_t>(t_sequence))};
  if (kind != SpanKind::User) ++spans->depth;
  if (spans->options().stacks) spans->note_calls();
  return opened;
}

void close_span(const OpenSpan& span) {
  if (span.list == 0) return;
  if (const Listener* one = listener.load(std::memory_order_relaxed)) one->end();
  ThreadSpans* const spans = t_spans;
  if (spans && spans->number() == span.list) spans->end(span.place);
}

}  // namespace onetape::profiler
