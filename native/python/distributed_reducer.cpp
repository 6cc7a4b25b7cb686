// What DistributedDataParallel is made of.

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "distributed/reducer.h"
#include "python/distributed.h"
#include "python/tensor_object.h"

namespace onetape::python {

namespace py = pybind11;
using namespace distributed;  // NOLINT(google-build-using-namespace)

namespace {

py::object object_of(const Tensor& t) { return py::reinterpret_steal<py::object>(need(wrap(t))); }

py::list objects_of(const std::vector<Tensor>& tensors) {
  py::list all;
  for (const Tensor& t : tensors) all.append(object_of(t));
  return all;
}

/// An object that may be let go of on any thread.
std::shared_ptr<py::object> held(py::object object) {
  return {new py::object(std::move(object)), [](py::object* last) {
            if (!interpreter_alive()) return;
            const HoldGil gil;
            delete last;
          }};
}

/// Runs Python code from within backward; its exception comes out of that.
template <typename F>
auto called(F&& f) {
  const HoldGil gil;
  try {
    return f();
  } catch (py::error_already_set& error) {
    error.restore();
    throw PythonError();
  }
}

/// A hook of a program: a function of a bucket that returns a future of its mean.
CommHook hook_of(py::function function) {
  const auto kept = held(std::move(function));
  return [kept](const GradBucket& bucket) -> std::function<Tensor()> {
    const auto future = called([&] { return held((*kept)(bucket)); });
    return [future] {
      return called([&] {
        // wait() gives other threads their turn.
        py::object result = py::getattr(*future, "wait")();
        if (PyList_Check(result.ptr()) || PyTuple_Check(result.ptr())) result = result[py::int_(0)];
        return tensor_argument(result, "result of a comm hook");
      });
    };
  };
}

std::shared_ptr<Reducer> make(const GroupRef& group, py::handle parameters, int64_t bucket_bytes,
                              int64_t first_bucket_bytes, bool find_unused, bool bucket_views) {
  const ReducerOptions options{bucket_bytes, first_bucket_bytes, find_unused, bucket_views};
  return Reducer::make(group, tensors_argument(parameters, "parameters"), options);
}

}  // namespace

void add_reducer(py::module_& m) {
  py::class_<GradBucket>(m, "GradBucket", "Gradients that are reduced at once.")
      .def(
          "index", [](const GradBucket& b) { return b.index; }, "The number of the bucket.")
      .def(
          "is_last", [](const GradBucket& b) { return b.last; }, "Is it the last one of a pass?")
      .def(
          "buffer", [](const GradBucket& b) { return object_of(b.buffer); },
          "All gradients, one after the other: (n)")
      .def(
          "gradients", [](const GradBucket& b) { return objects_of(b.gradients); },
          "The gradients as parts of the buffer, in the shapes of the parameters.")
      .def("parameters", [](const GradBucket& b) { return objects_of(b.parameters); })
      .def("set_buffer", [](GradBucket& b, py::handle t) { b.buffer = tensor_argument(t, "buffer"); });
  py::enum_<BuiltinHook>(m, "BuiltinCommHookType")
      .value("ALLREDUCE", BuiltinHook::AllReduce)
      .value("FP16_COMPRESS", BuiltinHook::Float16)
      .value("BF16_COMPRESS", BuiltinHook::BFloat16);
  py::class_<Reducer, std::shared_ptr<Reducer>>(m, "Reducer")
      .def(py::init(&make))
      .def("prepare",
           [](Reducer& r, py::handle outputs) {
             LeafSet reached;
             if (r.finds_unused()) reached = leaves_of(tensors_argument(outputs, "outputs"));
             waiting([&] { r.prepare(reached); });
           })
      .def("skip", [](Reducer& r) { waiting([&] { r.skip(); }); })
      .def("shadow", [](Reducer& r) { waiting([&] { r.shadow(); }); })
      .def("set_divisor", &Reducer::set_divisor)
      .def("buckets", &Reducer::buckets)
      .def("set_builtin_hook", [](Reducer& r, BuiltinHook hook) { waiting([&] { r.set_hook(hook); }); })
      .def("set_hook", [](Reducer& r, py::function f) {
        CommHook hook = hook_of(std::move(f));
        waiting([&] { r.set_hook(std::move(hook)); });
      });
  m.def("verify_parameters", [](const GroupRef& group, py::handle parameters) {
    const std::vector<Tensor> all = tensors_argument(parameters, "parameters");
    waiting([&] { verify_parameters(*group, all); });
  });
}

}  // namespace onetape::python
