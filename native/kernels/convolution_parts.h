#pragma once

// What the parts of a convolution's kernels share.

#include <cstring>
#include <vector>

#include "core/tensor.h"
#include "kernels/convolution_grid.h"

namespace onetape {
namespace convolution {

using Sizes = ConvolutionShape::Sizes;
inline constexpr Sizes kOnes = {1, 1, 1};
inline constexpr double kWorth = 1 << 18;  // multiplications worth a thread

/// The product of two counts, as a double: it is only compared.
inline double times(int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); }

/// Memory for `planes` times `plane` elements and some more.
template <typename T>
struct Buffer {
  Buffer(int64_t planes, int64_t plane, int64_t more) {
    constexpr double kLimit = 0x1p46;
    if (times(planes, plane) + static_cast<double>(more) > kLimit) {
      fail(ErrorKind::OutOfMemory, "convolution: ", planes, " planes of ", plane,
           " elements with their padding do not fit into memory");
    }
    const int64_t elements = planes * plane + more;
    memory = Tensor::empty(Ints{elements * static_cast<int64_t>(sizeof(T))}, DType::U8);
  }
  T* data() const { return reinterpret_cast<T*>(memory.bytes()); }
  void clear() const { std::memset(memory.bytes(), 0, static_cast<size_t>(memory.numel())); }

  Tensor memory;
};

/// Calls f(index) for every index below the sizes, in row-major order.
template <typename F>
void for_each_index(const Sizes& sizes, const F& f) {
  Sizes at{};
  for (at[0] = 0; at[0] < sizes[0]; ++at[0]) {
    for (at[1] = 0; at[1] < sizes[1]; ++at[1]) {
      for (at[2] = 0; at[2] < sizes[2]; ++at[2]) f(at);
    }
  }
}

/// The grid from which a convolution reads its input.
inline ConvolutionGrid input_grid(const ConvolutionShape& s) {
  Sizes reach{};
  for (size_t d = 0; d < 3; ++d)
    reach[d] = (s.out[d] - 1) * s.stride[d] + (s.kernel[d] - 1) * s.dilation[d] + 1;
  return {s.in, s.padding, reach, s.stride, s.out};
}

/// Where the taps of a convolution stand in that grid.
inline std::vector<int64_t> tap_offsets(const ConvolutionShape& s, const ConvolutionGrid& grid) {
  std::vector<int64_t> offsets;
  for (int64_t c = 0; c < s.in_channels; ++c) {
    for_each_index(s.kernel, [&](const Sizes& k) {
      offsets.push_back(c * grid.plane() +
                        grid.cell({k[0] * s.dilation[0], k[1] * s.dilation[1], k[2] * s.dilation[2]}));
    });
  }
  return offsets;
}

/// Calls f(TypeTag<T>{}) for the types that are convolved as they are.
template <typename F>
void visit(DType dtype, const F& f) {
  visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      fail(ErrorKind::NotImplemented, "\"convolution\" not implemented for '", scalar_type_name(dtype), "'");
    } else {
      f(tag);
    }
  });
}

}  // namespace convolution
}  // namespace onetape
