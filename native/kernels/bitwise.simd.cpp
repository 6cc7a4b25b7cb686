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
