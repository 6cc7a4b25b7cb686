#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "core/error.h"
#include "core/parallel.h"
#include "ops.h"

namespace onetape {
namespace {

Tensor ramp(std::initializer_list<int64_t> sizes, DType dtype) {
  const Ints shape(sizes);
  Tensor t = Tensor::empty(shape, DType::F64);
  for (int64_t i = 0; i < t.numel(); ++i)
    t.data<double>()[i] = static_cast<double>((i * 7919) % 1009) / 1009 - 0.3;
  return ops::to_dtype(t, dtype);
}

/// Sum over dim of any tensor, one element after the other in double.
std::vector<double> naive_sum(const Tensor& t, int64_t dim) {
  const Tensor moved = ops::contiguous(ops::transpose(ops::to_dtype(t, DType::F64), dim, -1));
  const int64_t n = moved.sizes().back();
  std::vector<double> sums;
  for (int64_t i = 0; i < moved.numel(); i += n)
    sums.push_back(std::accumulate(moved.data<double>() + i, moved.data<double>() + i + n, 0.0));
  return sums;
}

TEST(Reduce, SumsAlongEveryDimensionAndLayout) {
  for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::C64}) {
    const Tensor base = ramp({5, 37, 41}, dtype);
    for (const Tensor& t : {base, ops::transpose(base, 0, 2), ops::transpose(base, 1, 2),
                            ops::expand(base, std::array<int64_t, 4>{3, 5, 37, 41})}) {
      for (int64_t d = 0; d < t.dim(); ++d) {
        const Tensor got = ops::sum(t, IntSpan(&d, 1), false);
        const Tensor as_double = ops::contiguous(
            ops::transpose(ops::to_dtype(ops::sum(t, IntSpan(&d, 1), true), DType::F64), d, -1));
        const std::vector<double> want = naive_sum(t, d);
        ASSERT_EQ(static_cast<size_t>(got.numel()), want.size());
        const double tolerance = dtype == DType::F64    ? 1e-12
                                 : dtype == DType::F16  ? 2e-2
                                 : dtype == DType::BF16 ? 1e-1
                                                        : 1e-5;
        for (size_t i = 0; i < want.size(); ++i)
          EXPECT_NEAR(as_double.data<double>()[i], want[i], tolerance) << i << dtype;
      }
    }
  }
}

TEST(Reduce, FloatSumsOfTenMillionAreAccurate) {
  const int64_t n = 10000000;
  const Tensor t = ops::full(std::array<int64_t, 1>{n}, Scalar(0.1), Options{.dtype = DType::F32});
  const double want = static_cast<double>(0.1f) * static_cast<double>(n);
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    EXPECT_NEAR(item(ops::sum(t)).to<double>(), want, want * 1e-6);
    EXPECT_NEAR(item(ops::mean(t)).to<double>(), 0.1, 1e-7);
    const Tensor columns = ops::reshape(t, std::array<int64_t, 2>{n / 10, 10});
    const int64_t zero = 0;
    const Tensor sums = ops::sum(columns, IntSpan(&zero, 1), false);
    for (int i = 0; i < 10; ++i) EXPECT_NEAR(sums.data<float>()[i], want / 10, want * 1e-7);
  }
  set_num_threads(2);
}

TEST(Reduce, MeanRefusesIntegers) {
  const Tensor t = ops::ones(std::array<int64_t, 1>{3}, Options{.dtype = DType::I64});
  try {
    ops::mean(t);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::NotImplemented);
    EXPECT_STREQ(error.what(),
                 "mean(): could not infer output dtype. Input dtype must be either a floating point or "
                 "complex dtype. Got: Long");
  }
}

}  // namespace
}  // namespace onetape
