#include "kernels/copy.h"

#include <cstring>

namespace onetape {
namespace {

template <typename To, typename From>
void copy_inner(char* const* data, const int64_t* strides, int64_t n, const Scalar*) {
  if constexpr (std::is_same_v<To, From>) {
    if (strides[0] == sizeof(To) && strides[1] == sizeof(From)) {
      std::memmove(data[0], data[1], static_cast<size_t>(n) * sizeof(To));
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<To*>(data[0] + i * strides[0]) =
        convert<To>(*reinterpret_cast<const From*>(data[1] + i * strides[1]));
  }
}

}  // namespace

InnerLoop copy_loop(DType to, DType from) {
  return visit_all(to, [&](auto to_tag) {
    return visit_all(from, [&](auto from_tag) -> InnerLoop {
      return &copy_inner<typename decltype(to_tag)::type, typename decltype(from_tag)::type>;
    });
  });
}

}  // namespace onetape
