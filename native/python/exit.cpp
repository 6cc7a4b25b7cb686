#include "python/exit.h"

#include <chrono>
#include <thread>

#include "python/errors.h"
#include "python/gil.h"

namespace onetape::python {
namespace {

std::atomic<std::thread::id> g_exiting_thread;

PyObject* note_exit(PyObject* /*self*/, PyObject* /*args*/) {
  g_exiting_thread.store(std::this_thread::get_id());
  g_exit_begun.store(true);
  Py_RETURN_NONE;
}

PyMethodDef note_exit_method = {"_note_exit", note_exit, METH_NOARGS, nullptr};

}  // namespace

std::atomic<bool> g_exit_begun = false;

bool exiting_elsewhere_slow() noexcept {
  return !interpreter_alive() && g_exiting_thread.load() != std::this_thread::get_id();
}

void stop_thread() noexcept {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void watch_exit() {
  const Owned function(need(PyCFunction_New(&note_exit_method, nullptr)));
  const Owned atexit(need(PyImport_ImportModule("atexit")));
  const Owned done(need(PyObject_CallMethod(atexit.get(), "register", "O", function.get())));
}

}  // namespace onetape::python
