#include <array>

#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "core/error.h"
#include "ops.h"

namespace onetape {
namespace {

Tensor matrix(int64_t rows, int64_t columns, DType dtype, int64_t seed) {
  const Tensor t = Tensor::empty(std::array<int64_t, 2>{rows, columns}, DType::F64);
  for (int64_t i = 0; i < t.numel(); ++i)
    t.data<double>()[i] = static_cast<double>((i * 31 + seed * 17) % 13 - 6);
  return ops::to_dtype(t, dtype);
}

double at(const Tensor& t, int64_t i, int64_t j) {
  return item(ops::to_dtype(
                  ops::as_strided(t, {}, {}, t.storage_offset() + i * t.strides()[0] + j * t.strides()[1]),
                  DType::F64))
      .to<double>();
}

/// Checks every element against the sum that defines it; small integers are exact in every dtype.
void check_product(const Tensor& a, const Tensor& b) {
  const Tensor c = ops::mm(a, b);
  for (int64_t i = 0; i < a.sizes()[0]; ++i) {
    for (int64_t j = 0; j < b.sizes()[1]; ++j) {
      double want = 0;
      for (int64_t k = 0; k < a.sizes()[1]; ++k) want += at(a, i, k) * at(b, k, j);
      ASSERT_EQ(at(c, i, j), want) << i << ',' << j << ' ' << a.dtype();
    }
  }
}

TEST(Matmul, EveryLayoutAndDtype) {
  for (const DType dtype :
       {DType::F32, DType::F64, DType::C64, DType::C128, DType::I32, DType::I64, DType::F16, DType::BF16}) {
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{3, 4, 5},
                                  {1, 4, 5},
                                  {3, 4, 1},
                                  {1, 1, 1},
                                  {3, 0, 2},
                                  {0, 3, 2},
                                  {17, 9, 33}}) {
      const Tensor a = matrix(m, k, dtype, 1);
      const Tensor b = matrix(k, n, dtype, 2);
      const Tensor at = ops::t(ops::contiguous(ops::t(a)));
      const Tensor bt = ops::t(ops::contiguous(ops::t(b)));
      const Tensor wide = matrix(2 * m, 3 * k, dtype, 3);
      const std::array<int64_t, 2> sizes = {m, k};
      const std::array<int64_t, 2> strides = {6 * k, 3};  // every second row and third column
      for (const Tensor& left :
           {a, at, ops::as_strided(wide, sizes, strides, 0), ops::expand(matrix(1, 1, dtype, 4), sizes)}) {
        for (const Tensor& right : {b, bt}) check_product(left, right);
      }
    }
  }
}

TEST(Matmul, ShapesOfEveryCase) {
  const auto shape = [](std::initializer_list<int64_t> a, std::initializer_list<int64_t> b) {
    const Options f64{.dtype = DType::F64, .requires_grad = true};
    const Tensor x = ops::ones(Ints(a), f64);
    const Tensor y = ops::ones(Ints(b), f64);
    const Tensor z = ops::matmul(x, y);
    const Tensor s = ops::sum(z);
    backward(std::span(&s, 1), {});
    EXPECT_TRUE(same(grad(x).sizes(), x.sizes()));
    EXPECT_TRUE(same(grad(y).sizes(), y.sizes()));
    return z.shape();
  };
  EXPECT_EQ(shape({3}, {3}), Ints({}));
  EXPECT_EQ(shape({2, 3}, {3}), Ints({2}));
  EXPECT_EQ(shape({3}, {3, 2}), Ints({2}));
  EXPECT_EQ(shape({2, 3}, {3, 4}), Ints({2, 4}));
  EXPECT_EQ(shape({5, 2, 3}, {3, 4}), Ints({5, 2, 4}));
  EXPECT_EQ(shape({5, 2, 3}, {3}), Ints({5, 2}));
  EXPECT_EQ(shape({2, 3}, {5, 3, 4}), Ints({5, 2, 4}));
  EXPECT_EQ(shape({3}, {5, 3, 4}), Ints({5, 4}));
  EXPECT_EQ(shape({2, 1, 2, 3}, {4, 3, 2}), Ints({2, 4, 2, 2}));
  EXPECT_EQ(shape({5, 0, 3}, {3, 4}), Ints({5, 0, 4}));
}

TEST(Matmul, RefusesWhatDoesNotFit) {
  const auto text = [](auto run) {
    try {
      run();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Tensor a = matrix(2, 3, DType::F32, 1);
  EXPECT_EQ(text([&] { ops::mm(a, matrix(4, 5, DType::F32, 1)); }),
            "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
  EXPECT_EQ(text([&] { ops::mm(a, matrix(3, 5, DType::F64, 1)); }),
            "expected m1 and m2 to have the same dtype, but got: float != double");
  EXPECT_EQ(text([&] { ops::mm(matrix(2, 3, DType::Bool, 1), matrix(3, 2, DType::Bool, 1)); }),
            "\"addmm_impl_cpu_\" not implemented for 'Bool'");
}

}  // namespace
}  // namespace onetape
