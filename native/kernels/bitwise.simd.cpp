#include <type_traits>
#include <utility>

#include "kernels/pointwise_loops.h"
#include "kernels/unary_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

using Bits = Types<bool, uint8_t, int8_t, int16_t, int32_t, int64_t>;

template <auto F>
struct Pair {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return static_cast<T>(F(a, b)); };
  }
};
const Pointwise<Pair<[](auto a, auto b) { return a & b; }>, 2, Bits> bitwise_and("bitwise_and_cpu");
const Pointwise<Pair<[](auto a, auto b) { return a | b; }>, 2, Bits> bitwise_or("bitwise_or_cpu");
const Pointwise<Pair<[](auto a, auto b) { return a ^ b; }>, 2, Bits> bitwise_xor("bitwise_xor_cpu");

// A shift by a negative number, or by all bits or more, leaves none of them but the sign.
template <typename T>
T shifted_left(T a, T by) {
  constexpr int kBits = 8 * sizeof(T);
  const auto bits = static_cast<std::make_unsigned_t<T>>(a);
  return std::cmp_less(by, 0) || std::cmp_greater_equal(by, kBits)
             ? T(0)
             : static_cast<T>(static_cast<uint64_t>(bits) << static_cast<int>(by));
}
template <typename T>
T shifted_right(T a, T by) {
  constexpr int kMost = 8 * sizeof(T) - std::is_signed_v<T>;
  if (std::cmp_less(by, 0) || std::cmp_greater_equal(by, kMost))
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
  return static_cast<T>(a >> static_cast<int>(by));
}
using Integers = Types<uint8_t, int8_t, int16_t, int32_t, int64_t>;
const Pointwise<Pair<[](auto a, auto b) { return shifted_left(a, b); }>, 2, Integers> left_shift(
    "lshift_cpu");
const Pointwise<Pair<[](auto a, auto b) { return shifted_right(a, b); }>, 2, Integers> right_shift(
    "rshift_cpu");

template <typename T>
T inverted(T a) {
  if constexpr (std::is_same_v<T, bool>) {
    return !a;
  } else {
    return static_cast<T>(~a);
  }
}
const Unary<[](auto a) { return inverted(a); }, Bits> bitwise_not("bitwise_not_cpu");

template <auto F>
struct TruthOf {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return F(a != T(0), b != T(0)); };
  }
};
const Pointwise<TruthOf<[](bool a, bool b) { return a & b; }>, 2, All, bool> logical_and("logical_and");
const Pointwise<TruthOf<[](bool a, bool b) { return a | b; }>, 2, All, bool> logical_or("logical_or");
const Pointwise<TruthOf<[](bool a, bool b) { return a != b; }>, 2, All, bool> logical_xor("logical_xor");
const Unary<[](auto a) { return a == decltype(a)(0); }, All, bool> logical_not("logical_not");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
