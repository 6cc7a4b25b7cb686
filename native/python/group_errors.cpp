#include "python/group_errors.h"

namespace onetape::python {

PyObject* distributed_error() {
  static PyObject* const type =
      PyErr_NewExceptionWithDoc("onetape.distributed.DistError", "Something went wrong between processes.",
                                PyExc_RuntimeError, nullptr);
  return type;
}

PyObject* group_error(distributed::GroupError::Part part) {
  const auto make = [](const char* name, const char* doc) {
    return PyErr_NewExceptionWithDoc(name, doc, distributed_error(), nullptr);
  };
  static PyObject* const types[] = {
      make("onetape.distributed.DistBackendError", "An operation of a process group failed."),
      make("onetape.distributed.DistNetworkError", "Another process cannot be reached."),
      make("onetape.distributed.DistStoreError", "A store did not get what it was asked for."),
  };
  return types[static_cast<size_t>(part)];
}

}  // namespace onetape::python
