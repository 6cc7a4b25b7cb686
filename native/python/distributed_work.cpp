// Operations of process groups that are on their way.

#include <pybind11/stl.h>

#include "python/distributed.h"
#include "python/tensor_object.h"

namespace onetape::python {

namespace py = pybind11;
using namespace distributed;  // NOLINT(google-build-using-namespace)

namespace {

/// How often a thread that waits looks whether the program is to be interrupted.
constexpr Milliseconds kLook(100);

/// False at the deadline. KeyboardInterrupt ends the wait, not the operation.
bool wait_until(Work& work, Clock::time_point deadline) {
  for (;;) {
    const Clock::time_point next = std::min(deadline, deadline_after(kLook));
    if (waiting([&] { return work.wait_until(next); })) return true;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (next == deadline) return false;
  }
}

bool wait(Work& work, const py::object& timeout) {
  const Milliseconds time = timeout.is_none() ? Milliseconds::max() : to_milliseconds(timeout);
  // PyTorch's way to say "no timeout of its own".
  const bool limited = time.count() > 0 && time != Milliseconds::max();
  check(wait_until(work, deadline_after(limited ? time : Milliseconds::max())), "Operation timed out!");
  work.rethrow();
  return true;
}

py::list results(const Work& work) {
  py::list all;
  for (const Tensor& t : work.results()) all.append(py::reinterpret_steal<py::object>(wrap(t)));
  return all;
}

py::object exception_of(const Work& work) {
  try {
    work.rethrow();
  } catch (...) {
    // Through pybind11's translators, which know the classes.
    return py::module_::import("onetape.distributed._work").attr("caught")(py::cpp_function([&work] {
      work.rethrow();
    }));
  }
  return py::none();
}

/// Calls a Python function of no arguments from the thread that does the work.
void call_later(Work& work, py::function f) {
  auto held = std::shared_ptr<py::function>(new py::function(std::move(f)), [](py::function* function) {
    if (!interpreter_alive()) return;
    const HoldGil gil;
    delete function;
  });
  const WaitWithoutGil scope;
  work.then([held] {
    if (!interpreter_alive()) return;
    const HoldGil gil;
    try {
      (*held)();
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable("a callback of a distributed operation");
    }
  });
}

}  // namespace

void add_works(py::module_& m) {
  py::class_<Work, WorkRef>(m, "Work", "An operation of a process group that is on its way.")
      .def("wait", &wait, py::arg("timeout") = py::none(),
           "wait(timeout=None): until it is done. Raises what it failed with; RuntimeError at the timeout.")
      .def("is_completed", &Work::completed)
      .def("is_success", [](const Work& w) { return w.completed() && !w.failure(); })
      .def("exception", &exception_of)
      .def("synchronize", [](Work& w) { wait(w, py::none()); })
      .def("result",
           [](const Work& w) {
             check(w.completed(),
                   "Work needs to be completed before calling result(). Should call wait() before result().");
             return results(w);
           })
      .def("_results", &results)
      .def("_operation", &Work::operation)
      .def("source_rank", &Work::source_rank)
      .def("_source_rank", &Work::source_rank)
      .def("_then", &call_later);
}

}  // namespace onetape::python
