#include <pybind11/pybind11.h>

#include "autograd/anomaly.h"
#include "core/allocator.h"
#include "core/error.h"
#include "core/parallel.h"
#include "python/checkpoints.h"
#include "python/distributed.h"
#include "python/engine_functions.h"
#include "python/exit.h"
#include "python/forward_functions.h"
#include "python/from_data.h"
#include "python/function_node.h"
#include "python/generated.h"
#include "python/generator_object.h"
#include "python/graph_cycles.h"
#include "python/graph_notes.h"
#include "python/graph_picture.h"
#include "python/modes.h"
#include "python/node_hooks.h"
#include "python/node_object.h"
#include "python/optimize.h"
#include "python/printing.h"
#include "python/profiler.h"
#include "python/saved_hooks.h"
#include "python/tape_object.h"
#include "python/tensor_type.h"
#include "python/type_functions.h"

namespace onetape::python {
namespace {

namespace py = pybind11;

void add_settings(py::module_& m) {
  m.def(
      "set_default_dtype",
      [](const py::object& dtype) {
        const auto wanted = as_dtype(dtype.ptr());
        if (!wanted || !is_dtype(dtype.ptr())) {
          throw py::type_error(
              "invalid dtype object: only floating-point types are supported as the default type");
        }
        set_default_dtype(*wanted);
      },
      py::arg("d"), "Sets the dtype of tensors made from Python floats.");
  m.def(
      "get_default_dtype", [] { return py::reinterpret_borrow<py::object>(dtype_object(default_dtype())); },
      "The dtype of tensors made from Python floats.");
  m.def("set_num_threads", &set_num_threads, py::arg("num_threads"),
        "Sets how many threads one operator may use.");
  m.def("get_num_threads", &num_threads, "How many threads one operator may use.");
}

void add_memory(py::module_& m) {
  m.def("live_tensors", &live_tensors, "Number of tensors alive in the engine.");
  m.def("live_objects", &live_objects, "Number of tensors that have a Python object.");
  m.def("memory_stats", [] {
    const MemoryStats stats = memory_stats();
    return py::dict(py::arg("live") = stats.live, py::arg("peak") = stats.peak,
                    py::arg("cached") = stats.cached, py::arg("allocations") = stats.allocations);
  });
  m.def("reset_peak_memory", &reset_peak_memory, "Lets the peak start again from what is in use now.");
  m.def("empty_cache", &empty_cache, "Gives memory kept for reuse back to the system.");
}

void add_operators(py::module_& m) {
  for (const OperatorTable& table : operator_tables) need(PyModule_AddFunctions(m.ptr(), table.functions));
  py::module_ functional = m.def_submodule("_nn", "The operators of torch.nn.functional.");
  for (const OperatorTable& table : operator_tables)
    need(PyModule_AddFunctions(functional.ptr(), table.functional));
}

}  // namespace

PYBIND11_MODULE(_C, m) {
  m.doc() = "The compiled part of onetape.";
  m.attr("__version__") = ONETAPE_VERSION;
  watch_exit();
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(std::move(error));
    } catch (const LanguageError&) {
      raise_current();
    } catch (const ExplainedError&) {
      raise_current();
    } catch (const Error&) {
      raise_current();
    }
  });
  m.attr("OutOfMemoryError") = py::reinterpret_borrow<py::object>(out_of_memory_error());
  m.attr("_CheckpointError") = py::reinterpret_borrow<py::object>(checkpoint_error());
  add_dtypes(m.ptr());
  add_layouts(m.ptr());
  add_device(m.ptr());
  add_size(m.ptr());
  add_generator(m.ptr());
  add_node(m.ptr());
  add_hooks(m.ptr());
  m.attr("Tensor") = py::reinterpret_steal<py::object>(make_tensor_type());
  m.attr("Tensor").attr("__array_priority__") = 1000;  // lets NumPy leave mixed arithmetic to tensors
  add_operators(m);
  add_from_data(m.ptr());
  add_dlpack(m.ptr());
  add_storage_functions(m.ptr());
  add_type_functions(m.ptr());
  add_modes(m.ptr());
  add_saved_hooks(m.ptr());
  add_checkpoints(m.ptr());
  add_engine_functions(m.ptr());
  add_function(m.ptr());
  add_forward_functions(m.ptr());
  add_optimizers(m.ptr());
  add_distributed(m);
  add_graph_pictures(m.ptr());
  add_graph_notes(m.ptr());
  add_printing(m.ptr());
  add_tape(m.ptr());
  add_settings(m);
  add_memory(m);
  add_profiler(m);
  watch_collector();
}

}  // namespace onetape::python
