#include "ops/indexing.h"

#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "ops.h"

namespace onetape {
namespace {

/// 0, 1, 2, … in a shape.
Tensor counting(IntSpan shape) {
  Tensor t = Tensor::empty(shape, DType::F64);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = static_cast<double>(i);
  return t;
}

Tensor integers(std::initializer_list<int64_t> values, IntSpan shape) {
  Tensor t = Tensor::empty(shape, DType::I64);
  std::copy(values.begin(), values.end(), t.data<int64_t>());
  return t;
}

std::vector<double> values(const Tensor& t) {
  const Tensor flat = ops::contiguous(t);
  return {flat.data<double>(), flat.data<double>() + flat.numel()};
}

Tensor get(const Tensor& t, std::vector<IndexItem> items) { return get_item(t, items); }

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

using Item = IndexItem;

TEST(Indexing, IntegersAndSlicesAreViews) {
  const Tensor x = counting(Ints{3, 4});
  EXPECT_EQ(values(get(x, {Item::of(1)})), (std::vector<double>{4, 5, 6, 7}));
  EXPECT_EQ(values(get(x, {Item::of(-1), Item::of(0)})), (std::vector<double>{8}));
  EXPECT_EQ(values(get(x, {Item::slice({}, {}, 2), Item::slice(1, -1, {})})),
            (std::vector<double>{1, 2, 9, 10}));
  EXPECT_EQ(values(get(x, {Item::ellipsis(), Item::of(3)})), (std::vector<double>{3, 7, 11}));
  EXPECT_EQ(get(x, {Item::none(), Item::of(0), Item::none()}).shape(), (Ints{1, 1, 4}));
  EXPECT_TRUE(is_view(get(x, {Item::ellipsis()})));
}

TEST(Indexing, TensorsStandInPlaceWhereTheyAreNeighbours) {
  const Tensor x = counting(Ints{2, 3, 4});
  const Tensor i = integers({0, 1}, Ints{2});
  const Tensor j = integers({1, 2}, Ints{2});
  EXPECT_EQ(get(x, {Item::slice({}, {}, {}), Item::of(i), Item::of(j)}).shape(), (Ints{2, 2}));
  EXPECT_EQ(values(get(x, {Item::slice({}, {}, {}), Item::of(i), Item::of(j)})),
            (std::vector<double>{1, 6, 13, 18}));
  const Tensor apart = get(x, {Item::of(i), Item::slice({}, {}, {}), Item::of(j)});
  EXPECT_EQ(apart.shape(), (Ints{2, 3}));
  EXPECT_EQ(values(apart), (std::vector<double>{1, 5, 9, 14, 18, 22}));
  const Tensor column = integers({0, 1}, Ints{2, 1});
  EXPECT_EQ(values(get(x, {Item::of(column), Item::of(j), Item::of(0)})),
            (std::vector<double>{4, 8, 16, 20}));
}

TEST(Indexing, MasksCoverTheirDimensions) {
  const Tensor x = counting(Ints{2, 3, 4});
  Tensor mask = ops::zeros(Ints{2, 3}, Options{.dtype = DType::Bool});
  mask.data<bool>()[1] = mask.data<bool>()[5] = true;
  EXPECT_EQ(get(x, {Item::of(mask)}).shape(), (Ints{2, 4}));
  EXPECT_EQ(values(get(x, {Item::of(mask), Item::slice(0, 1, {})})), (std::vector<double>{4, 20}));
  EXPECT_EQ(values(get(x, {Item::of(mask), Item::of(3)})), (std::vector<double>{7, 23}));
  EXPECT_EQ(get(x, {Item::of_bool(true)}).shape(), (Ints{1, 2, 3, 4}));
  EXPECT_EQ(get(x, {Item::of_bool(false)}).shape(), (Ints{0, 2, 3, 4}));
}

TEST(Indexing, AssignmentBroadcastsAndTakesTheDtype) {
  const Tensor x = counting(Ints{2, 3});
  set_item(x, std::vector<Item>{Item::of(0)}, wrapped_number(7));
  EXPECT_EQ(values(x), (std::vector<double>{7, 7, 7, 3, 4, 5}));
  set_item(x, std::vector<Item>{Item::ellipsis(), Item::of(integers({2, 0}, Ints{2}))},
           counting(Ints{1, 1, 2}));
  EXPECT_EQ(values(x), (std::vector<double>{1, 7, 0, 1, 4, 0}));
  set_item(x, std::vector<Item>{Item::of_bool(false)}, wrapped_number(9));
  EXPECT_EQ(values(x)[0], 1);
}

TEST(Indexing, ErrorsSayWhatIsWrong) {
  const Tensor x = counting(Ints{3, 4});
  EXPECT_EQ(message([&] { get(x, {Item::of(5)}); }), "index 5 is out of bounds for dimension 0 with size 3");
  EXPECT_EQ(message([&] {
              get(x, {Item::slice({}, {}, {}), Item::of(7)});
            }),
            "index 7 is out of bounds for dimension 1 with size 4");
  EXPECT_EQ(message([&] {
              get(x, {Item::of(0), Item::of(0), Item::of(0)});
            }),
            "too many indices for tensor of dimension 2");
  EXPECT_EQ(message([&] { get(x, {Item::slice({}, {}, -1)}); }), "step must be greater than zero");
  EXPECT_EQ(message([&] {
              get(x, {Item::of(integers({0, 3}, Ints{2}))});
            }),
            "index 3 is out of bounds for dimension 0 with size 3");
}

TEST(Indexing, GradientsOfRepeatedElementsAddUp) {
  Tensor x = counting(Ints{3});
  set_requires_grad(x, true);
  const Tensor y = get(x, {Item::of(integers({2, 2, 0}, Ints{3}))});
  EXPECT_EQ(grad_fn(y)->name(), "IndexBackward0");
  const Tensor total = ops::sum(y);
  backward(std::span(&total, 1), {});
  EXPECT_EQ(values(grad(x)), (std::vector<double>{1, 0, 2}));
}

TEST(Indexing, AssignmentIntoATrackedTensor) {
  Tensor x = counting(Ints{3});
  Tensor v = counting(Ints{2});
  set_requires_grad(x, true);
  set_requires_grad(v, true);
  const Tensor y = ops::mul(x, 2);
  set_item(y, std::vector<Item>{Item::of(integers({0, 2}, Ints{2}))}, v);
  EXPECT_EQ(grad_fn(y)->name(), "IndexPutBackward0");
  const Tensor total = ops::sum(ops::mul(y, y));
  backward(std::span(&total, 1), {});
  EXPECT_EQ(values(grad(x)), (std::vector<double>{0, 8, 0}));
  EXPECT_EQ(values(grad(v)), (std::vector<double>{0, 2}));
}

TEST(Split, AMissingGradientCountsAsZero) {
  Tensor x = counting(Ints{4});
  set_requires_grad(x, true);
  const std::vector<Tensor> parts = ops::split(x, 2);
  EXPECT_EQ(grad_fn(parts[1])->name(), "SplitBackward0");
  const Tensor total = ops::sum(parts[1]);
  backward(std::span(&total, 1), {});
  EXPECT_EQ(values(grad(x)), (std::vector<double>{0, 0, 1, 1}));
  EXPECT_NE(message([&] { ops::mul_(parts[0], 2); }).find("Output 0 of Split is a view"), std::string::npos);
}

}  // namespace
}  // namespace onetape
