#include "python/node_object.h"

#include <string>
#include <unordered_map>

#include "autograd/accumulate.h"
#include "python/callable.h"
#include "python/function_node.h"
#include "python/generated.h"
#include "python/node_hooks.h"
#include "python/node_saved.h"

namespace onetape::python {
namespace {

struct NodeObject {
  PyObject_HEAD Ref<Node> node;
};

PyTypeObject* g_node_type = nullptr;

/// The object that shows each node. Guarded by the GIL; an object takes itself out when it ends.
std::unordered_map<Node*, PyObject*>& shown() {
  static auto* const map = new std::unordered_map<Node*, PyObject*>;
  return *map;
}

NodeObject* as_node(PyObject* self) { return reinterpret_cast<NodeObject*>(self); }

/// The class named as the node: `MulBackward0`.
PyTypeObject* class_of(const Node& node) {
  static auto* const classes = new std::unordered_map<std::string, PyTypeObject*>;
  PyTypeObject*& type = (*classes)[node.name()];
  if (!type) {
    const Owned made(need(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){s(),ss}",
                                                node.name().c_str(), g_node_type, "__slots__", "__module__",
                                                "onetape.autograd.graph")));
    type = reinterpret_cast<PyTypeObject*>(Py_NewRef(made.get()));
  }
  return type;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  NodeObject* object = as_node(self);
  shown().erase(object->node.get());
  object->node.~Ref();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", as_node(self)->node->name().c_str(), self);
}

PyObject* name(PyObject* self, PyObject*) {
  return PyUnicode_FromString(as_node(self)->node->name().c_str());
}

PyObject* sequence(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(as_node(self)->node->sequence());
}

PyObject* next_functions(PyObject* self, void*) {
  return guarded([&] { return next_functions_of(*as_node(self)->node); });
}

PyObject* metadata(PyObject* self, void*) {
  return guarded([&] {
    std::shared_ptr<void>& notes = as_node(self)->node->extra().metadata;
    if (!notes) {
      const Owned dict(need(PyDict_New()));
      notes = std::make_shared<Held>(dict.get());
    }
    return Py_NewRef(static_cast<const Held*>(notes.get())->get());
  });
}

PyObject* attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text || text[0] != '_') return nullptr;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyObject* saved = guarded([&] { return saved_attribute(as_node(self)->node, text); });
  if (saved || PyErr_Occurred()) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return saved;
  }
  PyErr_Restore(type, value, trace);
  return nullptr;
}

PyObject* variable(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    const auto* leaf = dynamic_cast<const AccumulateGrad*>(as_node(self)->node.get());
    if (!leaf)
      throw_python(PyExc_AttributeError, "'%s' object has no attribute 'variable'", Py_TYPE(self)->tp_name);
    return wrap(leaf->variable());
  });
}

PyObject* saved_tensors(PyObject* self, void*) {
  return guarded([&] { return wrap(as_node(self)->node->saved()); });
}

PyObject* add_hook(PyObject* self, PyObject* function) {
  return guarded([&] { return register_node_hook(as_node(self)->node, function); });
}

PyObject* add_prehook(PyObject* self, PyObject* function) {
  return guarded([&] { return register_node_prehook(as_node(self)->node, function); });
}

PyMethodDef methods[] = {
    {"name", name, METH_NOARGS,
     "name($self, /)\n--\n\nThe name of the operator's gradient, such as MulBackward0."},
    {"_sequence_nr", sequence, METH_NOARGS,
     "_sequence_nr($self, /)\n--\n\nNodes run in falling order of this number."},
    {"register_hook", add_hook, METH_O,
     "register_hook($self, function, /)\n--\n\nCalls function(grad_inputs, grad_outputs) after the node ran; "
     "a tuple that it "
     "returns replaces grad_inputs. Returns a handle whose remove() ends it."},
    {"register_prehook", add_prehook, METH_O,
     "register_prehook($self, function, /)\n--\n\nCalls function(grad_outputs) before the node runs; a tuple "
     "that it returns "
     "replaces them. Returns a handle whose remove() ends it."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"next_functions", next_functions, nullptr,
     "The nodes that get this node's gradients, each with the number of its output; (None, 0) where none is "
     "wanted.",
     nullptr},
    {"metadata", metadata, nullptr, "A dict for the program's own notes, kept as long as the node.", nullptr},
    {"variable", variable, nullptr, "The leaf of an AccumulateGrad node.", nullptr},
    {"saved_tensors", saved_tensors, nullptr, "The tensors kept for backward.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyObject* next_functions_of(const Node& node) {
  const auto edges = node.edges();
  Owned all(need(PyTuple_New(static_cast<Py_ssize_t>(edges.size()))));
  for (size_t i = 0; i < edges.size(); ++i) {
    const Owned next(node_object(edges[i].node));
    PyObject* pair = need(Py_BuildValue("(OI)", next.get(), edges[i].input));
    PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(i), pair);
  }
  return all.take();
}

Ref<Node> node_behind(PyObject* object) {
  if (PyObject_TypeCheck(object, g_node_type)) return as_node(object)->node;
  return function_node_behind(object);
}

PyObject* node_object(const Ref<Node>& node) {
  if (!node) Py_RETURN_NONE;
  if (const auto* function = dynamic_cast<const PythonFunctionNode*>(node.get()))
    return Py_NewRef(function->context());
  const auto found = shown().find(node.get());
  if (found != shown().end()) return Py_NewRef(found->second);
  PyTypeObject* type = class_of(*node);
  PyObject* object = need(type->tp_alloc(type, 0));
  new (&as_node(object)->node) Ref<Node>(node);
  shown().emplace(node.get(), object);
  return object;
}

void add_node(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, properties},
                         {Py_tp_doc, const_cast<char*>("One recorded operator of a graph.")},
                         {0, nullptr}};
  PyType_Spec spec = {"onetape.autograd.graph.Node", sizeof(NodeObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = need(PyType_FromSpec(&spec));
  g_node_type = reinterpret_cast<PyTypeObject*>(type);
  need(PyModule_AddObjectRef(module, "Node", type));
  add_saved_attributes(module);
}

}  // namespace onetape::python
