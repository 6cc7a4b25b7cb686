#include "python/type_functions.h"

#include "autograd/meta.h"
#include "ops/promotion.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

// ---- dtypes of results ----

constexpr Parameter result_parameters[] = {{"tensor1", Kind::TensorOrNumber},
                                           {"tensor2", Kind::TensorOrNumber}};
constexpr Signature result_signatures[] = {{result_parameters}};
constexpr Parser result_parser = {"result_type", result_signatures};

PyObject* result_call(const Arguments& call) {
  const TensorOrNumber a = call.tensor_or_number(0);
  const TensorOrNumber b = call.tensor_or_number(1);
  return Py_NewRef(dtype_object(result_type({a, b})));
}

constexpr Parameter promote_parameters[] = {{"type1", Kind::DType}, {"type2", Kind::DType}};
constexpr Signature promote_signatures[] = {{promote_parameters}};
constexpr Parser promote_parser = {"promote_types", promote_signatures};

PyObject* promote_call(const Arguments& call) {
  return Py_NewRef(dtype_object(promote(call.dtype(0), call.dtype(1))));
}

constexpr Parameter cast_parameters[] = {{"from_", Kind::DType}, {"to", Kind::DType}};
constexpr Signature cast_signatures[] = {{cast_parameters}};
constexpr Parser cast_parser = {"can_cast", cast_signatures};

PyObject* cast_call(const Arguments& call) { return PyBool_FromLong(can_cast(call.dtype(0), call.dtype(1))); }

// ---- questions about a tensor ----

PyObject* is_tensor_function(PyObject*, PyObject* object) { return PyBool_FromLong(is_tensor(object)); }

constexpr Parameter input_parameters[] = {{"input", Kind::Tensor}};
constexpr Signature input_signatures[] = {{input_parameters}};
constexpr Parser floating_parser = {"is_floating_point", input_signatures};
constexpr Parser complex_parser = {"is_complex", input_signatures};
constexpr Parser signed_parser = {"is_signed", input_signatures};
constexpr Parser numel_parser = {"numel", input_signatures};

PyObject* floating_call(const Arguments& call) {
  return PyBool_FromLong(is_floating(call.tensor(0).dtype()));
}
PyObject* complex_call(const Arguments& call) { return PyBool_FromLong(is_complex(call.tensor(0).dtype())); }
PyObject* signed_call(const Arguments& call) {
  const DType dtype = call.tensor(0).dtype();
  return PyBool_FromLong(dtype != DType::Bool && dtype != DType::U8);
}
PyObject* numel_call(const Arguments& call) { return PyLong_FromLongLong(call.tensor(0).numel()); }

PyObject* detach_call(const Arguments& call) { return wrap(detach(call.tensor(0))); }
constexpr Parser detach_parser = {"detach", input_signatures};

PyMethodDef functions[] = {
    method_entry(
        "result_type", entry<result_parser, result_call>,
        "result_type(tensor1, tensor2)\n--\n\nThe dtype that arithmetic on two tensors or numbers gives."),
    method_entry("promote_types", entry<promote_parser, promote_call>,
                 "promote_types(type1, type2)\n--\n\nThe smallest dtype that holds what both hold."),
    method_entry("can_cast", entry<cast_parser, cast_call>,
                 "can_cast(from_, to)\n--\n\nMay a result of one dtype be written into a tensor of another?"),
    {"is_tensor", is_tensor_function, METH_O, "is_tensor(obj, /)\n--\n\nIs the object a tensor?"},
    method_entry("is_floating_point", entry<floating_parser, floating_call>,
                 "is_floating_point(input)\n--\n\nIs the dtype a real floating one?"),
    method_entry("is_complex", entry<complex_parser, complex_call>,
                 "is_complex(input)\n--\n\nIs the dtype complex?"),
    method_entry("is_signed", entry<signed_parser, signed_call>,
                 "is_signed(input)\n--\n\nCan the dtype hold negative numbers?"),
    method_entry("detach", entry<detach_parser, detach_call>,
                 "detach(input)\n--\n\nThe same elements without a history."),
    method_entry("numel", entry<numel_parser, numel_call>, "numel(input)\n--\n\nNumber of elements."),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_type_functions(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
