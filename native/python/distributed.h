#pragma once

#include <pybind11/pybind11.h>

#include "core/tensor.h"
#include "distributed/process_group.h"
#include "python/gil.h"

namespace onetape::python {

/// The submodule onetape._C._distributed: stores, process groups, and what goes on in them.
void add_distributed(pybind11::module_& module);
void add_stores(pybind11::module_& module);
void add_works(pybind11::module_& module);
void add_reducer(pybind11::module_& module);

/// Lets others run while this thread waits for other processes. Unlike ReleaseGil it does not count as being
/// inside an operator, in which tensors may not change their sizes.
class WaitWithoutGil {
 public:
  WaitWithoutGil() : state_(PyEval_SaveThread()) {}
  ~WaitWithoutGil() {
    take_gil([this] { PyEval_RestoreThread(state_); });
  }
  WaitWithoutGil(const WaitWithoutGil&) = delete;
  WaitWithoutGil& operator=(const WaitWithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Runs f, which knows no Python, without the GIL.
template <typename F>
auto waiting(F&& f) {
  const WaitWithoutGil scope;
  return f();
}

/// From datetime.timedelta; TypeError for anything else.
distributed::Milliseconds to_milliseconds(pybind11::handle timedelta);
pybind11::object to_timedelta(distributed::Milliseconds time);
/// TypeError in PyTorch's words unless it is a tensor, or a list of them.
Tensor tensor_argument(pybind11::handle object, const char* name);
std::vector<Tensor> tensors_argument(pybind11::handle list, const char* name);

}  // namespace onetape::python
