#include "profiler/clock.h"

#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace onetape::profiler {

#if defined(__x86_64__)
const bool processor_counts_time = [] {
  constexpr unsigned kPower = 0x80000007;
  constexpr unsigned kInvariant = 1U << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(kPower, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
}();
#endif

Moment moment() {
  Moment best;
  int64_t shortest = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 5; ++i) {  // the try that was interrupted least
    const int64_t before = ticks();
    const int64_t now = system_nanoseconds();
    const int64_t after = ticks();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best = {before + (after - before) / 2, now};
  }
  return best;
}

TickScale::TickScale(const Moment& first, const Moment& last) : first_(first), rate_(1) {
  if (last.ticks > first.ticks) {
    rate_ = static_cast<double>(last.nanoseconds - first.nanoseconds) /
            static_cast<double>(last.ticks - first.ticks);
  }
}

}  // namespace onetape::profiler
