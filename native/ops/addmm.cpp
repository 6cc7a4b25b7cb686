#include <array>

#include "kernels/gemm.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/product.h"
#include "ops/type_words.h"

namespace onetape {
namespace {

bool is_zero(const Scalar& factor) { return factor.to<complex128>() == complex128(0); }

/// Checks that self can be broadcast to the result, with the text of expand; an in-place result has self's
/// own shape.
void check_addend(const Target& to, const Tensor& self, IntSpan sizes) {
  if (to.is_in_place()) {
    check(same(self.sizes(), sizes), "Bad in-place call: input tensor size ", self.shape(),
          " and output tensor size ", Ints(sizes), " should match");
  } else {
    ops::expand(detach(self), sizes);
  }
}

void check_factor(const char* name, const Scalar& factor, DType dtype) {
  check(dtype != DType::Bool || factor.kind() == DTypeKind::Bool || factor.is_integral(), "Boolean ", name,
        " only supported for Boolean results.");
  check(is_differentiable(dtype) || factor.is_integral(), "For integral input tensors, argument ", name,
        " must not be a floating point number.");
}

/// beta · self + alpha · (a · b): what the operators of this family have in common.
struct Sum {
  const Target& to;
  const char* node;
  const Tensor& self;
  const Tensor& a;
  const Tensor& b;
  const Scalar& beta;
  const Scalar& alpha;

