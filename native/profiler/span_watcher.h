#pragma once

#include "core/call_watcher.h"
#include "profiler/spans.h"

namespace onetape::profiler {

/// The watcher of a thread that is profiled and not recorded as a tape: there so that calls of operators take
/// the way on which spans are made.
class ONETAPE_API SpanWatcher final : public CallWatcher {
 public:
  void storage_made(const Storage&) override {}
  void elements_read(const Tensor&, const char*) override {}
  void constant_made(const Tensor&) override {}
  void numbers_drawn() override {}
  void backward_begins() override {}
};
ONETAPE_API SpanWatcher& span_watcher();

/// The watcher of the calling thread while no tape is recorded there.
inline CallWatcher* plain_watcher() { return t_spans ? &span_watcher() : nullptr; }

}  // namespace onetape::profiler
