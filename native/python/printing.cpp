#include "python/printing.h"

#include <limits>

#include "ops/format.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

constexpr Parameter repr_parameters[] = {{"input", Kind::Tensor}, {"name", Kind::Text}};
constexpr Signature repr_signatures[] = {{repr_parameters}};
constexpr Parser repr_parser = {"_repr", repr_signatures};

PyObject* repr_call(const Arguments& call) {
  const std::string text = repr(call.tensor(0), print_options(), call.text(1));
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* get_options(PyObject*, PyObject*) {
  const PrintOptions options = print_options();
  PyObject* sci_mode = !options.sci_mode ? Py_None : *options.sci_mode ? Py_True : Py_False;
  return Py_BuildValue("(idiiO)", options.precision, options.threshold, options.edgeitems, options.linewidth,
                       sci_mode);
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

PyObject* set_options_call(const Arguments& call) {
  PrintOptions options;
  options.precision = static_cast<int>(call.integer(0));
  options.threshold = call.real(1);
  options.edgeitems = static_cast<int>(call.integer(2));
  options.linewidth = static_cast<int>(call.integer(3));
  if (call.has(4)) options.sci_mode = call.boolean(4);
  set_print_options(options);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    method_entry("_repr", entry<repr_parser, repr_call>,
                 "_repr(input, name, /)\n--\n\nThe tensor's text with another name in front."),
    {"_print_options", get_options, METH_NOARGS, "_print_options()\n--\n\nThe options as a tuple."},
    method_entry("_set_print_options", entry<option_parser, set_options_call>,
                 "What torch.set_printoptions calls."),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_printing(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
