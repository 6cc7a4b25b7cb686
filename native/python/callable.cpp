#include "python/callable.h"

#include "autograd/meta.h"
#include "python/errors.h"
#include "python/tensor_object.h"

namespace onetape::python {

Tensor PythonTensorHook::operator()(const Tensor& grad) const {
  const HoldGil gil;
  const Owned argument(wrap(grad));
  const Owned result(need(PyObject_CallOneArg(function.get(), argument.get())));
  if (result.get() == Py_None) return {};
  if (!is_tensor(result.get())) {
    throw_python(PyExc_TypeError, "expected Variable, but hook returned '%s'",
                 Py_TYPE(result.get())->tp_name);
  }
  return tensor_of(result.get());
}

void PythonAccumulateHook::operator()(const Tensor& leaf) const {
  const HoldGil gil;
  const Owned argument(wrap(leaf));
  const Owned result(need(PyObject_CallOneArg(function.get(), argument.get())));
  if (result.get() != Py_None)
    throw_python(PyExc_RuntimeError, "Tensor post accumulate grad hooks should return None.");
}

uint64_t add_accumulate_hook(const Tensor& leaf, PythonAccumulateHook hook) {
  AutogradMeta& m = meta(leaf);
  const std::lock_guard guard(m.lock);
  return m.make_extra().post_accumulate_hooks.add(std::move(hook));
}

void remove_accumulate_hook(const Tensor& leaf, uint64_t id) {
  AutogradMeta* m = meta_or_null(leaf);
  if (!m) return;
  HookList<std::function<void(const Tensor&)>>
      kept;  // ends outside the lock: the hook's function may free anything
  const std::lock_guard guard(m->lock);
  if (!m->extra) return;
  kept = m->extra->post_accumulate_hooks;
  m->extra->post_accumulate_hooks.remove(id);
}

}  // namespace onetape::python
