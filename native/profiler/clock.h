#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "core/export.h"

namespace onetape::profiler {

/// Nanoseconds of the system's monotonic clock.
inline int64_t system_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

#if defined(__x86_64__)
/// Does the processor count time at one rate on all its cores? Reading that takes half of what the system's
/// clock takes.
ONETAPE_API extern const bool processor_counts_time;
#endif

/// The time in ticks of the fastest clock that there is.
inline int64_t ticks() {
#if defined(__x86_64__)
  if (processor_counts_time) [[likely]]
    return static_cast<int64_t>(__rdtsc());
#endif
  return system_nanoseconds();
}

/// The same moment on both clocks.
struct Moment {
  int64_t ticks = 0;
  int64_t nanoseconds = 0;
};
Moment moment();

/// Turns ticks into nanoseconds of the system's clock, by two moments between which most of them lie.
class TickScale {
 public:
  TickScale(const Moment& first, const Moment& last);
  int64_t nanoseconds(int64_t ticks) const {
    return first_.nanoseconds + static_cast<int64_t>(static_cast<double>(ticks - first_.ticks) * rate_);
  }

 private:
  Moment first_;
  double rate_;
};

}  // namespace onetape::profiler
