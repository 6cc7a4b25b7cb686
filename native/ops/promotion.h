#pragma once

#include <initializer_list>
#include <span>

#include "core/tensor.h"

namespace onetape {

/// The dtype of a result of these tensors: PyTorch's rules, in which tensors with dimensions come before
/// 0-dim ones, and those before numbers. Undefined tensors are passed over.
ONETAPE_API DType result_type(std::span<const Tensor> tensors);
inline DType result_type(std::initializer_list<Tensor> tensors) {
  return result_type(std::span<const Tensor>(tensors.begin(), tensors.size()));
}
/// What a sum or product of that dtype is kept in: int64 for bool and integers.
inline DType sum_type(DType dtype) { return kind_of(dtype) <= DTypeKind::Integral ? DType::I64 : dtype; }

}  // namespace onetape
