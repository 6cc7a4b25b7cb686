#include "ops/promotion.h"

#include <optional>

namespace onetape {
namespace {

/// Joins the winners of two priorities: the lower one counts only if its kind is higher, and never for
/// precision.
std::optional<DType> join(std::optional<DType> high, std::optional<DType> low) {
  if (!high) return low;
  if (!low) return high;
  if (is_complex(*low) && is_floating(*high)) return to_complex(*high);
  if (kind_of(*low) > kind_of(*high)) return promote(*high, *low);
  return high;
}

void add(std::optional<DType>& so_far, DType dtype) { so_far = so_far ? promote(*so_far, dtype) : dtype; }

}  // namespace

DType result_type(std::span<const Tensor> tensors) {
  std::optional<DType> dimensioned;
  std::optional<DType> zero_dim;
  std::optional<DType> numbers;
  for (const Tensor& t : tensors) {
    if (!t.defined()) continue;
    if (t.impl()->wrapped_number()) {
      DType dtype = t.dtype();
      if (is_floating(dtype)) dtype = default_dtype();
      if (is_complex(dtype)) dtype = to_complex(default_dtype());
      add(numbers, dtype);
    } else {
      add(t.dim() > 0 ? dimensioned : zero_dim, t.dtype());
    }
  }
  return join(join(dimensioned, zero_dim), numbers).value_or(default_dtype());
}

}  // namespace onetape
