#include <numbers>

#include "ops.h"
#include "ops/composed.h"
#include "ops/holds.h"

namespace onetape::ops {
namespace {

/// var in a shape that broadcasts to input's: the same, or one number for a dimension.
Tensor fitted_variance(const Tensor& input, const Tensor& var) {
  const IntSpan wanted = input.sizes();
  const IntSpan given = var.sizes();
  if (same(wanted, given)) return var;
  if (input.dim() == var.dim() + 1 && same(wanted.first(given.size()), given)) return unsqueeze(var, -1);
  int64_t others = 0;
  bool ones = input.dim() == var.dim();
  for (size_t d = 0; ones && d < wanted.size(); ++d) {
    if (wanted[d] == given[d]) continue;
    others += given[d];
  }
  check_value(ones && others == 1, "var is of incorrect size");
  return var;
}

}  // namespace

// ---- poisson_nll_loss ----
Tensor poisson_nll_loss(Body, const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  Tensor losses =
      log_input ? sub(exp(input), mul(target, input)) : sub(input, mul(target, log(add(input, Scalar(eps)))));
  if (full) {
    const Tensor width = mul(log(mul(target, Scalar(2 * std::numbers::pi))), Scalar(0.5));
    const Tensor stirling = add(sub(mul(target, log(target)), target), width);
    losses = add(losses, masked_fill(stirling, le(target, Scalar(1)), Scalar(0)));
  }
  return reduced(losses, mode);
}

// ---- gaussian_nll_loss ----
Tensor gaussian_nll_loss(Body, const Tensor& input, const Tensor& target, const Tensor& var, bool full,
                         double eps, std::string_view reduction) {
  check_value(!var.has_data() || !holds(any(lt(var, Scalar(0)))), "var has negative entry/entries");
  const Tensor bounded = clone(fitted_variance(input, var));
  check_value(reduction == "none" || reduction == "mean" || reduction == "sum", reduction, " is not valid");
  {
    const GradModeGuard off(false);  // the gradient is that of the variance itself
    clamp_min_(bounded, Scalar(eps));
  }
  const Tensor distance = sub(input, target);
  const Tensor relative = div(mul(distance, distance), bounded);
  Tensor losses = mul(add(log(bounded), relative), Scalar(0.5));
  if (full) losses = add(losses, Scalar(0.5 * std::log(2 * std::numbers::pi)));
  return reduced(losses, parse_reduction(reduction));
}

}  // namespace onetape::ops
