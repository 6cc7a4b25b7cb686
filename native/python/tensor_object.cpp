#include "python/tensor_object.h"

#include <unordered_map>
#include <vector>

#include "python/gil.h"
#include "python/graph_cycles.h"
#include "python/tensor_type.h"

#ifndef Py_T_OBJECT_EX  // the older spelling
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_READONLY READONLY
#endif

namespace onetape::python {

PyTypeObject* tensor_type = nullptr;

namespace {

int64_t g_live = 0;

/// Objects that their tensors own, with those tensors. Guarded by the GIL, as everything here.
std::unordered_map<PyObject*, TensorImpl*>& lent_objects() {
  static auto* const map = new std::unordered_map<PyObject*, TensorImpl*>;  // outlives every tensor
  return *map;
}

/// Memory of plain tensor objects, for the next ones: making one then costs no more than filling it in.
constexpr size_t kFreeObjects = 256;
TensorObject* g_free[kFreeObjects];
size_t g_free_count = 0;

TensorObject* as_object(PyObject* object) { return reinterpret_cast<TensorObject*>(object); }

PyObject* new_object(Tensor tensor) {
  TensorObject* self = nullptr;
  if (g_free_count > 0) {
    self = g_free[--g_free_count];
    PyObject_Init(reinterpret_cast<PyObject*>(self), tensor_type);
  } else {
    self = PyObject_GC_New(TensorObject, tensor_type);
    if (!self) throw PythonError();
  }
  TensorImpl* impl = tensor.impl();
  new (&self->tensor) Tensor(std::move(tensor));
  self->dict = nullptr;
  self->weakrefs = nullptr;
  auto* object = reinterpret_cast<PyObject*>(self);
  impl->object.store(object, std::memory_order_release);
  ++g_live;
  PyObject_GC_Track(object);
  return object;
}

/// Could a program tell if the object were replaced by a new one?
bool has_state(const TensorObject* self) {
  return Py_TYPE(self) != tensor_type || self->weakrefs || (self->dict && PyDict_GET_SIZE(self->dict) > 0);
}

/// Gives the object, whose last Python reference has gone, to its tensor.
void lend(TensorObject* self) {
  auto* object = reinterpret_cast<PyObject*>(self);
  Tensor tensor = std::move(self->tensor);
  Py_SET_REFCNT(object, 1);
  lent_objects().emplace(object, tensor.impl());
  tensor.impl()->object_owned.store(true, std::memory_order_release);
  // If C++ has let go of the tensor meanwhile, it dies here and release_object() ends the object.
}

/// Makes a lent object the owner of its tensor again; also right for a tensor that is about to die.
void take_back(PyObject* object, TensorImpl* impl) {
  lent_objects().erase(object);
  as_object(object)->tensor = Tensor::share(impl);
  impl->object_owned.store(false, std::memory_order_release);
  Py_DECREF(object);  // the tensor's reference
}

/// Called by a dying tensor that owns its object, on any thread. False if the tensor lives on.
bool release_object(void* pointer) {
  if (!interpreter_alive()) return true;
  const HoldGil gil;
  auto* object = static_cast<PyObject*>(pointer);
  const auto found = lent_objects().find(object);
  if (found == lent_objects().end()) return false;  // taken back while this thread waited for the GIL
  if (Py_REFCNT(object) > 1) {                      // somebody holds it again, through a weak reference
    take_back(object, found->second);
    return false;
  }
  lent_objects().erase(found);
  Py_DECREF(object);
  return true;
}

void drop_tensor(TensorObject* self) {
  if (!self->tensor.defined()) return;
  self->tensor.impl()->object.store(nullptr, std::memory_order_release);
  self->tensor.reset();
}

/// The values of __slots__ of Python subclasses.
void clear_slots(PyObject* object) {
  for (PyTypeObject* type = Py_TYPE(object); type != tensor_type; type = type->tp_base) {
    auto* member =
        reinterpret_cast<PyMemberDef*>(reinterpret_cast<char*>(type) + Py_TYPE(type)->tp_basicsize);
    for (Py_ssize_t i = 0; i < Py_SIZE(type); ++i, ++member) {
      if (member->type != Py_T_OBJECT_EX || (member->flags & Py_READONLY)) continue;
      auto** slot = reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + member->offset);
      Py_CLEAR(*slot);
    }
  }
}

/// Ends an object that has attributes, weak references or a class of its own.
bool finish_with_state(PyObject* object) {
  auto* self = as_object(object);
  if (Py_TYPE(object)->tp_finalize) {
    PyObject_GC_Track(object);
    if (PyObject_CallFinalizerFromDealloc(object) < 0) return false;
    PyObject_GC_UnTrack(object);
  }
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  if (Py_TYPE(object) != tensor_type) clear_slots(object);
  Py_CLEAR(self->dict);
  return true;
}

void dealloc_with_state(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_TRASHCAN_BEGIN(object, tensor_dealloc) if (finish_with_state(object)) {
    drop_tensor(as_object(object));
    --g_live;
    type->tp_free(object);
    Py_DECREF(type);
  }
  Py_TRASHCAN_END
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = as_object(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->dict);
  if (!self->tensor.defined()) return 0;
  return visit_graph(self->tensor, visit, arg);
}

int clear(PyObject* object) {
  auto* self = as_object(object);
  Py_CLEAR(self->dict);
  drop_tensor(self);
  return 0;
}

}  // namespace

