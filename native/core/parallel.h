#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/export.h"

namespace onetape {

/// Threads that one operator may use; 1 at least. PyTorch's get_num_threads.
ONETAPE_API int num_threads();
/// RuntimeError unless positive.
ONETAPE_API void set_num_threads(int count);

void parallel_for_slow(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

/// Calls body(begin, end) over parts of [0, n), on several threads if n is above `grain`. Work below it never
/// leaves the calling thread. An exception in a part is thrown again here.
template <typename F>
void parallel_for(int64_t n, int64_t grain, const F& body) {
  if (n <= 0) return;
  if (n <= grain) {
    body(int64_t{0}, n);
    return;
  }
  parallel_for_slow(n, grain, std::cref(body));
}

}  // namespace onetape
