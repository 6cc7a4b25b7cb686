#pragma once

#include "core/dtype.h"

namespace onetape {

/// An element of complex128's size.
struct alignas(8) Sixteen {
  uint64_t parts[2];
};

/// Calls f(TypeTag<T>{}) with a type of that many bytes: only the size of an element matters to a copy.
template <typename F>
decltype(auto) visit_item_size(size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(TypeTag<uint8_t>{});
    case 2:
      return f(TypeTag<uint16_t>{});
    case 4:
      return f(TypeTag<uint32_t>{});
    case 8:
      return f(TypeTag<uint64_t>{});
    default:
      return f(TypeTag<Sixteen>{});
  }
}

}  // namespace onetape
