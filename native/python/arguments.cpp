#include "python/arguments.h"

#include <cstring>

#include "python/binding.h"
#include "python/default_device.h"

namespace onetape::python {

int Binding::find(PyObject* keyword) const {
  for (size_t i = first_; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    if (PyUnicode_CompareWithASCIIString(keyword, p.name) == 0) return static_cast<int>(i);
    if (p.other_name && PyUnicode_CompareWithASCIIString(keyword, p.other_name) == 0)
      return static_cast<int>(i);
  }
  return -1;
}

bool Binding::put(size_t i, PyObject* object, int position) {
  const Parameter& p = parameters_[i];
  if (object == Py_None && p.takes_none) {
    out_.values_[i] = nullptr;
  } else if (accepts(p.kind, object)) [[likely]] {
    out_.values_[i] = object;
  } else {
    return fail({Mismatch::WrongType, &p, object, position});
  }
  seen_ |= uint32_t{1} << i;
  return true;
}

bool Binding::positional(PyObject* const* args, Py_ssize_t nargs) {
  size_t i = first_;
  for (Py_ssize_t given = 0; given < nargs; ++given, ++i) {
    if (i >= parameters_.size() || parameters_[i].keyword_only) {
      return fail({Mismatch::TooMany, nullptr, nullptr, static_cast<int>(nargs)});
    }
    const Kind kind = parameters_[i].kind;
    if ((kind == Kind::IntVarargs && is_int(args[given])) ||
        (kind == Kind::TensorVarargs && is_tensor(args[given]))) {
      out_.varargs_ = args + given;
      out_.vararg_count_ = nargs - given;
      out_.values_[i] = args[given];
      seen_ |= uint32_t{1} << i;
      return true;
    }
    if (!put(i, args[given], static_cast<int>(given) + 1)) return false;
  }
  return true;
}

bool Binding::keywords(PyObject* const* values, PyObject* kwnames) {
  const Py_ssize_t n = PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t k = 0; k < n; ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(kwnames, k);
    const int i = find(keyword);
    if (i < 0) return fail({Mismatch::UnknownKeyword, nullptr, keyword, 0});
    if (seen_ >> i & 1) return fail({Mismatch::GivenTwice, &parameters_[static_cast<size_t>(i)], keyword, 0});
    if (!put(static_cast<size_t>(i), values[k], 0)) return false;
  }
  return true;
}

bool Binding::bind(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  out_.varargs_ = nullptr;
  for (size_t i = 0; i < parameters_.size(); ++i) out_.values_[i] = nullptr;
  if (self) {
    out_.values_[0] = self;
    seen_ = 1;
    first_ = 1;
  }
  if (!positional(args, nargs)) return false;
  if (kwnames && !keywords(args + nargs, kwnames)) return false;
  for (size_t i = first_; i < parameters_.size(); ++i) {
    if (!parameters_[i].fallback && !(seen_ >> i & 1))
      return fail({Mismatch::Missing, &parameters_[i], nullptr, 0});
  }
  return true;
}

int Arguments::parse(const Parser& parser, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                     PyObject* kwnames) {
  function_ = parser.name;
  PyObject* bound = parser.method ? self : nullptr;
  for (size_t i = 0; i < parser.signatures.size(); ++i) {
    Binding binding(parser.signatures[i], *this);
    if (binding.bind(bound, args, nargs, kwnames)) [[likely]] {
      signature_ = &parser.signatures[i];
      return static_cast<int>(i);
    }
  }
  set_argument_error(parser, bound, args, nargs, kwnames);
  return -1;
}

IntsArgument Arguments::ints(size_t i) const {
  if (!has(i)) return {};
  const bool one_by_one = varargs_ && values_[i] == varargs_[0];
  if (!one_by_one && !PyTuple_Check(values_[i]) && !PyList_Check(values_[i]))
    return IntsArgument(to_ints(values_[i]));
  Ints values;
  Py_ssize_t place = 0;
  const auto take = [&](PyObject* item) { values.push_back(unpacked(i, place++, item)); };
  if (one_by_one) {
    for (Py_ssize_t k = 0; k < vararg_count_; ++k) take(varargs_[k]);
  } else {
    for_each_item(values_[i], take);
  }
  return IntsArgument(std::move(values));
}

int64_t Arguments::unpacked(size_t i, Py_ssize_t place, PyObject* item) const {
  if (!is_int(item))
    fail_unpacking(i, place, std::string("type must be tuple of ints,but got ") + Py_TYPE(item)->tp_name);
  if (!PyLong_Check(item)) return to_int(item);
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(item, &overflow);
  if (overflow) fail_unpacking(i, place, "Overflow when unpacking long long");
  return value;
}

void Arguments::fail_unpacking(size_t i, Py_ssize_t place, const std::string& why) const {
  throw_python(PyExc_TypeError,
               "%s(): argument '%s' failed to unpack the object at pos %zd with error \"%s\"", function_,
               signature_->parameters[i].name, place + 1, why.c_str());
}

std::vector<Tensor> Arguments::tensors(size_t i) const {
  if (!varargs_ || values_[i] != varargs_[0]) return to_tensors(values_[i], static_cast<int>(i), false);
  std::vector<Tensor> tensors;
  for (Py_ssize_t k = 0; k < vararg_count_; ++k) {
    if (!is_tensor(varargs_[k])) {
      throw_python(PyExc_TypeError, "expected Tensor as element %zd in argument %zu, but got %s", k, i,
                   Py_TYPE(varargs_[k])->tp_name);
    }
    tensors.push_back(tensor_of(varargs_[k]));
  }
  return tensors;
}

Options Arguments::options(size_t i) const {
  Options options;
  if (has(i)) options.dtype = dtype(i);
  if (has(i + 2)) {
    options.device = to_device(values_[i + 2]);
  } else if (signature_->parameters[0].kind != Kind::Tensor) {  // none whose device is meant
    options.device = default_device();
  }
  options.requires_grad = has(i + 4) && to_bool(values_[i + 4]);
  return options;
}

}  // namespace onetape::python
