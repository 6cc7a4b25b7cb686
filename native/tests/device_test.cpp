#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "core/backend.h"
#include "core/no_data.h"
#include "ops.h"

namespace onetape {
namespace {

const Options kOnMeta = {.dtype = DType::F32, .device = Device{DeviceType::Meta}};

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Device, StorageHasASizeAndNoMemory) {
  const int64_t before = memory_stats().live;
  const Tensor t = ops::empty(Ints{1 << 20, 1 << 20}, kOnMeta);
  EXPECT_LT(memory_stats().live - before, 4096);  // what the tensor itself takes
  EXPECT_EQ(t.storage()->nbytes(), size_t{4} << 40);
  EXPECT_EQ(t.device().type, DeviceType::Meta);
  EXPECT_FALSE(t.has_data());
  EXPECT_THROW(t.bytes(), NoData);
  EXPECT_THROW(t.data<float>(), NoData);
  EXPECT_THROW(t.storage()->data(), NoData);
}

TEST(Device, ViewsStandWhereTheirStorageDoes) {
  const Tensor t = ops::empty(Ints{4, 5}, kOnMeta);
  const Tensor row = ops::select(t, 0, 2);
  EXPECT_EQ(row.device().type, DeviceType::Meta);
  EXPECT_EQ(row.storage_offset(), 10);
  EXPECT_TRUE(row.storage()->resize(4));
  EXPECT_EQ(row.storage()->nbytes(), 4U);
  EXPECT_EQ(row.storage()->device(), DeviceType::Meta);
}

TEST(Device, TensorsWithoutADeviceAreOfTheCpu) {
  {
    const DeviceScope scope(DeviceType::Meta);
    EXPECT_FALSE(Tensor::empty({}, DType::F32).has_data());
    EXPECT_TRUE(wrapped_number(2).has_data());
    EXPECT_EQ(item(wrapped_number(2)).to<int64_t>(), 2);
  }
  EXPECT_TRUE(Tensor::empty({}, DType::F32).has_data());
  EXPECT_TRUE(ops::zeros(Ints{3}).has_data());
}

TEST(Device, OperandsStandOnOne) {
  const Tensor here = ops::ones(Ints{3});
  const Tensor nowhere = ops::empty(Ints{3}, kOnMeta);
  EXPECT_EQ(error_of([&] { ops::add(nowhere, here); }),
            "Tensor on device cpu is not on the expected device meta!");
  EXPECT_EQ(error_of([&] { ops::mul_(here, nowhere); }),
            "Tensor on device meta is not on the expected device cpu!");
  EXPECT_FALSE(ops::add(nowhere, ops::sum(here)).has_data());
  EXPECT_EQ(item(ops::sum(here)).to<double>(), 3);
}

TEST(Device, AnOperatorThatNeedsElementsSaysSo) {
  const Tensor t = ops::empty(Ints{3}, kOnMeta);
  EXPECT_EQ(error_of([&] { ops::nonzero(t); }),
            "aten::nonzero: attempted to run this operator with Meta tensors, but there was no fake impl or "
            "Meta kernel registered.");
  EXPECT_TRUE(ops::zeros(Ints{3}).has_data());  // the scope of the failed operator has ended
}

TEST(Device, GradientsStandWhereTheirTensorsDo) {
  Tensor w = ops::empty(Ints{2, 3}, kOnMeta);
  set_requires_grad(w, true);
  const std::array<Tensor, 1> loss = {ops::sum(ops::exp(ops::mm(w, ops::t(w))))};
  backward(loss, {}, {}, {});
  EXPECT_FALSE(grad(w).has_data());
  EXPECT_EQ(grad(w).shape(), w.shape());
}

}  // namespace
}  // namespace onetape
