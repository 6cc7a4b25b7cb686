#include "python/array_memory.h"

#include <utility>

#include "python/errors.h"

namespace onetape::python {
namespace {

/// The beginning of every array since NumPy 1.22, as its own header shows it (PyArrayObject_fields).
struct ArrayFields {
  PyObject_HEAD char* data;
  int dimensions;
  Py_ssize_t* sizes;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* description;
  int flags;
  PyObject* weak_references;
  void* buffer_info;
  PyObject* memory_handler;
};
constexpr int kOwnsData = 0x0004;
constexpr const char* kName = "onetape.array_owner";

ArrayFields* fields_of(PyObject* array) { return reinterpret_cast<ArrayFields*>(array); }
PyObject* array_in(PyObject* owner) { return static_cast<PyObject*>(PyCapsule_GetPointer(owner, kName)); }
void end_owner(PyObject* owner) { Py_DECREF(array_in(owner)); }

/// Is the layout the one that is expected? What the array says of itself decides.
bool looks_as_expected(PyObject* array, PyTypeObject* array_class) {
  if (array_class->tp_basicsize < static_cast<Py_ssize_t>(sizeof(ArrayFields))) return false;
  const Owned flags(PyObject_GetAttrString(array, "flags"));
  const Owned number(flags ? PyObject_GetAttrString(flags.get(), "num") : nullptr);
  const long value = number ? PyLong_AsLong(number.get()) : -1;
  PyErr_Clear();
  return value == fields_of(array)->flags;
}

/// Who frees the elements, and how, changes places.
void move_ownership(ArrayFields& from, ArrayFields& to) {
  from.flags &= ~kOwnsData;
  to.flags |= kOwnsData;
  to.memory_handler = std::exchange(from.memory_handler, nullptr);
}

}  // namespace

PyObject* hide_owner(PyObject* array, PyTypeObject* array_class) {
  if (!looks_as_expected(array, array_class)) return nullptr;
  ArrayFields& shown = *fields_of(array);
  if (!(shown.flags & kOwnsData) || shown.base || !shown.memory_handler) return nullptr;
  Owned twin(PyObject_CallMethod(array, "view", "O", array_class));
  if (!twin) {
    PyErr_Clear();
    return nullptr;
  }
  ArrayFields& hidden = *fields_of(twin.get());
  if (hidden.data != shown.data || hidden.base != array || hidden.memory_handler) return nullptr;
  PyObject* owner = need(PyCapsule_New(twin.get(), kName, end_owner));
  (void)twin.take();
  hidden.base = nullptr;
  Py_DECREF(array);
  move_ownership(shown, hidden);
  shown.base = Py_NewRef(owner);
  return owner;
}

PyObject* hidden_owner(PyObject* base) { return PyCapsule_IsValid(base, kName) ? Py_NewRef(base) : nullptr; }

void give_back(PyObject* array, PyObject* owner) {
  ArrayFields* shown = array ? fields_of(array) : nullptr;
  // What the array has as its base and what is given up here are all references: nobody else needs it.
  if (shown && shown->base == owner && Py_REFCNT(owner) == 2) {
    ArrayFields& hidden = *fields_of(array_in(owner));
    if (Py_REFCNT(array_in(owner)) == 1 && hidden.data == shown->data && (hidden.flags & kOwnsData)) {
      move_ownership(hidden, *shown);
      Py_CLEAR(shown->base);
    }
  }
  Py_DECREF(owner);
}

}  // namespace onetape::python
