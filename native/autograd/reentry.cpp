#include "autograd/reentry.h"

#include <exception>

#include <pthread.h>

#include "autograd/mode.h"
#include "autograd/saved_hooks.h"
#include "core/error.h"
#include "core/geometry_lock.h"
#include "core/tls.h"

namespace onetape {

ONETAPE_HOT_TLS int t_pass_depth = 0;

namespace {

/// Passes inside each other on one thread; each takes some frames of the language that started it, too.
constexpr int kDeepest = 60;
/// What must be left of the stack for a pass to stay on it.
constexpr size_t kStackReserve = 256 << 10;
constexpr size_t kFreshStack = 4 << 20;

thread_local char* t_stack_end = nullptr;  // the lowest address, once it was asked for

char* stack_end() {
  if (t_stack_end) return t_stack_end;
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
  }
  t_stack_end = static_cast<char*>(low);
  return t_stack_end;
}

bool stack_is_short() {
  const char here = 0;
  const char* const end = stack_end();
  return end && static_cast<size_t>(&here - end) < kStackReserve;
}

/// A pass that goes to another thread, and what it takes along.
struct Journey {
  explicit Journey(const std::function<void()>& work) : pass(work) {}

  const std::function<void()>& pass;
  bool grad = grad_mode();
  bool inference = inference_mode();
  SavedHooksList hooks = saved_hooks_list();
  std::exception_ptr error;
};

void* travel(void* argument) {
  auto& journey = *static_cast<Journey*>(argument);
  set_inference_mode(journey.inference);
  set_grad_enabled(journey.grad);
  set_saved_hooks_list(journey.hooks);
  try {
    ++t_pass_depth;
    const ReadingGeometry reading;
    journey.pass();
  } catch (...) {
    journey.error = std::current_exception();
  }
  set_saved_hooks_list({});
  return nullptr;
}

}  // namespace

bool needs_fresh_thread() { return t_pass_depth >= kDeepest || stack_is_short(); }

void run_on_fresh_thread(const std::function<void()>& pass) {
  Journey journey(pass);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kFreshStack);
  pthread_t thread;
  const ReadingPaused pause;  // the other thread reads instead
  const int failed = pthread_create(&thread, &attributes, travel, &journey);
  pthread_attr_destroy(&attributes);
  check(failed == 0, "backward passes are nested too deep: the system has no further thread for them");
  pthread_join(thread, nullptr);
  if (journey.error) std::rethrow_exception(journey.error);
}

}  // namespace onetape
