#include "python/optimize.h"

#include <limits>
#include <map>

#include "autograd/meta.h"
#include "ops/clip.h"
#include "ops/optimize.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

/// The names of a table as Python strings, made once.
struct Names {
  const OptimizerTable& table;
  std::vector<PyObject*> options;
  std::vector<PyObject*> states;

  explicit Names(const OptimizerTable& of) : table(of) {
    for (const OptimizerOption& option : table.options) options.push_back(interned(option.name));
    for (const OptimizerState& state : table.states) states.push_back(interned(state.name));
  }
  static PyObject* interned(const char* name) {
    PyObject* text = PyUnicode_InternFromString(name);
    if (!text) throw PythonError();
    return text;
  }
};

const Names& names_of(PyObject* name) {
  static std::map<std::string_view, Names> all;  // guarded by the GIL
  const std::string_view text = to_text(name);
  const auto found = all.find(text);
  if (found != all.end()) return found->second;
  const OptimizerTable& table = find_optimizer(text);
  return all.emplace(table.name, table).first->second;
}

/// An item of a dict, borrowed; KeyError if it is missing.
PyObject* need_item(PyObject* dict, PyObject* key) {
  PyObject* item = PyDict_GetItemWithError(dict, key);
  if (!item) {
    if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, key);
    throw PythonError();
  }
  return item;
}

double to_number(PyObject* value) {
  if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) throw PythonError();
  return number;
}

/// The number of a word among others, from 1; 0 for None and -1 for another one.
double number_of(std::string_view words, PyObject* value) {
  if (value == Py_None) return 0;
  const std::string_view wanted = PyUnicode_Check(value) ? to_text(value) : std::string_view();
  for (int number = 1;; ++number) {
    const size_t end = words.find('|');
    if (words.substr(0, end) == wanted) return number;
    if (end == std::string_view::npos) return -1;
    words.remove_prefix(end + 1);
  }
}

std::vector<double> options_of(const Names& names, PyObject* group) {
  std::vector<double> options;
  options.reserve(names.options.size());
  for (size_t i = 0; i < names.options.size(); ++i) {
    // Held: reading one may run Python code, which may change the group.
    const Owned value = Owned::share(need_item(group, names.options[i]));
    const OptimizerOption& option = names.table.options[i];
    if (!option.words.empty()) {
      options.push_back(number_of(option.words, value.get()));
      continue;
    }
    if (option.place < 0) {
      options.push_back(to_number(value.get()));
      continue;
    }
    const Owned one(PySequence_GetItem(value.get(), option.place));
    if (!one) throw PythonError();
    const bool none = option.none && one.get() == Py_None;
    options.push_back(none ? std::numeric_limits<double>::quiet_NaN() : to_number(one.get()));
  }
  return options;
}

/// Parameters of a group with what is remembered of them.
struct Group {
  Names const& names;
  PyObject* all_states;
  std::vector<double> options;
  std::vector<Owned> objects;
  std::vector<Owned> dicts;  // of each; null where there is none yet
  std::vector<Tensor> params;
  std::vector<Tensor> grads;
  std::vector<Tensor> states;

  Group(const Names& table, PyObject* group, PyObject* state, bool with_grad_only)
      : names(table), all_states(state), options(options_of(table, group)) {
    static PyObject* const params_name = Names::interned("params");
    const Owned list = Owned::share(need_item(group, params_name));
    if (!PyList_Check(list.get())) {
      throw_python(PyExc_TypeError, "the params of a group must be a list, but are %s",
                   Py_TYPE(list.get())->tp_name);
    }
    const auto count = static_cast<size_t>(PyList_GET_SIZE(list.get()));
    params.reserve(count);
    for_each_item(list.get(), [&](PyObject* object) {
      if (!is_tensor(object)) {
        throw_python(PyExc_TypeError, "optimizer can only optimize Tensors, but one of the params is %s",
                     Py_TYPE(object)->tp_name);
      }
      const Tensor& param = tensor_of(object);
      Tensor gradient = grad(param);
      if (with_grad_only && !gradient.defined()) return;
      params.push_back(param);
      grads.push_back(std::move(gradient));
      objects.push_back(Owned::share(object));
      add_states(object);
    });
  }

  void add_states(PyObject* object) {
    if (names.states.empty()) return;
    PyObject* dict = PyDict_GetItemWithError(all_states, object);
    if (!dict && PyErr_Occurred()) throw PythonError();
    if (dict && !PyDict_Check(dict)) {
      throw_python(PyExc_TypeError, "the state of a parameter must be a dict, but is %s",
                   Py_TYPE(dict)->tp_name);
    }
    dicts.push_back(Owned::share(dict));
    const bool filled = dict && PyDict_GET_SIZE(dict) > 0;
    for (size_t i = 0; i < names.states.size(); ++i) {
      const OptimizerState& state = names.table.states[i];
      const bool wanted = exists(state, tensor_of(object), options);
      PyObject* value = dict ? PyDict_GetItemWithError(dict, names.states[i]) : nullptr;
      if (!value && PyErr_Occurred()) throw PythonError();
      if (value && value != Py_None && wanted) {
        if (!is_tensor(value)) {
          throw_python(PyExc_TypeError, "the state '%s' of a parameter must be a Tensor, but is %s",
                       state.name, Py_TYPE(value)->tp_name);
        }
        states.push_back(tensor_of(value));
        continue;
      }
      // What was made without an option cannot go on with it.
      if (wanted && filled && !state.late) need_item(dict, names.states[i]);
      states.emplace_back();
    }
  }

