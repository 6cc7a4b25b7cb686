#pragma once

#include <cstdint>
#include <span>

#include <cxxabi.h>

#include "core/backend.h"
#include "core/geometry_lock.h"
#include "core/tensor.h"
#include "python/exit.h"
#include "python/reference.h"

namespace onetape::python {

/// False once the interpreter is going down: then objects are left alone, as nothing may take the GIL any
/// more.
inline bool interpreter_alive() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsInitialized() && !Py_IsFinalizing();
#else
  return Py_IsInitialized() && !_Py_IsFinalizing();
#endif
}

/// Runs a call that takes the GIL. A thread that would be ended by it, since the interpreter is going down,
/// stops instead.
template <typename F>
auto take_gil(F call) noexcept {
  const TakingGil taking;
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    stop_thread();
  }
}

/// Holds the GIL for a scope, on any thread.
class HoldGil {
 public:
  HoldGil() : state_(take_gil(PyGILState_Ensure)) {}
  ~HoldGil() {
    if (exiting_elsewhere()) stop_thread();
    PyGILState_Release(state_);
  }
  HoldGil(const HoldGil&) = delete;
  HoldGil& operator=(const HoldGil&) = delete;

 private:
  PyGILState_STATE state_;
};

/// For a call of a program's function from inside an operator: the tensors it makes are the program's own.
class Upcall {
 public:
  Upcall() = default;

 private:
  const ReadingPaused pause_;  // taking the GIL may take long
  const HoldGil gil_;
  const DeviceScope device_{DeviceType::CPU};
};

/// Lets other Python threads run during a scope, if that is worth it.
class ReleaseGil {
 public:
  explicit ReleaseGil(bool worth = true) : state_(worth ? begin() : nullptr) {}
  ~ReleaseGil() {
    if (state_) end();
  }
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  static PyThreadState* begin() {
    ReadingGeometry::begin_with_lock();
    return PyEval_SaveThread();
  }
  void end() {
    take_gil([this] { PyEval_RestoreThread(state_); });
    ReadingGeometry::end();
  }

  PyThreadState* state_;
};

/// Elements from which an operator takes longer than handing the GIL over and back.
inline constexpr int64_t kWorthReleasing = int64_t{1} << 14;

inline bool is_large(const Tensor& t) { return t.defined() && t.numel() > kWorthReleasing; }
inline bool is_large(std::span<const Tensor> tensors) {
  int64_t total = 0;
  for (const Tensor& t : tensors) total += t.defined() ? t.numel() : 0;
  return total > kWorthReleasing;
}

}  // namespace onetape::python