void tensor_dealloc(PyObject* object) {
  auto* self = as_object(object);
  if (has_state(self)) [[unlikely]] {
    if (self->tensor.defined() && self->tensor.impl()->use_count() > 1) {
      lend(self);
    } else {
      dealloc_with_state(object);
    }
    return;
  }
  PyObject_GC_UnTrack(object);
  drop_tensor(self);
  --g_live;
  Py_CLEAR(self->dict);
  if (g_free_count < kFreeObjects) {
    g_free[g_free_count++] = self;
  } else {
    PyObject_GC_Del(object);
  }
  Py_DECREF(tensor_type);
}

const Tensor& reclaim(PyObject* object) {
  const auto found = lent_objects().find(object);
  if (found == lent_objects().end()) {
    throw_python(PyExc_RuntimeError, "the tensor of this object was freed by the garbage collector");
  }
  take_back(object, found->second);
  return as_object(object)->tensor;
}

PyObject* wrap(Tensor tensor) {
  if (!tensor.defined()) Py_RETURN_NONE;
  TensorImpl* impl = tensor.impl();
  auto* have = static_cast<PyObject*>(impl->object.load(std::memory_order_acquire));
  if (!have) return new_object(std::move(tensor));
  if (impl->object_owned.load(std::memory_order_acquire)) [[unlikely]] {
    lent_objects().erase(have);
    impl->object_owned.store(false, std::memory_order_release);
    as_object(have)->tensor = std::move(tensor);
    return have;  // the reference that the tensor had
  }
  Py_INCREF(have);
  return have;
}

PyObject* wrap_as(PyTypeObject* type, Tensor tensor) {
  if (type == tensor_type) return wrap(std::move(tensor));
  PyObject* object = need(type->tp_alloc(type, 0));
  auto* self = as_object(object);
  TensorImpl* impl = tensor.impl();
  new (&self->tensor) Tensor(std::move(tensor));
  impl->object.store(object, std::memory_order_release);
  ++g_live;
  return object;
}

int64_t live_objects() { return g_live; }

namespace {

// ---- the GIL while a tensor's geometry changes; see core/geometry_lock.h ----

void* let_go_of_gil() { return interpreter_alive() && PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
int take_gil_for_change(void* let_go) {
  if (let_go) {
    take_gil([&] { PyEval_RestoreThread(static_cast<PyThreadState*>(let_go)); });
    return -1;
  }
  return interpreter_alive() ? static_cast<int>(take_gil(PyGILState_Ensure)) : -1;
}
void restore_gil(void* /*let_go*/, int taken) {
  if (taken >= 0) PyGILState_Release(static_cast<PyGILState_STATE>(taken));
}

PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, dict), Py_READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weakrefs), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

/// Subclasses made in Python get a dealloc of their own from CPython, which would not let an object live on.
int class_init(PyObject* type, PyObject* args, PyObject* kwargs) {
  if (PyType_Type.tp_init(type, args, kwargs) < 0) return -1;
  reinterpret_cast<PyTypeObject*>(type)->tp_dealloc = tensor_dealloc;
  return 0;
}

PyObject* make_metaclass() {
  PyType_Slot slots[] = {{Py_tp_init, reinterpret_cast<void*>(class_init)}, {0, nullptr}};
  PyType_Spec spec = {"onetape._C._TensorMeta", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const Owned bases(need(PyTuple_Pack(1, &PyType_Type)));
  return need(PyType_FromSpecWithBases(&spec, bases.get()));
}

}  // namespace

PyObject* make_tensor_type() {
  std::vector<PyType_Slot> slots = tensor_type_slots();
  slots.push_back({Py_tp_dealloc, reinterpret_cast<void*>(tensor_dealloc)});
  slots.push_back({Py_tp_traverse, reinterpret_cast<void*>(traverse)});
  slots.push_back({Py_tp_clear, reinterpret_cast<void*>(clear)});
  slots.push_back({Py_tp_members, members});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"onetape.Tensor", sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  auto* metaclass = reinterpret_cast<PyTypeObject*>(make_metaclass());
#if PY_VERSION_HEX >= 0x030c0000
  PyObject* type = need(PyType_FromMetaclass(metaclass, nullptr, &spec, nullptr));
#else
  PyObject* type = need(PyType_FromSpec(&spec));
  Py_SET_TYPE(type, metaclass);
#endif
  tensor_type = reinterpret_cast<PyTypeObject*>(type);
  tensor_type->tp_name = "Tensor";  // as error texts name it, CPython's own too
  face_hooks.release = release_object;
  language_lock = {let_go_of_gil, take_gil_for_change, restore_gil};
  return type;
}

}  // namespace onetape::python
