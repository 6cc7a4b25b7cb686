#include "kernels/counting.h"

#include <algorithm>

#include "ops.h"
#include "ops/copy.h"

namespace onetape::ops {
namespace {

/// The smallest and largest element of a tensor that is not empty.
std::pair<int64_t, int64_t> range_of(const Tensor& index) {
  const int64_t* at = index.data<int64_t>();
  const auto [low, high] = std::minmax_element(at, at + index.numel());
  return {*low, *high};
}

}  // namespace

// ---- _unique2 ----
std::tuple<Tensor, Tensor, Tensor> _unique2(Body, const Tensor& self, bool /*sorted*/, bool return_inverse,
                                            bool return_counts) {
  const Tensor flat = dense_own(self);
  Tensor inverse = Tensor::empty(return_inverse ? self.sizes() : IntSpan(Ints{0}), DType::I64);
  Tensor counts;
  Tensor output = distinct(flat, return_inverse ? &inverse : nullptr, return_counts ? &counts : nullptr);
  return {output, inverse, counts.defined() ? counts : Tensor::empty(Ints{0}, DType::I64)};
}

// ---- bincount ----
Tensor bincount(Body, const Tensor& self, const Tensor& weights, int64_t minlength) {
  check(minlength >= 0, "minlength should be >= 0");
  if (!is_integral(self.dtype())) {
    fail(ErrorKind::NotImplemented, "\"bincount_cpu\" not implemented for '", scalar_type_name(self.dtype()),
         "'");
  }
  const Tensor index = dense_own(to_dtype(self, DType::I64));
  const bool counts = self.dim() == 1 && (self.numel() == 0 || range_of(index).first >= 0);
  check(counts, "bincount only supports 1-d non-negative integral inputs.");
  check(!weights.defined() || (weights.dim() == 1 && weights.numel() == self.numel()),
        "weights should be 1-d and have the same length as input");
  if (!self.has_data()) refuse_access();
  int64_t length = self.numel() == 0 ? 0 : range_of(index).second;
  length = length == INT64_MAX ? length : length + (self.numel() == 0 ? 0 : 1);
  const Ints shape{std::max(length, minlength)};
  if (!weights.defined()) {
    const Tensor result = zeros(shape, Options{.dtype = DType::I64});
    for (int64_t i = 0; i < index.numel(); ++i) ++result.data<int64_t>()[index.data<int64_t>()[i]];
    return result;
  }
  const DType dtype = weights.dtype() == DType::F32 ? DType::F32 : DType::F64;
  return scatter_add(zeros(shape, Options{.dtype = dtype}), 0, index, to_dtype(detach(weights), dtype));
}

// ---- one_hot ----
Tensor one_hot(Body, const Tensor& self, int64_t num_classes) {
  check(self.dtype() == DType::I64, "one_hot is only applicable to index tensor of type LongTensor.");
  const Tensor index = dense_own(self);
  if (self.numel() == 0) {
    check(num_classes > 0, "Can not infer total number of classes from empty tensor.");
  } else if (!index.has_data()) {
    check(num_classes != -1, "Tensor.item() cannot be called on meta tensors");
  } else {
    const auto [low, high] = range_of(index);
    check(low >= 0, "Class values must be non-negative.");
    if (num_classes == -1) num_classes = high + 1;
    check(high < num_classes, "Class values must be smaller than num_classes.");
  }
  Ints shape = self.shape();
  shape.push_back(num_classes);
  Tensor result = zeros(shape, Options{.dtype = DType::I64});
  if (!result.has_data()) return result;
  for (int64_t i = 0; i < index.numel(); ++i)
    result.data<int64_t>()[i * num_classes + index.data<int64_t>()[i]] = 1;
  return result;
}

}  // namespace onetape::ops
