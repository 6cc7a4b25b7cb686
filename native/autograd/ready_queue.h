#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace onetape {

/// The nodes that a run of the engine may execute next; those recorded last come first.
class ReadyQueue {
 public:
  bool empty() const { return !any_; }
  /// The state of a node with that sequence number.
  void push(uint64_t sequence, uint32_t state) {
    Entry entry{sequence, state};
    if (!any_) {  // most graphs are nearly chains
      any_ = true;
      first_ = entry;
      return;
    }
    if (first_ < entry) std::swap(entry, first_);
    push_behind(entry);
  }
  uint32_t pop() {
    const uint32_t state = first_.state;
    if (line_.empty() && heap_.empty()) {
      any_ = false;
    } else {
      take_first();
    }
    return state;
  }
  /// Forgets all entries, but not the memory for them.
  void clear() {
    any_ = false;
    line_.clear();
    begin_ = 0;
    heap_.clear();
  }
  /// For queues without entries.
  void swap_memory(ReadyQueue& other) {
    line_.swap(other.line_);
    heap_.swap(other.heap_);
  }

 private:
  struct Entry {
    uint64_t sequence = 0;
    uint32_t state = 0;
    bool operator<(const Entry& other) const {
      return sequence != other.sequence ? sequence < other.sequence : state > other.state;
    }
  };
  static constexpr size_t kNear = 4;
  static constexpr size_t kPassed = 4096;  // entries before the line that may stay in memory

  // Entries mostly come in falling order, or nearly so, and then stand in a line. What would have to pass
  // many at the line's end goes into a heap.
  void push_behind(Entry entry) {
    size_t at = line_.size();
    const size_t nearest = std::max(begin_, at > kNear ? at - kNear : 0);
    while (at > nearest && line_[at - 1] < entry) --at;
    if (at == nearest && at > begin_ && line_[at - 1] < entry) {
      heap_.push_back(entry);
      std::push_heap(heap_.begin(), heap_.end());
      return;
    }
    line_.insert(line_.begin() + static_cast<std::ptrdiff_t>(at), entry);
  }
  void take_first() {
    if (line_.empty() || (!heap_.empty() && line_[begin_] < heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end());
      first_ = heap_.back();
      heap_.pop_back();
      return;
    }
    first_ = line_[begin_++];
    if (begin_ == line_.size()) {
      line_.clear();
      begin_ = 0;
    } else if (begin_ >= kPassed && begin_ >= line_.size() / 2) {
      line_.erase(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
    }
  }

  bool any_ = false;
  Entry first_;              // if any: the first
  std::vector<Entry> line_;  // from begin_ on, in order; empty if there are none
  size_t begin_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace onetape
