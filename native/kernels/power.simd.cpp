#include "kernels/unary_loops.h"
#include "kernels/vector_power.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

struct Pow {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return vm::pow(a, b); };
  }
};
const Pointwise<Pow, 2, NumbersAndComplex> pow("pow");

/// Exact for all numbers: also for those of which the general formula makes nan.
const Unary<[](auto a) { return decltype(a)(1); }, NumbersAndComplex> zeroth_power("zeroth_power");
const Unary<[](auto a) { return a; }, NumbersAndComplex> first_power("first_power");
const Unary<[](auto a) { return a * a * a; }, NumbersAndComplex> cube("cube");
const Unary<[](auto a) { return decltype(a)(1) / (a * a); }, FloatsAndComplex> inverse_square(
    "inverse_square");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
