#include "python/distributed.h"

#include <pybind11/stl.h>

#include "distributed/world.h"
#include "python/group_errors.h"
#include "python/tensor_object.h"

namespace onetape::python {

namespace py = pybind11;
using namespace distributed;  // NOLINT(google-build-using-namespace)

// ---- arguments ----

Milliseconds to_milliseconds(py::handle timedelta) {
  if (!py::hasattr(timedelta, "total_seconds")) {
    throw_python(PyExc_TypeError, "Expected timeout argument to be of type datetime.timedelta, got %S",
                 timedelta.ptr());
  }
  const auto seconds = timedelta.attr("total_seconds")().cast<double>();
  constexpr double kMost = 1e12;
  return Milliseconds(static_cast<int64_t>(std::clamp(seconds * 1000, -kMost, kMost)));
}

py::object to_timedelta(Milliseconds time) {
  return py::module_::import("datetime").attr("timedelta")(py::arg("milliseconds") = time.count());
}

namespace {

[[noreturn]] void fail_type(const char* name, const char* expected, py::handle got) {
  throw_python(
      PyExc_TypeError,
      "Invalid function argument. Expected parameter `%s` of type %s\n             but got %S instead.", name,
      expected, reinterpret_cast<PyObject*>(Py_TYPE(got.ptr())));
}

}  // namespace

Tensor tensor_argument(py::handle object, const char* name) {
  if (!is_tensor(object.ptr())) fail_type(name, "torch.Tensor", object);
  return tensor_of(object.ptr());
}

std::vector<Tensor> tensors_argument(py::handle list, const char* name) {
  if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) fail_type(name, "List[torch.Tensor]", list);
  std::vector<Tensor> tensors;
  for (const py::handle one : list) {
    if (!is_tensor(one.ptr())) fail_type(name, "List[torch.Tensor]", list);
    tensors.push_back(tensor_of(one.ptr()));
  }
  return tensors;
}

// ---- errors ----

