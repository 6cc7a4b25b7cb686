#pragma once

#include "core/tensor.h"

namespace onetape {

/// Gives the storage of `elements` another size. Where it has to be replaced by a longer one, `elements` and
/// `tensor` show that from now on; other tensors keep the old one. RuntimeError for memory that belongs to
/// others.
ONETAPE_API void resize_storage(const Tensor& elements, const Tensor& tensor, size_t bytes);

}  // namespace onetape
