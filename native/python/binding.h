#pragma once

#include "python/arguments.h"

namespace onetape::python {

/// Why a call does not fit a signature.
struct Mismatch {
  enum Reason { None, WrongType, TooMany, UnknownKeyword, GivenTwice, Missing };

  Reason reason = None;
  const Parameter* parameter = nullptr;
  PyObject* object = nullptr;  // the argument, or the keyword
  int position = 0;            // of the argument, from 1; 0 for a keyword; for TooMany their number
};

/// Tries to fit the arguments of a call to one signature.
class Binding {
 public:
  Binding(const Signature& signature, Arguments& out) : parameters_(signature.parameters), out_(out) {}

  /// True if they fit; else see mismatch().
  bool bind(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
  const Mismatch& mismatch() const { return mismatch_; }
  bool seen(size_t i) const { return seen_ >> i & 1; }

 private:
  bool positional(PyObject* const* args, Py_ssize_t nargs);
  bool keywords(PyObject* const* values, PyObject* kwnames);
  bool put(size_t i, PyObject* object, int position);
  int find(PyObject* keyword) const;
  bool fail(Mismatch mismatch) {
    mismatch_ = mismatch;
    return false;
  }

  std::span<const Parameter> parameters_;
  Arguments& out_;
  size_t first_ = 0;   // 1 for a method, whose self is bound apart
  uint32_t seen_ = 0;  // one bit a parameter
  Mismatch mismatch_;
};

}  // namespace onetape::python
