#include <functional>

#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

template <typename Relation>
struct Test {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return Relation()(a, b); };
  }
};

const Pointwise<Test<std::equal_to<>>, 2, All, bool> eq("eq");
const Pointwise<Test<std::not_equal_to<>>, 2, All, bool> ne("ne");
const Pointwise<Test<std::less<>>, 2, Real, bool> lt("lt_cpu");
const Pointwise<Test<std::less_equal<>>, 2, Real, bool> le("le_cpu");
const Pointwise<Test<std::greater<>>, 2, Real, bool> gt("gt_cpu");
const Pointwise<Test<std::greater_equal<>>, 2, Real, bool> ge("ge_cpu");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
