#include "python/function_node.h"
#include "python/generated.h"
#include "python/node_hooks.h"

namespace onetape::python {
namespace {

PyTypeObject* g_context_type = nullptr;

ContextObject* as_context(PyObject* self) { return reinterpret_cast<ContextObject*>(self); }

PythonFunctionNode& node_of(PyObject* self) {
  PythonFunctionNode* node = as_context(self)->node;
  check(
      node != nullptr,
      "the context of a function has a node of the graph only after forward() returned and as long as one of "
      "its outputs is alive");
  return *node;
}

Ref<Node> shared_node(PyObject* self) { return Ref<Node>::share(&node_of(self)); }

PyObject* make(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self) as_context(self)->materialize_grads = true;
  return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  ContextObject* ctx = as_context(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(ctx->dict);
  Py_VISIT(ctx->to_save);
  Py_VISIT(ctx->saved_for_forward);
  Py_VISIT(ctx->non_differentiable);
  Py_VISIT(ctx->dirty);
  Py_VISIT(ctx->needs_input_grad);
  return 0;
}

int clear(PyObject* self) {
  ContextObject* ctx = as_context(self);
  Py_CLEAR(ctx->dict);
  Py_CLEAR(ctx->to_save);
  Py_CLEAR(ctx->saved_for_forward);
  Py_CLEAR(ctx->non_differentiable);
  Py_CLEAR(ctx->dirty);
  Py_CLEAR(ctx->needs_input_grad);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// Keeps the arguments of a mark for when forward() has returned.
template <PyObject* ContextObject::*Field>
PyObject* keep(PyObject* self, PyObject* args) {
  Py_XSETREF(as_context(self)->*Field, Py_NewRef(args));
  Py_RETURN_NONE;
}

PyObject* set_materialize(PyObject* self, PyObject* value) {
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) return nullptr;
  as_context(self)->materialize_grads = truth != 0;
  Py_RETURN_NONE;
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<torch.autograd.function.%s object at %p>", Py_TYPE(self)->tp_name, self);
}

PyObject* name(PyObject* self, PyObject*) { return PyUnicode_FromString(Py_TYPE(self)->tp_name); }
PyObject* sequence(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(node_of(self).sequence()); });
}
PyObject* add_hook(PyObject* self, PyObject* function) {
  return guarded([&] { return register_node_hook(shared_node(self), function); });
}
PyObject* add_prehook(PyObject* self, PyObject* function) {
  return guarded([&] { return register_node_prehook(shared_node(self), function); });
}

PyObject* saved_tensors(PyObject* self, void*) {
  return guarded([&] {
    if (PyObject* kept = as_context(self)->saved_for_forward) return Py_NewRef(kept);
    PythonFunctionNode* node = as_context(self)->node;
    return wrap(node ? node->unpack() : std::vector<Tensor>());
  });
}
PyObject* next_functions(PyObject* self, void*) {
  return guarded([&] { return next_functions_of(node_of(self)); });
}
PyObject* needs_input_grad(PyObject* self, void*) {
  PyObject* flags = as_context(self)->needs_input_grad;
  return flags ? Py_NewRef(flags) : PyTuple_New(0);
}
PyObject* metadata(PyObject* self, void*) {
  return guarded([&] {
    const Owned dict(need(PyObject_GenericGetDict(self, nullptr)));
    const Owned key(need(PyUnicode_FromString("_metadata")));
    const Owned fresh(need(PyDict_New()));
    return Py_NewRef(PyDict_SetDefault(dict.get(), key.get(), fresh.get()));
  });
}

PyMethodDef methods[] = {
    {"save_for_backward", keep<&ContextObject::to_save>, METH_VARARGS,
     "save_for_backward($self, *tensors)\n--\n\nKeeps inputs or outputs for backward(), which finds them in "
     "saved_tensors."},
    {"save_for_forward", keep<&ContextObject::saved_for_forward>, METH_VARARGS,
     "save_for_forward($self, *tensors)\n--\n\nKeeps inputs or outputs for jvp(), which finds them in "
     "saved_tensors."},
    {"mark_dirty", keep<&ContextObject::dirty>, METH_VARARGS,
     "mark_dirty($self, *tensors)\n--\n\nSays that forward() changes these inputs in place; they must be "
     "returned."},
    {"mark_non_differentiable", keep<&ContextObject::non_differentiable>, METH_VARARGS,
     "mark_non_differentiable($self, *tensors)\n--\n\nSays that these outputs have no gradient."},
    {"set_materialize_grads", set_materialize, METH_O,
     "set_materialize_grads($self, value, /)\n--\n\nWhether backward() gets zeros (the default) or None for "
     "unused outputs."},
    {"name", name, METH_NOARGS, "name($self, /)\n--\n\nThe name of the function's node."},
    {"_sequence_nr", sequence, METH_NOARGS,
     "_sequence_nr($self, /)\n--\n\nNodes run in falling order of this number."},
    {"register_hook", add_hook, METH_O, "register_hook($self, function, /)\n--\n\nAs Node.register_hook."},
    {"register_prehook", add_prehook, METH_O,
     "register_prehook($self, function, /)\n--\n\nAs Node.register_prehook."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"saved_tensors", saved_tensors, nullptr, "What save_for_backward() kept, in that order.", nullptr},
    {"needs_input_grad", needs_input_grad, nullptr, "For each argument of apply(): is a gradient wanted?",
     nullptr},
    {"next_functions", next_functions, nullptr, "The nodes that get this node's gradients.", nullptr},
    {"metadata", metadata, nullptr, "A dict for the program's own notes.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(ContextObject, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyMethodDef functions[] = {
    {"_apply_function", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(apply_function)),
     METH_FASTCALL, "What torch.autograd.Function.apply calls."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

Ref<Node> function_node_behind(PyObject* object) {
  if (!g_context_type || !PyObject_TypeCheck(object, g_context_type)) return nullptr;
  return Ref<Node>::share(as_context(object)->node);
}

void add_function(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                         {Py_tp_clear, reinterpret_cast<void*>(clear)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, properties},
                         {Py_tp_members, members},
                         {Py_tp_doc, const_cast<char*>("What the two halves of a custom function share.")},
                         {0, nullptr}};
  PyType_Spec spec = {"onetape._C._FunctionBase", sizeof(ContextObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  const Owned type(need(PyType_FromSpec(&spec)));
  g_context_type = reinterpret_cast<PyTypeObject*>(type.get());
  need(PyModule_AddObjectRef(module, "_FunctionBase", type.get()));
  need(PyModule_AddFunctions(module, functions));
}

}  // namespace onetape::python
