#include "python/forward_functions.h"

#include "autograd/forward.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

PyObject* enter(PyObject*, PyObject*) {
  return guarded([] { return PyLong_FromLongLong(enter_dual_level()); });
}

PyObject* current(PyObject*, PyObject*) { return PyLong_FromLongLong(dual_level()); }

constexpr Parameter exit_parameters[] = {{"level", Kind::Int}};
constexpr Signature exit_signatures[] = {{exit_parameters}};
constexpr Parser exit_parser = {"_exit_dual_level", exit_signatures};

PyObject* exit_call(const Arguments& call) {
  exit_dual_level(call.integer(0));
  Py_RETURN_NONE;
}

constexpr Parameter make_parameters[] = {
    {"tensor", Kind::Tensor}, {"tangent", Kind::Tensor}, {"level", Kind::Int}};
constexpr Signature make_signatures[] = {{make_parameters}};
constexpr Parser make_parser = {"_make_dual", make_signatures};

PyObject* make_call(const Arguments& call) {
  return wrap(make_dual(call.tensor(0), call.tensor(1), call.integer(2)));
}

constexpr Parameter unpack_parameters[] = {{"tensor", Kind::Tensor}, {"level", Kind::Int}};
constexpr Signature unpack_signatures[] = {{unpack_parameters}};
constexpr Parser unpack_parser = {"_unpack_dual", unpack_signatures};

PyObject* unpack_call(const Arguments& call) {
  const auto [primal, tangent] = unpack_dual(call.tensor(0), call.integer(1));
  const Owned first(need(wrap(primal)));
  const Owned second(tangent.defined() ? need(wrap(tangent)) : Py_NewRef(Py_None));
  return PyTuple_Pack(2, first.get(), second.get());
}

PyObject* is_enabled(PyObject*, PyObject*) { return PyBool_FromLong(forward_enabled()); }

PyObject* set_enabled(PyObject*, PyObject* enabled) {
  if (!PyBool_Check(enabled)) {
    return PyErr_Format(PyExc_TypeError,
                        "_set_fwd_grad_enabled(): argument 'enabled' (position 1) must be bool, not %s",
                        Py_TYPE(enabled)->tp_name);
  }
  set_forward_enabled(enabled == Py_True);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_enter_dual_level", enter, METH_NOARGS, "Opens the dual level of this thread."},
    {"_dual_level", current, METH_NOARGS, "The number of this thread's dual level, or -1."},
    method_entry("_exit_dual_level", entry<exit_parser, exit_call>, "Closes the dual level of this thread."),
    method_entry("_make_dual", entry<make_parser, make_call>, "What forward_ad.make_dual calls."),
    method_entry("_unpack_dual", entry<unpack_parser, unpack_call>, "What forward_ad.unpack_dual calls."),
    {"_is_fwd_grad_enabled", is_enabled, METH_NOARGS, "Do operators compute tangents on this thread?"},
    {"_set_fwd_grad_enabled", set_enabled, METH_O, "Sets whether operators compute tangents on this thread."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_forward_functions(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
