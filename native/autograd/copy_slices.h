#pragma once

#include "autograd/meta.h"

namespace onetape {

/// Brings grad_fn of a view up to date after its base was changed in place through another view.
void refresh_view(const Tensor& view, AutogradMeta& m);

}  // namespace onetape
