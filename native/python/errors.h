#pragma once

#include <exception>
#include <memory>
#include <string>

#include "core/language_error.h"
#include "python/reference.h"

namespace onetape::python {

/// A Python exception on its way through C++. It may be copied and dropped without the GIL.
class PythonError : public LanguageError {
 public:
  /// Takes the exception that is set now. The GIL is held.
  PythonError();
  /// Sets it again, to be raised in Python.
  void restore() const;
  const char* what() const noexcept override;
  /// Leaves it to Java through the bridge.
  void cross(const std::function<void()>& take) const noexcept override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// In a catch block: sets the Python exception for the C++ exception being handled; returns null.
PyObject* raise_current() noexcept;

/// What onetape.jvm knows and this module does not: how an exception object gets to Java and back. `leave`
/// takes a Python exception and leaves what it is in Java in the calling thread; `rethrow` throws the Java
/// exception left there.
void set_bridge(PyObject* leave, PyObject* rethrow);

/// Runs a function that returns a new reference; an exception of C++ becomes Python's, and null.
template <typename F>
PyObject* guarded(F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    return raise_current();
  }
}

/// The object, or PythonError where a call of the Python API gave null.
inline PyObject* need(PyObject* object) {
  if (!object) [[unlikely]]
    throw PythonError();
  return object;
}
/// The same for calls that answer with a negative number.
inline int need(int result) {
  if (result < 0) [[unlikely]]
    throw PythonError();
  return result;
}

/// Throws the Python exception of a class with a text made as printf does.
[[noreturn]] void throw_python(PyObject* type, const char* format, ...);

/// torch.OutOfMemoryError, a RuntimeError.
PyObject* out_of_memory_error();
/// torch.utils.checkpoint.CheckpointError, a RuntimeError.
PyObject* checkpoint_error();

}  // namespace onetape::python
