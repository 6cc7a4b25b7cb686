#pragma once

#include <complex>
#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// One number with its kind, as a language hands it over.
class Scalar {
 public:
  Scalar() = default;
  Scalar(bool value) : kind_(DTypeKind::Bool), integer_(value) {}     // NOLINT(google-explicit-constructor)
  Scalar(int value) : integer_(value) {}                              // NOLINT(google-explicit-constructor)
  Scalar(int64_t value) : integer_(value) {}                          // NOLINT(google-explicit-constructor)
  Scalar(float value) : Scalar(static_cast<double>(value)) {}         // NOLINT(google-explicit-constructor)
  Scalar(double value) : kind_(DTypeKind::Floating), real_(value) {}  // NOLINT(google-explicit-constructor)
  Scalar(complex128 value)                                            // NOLINT(google-explicit-constructor)
      : kind_(DTypeKind::Complex), real_(value.real()), imag_(value.imag()) {}

  /// An integer from 2^63 on.
  static Scalar beyond_int64(uint64_t value) {
    Scalar scalar(static_cast<int64_t>(value));
    scalar.beyond_int64_ = true;
    return scalar;
  }

  DTypeKind kind() const { return kind_; }
  bool is_beyond_int64() const { return beyond_int64_; }
  bool is_integral() const { return kind_ <= DTypeKind::Integral; }
  /// bool, int64, the default floating dtype or its complex twin.
  DType dtype() const {
    switch (kind_) {
      case DTypeKind::Bool:
        return DType::Bool;
      case DTypeKind::Integral:
        return DType::I64;
      case DTypeKind::Floating:
        return default_dtype();
      default:
        return to_complex(default_dtype());
    }
  }
  template <typename T>
  T to() const {
    switch (kind_) {
      case DTypeKind::Bool:
      case DTypeKind::Integral:
        if (beyond_int64_) [[unlikely]]
          return convert<T>(static_cast<uint64_t>(integer_));
        return convert<T>(integer_);
      case DTypeKind::Floating:
        return convert<T>(real_);
      default:
        return convert<T>(complex128(real_, imag_));
    }
  }

 private:
  DTypeKind kind_ = DTypeKind::Integral;
  bool beyond_int64_ = false;  // integer_ has the bits of an unsigned one
  int64_t integer_ = 0;
  double real_ = 0;
  double imag_ = 0;
};

}  // namespace onetape
