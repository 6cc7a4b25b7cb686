#include "python/tape_object.h"

#include "core/inline_vector.h"
#include "python/generated.h"
#include "tape/file.h"
#include "tape/text.h"

namespace onetape::python {
namespace {

struct TapeObject {
  PyObject_HEAD vectorcallfunc call;
  Ref<tape::Tape> tape;
};

PyTypeObject* g_tape_type = nullptr;

tape::Tape& tape_of(PyObject* self) { return *reinterpret_cast<TapeObject*>(self)->tape; }

/// The tensors of a call.
InlineVector<Tensor, 4> inputs_of(PyObject* const* args, Py_ssize_t nargs) {
  InlineVector<Tensor, 4> inputs;
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (!is_tensor(args[i])) {
      throw_python(PyExc_TypeError, "Tape: argument %zd must be a Tensor, not %s", i,
                   Py_TYPE(args[i])->tp_name);
    }
    inputs.push_back(tensor_of(args[i]));
  }
  return inputs;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  return guarded([&]() -> PyObject* {
    if (names && PyTuple_GET_SIZE(names) > 0)
      throw_python(PyExc_TypeError, "a Tape takes no keyword arguments");
    const auto inputs = inputs_of(args, PyVectorcall_NARGS(nargsf));
    tape::Tape& tape = tape_of(self);
    std::vector<Tensor> outputs = run(tape.is_large(), [&] {
      return tape.run({inputs.data(), inputs.size()});
    });
    if (outputs.size() == 1) return wrap(std::move(outputs[0]));
    return wrap(outputs);
  });
}

PyObject* wrap_tape(Ref<tape::Tape> tape) {
  auto* object = reinterpret_cast<TapeObject*>(need(g_tape_type->tp_alloc(g_tape_type, 0)));
  object->call = call;
  new (&object->tape) Ref<tape::Tape>(std::move(tape));
  return reinterpret_cast<PyObject*>(object);
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<TapeObject*>(self)->tape.~Ref();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* mismatch(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    const auto inputs = inputs_of(args, nargs);
    const auto why = tape_of(self).mismatch({inputs.data(), inputs.size()});
    if (!why) Py_RETURN_NONE;
    return need(PyUnicode_FromStringAndSize(why->data(), static_cast<Py_ssize_t>(why->size())));
  });
}

PyObject* captured(PyObject* self, void*) {
  return guarded([&] { return wrap(tape_of(self).captured()); });
}

PyObject* reordered(PyObject* self, PyObject*) {
  return guarded([&] { return wrap_tape(tape_of(self).reordered()); });
}

PyObject* text(PyObject* self) {
  return guarded([&] {
    const std::string all = tape::text_of(tape_of(self).program());
    return PyUnicode_FromStringAndSize(all.data(), static_cast<Py_ssize_t>(all.size()));
  });
}

PyObject* save(PyObject* self, PyObject* path) {
  return guarded([&]() -> PyObject* {
    const std::string where(to_text(path));
    const ReleaseGil gil;
    tape::save(tape_of(self), where);
    return Py_None;
  });
}

PyObject* to_bytes(PyObject* self, PyObject*) {
  return guarded([&] {
    const std::string all = tape::to_bytes(tape_of(self).program());
    return need(PyBytes_FromStringAndSize(all.data(), static_cast<Py_ssize_t>(all.size())));
  });
}

Py_ssize_t length(PyObject* self) { return static_cast<Py_ssize_t>(tape_of(self).program().code.size()); }

constexpr Parameter inputs_parameters[] = {{"inputs", Kind::Tensors}};
constexpr Signature inputs_signatures[] = {{inputs_parameters}};
constexpr Parser begin_parser = {"_tape_begin", inputs_signatures};
constexpr Parameter finish_parameters[] = {{"outputs", Kind::Tensors}, {"clears", Kind::Bool}};
constexpr Signature finish_signatures[] = {{finish_parameters}};
constexpr Parser finish_parser = {"_tape_finish", finish_signatures};

