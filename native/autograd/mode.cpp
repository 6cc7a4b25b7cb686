#include "autograd/mode.h"

#include "core/tls.h"

namespace onetape {
namespace {

ONETAPE_HOT_TLS bool t_grad_enabled = true;

}  // namespace

bool grad_enabled() { return t_grad_enabled; }
void set_grad_enabled(bool enabled) { t_grad_enabled = enabled; }

}  // namespace onetape
