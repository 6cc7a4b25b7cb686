#include "kernels/gather.h"

#include <cstring>

#include "kernels/item_size.h"
#include "kernels/loop.h"
#include "kernels/walk.h"

namespace onetape {
namespace {

[[noreturn]] void fail_bounds(int64_t index, int64_t dim, int64_t size) {
  fail(ErrorKind::Runtime, "index ", index, " is out of bounds for dimension ", dim, " with size ", size);
}

/// Operands: out, from (without a stride along dim), index. Params: from's stride along dim, its size, dim.
template <typename T>
void gather_inner(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  const auto step = params[0].to<int64_t>();
  const auto size = params[1].to<int64_t>();
  const auto at = [&](const char* index) {
    const int64_t i = *reinterpret_cast<const int64_t*>(index);
    if (i < 0 || i >= size) [[unlikely]]
      fail_bounds(i, params[2].to<int64_t>(), size);
    return i * step;
  };
  if (strides[2] == 0 && strides[0] == sizeof(T) &&
      strides[1] == sizeof(T)) {  // a row at a time, as of an embedding
    std::memcpy(data[0], data[1] + at(data[2]), static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const char* from = data[1] + i * strides[1] + at(data[2] + i * strides[2]);
    *reinterpret_cast<T*>(data[0] + i * strides[0]) = *reinterpret_cast<const T*>(from);
  }
}

LoopOperand operand(const Tensor& t, IntSpan shape) {
  return {t.bytes(), loop_strides(t.sizes(), t.strides(), t.item_bytes(), shape)};
}

/// Calls put(to, from) with the places of every index, one after the other.
template <typename T, typename F>
void for_scattered(const Tensor& to, int64_t dim, const Tensor& index, const Tensor& source, F put) {
  const int64_t n = index.numel();
  if (n == 0) return;
  T* target = to.data<T>();
  const T* from = source.data<T>();
  const int64_t* at = index.data<int64_t>();
  Ints fixed(to.strides());
  const int64_t step = fixed[dim];
  const int64_t size = to.sizes()[dim];
  fixed[dim] = 0;
  Walk<3> walk(index.sizes(), {IntSpan(fixed), source.strides(), index.strides()});
  for (int64_t i = 0; i < n; ++i, walk.next()) {
    const int64_t place = at[walk[2]];
    if (place < 0 || place >= size) [[unlikely]]  // they were checked, but another thread may write to them
      fail_bounds(place, dim, size);
    put(target[walk[0] + place * step], from[walk[1]]);
  }
}

template <typename T>
constexpr bool ordered = !std::is_same_v<T, complex64> && !std::is_same_v<T, complex128>;

template <typename T>
T combined(T a, T b, Combine how) {
  using C = compute_t<T>;
  const auto x = static_cast<C>(a);
  const auto y = static_cast<C>(b);
  switch (how) {
    case Combine::Add:
      return static_cast<T>(x + y);
    case Combine::Multiply:
      return static_cast<T>(x * y);
    default:
      break;
  }
  if constexpr (ordered<T>) {
    if (x != x) return a;  // nan stays
    if (how == Combine::Max) return x >= y ? a : b;
    return x <= y ? a : b;
  } else {
    fail(ErrorKind::NotImplemented, "\"scatter_reduce\" not implemented for '", scalar_type_name(dtype_of<T>),
         "'");
  }
}

template <typename T>
void fill_inner(char* const* data, const int64_t* strides, int64_t n, const Scalar*) {
  const T value = *reinterpret_cast<const T*>(data[2]);
  for (int64_t i = 0; i < n; ++i) {
    T* to = reinterpret_cast<T*>(data[0] + i * strides[0]);
    *to = *reinterpret_cast<const bool*>(data[1] + i * strides[1]) ? value : *to;
  }
}

/// Calls found(offset in t) for every element whose mask is set, in row-major order; at most `limit` times,
/// since another thread may write to a mask whose elements were counted.
template <typename F>
void for_masked(const Tensor& t, const Tensor& mask, int64_t limit, F found) {
  const int64_t n = t.numel();
  if (n == 0) return;
  const Ints mask_strides = loop_strides(mask.sizes(), mask.strides(), 1, t.sizes());
  const bool* set = mask.data<bool>();
  Walk<2> walk(t.sizes(), {t.strides(), mask_strides});
  for (int64_t i = 0; i < n; ++i, walk.next()) {
    if (!set[walk[1]]) continue;
    if (limit-- <= 0) return;
    found(walk[0]);
  }
}

}  // namespace

void gather_along(const Tensor& out, const Tensor& from, int64_t dim, const Tensor& index) {
  if (!out.has_data()) return;
  std::array<LoopOperand, 3> loop = {operand(out, out.sizes()), operand(from, out.sizes()),
                                     operand(index, out.sizes())};
  const auto bytes = static_cast<int64_t>(from.item_bytes());
  for (int d = 0; d < from.dim();
       ++d) {  // from may be larger than index, so its sizes say nothing about its strides
    loop[1].strides[d] = d == dim ? 0 : from.strides()[d] * bytes;
  }
  const std::array<Scalar, 3> params = {from.strides()[dim] * bytes, from.sizes()[dim], dim};
  visit_item_size(from.item_bytes(), [&](auto tag) {
    run_loop(out.sizes(), loop, &gather_inner<typename decltype(tag)::type>, params.data());
  });
}

void scatter_along(const Tensor& to, int64_t dim, const Tensor& index, const Tensor& source) {
  if (!to.has_data()) return;
  visit_item_size(to.item_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_scattered<T>(to, dim, index, source, [](T& a, const T& b) { a = b; });
  });
}

void combine_along(const Tensor& to, int64_t dim, const Tensor& index, const Tensor& source, Combine how) {
  if (!to.has_data()) return;
  visit_all(to.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_scattered<T>(to, dim, index, source, [how](T& a, const T& b) { a = combined(a, b, how); });
  });
}

void check_bounds(const Tensor& index, int64_t dim, int64_t size) {
  if (!index.has_data()) return;
  const int64_t n = index.numel();
  if (n == 0) return;
  const int64_t* at = index.data<int64_t>();
  Walk<1> walk(index.sizes(), {index.strides()});
  for (int64_t i = 0; i < n; ++i, walk.next()) {
    const int64_t value = at[walk[0]];
    if (value < 0 || value >= size) [[unlikely]]
      fail_bounds(value, dim, size);
  }
}

void fill_where(const Tensor& to, const Tensor& mask, const Tensor& value) {
  if (!to.has_data()) return;
  std::array<LoopOperand, 3> loop = {operand(to, to.sizes()), operand(mask, to.sizes()),
                                     operand(value, to.sizes())};
  visit_item_size(to.item_bytes(),
                  [&](auto tag) { run_loop(to.sizes(), loop, &fill_inner<typename decltype(tag)::type>); });
}

void compress(const Tensor& out, const Tensor& from, const Tensor& mask) {
  visit_item_size(from.item_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = out.data<T>();
    const T* at = from.data<T>();
    for_masked(from, mask, out.numel(), [&](int64_t offset) { *to++ = at[offset]; });
  });
}

void spread(const Tensor& to, const Tensor& mask, const Tensor& from) {
  if (!to.has_data()) return;
  visit_item_size(to.item_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* at = to.data<T>();
    const T* source = from.data<T>();
    for_masked(to, mask, from.numel(), [&](int64_t offset) { at[offset] = *source++; });
  });
}

}  // namespace onetape