namespace {

void add_errors(py::module_& m) {
  const auto add = [&m](const char* name, PyObject* type) {
    m.add_object(name, py::reinterpret_borrow<py::object>(type));
  };
  add("DistError", distributed_error());
  add("DistBackendError", group_error(GroupError::Part::Backend));
  add("DistNetworkError", group_error(GroupError::Part::Network));
  add("DistStoreError", group_error(GroupError::Part::Store));
}

// ---- groups ----

void add_collectives(py::class_<ProcessGroup, GroupRef>& group) {
  group
      .def("all_reduce", [](ProcessGroup& g, py::handle t,
                            ReduceOp op) { return g.all_reduce(tensor_argument(t, "tensor"), op); })
      .def("all_reduce_coalesced",
           [](ProcessGroup& g, py::handle t, ReduceOp op) {
             return g.all_reduce(tensors_argument(t, "tensors"), op);
           })
      .def("broadcast", [](ProcessGroup& g, py::handle t,
                           int root) { return g.broadcast(tensor_argument(t, "tensor"), root); })
      .def("broadcast_coalesced", [](ProcessGroup& g, py::handle t,
                                     int root) { return g.broadcast(tensors_argument(t, "tensors"), root); })
      .def("reduce", [](ProcessGroup& g, py::handle t, int root,
                        ReduceOp op) { return g.reduce(tensor_argument(t, "tensor"), root, op); })
      .def("all_gather",
           [](ProcessGroup& g, py::handle out, py::handle in) {
             return g.all_gather(tensors_argument(out, "tensor_list"), tensor_argument(in, "tensor"));
           })
      .def("all_gather_into_tensor",
           [](ProcessGroup& g, py::handle out, py::handle in) {
             return g.all_gather_into(tensor_argument(out, "output_tensor"),
                                      tensor_argument(in, "input_tensor"));
           })
      .def("gather",
           [](ProcessGroup& g, py::handle out, py::handle in, int root) {
             return g.gather(tensors_argument(out, "gather_list"), tensor_argument(in, "tensor"), root);
           })
      .def("scatter",
           [](ProcessGroup& g, py::handle out, py::handle in, int root) {
             return g.scatter(tensor_argument(out, "tensor"), tensors_argument(in, "scatter_list"), root);
           })
      .def("reduce_scatter",
           [](ProcessGroup& g, py::handle out, py::handle in, ReduceOp op) {
             return g.reduce_scatter(tensor_argument(out, "output"), tensors_argument(in, "input_list"), op);
           })
      .def("reduce_scatter_tensor",
           [](ProcessGroup& g, py::handle out, py::handle in, ReduceOp op) {
             return g.reduce_scatter_from(tensor_argument(out, "output"), tensor_argument(in, "input"), op);
           })
      .def("all_to_all",
           [](ProcessGroup& g, py::handle out, py::handle in) {
             return g.all_to_all(tensors_argument(out, "output_tensor_list"),
                                 tensors_argument(in, "input_tensor_list"));
           })
      .def("all_to_all_single",
           [](ProcessGroup& g, py::handle out, py::handle in, const std::vector<int64_t>& out_splits,
              const std::vector<int64_t>& in_splits) {
             return g.all_to_all_single(tensor_argument(out, "output"), tensor_argument(in, "input"),
                                        out_splits, in_splits);
           })
      .def("barrier", [](ProcessGroup& g) { return g.barrier(); })
      .def("send", [](ProcessGroup& g, py::handle t, int to,
                      uint32_t tag) { return g.send(tensor_argument(t, "tensor"), to, tag); })
      .def("recv", [](ProcessGroup& g, py::handle t, std::optional<int> from, uint32_t tag) {
        return g.receive(tensor_argument(t, "tensor"), from, tag);
      });
}

void add_group(py::module_& m) {
  py::enum_<ReduceOp> op(m, "RedOpType");
  for (int i = 0; i < kReduceOps; ++i) {
    const auto value = static_cast<ReduceOp>(i);
    op.value(std::string(distributed::name_of(value)).c_str(), value);
  }
  py::class_<ProcessGroup, GroupRef> group(m, "ProcessGroup", "Processes that exchange tensors.");
  group.def("rank", &ProcessGroup::rank, "The rank of this process in the group.")
      .def("size", &ProcessGroup::size, "How many processes there are in it.")
      .def(
          "name", [](const ProcessGroup&) { return "gloo"; }, "The backend.")
      .def_property_readonly("group_name", &ProcessGroup::name)
      .def_property_readonly("_ranks", &ProcessGroup::ranks)
      .def_property_readonly("_store", &ProcessGroup::store)
      .def_property_readonly("_timeout", [](const ProcessGroup& g) { return to_timedelta(g.timeout()); })
      .def("_set_timeout",
           [](ProcessGroup& g, py::handle timeout) { g.set_timeout(to_milliseconds(timeout)); })
      .def("_monitored_barrier", [](ProcessGroup& g, py::handle timeout, bool all) {
        const Milliseconds time = to_milliseconds(timeout);
        waiting([&] { g.monitored_barrier(time, all); });
      });
  add_collectives(group);
}

void add_world(py::module_& m) {
  m.def("has_gloo", &has_gloo);
  m.def("world", &world_or_null);
  m.def("rendezvous", [](const std::string& url, int64_t rank, int64_t world_size, py::handle timeout) {
    const Milliseconds time = to_milliseconds(timeout);
    const MeetingPoint met = waiting([&] { return rendezvous(url, rank, world_size, time); });
    return py::make_tuple(met.store, met.rank, met.world_size, met.address);
  });
  m.def("make_world", [](const StoreRef& store, int rank, int world_size, const std::string& address,
                         const std::string& name, py::handle timeout) {
    const Milliseconds time = to_milliseconds(timeout);
    return waiting([&] { return make_world({store, rank, world_size, address}, name, time); });
  });
  m.def("new_group", [](const std::vector<int>& ranks, py::handle timeout, bool local) {
    const Milliseconds time = to_milliseconds(timeout);
    return waiting([&] { return new_group(ranks, time, local); });
  });
  m.def("destroy_group", [](const GroupRef& group) { waiting([&] { destroy_group(group); }); });
  m.def("abandon_groups", [] { waiting([] { abandon_groups(); }); });
}

}  // namespace

void add_distributed(py::module_& module) {
  py::module_ m = module.def_submodule("_distributed", "Process groups.");
  add_errors(m);
  add_stores(m);
  add_works(m);
  add_group(m);
  add_world(m);
  add_reducer(m);
}

}  // namespace onetape::python
