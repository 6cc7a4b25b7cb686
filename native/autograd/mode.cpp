#include "autograd/mode.h"

#include "core/storage.h"

namespace onetape {

void set_inference_mode(bool enabled) {
  thread_modes.inference = enabled;
  thread_modes.first_version = enabled ? Storage::kInference : 0;
  set_grad_enabled(thread_modes.grad);
}

}  // namespace onetape
