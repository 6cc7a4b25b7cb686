#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "core/error.h"

namespace onetape {
namespace {

std::atomic<int> g_threads{0};

}  // namespace

int num_threads() {
  int count = g_threads.load(std::memory_order_relaxed);
  if (count == 0) {
    count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    g_threads.store(count, std::memory_order_relaxed);
  }
  return count;
}

void set_num_threads(int count) {
  check(count > 0, "set_num_threads expects a positive integer");
  g_threads.store(count, std::memory_order_relaxed);
}

void parallel_for_slow(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  const int threads = num_threads();
  if (threads == 1) {
    body(0, n);
    return;
  }
  // All callers share TBB's one pool; parts are as large as the threads allow, so that few tasks are made.
  const int64_t parts = std::min<int64_t>(threads, (n + grain - 1) / grain);
  const int64_t step = (n + parts - 1) / parts;
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, parts, 1), [&](const tbb::blocked_range<int64_t>& range) {
    for (int64_t part = range.begin(); part < range.end(); ++part) {
      const int64_t begin = part * step;
      const int64_t end = std::min(n, begin + step);
      if (begin < end) body(begin, end);
    }
  });
}

}  // namespace onetape
