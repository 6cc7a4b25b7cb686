#include "autograd/graph_export.h"

#include <gtest/gtest.h>

#include "autograd/meta.h"
#include "ops.h"

namespace onetape {
namespace {

Tensor leaf(std::initializer_list<int64_t> shape) {
  return ops::ones(Ints(shape), Options{.dtype = DType::F32, .requires_grad = true});
}

TEST(GraphExport, NamesLeavesOperationsAndResults) {
  const Tensor w = leaf({3});
  const Tensor b = leaf({});
  const Tensor y = ops::add(ops::mul(w, w), b);
  const std::vector<std::pair<std::string, Tensor>> names = {{"w", w}, {"a \"b\"", b}, {"y", y}};
  const std::string dot = picture_of(std::span(&y, 1), names).dot();
  EXPECT_NE(dot.find("label=\"w\\n(3) float32\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("MulBackward0"), std::string::npos);
  EXPECT_NE(dot.find("a \\\"b\\\""), std::string::npos);
  EXPECT_NE(dot.find("2×"), std::string::npos);  // w is both factors
}

TEST(GraphExport, DataFlowsDownwardsAndBoxesDoNotOverlap) {
  const Tensor a = leaf({2});
  const Tensor b = leaf({2});
  Tensor y = ops::add(ops::mul(a, b), ops::mul(b, 3.0));
  for (int i = 0; i < 4; ++i) y = ops::add(ops::mul(y, a), b);
  GraphPicture picture = picture_of(std::span(&y, 1));
  lay_out(picture);
  for (const GraphArrow& arrow : picture.arrows) {
    EXPECT_LT(picture.boxes[arrow.from].y, picture.boxes[arrow.to].y);
    EXPECT_GE(arrow.route.size(), 2U);
  }
  for (size_t i = 0; i < picture.boxes.size(); ++i) {
    const GraphBox& p = picture.boxes[i];
    EXPECT_GE(p.x - p.width / 2, 0);
    EXPECT_LE(p.x + p.width / 2, picture.width);
    EXPECT_LE(p.y + p.height / 2, picture.height);
    for (size_t j = 0; j < i; ++j) {
      const GraphBox& q = picture.boxes[j];
      const bool apart =
          std::abs(p.x - q.x) * 2 >= p.width + q.width || std::abs(p.y - q.y) * 2 >= p.height + q.height;
      EXPECT_TRUE(apart) << p.title << " and " << q.title;
    }
  }
}

TEST(GraphExport, WritesPagesForLongChainsAndForNoGraphAtAll) {
  Tensor y = leaf({});
  for (int i = 0; i < 2000; ++i) y = ops::mul(y, 1.0);
  const GraphPicture picture = picture_of(std::span(&y, 1));
  EXPECT_EQ(picture.boxes.size(), 2002U);
  EXPECT_NE(picture.html("a <chain>").find("<title>a &lt;chain&gt;</title>"), std::string::npos);
  const Tensor constant = ops::ones(Ints{2}, Options{});
  EXPECT_NE(picture_of(std::span(&constant, 1)).svg().find("result"), std::string::npos);
}

}  // namespace
}  // namespace onetape
