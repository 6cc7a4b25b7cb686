#include "python/exit.h"

#include <chrono>
#include <thread>

#include <pthread.h>

#include "python/errors.h"
#include "python/gil.h"

namespace onetape::python {
namespace {

std::atomic<std::thread::id> g_exiting_thread;
std::atomic<int> g_taking = 0;
PyMemAllocatorEx g_raw_memory;

bool on_exiting_thread() noexcept { return g_exiting_thread.load() == std::this_thread::get_id(); }

/// Unlike PyGILState_Check, false once there is no interpreter.
bool has_gil() noexcept {
  const PyThreadState* mine = PyGILState_GetThisThreadState();
#if PY_VERSION_HEX >= 0x030d0000
  return mine && mine == PyThreadState_GetUnchecked();
#else
  return mine && mine == _PyThreadState_UncheckedGet();
#endif
}

/// Lets every thread that is on its way to the GIL have it; those that come later stop.
void wait_for_takers() {
  g_exit_begun.store(true);
  while (g_taking.load() > 0) {
    PyThreadState* state = PyEval_SaveThread();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    PyEval_RestoreThread(state);
  }
}

/// CPython frees the states of threads that still run, and reads them when such a thread, which had just seen
/// that the interpreter lives, goes on to wait for the GIL. So nothing is freed until that can no longer be.
void keep_thread_states() {
  PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &g_raw_memory);
  PyMemAllocatorEx keeping = g_raw_memory;
  keeping.free = [](void* /*context*/, void* /*memory*/) {};
  // Runs when the interpreter is gone, for programs that begin another one in the same process.
  if (Py_AtExit([] { PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &g_raw_memory); }) == 0) {
    PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &keeping);
  }
}

PyObject* note_exit(PyObject* /*self*/, PyObject* /*args*/) {
  g_exiting_thread.store(std::this_thread::get_id());
  Py_RETURN_NONE;
}

/// Runs when the exit functions, one of which holds the capsule, are let go: all of them have run then, also
/// those that wait for threads. Functions that are let go without having run mean no end.
void exit_functions_gone(PyObject* /*capsule*/) {
  if (!on_exiting_thread()) return;
  wait_for_takers();
  keep_thread_states();
}

PyMethodDef note_exit_method = {"_note_exit", note_exit, METH_VARARGS, nullptr};

}  // namespace

std::atomic<bool> g_exit_begun = false;

// A thread that still has the GIL from before goes on until it lets go of it.
bool exiting_elsewhere_slow() noexcept { return !interpreter_alive() && !on_exiting_thread(); }

void stop_thread() noexcept {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

TakingGil::TakingGil() noexcept {
  ++g_taking;
  // Either this thread sees that the end has begun, or the end sees this thread: both are in one total order.
  if (!g_exit_begun.load() || on_exiting_thread() || has_gil()) return;
  --g_taking;
  stop_thread();
}

TakingGil::~TakingGil() { --g_taking; }

void watch_exit() {
  pthread_atfork(nullptr, nullptr, [] { g_taking = 0; });  // those threads are not in the child
  const Owned function(need(PyCFunction_New(&note_exit_method, nullptr)));
  const Owned let_go(need(PyCapsule_New(&g_raw_memory, nullptr, exit_functions_gone)));
  const Owned atexit(need(PyImport_ImportModule("atexit")));
  const Owned done(need(PyObject_CallMethod(atexit.get(), "register", "OO", function.get(), let_go.get())));
}

}  // namespace onetape::python
