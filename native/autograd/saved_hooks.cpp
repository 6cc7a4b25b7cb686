#include "autograd/saved_hooks.h"

#include "autograd/meta.h"
#include "autograd/mode.h"

namespace onetape {
namespace {

thread_local SavedHooksList t_hooks;
thread_local std::string t_disabled;  // why, if they are

void publish() { thread_modes.saved_hooks = t_hooks.empty() ? nullptr : t_hooks.back().get(); }

}  // namespace

Ref<PackedTensor> pack_saved(SavedTensorHooks& hooks, const Tensor& tensor) {
  const GradModeGuard mode(false);
  const uint32_t before = version(tensor);
  Ref<PackedTensor> packed = hooks.pack(tensor);
  packed->sizes = tensor.shape();
  packed->dtype = tensor.dtype();
  check(version(tensor) == before,
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook "
        "cannot be "
        "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue "
        "if you "
        "need to perform in-place operations on the input to a pack hook.");
  return packed;
}

SavedHooksList saved_hooks_list() { return t_hooks; }

void set_saved_hooks_list(SavedHooksList list) {
  t_hooks.swap(list);
  publish();
}

void push_saved_hooks(std::shared_ptr<SavedTensorHooks> hooks) {
  check(t_disabled.empty(), t_disabled);
  t_hooks.push_back(std::move(hooks));
  publish();
}

void pop_saved_hooks() {
  if (t_hooks.empty()) return;
  const std::shared_ptr<SavedTensorHooks> last =
      std::move(t_hooks.back());  // ends after the list is right again
  t_hooks.pop_back();
  publish();
}

std::string disable_saved_hooks(std::string why) {
  check(why.empty() || t_hooks.empty(), why);
  return std::exchange(t_disabled, std::move(why));
}

void restore_saved_hooks(std::string why) { t_disabled = std::move(why); }

}  // namespace onetape
