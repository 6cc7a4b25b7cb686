#pragma once

#include <functional>
#include <string_view>

#include "core/dtype.h"

namespace onetape::distributed {

/// How tensors of several processes become one. The numbers are PyTorch's.
enum class ReduceOp : uint8_t { Sum, Avg, Product, Min, Max, Band, Bor, Bxor };
inline constexpr int kReduceOps = 8;

/// `SUM`
ONETAPE_API std::string_view name_of(ReduceOp op);

/// out[i] = op(a[i], b[i]); an average adds, and is divided by the caller.
using Combine = std::function<void(void* out, const void* a, const void* b, size_t count)>;

/// Errors as PyTorch's where an operation does not know the dtype; `function` is the one that was called.
Combine combine_function(std::string_view function, ReduceOp op, DType dtype);

}  // namespace onetape::distributed
