#include "kernels/median.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/reduction.h"

namespace onetape::ops {
namespace {

void check_floating(const char* op, const Tensor& self) {
  if (is_floating(self.dtype())) return;
  if (!is_complex(self.dtype()))
    fail(ErrorKind::NotImplemented, op, " only support floating point and complex dtypes");
  fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for '", scalar_type_name(self.dtype()), "'");
}

double correction_or_one(const std::optional<Scalar>& correction) {
  return correction ? correction->to<double>() : 1.0;
}

/// Gradient of the variance: 2 (x − mean) / (n − correction).
Tensor variance_gradient(const Tensor& grad, const Tensor& self, const ReducedDims& dims, double correction) {
  const Ints list = dims.list(self.sizes());
  const Tensor distance = self.dim() == 0 ? sub(self, self) : sub(self, mean(self, IntSpan(list), true));
  const double freedom = static_cast<double>(dims.count(self.sizes())) - correction;
  const Tensor wide = with_reduced(grad, dims, self.sizes());
  if (freedom <= 0 && dims.every()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return mul(
        wide, where(eq(distance, wrapped_number(0)), wrapped_number(std::nan("")), wrapped_number(infinity)));
  }
  return mul(mul(wide, Scalar(2.0 / freedom)), distance);
}

/// From the gradient of the deviation that of the variance; 0 where the deviation is 0.
Tensor root_gradient(const Tensor& grad, const Tensor& deviation) {
  return where(eq(deviation, wrapped_number(0)), wrapped_number(0), div(grad, mul(deviation, Scalar(2))));
}

Tensor spread(const char* node, bool root, const Tensor& self, std::optional<IntSpan> dim, double correction,
              bool keepdim) {
  check_floating("std and var", self);
  const ReducedDims dims(self, dim);
  const Scalar parameter(correction);
  Tensor result = reduce(root ? "std_cpu" : "var_cpu", self, dims, keepdim, self.dtype(), &parameter);
  if (!recording(self)) return result;
  return record(result, node, {self}, saving(save(self), root ? save_result(result) : SavedTensor()),
                [dims, correction, root](Backward& g) {
                  const Tensor grad = root ? root_gradient(g.grad(), g.saved(1)) : g.grad();
                  g.set(0, variance_gradient(grad, g.saved(0), dims, correction));
                });
}

std::tuple<Tensor, Tensor> spread_and_mean(const char* op, const char* node, bool root, const Tensor& self,
                                           std::optional<IntSpan> dim, double correction, bool keepdim) {
  check_floating(op, self);
  const ReducedDims dims(self, dim);
  const Scalar parameter(correction);
  const auto [result, average] =
      reduce_pair(root ? "std_cpu" : "var_cpu", self, dims, keepdim, self.dtype(), self.dtype(), &parameter);
  if (recording(self)) {
    auto gradient = [dims, correction, root](Backward& g) {
      const Tensor self = g.saved(0);
      Tensor total;
      if (g.grad(0).defined()) {
        total = variance_gradient(root ? root_gradient(g.grad(0), g.saved(1)) : g.grad(0), self, dims,
                                  correction);
      }
      if (g.grad(1).defined()) {
        const Tensor part =
            expand_reduced(div(g.grad(1), Scalar(dims.count(self.sizes()))), dims, self.sizes());
        total = total.defined() ? add(total, part) : part;
      }
      g.set(0, total);
    };
    const Ref<Node> function =
        make_function(node, std::span(&self, 1),
                      saving(save(self), root ? save_result(result) : SavedTensor()), gradient, 2);
    set_history(result, function, 0);
    set_history(average, function, 1);
  }
  return {result, average};
}

}  // namespace

// ---- var ----
Tensor var(Body, const Tensor& self, bool unbiased) {
  return spread("VarBackward0", false, self, std::nullopt, unbiased ? 1 : 0, false);
}

Tensor var(Body, const Tensor& self, std::optional<IntSpan> dim, bool unbiased, bool keepdim) {
  return spread("VarBackward0", false, self, dim, unbiased ? 1 : 0, keepdim);
}

Tensor var(Body, const Tensor& self, std::optional<IntSpan> dim, const std::optional<Scalar>& correction,
           bool keepdim) {
  return spread("VarBackward0", false, self, dim, correction_or_one(correction), keepdim);
}

// ---- std ----
Tensor std(Body, const Tensor& self, bool unbiased) {
  return spread("StdBackward0", true, self, std::nullopt, unbiased ? 1 : 0, false);
}

Tensor std(Body, const Tensor& self, std::optional<IntSpan> dim, bool unbiased, bool keepdim) {
  return spread("StdBackward0", true, self, dim, unbiased ? 1 : 0, keepdim);
}

Tensor std(Body, const Tensor& self, std::optional<IntSpan> dim, const std::optional<Scalar>& correction,
           bool keepdim) {
  return spread("StdBackward0", true, self, dim, correction_or_one(correction), keepdim);
}

// ---- var_mean ----
std::tuple<Tensor, Tensor> var_mean(Body, const Tensor& self, std::optional<IntSpan> dim,
                                    const std::optional<Scalar>& correction, bool keepdim) {
  return spread_and_mean("var_mean", "VarMeanBackward0", false, self, dim, correction_or_one(correction),
                         keepdim);
}

// ---- std_mean ----
std::tuple<Tensor, Tensor> std_mean(Body, const Tensor& self, std::optional<IntSpan> dim,
                                    const std::optional<Scalar>& correction, bool keepdim) {
  return spread_and_mean("std_mean", "StdMeanBackward0", true, self, dim, correction_or_one(correction),
                         keepdim);
}

// ---- median ----
Tensor median(Body, const Tensor& self) {
  Tensor result = scalar_tensor(Scalar(std::nan("")), self.dtype());
  const Tensor in = dense(self);
  if (self.numel() > 0 && self.has_data())
    median_rows("median_cpu", self.dtype(), in.bytes(), 1, self.numel(), result.bytes(), nullptr);
  if (!recording(self)) return result;
  return record(result, "MedianBackward0", {self}, saving(save(self), save_result(result)),
                [](Backward& g) { g.set(0, share_gradient(g.grad(), g.saved(0), g.saved(1))); });
}

std::tuple<Tensor, Tensor> median(Body, const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t at = wrap_dim(dim, self.dim());
  const ReducedDims dims = ReducedDims::one(self, dim);
  const int64_t n = self.dim() == 0 ? 1 : self.sizes()[at];
  check_index(n != 0, "median(): Expected reduction dim ", at, " to have non-zero size.");
  const Ints sizes = dims.shape(self.sizes(), keepdim);
  const Tensor values = Tensor::empty(sizes, self.dtype());
  const Tensor indices = Tensor::empty(sizes, DType::I64);
  const Tensor rows =
      self.dim() == 0 ? self : dense(movedim(detach(self), IntSpan(&at, 1), std::array<int64_t, 1>{-1}));
  if (rows.has_data())
    median_rows("median_out", self.dtype(), rows.bytes(), values.numel(), n, values.bytes(),
                indices.data<int64_t>());
  if (recording(self)) {
    record(values, "MedianBackward1", {self}, saving(save(indices)),
           [at, keepdim, sizes = self.shape()](Backward& g) {
             g.set(0, place_gradient(g.grad(), at, g.saved(0), sizes, keepdim));
           });
  }
  return {values, indices};
}

}  // namespace onetape::ops
