#include <limits>

#include "ops.h"
#include "ops/promotion.h"
#include "ops/reduction.h"

namespace onetape::ops {
namespace {

/// Converts `self` to what a sum or product asked for in `dtype` is formed of.
Tensor operand(const Tensor& self, DType dtype) {
  if (self.dtype() == dtype || dtype == sum_type(self.dtype()))
    return self;  // the kernels widen by themselves
  return to_dtype(self, dtype);
}

/// A sum or product in `dtype`, from an operand of that dtype or one that becomes it in the kernel.
Tensor fold(std::string_view kernel, const Tensor& in, const ReducedDims& dims, bool keepdim, DType dtype) {
  const Tensor result = reduce(kernel, in, dims, keepdim, sum_type(in.dtype()));
  return result.dtype() == dtype ? result : to_dtype(result, dtype);
}

Tensor sum_over(const Tensor& self, const ReducedDims& dims, bool keepdim, std::optional<DType> dtype,
                const char* node) {
  const DType result_dtype = dtype.value_or(sum_type(self.dtype()));
  const Tensor in = operand(self, result_dtype);
  Tensor result = fold("sum_cpu", in, dims, keepdim, result_dtype);
  if (!recording(in)) return result;
  const Ints sizes = self.shape();
  return record(std::move(result), node, {in},
                [sizes, dims](Backward& g) { g.set(0, expand_reduced(g.grad(), dims, sizes)); });
}

Tensor mean_over(const Tensor& self, std::optional<IntSpan> dim, bool keepdim, std::optional<DType> dtype,
                 const char* node) {
  const DType result_dtype = dtype.value_or(self.dtype());
  if (!is_differentiable(result_dtype)) {
    fail(ErrorKind::NotImplemented, "mean(): could not infer output dtype. ", dtype ? "Optional" : "Input",
         " dtype must be either a floating point or complex dtype. Got: ", scalar_type_name(result_dtype));
  }
  const ReducedDims dims(self, dim);
  const Tensor in = to_dtype(self, result_dtype);
  const int64_t count = dims.count(self.sizes());
  const Scalar divisor(count);
  Tensor result = reduce("mean_cpu", in, dims, keepdim, result_dtype, &divisor);
  if (!recording(in)) return result;
  const Ints sizes = self.shape();
  return record(std::move(result), node, {in}, [sizes, dims, count](Backward& g) {
    g.set(0, expand_reduced(div(g.grad(), Scalar(count)), dims, sizes));
  });
}

/// bool for every dtype but uint8, for which it is uint8.
Tensor logical(std::string_view kernel, const Tensor& self, const ReducedDims& dims, bool keepdim) {
  const Tensor result = reduce(kernel, self, dims, keepdim, DType::Bool);
  return self.dtype() == DType::U8 ? to_dtype(result, DType::U8) : result;
}

/// With an empty list, which here means no dimension: element by element.
Tensor logical_over(std::string_view kernel, const Tensor& self, std::optional<IntSpan> dim, bool keepdim) {
  if (dim && dim->empty())
    return to_dtype(to_dtype(detach(self), DType::Bool), self.dtype() == DType::U8 ? DType::U8 : DType::Bool);
  return logical(kernel, self, ReducedDims(self, dim), keepdim);
}

}  // namespace

// ---- sum ----
Tensor sum(Body, const Tensor& self, std::optional<DType> dtype) {
  return sum_over(self, ReducedDims::all(self), false, dtype, "SumBackward0");
}

Tensor sum(Body, const Tensor& self, std::optional<IntSpan> dim, bool keepdim, std::optional<DType> dtype) {
  return sum_over(self, ReducedDims(self, dim), keepdim, dtype, "SumBackward1");
}

// ---- mean ----
Tensor mean(Body, const Tensor& self, std::optional<DType> dtype) {
  return mean_over(self, std::nullopt, false, dtype, "MeanBackward0");
}

Tensor mean(Body, const Tensor& self, std::optional<IntSpan> dim, bool keepdim, std::optional<DType> dtype) {
  return mean_over(self, dim, keepdim, dtype, "MeanBackward1");
}

// ---- nansum ----
Tensor nansum(Body, const Tensor& self, std::optional<IntSpan> dim, bool keepdim,
              std::optional<DType> dtype) {
  const ReducedDims dims(self, dim);
  const DType result_dtype = dtype.value_or(sum_type(self.dtype()));
  if (is_complex(self.dtype()))
    fail(ErrorKind::NotImplemented, "nansum on CPU does not support complex inputs");
  const Tensor in = operand(self, result_dtype);
  Tensor result = fold("nansum_cpu", in, dims, keepdim, result_dtype);
  if (!recording(in)) return result;
  return record(std::move(result), "NansumBackward0", {in}, saving(save(in)), [dims](Backward& g) {
    const Tensor self = g.saved(0);
    g.set(0, mul(expand_reduced(g.grad(), dims, self.sizes()), logical_not(isnan(self))));
  });
}

// ---- nanmean ----
Tensor nanmean(Body, const Tensor& self, std::optional<IntSpan> dim, bool keepdim,
               std::optional<DType> dtype) {
  if (!is_differentiable(self.dtype())) {
    fail(ErrorKind::NotImplemented,
         "nanmean(): expected input to have floating point or complex dtype but got ",
         scalar_type_name(self.dtype()));
  }
  check(!dtype || is_differentiable(*dtype),
        "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or ",
        "complex dtype. Got: ", scalar_type_name(dtype.value_or(self.dtype())));
  const Tensor present = sum(logical_not(isnan(detach(self))), dim, keepdim);
  return div(nansum(self, dim, keepdim, dtype), present);
}

// ---- logsumexp ----
Tensor logsumexp(Body, const Tensor& self, IntSpan dim, bool keepdim) {
  if (is_complex(self.dtype()))
    fail(ErrorKind::NotImplemented, "logsumexp: complex tensors are not supported");
  const Tensor in = is_differentiable(self.dtype()) ? self : to_dtype(self, default_dtype());
  const ReducedDims dims(in, dim);
  Tensor result;
  {
    const GradModeGuard no_grad(false);
    if (in.numel() == 0) {
      result = log(sum(exp(in), dim, keepdim));
    } else {
      const Ints list = dims.list(in.sizes());
      Tensor top = in.dim() == 0 ? in : amax(in, list, true);
      top = where(eq(abs(top), wrapped_number(std::numeric_limits<double>::infinity())), wrapped_number(0),
                  top);
      result = log(sum(exp(sub(in, top)), dim, keepdim));
      result = add(result, keepdim ? top : reshape(top, result.sizes()));
    }
  }
  if (!recording(in)) return result;
  return record(result, "LogsumexpBackward0", {in}, saving(save(in), save_result(result)),
                [dims](Backward& g) {
                  const Tensor self = g.saved(0);
                  const Tensor share = exp(sub(self, with_reduced(g.saved(1), dims, self.sizes())));
                  g.set(0, mul(with_reduced(g.grad(), dims, self.sizes()), share));
                });
}

// ---- any ----
Tensor any(Body, const Tensor& self) { return logical("or_cpu", self, ReducedDims::all(self), false); }

Tensor any(Body, const Tensor& self, std::optional<IntSpan> dim, bool keepdim) {
  return logical_over("or_cpu", self, dim, keepdim);
}

// ---- all ----
Tensor all(Body, const Tensor& self) { return logical("and_cpu", self, ReducedDims::all(self), false); }

Tensor all(Body, const Tensor& self, std::optional<IntSpan> dim, bool keepdim) {
  return logical_over("and_cpu", self, dim, keepdim);
}

// ---- count_nonzero ----
Tensor count_nonzero(Body, const Tensor& self, std::optional<IntSpan> dim) {
  return reduce("count_nonzero_cpu", self, ReducedDims(self, dim), false, DType::I64);
}

// ---- sum_to_size ----
Tensor sum_to_size(Body, const Tensor& self, IntSpan size) {
  if (same(self.sizes(), size)) return self;
  const int64_t lead = self.dim() - static_cast<int64_t>(size.size());
  bool fits = lead >= 0;
  Ints dims;
  for (int64_t d = 0; fits && d < self.dim(); ++d) {
    const bool summed = d < lead || (size[d - lead] == 1 && self.sizes()[d] != 1);
    if (summed) dims.push_back(d);
    fits = summed || size[d - lead] == self.sizes()[d];
  }
  check(fits, "size {", Ints(size), "} is not expandable to size {", self.shape(), "}.");
  const Tensor summed = dims.empty() ? self : sum(self, IntSpan(dims), true);
  return lead > 0 ? reshape(summed, size) : summed;
}

}  // namespace onetape::ops
