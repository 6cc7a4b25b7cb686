#pragma once

#include <initializer_list>
#include <tuple>
#include <vector>

#include "python/arguments.h"
#include "python/number_slots.h"

namespace onetape::python {

// ---- what the generated sources are made of ----

/// The functions of one family of operators; each list ends with an empty entry.
struct OperatorTable {
  PyMethodDef* methods;
  PyMethodDef* functions;
  PyMethodDef* functional;
};
/// One a family; generated.
extern const std::span<const OperatorTable> operator_tables;
/// Number slots and comparisons of Tensor; generated.
extern const std::span<const PyType_Slot> operator_slots;

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
using Call = PyObject* (*)(const Arguments&);

/// A Python function: finds the signature that fits and runs its call; nothing of C++ gets out.
template <const Parser& P, Call... Calls>
PyObject* entry(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Call kCalls[] = {Calls...};
  try {
    Arguments call;
    const int which = call.parse(P, self, args, nargs, kwnames);
    return which < 0 ? nullptr : kCalls[which](call);
  } catch (...) {
    return raise_current();
  }
}

inline PyMethodDef method_entry(const char* name, FastCall call, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
          METH_FASTCALL | METH_KEYWORDS, doc};
}

/// Runs an operator, letting other Python threads run if it works on many elements.
template <typename F>
auto run(bool large, F&& f) {
  if (large) [[unlikely]] {
    const ReleaseGil gil;
    return f();
  }
  return f();
}
/// Will a tensor of this shape be large?
inline bool is_large(const IntsArgument& size) {
  int64_t numel = 1;
  for (const int64_t n : size.span()) {
    if (n > 0 && __builtin_mul_overflow(numel, n, &numel)) return false;  // an error soon
  }
  return numel > kWorthReleasing;
}

// ---- results ----

inline PyObject* wrap(bool value) { return PyBool_FromLong(value); }
inline PyObject* wrap(int64_t value) { return PyLong_FromLongLong(value); }
inline PyObject* wrap(double value) { return PyFloat_FromDouble(value); }
PyObject* wrap(const Scalar& value);
/// A tuple.
PyObject* wrap(const std::vector<Tensor>& tensors);

/// A class like torch.return_types.max: a tuple whose items have names. Made at its first use.
class ResultType {
 public:
  ResultType(const char* name, std::initializer_list<const char*> fields);
  /// A new reference.
  PyObject* make(std::initializer_list<Tensor> results) const;

 private:
  PyTypeObject* type_;
};

template <typename... T>
PyObject* wrap(const std::tuple<T...>& results, const ResultType& type) {
  return std::apply([&](const T&... each) { return type.make({each...}); }, results);
}

}  // namespace onetape::python
