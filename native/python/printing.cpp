#include "python/printing.h"

#include "ops/format.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

PyObject* get_options(PyObject*, PyObject*) {
  return guarded([] {
    const PrintOptions options = print_options();
    PyObject* mode = options.sci_mode ? (*options.sci_mode ? Py_True : Py_False) : Py_None;
    return need(Py_BuildValue("(idiiO)", options.precision, options.threshold, options.edgeitems,
                              options.linewidth, mode));
  });
}

constexpr Parameter option_parameters[] = {
    {"precision", Kind::Int},
    {"threshold", Kind::Float},
    {"edgeitems", Kind::Int},
    {"linewidth", Kind::Int},
    {.name = "sci_mode", .kind = Kind::Bool, .takes_none = true},
};
constexpr Signature option_signatures[] = {{option_parameters}};
constexpr Parser option_parser = {"_set_print_options", option_signatures};

PyObject* set_options(const Arguments& call) {
  PrintOptions options = {.precision = static_cast<int>(call.integer(0)),
                          .threshold = call.real(1),
                          .edgeitems = static_cast<int>(call.integer(2)),
                          .linewidth = static_cast<int>(call.integer(3))};
  if (call.has(4)) options.sci_mode = call.boolean(4);
  set_print_options(options);
  Py_RETURN_NONE;
}

constexpr Parameter repr_parameters[] = {{"tensor", Kind::Tensor}, {"name", Kind::Text}};
constexpr Signature repr_signatures[] = {{repr_parameters}};
constexpr Parser repr_parser = {"_repr", repr_signatures};

PyObject* repr_call(const Arguments& call) {
  const std::string text = repr(call.tensor(0), print_options(), call.text(1));
  return need(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

PyMethodDef functions[] = {
    {"_print_options", get_options, METH_NOARGS, "precision, threshold, edgeitems, linewidth, sci_mode"},
    method_entry("_set_print_options", entry<option_parser, set_options>, "Sets how tensors are written."),
    method_entry("_repr", entry<repr_parser, repr_call>,
                 "The text of a tensor, with a name in place of `tensor`."),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_printing(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
