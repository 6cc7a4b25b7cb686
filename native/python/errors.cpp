#include "python/errors.h"

#include <cstdarg>
#include <new>
#include <string_view>

#include "autograd/anomaly.h"
#include "autograd/checkpoint.h"
#include "core/error.h"
#include "python/gil.h"
#include "python/group_errors.h"

namespace onetape::python {
namespace {

// Never given back: the bridge lasts as long as the process.
PyObject* bridge_leave = nullptr;
PyObject* bridge_rethrow = nullptr;

}  // namespace

void set_bridge(PyObject* leave, PyObject* rethrow) {
  Py_XSETREF(bridge_leave, Py_NewRef(leave));
  Py_XSETREF(bridge_rethrow, Py_NewRef(rethrow));
}

struct PythonError::State {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  std::string text;

  ~State() {
    if (!interpreter_alive()) return;
    const HoldGil gil;
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
  }
};

PythonError::PythonError() : state_(std::make_shared<State>()) {
  PyErr_Fetch(&state_->type, &state_->value, &state_->trace);
  PyErr_NormalizeException(&state_->type, &state_->value, &state_->trace);
  if (!state_->value) {
    state_->text = "a Python exception";
    return;
  }
  if (state_->trace) PyException_SetTraceback(state_->value, state_->trace);
  const Owned text(PyObject_Str(state_->value));
  const char* chars = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!chars) PyErr_Clear();
  const char* name = reinterpret_cast<PyTypeObject*>(state_->type)->tp_name;
  state_->text = chars && *chars ? std::string(name) + ": " + chars : name;
}

void PythonError::restore() const {
  Py_XINCREF(state_->type);
  Py_XINCREF(state_->value);
  Py_XINCREF(state_->trace);
  PyErr_Restore(state_->type, state_->value, state_->trace);
}

const char* PythonError::what() const noexcept { return state_->text.c_str(); }

void PythonError::cross(const std::function<void()>& take) const noexcept {
  if (!bridge_leave || !state_->value || !interpreter_alive()) return;
  const HoldGil gil;
  const Owned left(PyObject_CallOneArg(bridge_leave, state_->value));
  if (left) {
    take();
  } else {
    PyErr_Clear();
  }
}

namespace {

/// Sets what an exception of another language is in Python, or one with its text where no bridge knows that.
void raise_crossed(const LanguageError& error) {
  error.cross([] {
    if (bridge_rethrow) Owned(PyObject_CallNoArgs(bridge_rethrow));
  });
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, error.what());
}

PyObject* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Index:
      return PyExc_IndexError;
    case ErrorKind::Value:
      return PyExc_ValueError;
    case ErrorKind::Type:
    case ErrorKind::NullPointer:
      return PyExc_TypeError;
    case ErrorKind::NotImplemented:
      return PyExc_NotImplementedError;
    case ErrorKind::OutOfMemory:
      return out_of_memory_error();
    case ErrorKind::Closed:
    case ErrorKind::Runtime:
      break;
  }
  return PyExc_RuntimeError;
}

}  // namespace

namespace {

/// Tells the forward call of what failed in anomaly mode, as PyTorch does: in a warning, which the error
/// follows.
void raise_explained(const ExplainedError& error) noexcept {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  try {
    std::rethrow_exception(error.cause());
  } catch (...) {
    raise_current();
  }
  PyErr_Fetch(&type, &value, &trace);
  if (PyErr_WarnEx(PyExc_UserWarning, error.explanation().c_str(), 1) < 0) PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

}  // namespace

PyObject* raise_current() noexcept {
  if (exiting_elsewhere()) stop_thread();
  try {
    throw;
  } catch (const ExplainedError& error) {
    raise_explained(error);
  } catch (const PythonError& error) {
    error.restore();
  } catch (const LanguageError& error) {
    raise_crossed(error);
  } catch (const CheckpointError& error) {
    PyErr_SetString(checkpoint_error(), error.what());
  } catch (const distributed::GroupError& error) {
    PyErr_SetString(group_error(error.part()), error.what());
  } catch (const Error& error) {
    // The errors of an unavailable device that PyTorch raises from Python, by assert.
    const bool asserted = std::string_view(error.what()).starts_with("Torch not compiled with ");
    PyErr_SetString(asserted ? PyExc_AssertionError : class_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(out_of_memory_error(), "out of memory");
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an error that is not a C++ exception class");
  }
  return nullptr;
}

void throw_python(PyObject* type, const char* format, ...) {
  va_list values;
  va_start(values, format);
  PyErr_FormatV(type, format, values);
  va_end(values);
  throw PythonError();
}

PyObject* out_of_memory_error() {
  static PyObject* const type = PyErr_NewExceptionWithDoc(
      "onetape.OutOfMemoryError", "The system has no memory for a tensor.", PyExc_RuntimeError, nullptr);
  return type;
}

PyObject* checkpoint_error() {
  static PyObject* const type = PyErr_NewExceptionWithDoc(
      "onetape.utils.checkpoint.CheckpointError", "What a checkpoint computed again is not what it was.",
      PyExc_RuntimeError, nullptr);
  return type;
}

}  // namespace onetape::python
