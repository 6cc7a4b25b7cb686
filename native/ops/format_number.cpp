#include <charconv>
#include <cmath>

#include "ops/format.h"

namespace onetape {
namespace {

/// Python changes to an exponent below 1e-4 and from 1e16 on.
constexpr int kSmallestPlain = -4;
constexpr int kLargestPlain = 16;

std::string plain_digits(const std::string& digits, int exponent) {
  const int count = static_cast<int>(digits.size());
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1) return digits + std::string(static_cast<size_t>(exponent + 1 - count), '0');
  const auto point = static_cast<size_t>(exponent) + 1;
  return digits.substr(0, point) + '.' + digits.substr(point);
}

/// Without `.0` after a whole number, which only a float that stands alone has.
std::string real_digits(double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::scientific).ptr;
  const std::string scientific(text, end);
  const size_t e = scientific.find('e');
  std::string digits = scientific.substr(0, e);
  if (digits.size() > 1) digits.erase(1, 1);
  const int exponent = std::stoi(scientific.substr(e + 1));
  if (exponent >= kSmallestPlain && exponent < kLargestPlain) return sign + plain_digits(digits, exponent);
  return sign + scientific;
}

std::string real_text(double value) {
  std::string text = real_digits(value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string complex_text(complex128 value) {
  std::string imaginary = real_digits(value.imag()) + "j";
  if (value.real() == 0 && !std::signbit(value.real())) return imaginary;
  return "(" + real_digits(value.real()) + (imaginary[0] == '-' ? "" : "+") + imaginary + ")";
}

}  // namespace

std::string format_number(const Scalar& value) {
  switch (value.kind()) {
    case DTypeKind::Bool:
      return value.to<bool>() ? "True" : "False";
    case DTypeKind::Integral:
      return std::to_string(value.to<int64_t>());
    case DTypeKind::Floating:
      return real_text(value.to<double>());
    default:
      return complex_text(value.to<complex128>());
  }
}

}  // namespace onetape