PyObject* begin_call(const Arguments& call) {
  tape::begin_recording(call.tensors(0));
  Py_RETURN_NONE;
}

PyObject* finish_call(const Arguments& call) {
  return wrap_tape(tape::finish_recording(call.tensors(0), call.boolean(1)));
}

/// Arguments: a tape of a training step, the batch, and the numbers of each group of the optimizer, as
/// tuples.
PyObject* step(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&]() -> PyObject* {
    if (nargs != 3 || Py_TYPE(args[0]) != g_tape_type || !PyTuple_Check(args[1]) || !PyList_Check(args[2]))
      throw_python(PyExc_TypeError, "expected a Tape, a tuple of tensors and a list of tuples");
    const auto inputs = inputs_of(&PyTuple_GET_ITEM(args[1], 0), PyTuple_GET_SIZE(args[1]));
    std::vector<std::vector<double>> numbers;
    for_each_item(args[2], [&](PyObject* group) {
      numbers.emplace_back();
      if (!PyTuple_Check(group)) throw_python(PyExc_TypeError, "expected a tuple of numbers");
      for_each_item(group, [&](PyObject* number) { numbers.back().push_back(to_double(number)); });
    });
    tape::Tape& tape = tape_of(args[0]);
    std::vector<Tensor> outputs = run(tape.is_large(), [&] {
      return tape.run({inputs.data(), inputs.size()}, numbers);
    });
    return wrap(std::move(outputs.at(0)));
  });
}

PyObject* load(PyObject*, PyObject* path) {
  return guarded([&] { return wrap_tape(tape::load(std::string(to_text(path)))); });
}

PyObject* from_bytes(PyObject*, PyObject* bytes) {
  return guarded([&] {
    char* data = nullptr;
    Py_ssize_t length = 0;
    need(PyBytes_AsStringAndSize(bytes, &data, &length));
    return wrap_tape(tape::from_bytes({data, static_cast<size_t>(length)}));
  });
}

PyObject* abandon(PyObject*, PyObject*) {
  tape::abandon_recording();
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"mismatch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(mismatch)), METH_FASTCALL,
     "mismatch($self, /, *inputs)\n--\n\nWhy the tape cannot run on these tensors now; None if it can."},
    {"reordered", reordered, METH_NOARGS,
     "reordered($self, /)\n--\n\nA tape of the same program whose runs may add numbers in another order."},
    {"save", save, METH_O, "save($self, path, /)\n--\n\nWrites the tape to a file, with its tensors."},
    {"to_bytes", to_bytes, METH_NOARGS, "to_bytes($self, /)\n--\n\nWhat save() writes."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"captured", captured, nullptr, "The tensors that were there before the recording and that it uses.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(TapeObject, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_members, members},
    {Py_tp_str, reinterpret_cast<void*>(text)},
    {Py_sq_length, reinterpret_cast<void*>(length)},
    {Py_tp_doc,
     const_cast<char*>("A recorded program: the operators that a function called, which run again when "
                       "it is called with other tensors of the same form.")},
    {0, nullptr},
};

PyType_Spec spec = {"onetape.jit.Tape", sizeof(TapeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

PyMethodDef functions[] = {
    method_entry("_tape_begin", entry<begin_parser, begin_call>,
                 "Begins to record what this thread does with the inputs."),
    method_entry("_tape_finish", entry<finish_parser, finish_call>, "Ends it; returns the Tape."),
    {"_tape_step", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(step)), METH_FASTCALL,
     "Runs a training step with the optimizer's numbers."},
    {"_tape_load", load, METH_O, "The tape of a file."},
    {"_tape_from_bytes", from_bytes, METH_O, "The tape of what to_bytes() gave."},
    {"_tape_abandon", abandon, METH_NOARGS, "Gives it up."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_tape(PyObject* module) {
  g_tape_type = reinterpret_cast<PyTypeObject*>(need(PyType_FromSpec(&spec)));
  need(PyModule_AddObjectRef(module, "Tape", reinterpret_cast<PyObject*>(g_tape_type)));
  need(PyModule_AddFunctions(module, functions));
}

}  // namespace onetape::python