  /// gradients(g, alpha) sets the gradients of a and b, inputs 1 and 2.
  template <typename F>
  Tensor deliver(const Tensor& result, F gradients) const {
    const bool is_recording = is_differentiable(result.dtype()) && recording(self, a, b);
    to.check_recording(is_recording);
    if (!is_recording) return to.attach(to.deliver(result), nullptr);
    auto saved = saving(to.save_if(tracked(b), a), to.save_if(tracked(a), b));
    const Tensor delivered = to.deliver(result);
    const std::array<Tensor, 3> inputs = {self, a, b};
    const Ints self_sizes = self.shape();
    auto gradient = [self_sizes, beta = beta, alpha = alpha, gradients](Backward& g) {
      if (g.needs(0)) g.set(0, ops::sum_to_size(times(g.grad(), beta), self_sizes));
      gradients(g, alpha);
    };
    return to.attach(delivered, make_function(node, std::span<const Tensor>(inputs), std::move(saved),
                                              std::move(gradient)));
  }
};

}  // namespace

namespace impl {

// ---- addmm ----
Tensor addmm(Target to, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha) {
  check_matrices("addmm", mat1, mat2);
  check_addend(to, self, std::array<int64_t, 2>{mat1.sizes()[0], mat2.sizes()[1]});
  check(self.dtype() == mat2.dtype(), "self and mat2 must have the same dtype, but got ",
        scalar_type_name(self.dtype()), " and ", scalar_type_name(mat2.dtype()));
  check(mat1.dtype() == mat2.dtype(), "mat1 and mat2 must have the same dtype, but got ",
        scalar_type_name(mat1.dtype()), " and ", scalar_type_name(mat2.dtype()));
  const Tensor result = matrix_product("addmm_impl_cpu_", mat1, mat2, alpha, self, beta);
  return Sum{to, "AddmmBackward0", self, mat1, mat2, beta, alpha}.deliver(
      result, [first = is_by_columns(mat1), second = is_by_columns(mat2)](Backward& g, const Scalar& factor) {
        if (g.needs(1)) {
          const Tensor other = ops::t(conjugate(g.saved(1)));
          g.set(1, times(product_laid_out(g.grad(), other, first), factor));
        }
        if (g.needs(2)) {
          const Tensor other = ops::t(conjugate(g.saved(0)));
          g.set(2, times(product_laid_out(other, g.grad(), second), factor));
        }
      });
}

// ---- addmv ----
Tensor addmv(Target to, const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha) {
  check_matrix_vector(mat, vec, self.dim(), self.dim() == 1 ? self.sizes()[0] : 1);
  check(self.dtype() == mat.dtype() && self.dtype() == vec.dtype(),
        "addmv input tensors must have the same dtype, but got ", scalar_type_name(self.dtype()), ", ",
        scalar_type_name(mat.dtype()), ", and ", scalar_type_name(vec.dtype()));
  check_addend(to, self, mat.sizes().first(1));
  const Tensor result = Tensor::empty(mat.sizes().first(1), self.dtype());
  if (!is_zero(beta)) copy_elements(result, self);
  const int64_t rows = mat.sizes()[0];
  if (result.has_data())
    gemm("addmv_impl_cpu", self.dtype(),
         {mat.bytes(), rows, mat.sizes()[1], mat.strides()[0], mat.strides()[1]},
         {vec.bytes(), vec.sizes()[0], 1, vec.strides()[0], 1}, {result.bytes(), rows, 1, 1, 1}, alpha, beta);
  return Sum{to, "AddmvBackward0", self, mat, vec, beta, alpha}.deliver(
      result, [](Backward& g, const Scalar& factor) {
        if (g.needs(1)) g.set(1, times(ops::outer(g.grad(), conjugate(g.saved(1))), factor));
        if (g.needs(2)) g.set(2, times(ops::mv(ops::t(conjugate(g.saved(0))), g.grad()), factor));
      });
}

// ---- baddbmm ----
Tensor baddbmm(Target to, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  check_batches(batch1, batch2);
  check_addend(to, self, std::array<int64_t, 3>{batch1.sizes()[0], batch1.sizes()[1], batch2.sizes()[2]});
  check(self.dtype() == batch1.dtype() && self.dtype() == batch2.dtype(),
        "Input dtypes must be the same, got: input ", type_words(self.dtype()),
        ", batch1: ", type_words(batch1.dtype()), ", batch2: ", type_words(batch2.dtype()));
  const Tensor result = batch_product("baddbmm", batch1, batch2, alpha, self, beta);
  return Sum{to, "BaddbmmBackward0", self, batch1, batch2, beta, alpha}.deliver(
      result, [](Backward& g, const Scalar& factor) {
        if (g.needs(1))
          g.set(1, times(ops::bmm(g.grad(), ops::transpose(conjugate(g.saved(1)), 1, 2)), factor));
        if (g.needs(2))
          g.set(2, times(ops::bmm(ops::transpose(conjugate(g.saved(0)), 1, 2), g.grad()), factor));
      });
}

// ---- addbmm ----
Tensor addbmm(Target to, const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  check_batches(batch1, batch2);
  const std::array<int64_t, 2> sizes = {batch1.sizes()[1], batch2.sizes()[2]};
  check_addend(to, self, sizes);
  const Tensor stack = batch_product("addmm_impl_cpu_", batch1, batch2, alpha);
  const int64_t first = 0;
  Tensor result = ops::sum(stack, IntSpan(&first, 1), false, stack.dtype());
  const Scalar factor = is_differentiable(self.dtype()) ? beta : Scalar(beta.to<int64_t>());
  if (!is_zero(factor)) result = ops::add(result, times(detach(self), factor));
  return Sum{to, "AddbmmBackward0", self, batch1, batch2, beta, alpha}.deliver(
      result, [](Backward& g, const Scalar& factor) {
        const Ints sizes = g.grad().shape();
        const int64_t count = (g.needs(1) ? g.saved(1) : g.saved(0)).sizes()[0];
        const Tensor grad = ops::expand(g.grad(), std::array<int64_t, 3>{count, sizes[0], sizes[1]});
        if (g.needs(1)) g.set(1, times(ops::bmm(grad, ops::transpose(conjugate(g.saved(1)), 1, 2)), factor));
        if (g.needs(2)) g.set(2, times(ops::bmm(ops::transpose(conjugate(g.saved(0)), 1, 2), grad), factor));
      });
}

// ---- addr ----
Tensor addr(Target to, const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  check(vec1.dim() == 1, "addr: Expected 1-D argument vec1, but got ", vec1.dim(), "-D");
  check(vec2.dim() == 1, "addr: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  const std::array<int64_t, 2> sizes = {vec1.sizes()[0], vec2.sizes()[0]};
  if (to.is_in_place()) {
    check(self.dim() == 2, "2D tensor expected, got ", self.dim(), "D tensor for input");
    check(same(self.sizes(), sizes), "size mismatch, input: ", self.shape(), ", v1: ", vec1.shape(),
          ", v2: ", vec2.shape());
  } else {
    check_addend(to, self, sizes);
  }
  const Tensor product = ops::outer(detach(vec1), detach(vec2));
  check_factor("beta", beta, product.dtype());
  check_factor("alpha", alpha, product.dtype());
  const auto scaled = [](const Tensor& t, const Scalar& factor) {
    return t.dtype() == DType::Bool ? ops::mul(t, Scalar(factor.to<bool>())) : times(t, factor);
  };
  Tensor result = scaled(product, alpha);
  result = is_zero(beta) ? result : ops::add(result, scaled(detach(self), beta));
  return Sum{to, "AddrBackward0", self, vec1, vec2, beta, alpha}.deliver(
      result, [](Backward& g, const Scalar& factor) {
        if (g.needs(1)) g.set(1, times(ops::mv(g.grad(), conjugate(g.saved(1))), factor));
        if (g.needs(2)) g.set(2, times(ops::mv(ops::t(g.grad()), conjugate(g.saved(0))), factor));
      });
}

}  // namespace impl

namespace ops {

// ---- linear ----
Tensor linear(Body, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  check(input.dim() > 0 && weight.dim() > 0, "both arguments to linear need to be at least 1D, but they are ",
        input.dim(), "D and ", weight.dim(), "D");
  if (!bias.defined()) return matmul(input, t(weight));
  if (input.dim() == 2) return addmm(bias, input, t(weight));
  if (weight.dim() == 1 || !input.is_contiguous()) return add(matmul(input, t(weight)), bias);
  Ints sizes = input.shape();
  const int64_t rows = input.numel() / std::max<int64_t>(sizes.back(), 1);
  const Tensor result = addmm(bias, reshape(input, std::array<int64_t, 2>{rows, sizes.back()}), t(weight));
  sizes[sizes.size() - 1] = result.sizes()[1];
  return unsafe_view(result, sizes);
}

}  // namespace ops
}  // namespace onetape
