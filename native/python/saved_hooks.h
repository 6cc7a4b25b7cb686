#pragma once

#include "autograd/saved_hooks.h"
#include "python/callable.h"

namespace onetape::python {

/// A pair of Python functions: pack(tensor) gives anything, from which unpack gives the tensor again.
class PythonSavedHooks final : public SavedTensorHooks {
 public:
  PythonSavedHooks(PyObject* pack, PyObject* unpack) : pack_(pack), unpack_(unpack) {}
  Ref<PackedTensor> pack(const Tensor& tensor) override;

 private:
  Held pack_;
  Held unpack_;
};

/// What the engine keeps of a tensor that Python packed.
class PythonPackedTensor final : public PackedTensor {
 public:
  PythonPackedTensor(PyObject* packed, Held unpack) : packed_(packed), unpack_(std::move(unpack)) {}
  Tensor unpack() override;
  void* face_object() const override { return packed_.get(); }

 private:
  Held packed_;
  Held unpack_;
};

/// _push_saved_hooks, _pop_saved_hooks and what switches them off.
void add_saved_hooks(PyObject* module);

}  // namespace onetape::python