  /// Gives the dicts the tensors that they lack.
  void store() {
    const size_t count = names.states.size();
    for (size_t i = 0; i < objects.size() && count > 0; ++i) {
      for (size_t k = 0; k < count; ++k) {
        const Tensor& state = states[i * count + k];
        if (!state.defined()) continue;
        if (!dicts[i]) {
          dicts[i] = Owned(PyDict_New());
          if (!dicts[i] || PyDict_SetItem(all_states, objects[i].get(), dicts[i].get()) < 0) {
            throw PythonError();
          }
        }
        PyObject* before = PyDict_GetItemWithError(dicts[i].get(), names.states[k]);
        if (before && before != Py_None) continue;
        const Owned object(wrap(state));
        if (!object || PyDict_SetItem(dicts[i].get(), names.states[k], object.get()) < 0) throw PythonError();
      }
    }
  }
};

/// Arguments: the optimizer's name in the tables, a group and the state of all parameters.
template <typename F>
PyObject* with_group(PyObject* const* args, Py_ssize_t nargs, bool with_grad_only, F f) {
  try {
    if (nargs != 3 || !PyUnicode_Check(args[0]) || !PyDict_Check(args[1]) || !PyDict_Check(args[2])) {
      throw_python(PyExc_TypeError, "expected the name of an optimizer, a group and a state");
    }
    Group group(names_of(args[0]), args[1], args[2], with_grad_only);
    run(is_large(group.params), [&] { f(group); });
    group.store();
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current();
  }
}

PyObject* step(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject*) {
  return with_group(args, nargs, true, [](Group& group) {
    optimizer_step(group.names.table, group.params, group.grads, group.states, group.options);
  });
}

PyObject* begin(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject*) {
  return with_group(args, nargs, false, [](Group& group) {
    make_optimizer_state(group.names.table, group.params, group.states, group.options);
  });
}

/// The numbers of a group, in the order of the table.
PyObject* numbers(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject*) {
  return guarded([&] {
    if (nargs != 2 || !PyUnicode_Check(args[0]) || !PyDict_Check(args[1]))
      throw_python(PyExc_TypeError, "expected the name of an optimizer and a group");
    const std::vector<double> all = options_of(names_of(args[0]), args[1]);
    Owned list(need(PyTuple_New(static_cast<Py_ssize_t>(all.size()))));
    for (size_t i = 0; i < all.size(); ++i)
      PyTuple_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), need(PyFloat_FromDouble(all[i])));
    return list.take();
  });
}

constexpr Parameter clear_parameters[] = {{"params", Kind::Tensors}, {"set_to_none", Kind::Bool}};
constexpr Signature clear_signatures[] = {{clear_parameters}};
constexpr Parser clear_parser = {"_clear_grads", clear_signatures};

PyObject* clear_call(const Arguments& call) {
  const std::vector<Tensor> params = call.tensors(0);
  const bool set_to_none = call.boolean(1);
  run(!set_to_none && is_large(params), [&] { clear_grads(params, set_to_none); });
  Py_RETURN_NONE;
}

constexpr Parameter norm_parameters[] = {{"tensors", Kind::Tensors}, {"norm_type", Kind::Float}};
constexpr Signature norm_signatures[] = {{norm_parameters}};
constexpr Parser norm_parser = {"_total_norm", norm_signatures};

PyObject* norm_call(const Arguments& call) {
  const std::vector<Tensor> tensors = call.tensors(0);
  return wrap(run(is_large(tensors), [&] { return total_norm(tensors, call.real(1)); }));
}

constexpr Parameter clip_parameters[] = {
    {"params", Kind::Tensors}, {"max_norm", Kind::Float}, {"total_norm", Kind::Tensor}};
constexpr Signature clip_signatures[] = {{clip_parameters}};
constexpr Parser clip_parser = {"_clip_grads_with_norm", clip_signatures};

PyObject* clip_call(const Arguments& call) {
  const std::vector<Tensor> params = call.tensors(0);
  const Tensor& total = call.tensor(2);
  run(is_large(params), [&] { clip_grads_with_norm(params, call.real(1), total); });
  Py_RETURN_NONE;
}

constexpr Parameter bound_parameters[] = {{"params", Kind::Tensors}, {"clip_value", Kind::Float}};
constexpr Signature bound_signatures[] = {{bound_parameters}};
constexpr Parser bound_parser = {"_clip_grad_value", bound_signatures};

PyObject* bound_call(const Arguments& call) {
  const std::vector<Tensor> params = call.tensors(0);
  run(is_large(params), [&] { clip_grad_value(params, call.real(1)); });
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    method_entry(
        "_optimizer_step", step,
        "One step for the parameters of a group that have a gradient; makes their state if need be."),
    method_entry("_optimizer_numbers", numbers, "The numbers of a group, in the order of the table."),
    method_entry("_optimizer_begin", begin, "Makes the state of the parameters of a group."),
    method_entry("_clear_grads", entry<clear_parser, clear_call>,
                 "Takes the gradients of parameters away, or makes them zero."),
    method_entry("_total_norm", entry<norm_parser, norm_call>,
                 "The norm of all tensors together, as if they were one vector."),
    method_entry(
        "_clip_grads_with_norm", entry<clip_parser, clip_call>,
        "Scales the gradients of parameters so that their norm, which is given, is at most max_norm."),
    method_entry("_clip_grad_value", entry<bound_parser, bound_call>,
                 "Brings every element of the gradients of parameters to within a bound."),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_optimizers(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
