#pragma once

#include <optional>
#include <span>

#include "core/tensor.h"

namespace onetape {

/// One entry of an index expression: x[1, 2:, None, ..., True, tensor].
struct IndexItem {
  enum class Kind : uint8_t { None, Ellipsis, Int, Slice, Bool, Tensor };

  Kind kind = Kind::None;
  int64_t integer = 0;  ///< of Int; 0 or 1 of Bool
  std::optional<int64_t> start, stop, step;
  onetape::Tensor tensor;  ///< integers or a mask

  static IndexItem none() { return {}; }
  static IndexItem ellipsis() { return {.kind = Kind::Ellipsis}; }
  static IndexItem of(int64_t index) { return {.kind = Kind::Int, .integer = index}; }
  static IndexItem slice(std::optional<int64_t> start, std::optional<int64_t> stop,
                         std::optional<int64_t> step) {
    return {.kind = Kind::Slice, .start = start, .stop = stop, .step = step};
  }
  static IndexItem of_bool(bool value) { return {.kind = Kind::Bool, .integer = value ? 1 : 0}; }
  static IndexItem of(const onetape::Tensor& tensor) { return {.kind = Kind::Tensor, .tensor = tensor}; }
};

/// x[items]: a view unless an item is a tensor with dimensions or a bool. One item and a tuple of one are the
/// same.
ONETAPE_API Tensor get_item(const Tensor& self, std::span<const IndexItem> items);
/// x[items] = value. A number is handed over as wrapped_number(); it takes self's dtype.
ONETAPE_API void set_item(const Tensor& self, std::span<const IndexItem> items, const Tensor& value);

}  // namespace onetape
