#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/error.h"
#include "core/half.h"

namespace onetape {

/// Element types. The order within a kind is the order of promotion.
enum class DType : uint8_t { Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64, C64, C128 };
inline constexpr int kDTypes = 12;

/// Kinds of dtypes in the order in which promotion prefers them.
enum class DTypeKind : uint8_t { Bool, Integral, Floating, Complex };

/// Bytes an element takes.
constexpr size_t item_size(DType dtype) {
  // The logarithm of each size in four bits, the first dtype lowest: 1 1 1 2 4 8 2 2 4 8 8 16.
  return size_t{1} << ((uint64_t{0x433211321000} >> (4 * static_cast<unsigned>(dtype))) & 15);
}
constexpr DTypeKind kind_of(DType dtype) {
  if (dtype == DType::Bool) return DTypeKind::Bool;
  if (dtype <= DType::I64) return DTypeKind::Integral;
  return dtype <= DType::F64 ? DTypeKind::Floating : DTypeKind::Complex;
}
/// `float32`: the name after `torch.`
ONETAPE_API std::string_view name_of(DType dtype);
/// `Float`: the name in error texts (PyTorch's ScalarType) and in Java.
ONETAPE_API std::string_view scalar_type_name(DType dtype);
/// Inverse of name_of, also for the aliases float, double, half, int, long, short.
ONETAPE_API bool parse_dtype(std::string_view name, DType* out);

inline bool is_floating(DType d) { return kind_of(d) == DTypeKind::Floating; }
inline bool is_complex(DType d) { return kind_of(d) == DTypeKind::Complex; }
inline bool is_integral(DType d) { return kind_of(d) == DTypeKind::Integral; }
/// Only floating and complex tensors can require a gradient.
inline bool is_differentiable(DType d) { return kind_of(d) >= DTypeKind::Floating; }

/// PyTorch's promotion of two dtypes of the same priority.
ONETAPE_API DType promote(DType a, DType b);
/// The real dtype of a complex one (float32 of complex64), else the dtype itself.
ONETAPE_API DType to_real(DType dtype);
ONETAPE_API DType to_complex(DType dtype);
/// May a result of dtype `from` be written into a tensor of dtype `to`? (Never to a lower kind.)
inline bool can_cast(DType from, DType to) {
  return kind_of(from) <= kind_of(to) && !(to == DType::Bool && from != DType::Bool);
}

ONETAPE_API DType default_dtype();
ONETAPE_API void set_default_dtype(DType dtype);

ONETAPE_API std::ostream& operator<<(std::ostream& out, DType dtype);

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::Bool;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::U8;
};
template <>
struct DTypeOf<int8_t> {
  static constexpr DType value = DType::I8;
};
template <>
struct DTypeOf<int16_t> {
  static constexpr DType value = DType::I16;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::I32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::I64;
};
template <>
struct DTypeOf<Half> {
  static constexpr DType value = DType::F16;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::BF16;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::F32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::F64;
};
template <>
struct DTypeOf<complex64> {
  static constexpr DType value = DType::C64;
};
template <>
struct DTypeOf<complex128> {
  static constexpr DType value = DType::C128;
};
template <typename T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

template <typename T>
struct TypeTag {
  using type = T;
};

/// Calls f(TypeTag<T>{}) with the C++ type of a dtype.
template <typename F>
decltype(auto) visit_all(DType dtype, F&& f) {
  switch (dtype) {
    case DType::Bool:
      return f(TypeTag<bool>{});
    case DType::U8:
      return f(TypeTag<uint8_t>{});
    case DType::I8:
      return f(TypeTag<int8_t>{});
    case DType::I16:
      return f(TypeTag<int16_t>{});
    case DType::I32:
      return f(TypeTag<int32_t>{});
    case DType::I64:
      return f(TypeTag<int64_t>{});
    case DType::F16:
      return f(TypeTag<Half>{});
    case DType::BF16:
      return f(TypeTag<BFloat16>{});
    case DType::F32:
      return f(TypeTag<float>{});
    case DType::F64:
      return f(TypeTag<double>{});
    case DType::C64:
      return f(TypeTag<complex64>{});
    case DType::C128:
      return f(TypeTag<complex128>{});
  }
  fail(ErrorKind::Type, "unknown dtype ", static_cast<int>(dtype));
}

/// The same without the complex types: an error naming the operator for those.
template <typename F>
decltype(auto) visit_real(std::string_view op, DType dtype, F&& f) {
  switch (dtype) {
    case DType::Bool:
      return f(TypeTag<bool>{});
    case DType::U8:
      return f(TypeTag<uint8_t>{});
    case DType::I8:
      return f(TypeTag<int8_t>{});
    case DType::I16:
      return f(TypeTag<int16_t>{});
    case DType::I32:
      return f(TypeTag<int32_t>{});
    case DType::I64:
      return f(TypeTag<int64_t>{});
    case DType::F16:
      return f(TypeTag<Half>{});
    case DType::BF16:
      return f(TypeTag<BFloat16>{});
    case DType::F32:
      return f(TypeTag<float>{});
    case DType::F64:
      return f(TypeTag<double>{});
    default:
      fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for '", scalar_type_name(dtype), "'");
  }
}

/// The floating types only.
template <typename F>
decltype(auto) visit_floating(std::string_view op, DType dtype, F&& f) {
  switch (dtype) {
    case DType::F16:
      return f(TypeTag<Half>{});
    case DType::BF16:
      return f(TypeTag<BFloat16>{});
    case DType::F32:
      return f(TypeTag<float>{});
    case DType::F64:
      return f(TypeTag<double>{});
    default:
      fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for '", scalar_type_name(dtype), "'");
  }
}

/// The type in which arithmetic on T is done: float for the 16-bit floats.
template <typename T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<Half> {
  using type = float;
};
template <>
struct ComputeType<BFloat16> {
  using type = float;
};
template <typename T>
using compute_t = typename ComputeType<T>::type;

/// Converts between element types as PyTorch does (complex to real drops the imaginary part).
template <typename To, typename From>
To convert(From value) {
  constexpr bool from_complex = std::is_same_v<From, complex64> || std::is_same_v<From, complex128>;
  constexpr bool to_complex = std::is_same_v<To, complex64> || std::is_same_v<To, complex128>;
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool> && from_complex) {
    return value.real() != 0 || value.imag() != 0;
  } else if constexpr (from_complex && to_complex) {
    return To(static_cast<typename To::value_type>(value.real()),
              static_cast<typename To::value_type>(value.imag()));
  } else if constexpr (from_complex) {
    return convert<To>(value.real());
  } else if constexpr (to_complex) {
    return To(static_cast<typename To::value_type>(static_cast<compute_t<From>>(value)));
  } else if constexpr (std::is_same_v<To, bool>) {
    return static_cast<compute_t<From>>(value) != compute_t<From>(0);
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    // Out-of-range values are undefined in C++; go through int64 saturation-free truncation as x86 does.
    const double wide = static_cast<double>(static_cast<compute_t<From>>(value));
    if (!(wide > -9223372036854777856.0 && wide < 9223372036854775808.0)) return static_cast<To>(INT64_MIN);
    return static_cast<To>(static_cast<int64_t>(wide));
  } else {
    return static_cast<To>(static_cast<compute_t<From>>(value));
  }
}

}  // namespace onetape
