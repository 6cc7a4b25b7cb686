#include "ops.h"
#include "ops/composed.h"

namespace onetape::ops {
namespace {

enum class Bag : uint8_t { Sum, Mean, Max };

Bag parse_mode(std::string_view mode) {
  if (mode == "sum") return Bag::Sum;
  if (mode == "mean") return Bag::Mean;
  if (mode == "max") return Bag::Max;
  fail(ErrorKind::Value, "mode has to be one of sum, mean or max");
}

/// How error texts name a tensor's type.
std::string legacy_type_name(DType dtype) {
  const std::string name(scalar_type_name(dtype));
  if (dtype == DType::Bool || is_complex(dtype)) return "CPU" + name + "Type";
  return "torch." + name + "Tensor";
}

void check_integers(const Tensor& t, const char* place, const char* name) {
  if (t.dtype() == DType::I64 || t.dtype() == DType::I32) return;
  fail(ErrorKind::Runtime, "Expected tensor for argument #", place, " '", name,
       "' to have one of the following scalar types: Long, Int; but got ", legacy_type_name(t.dtype()),
       " instead (while checking arguments for embedding_bag)");
}

/// Indices one after the other, and the bag of each.
struct Bags {
  Tensor indices;
  Tensor bag;
  int64_t count;
};

/// Where bags begin, checked, followed by where the last one ends.
Tensor borders_of(const Tensor& input, const Tensor& offsets, bool include_last_offset) {
  check_value(offsets.defined(), "offsets has to be a 1D Tensor but got None");
  check_value(offsets.dim() == 1, "offsets has to be a 1D Tensor");
  check_integers(offsets, "1", "offsets");
  check(!include_last_offset || offsets.numel() > 0,
        "include_last_offset: number of offsets should be at least 1");
  Tensor starts = to_dtype(offsets, DType::I64);
  if (starts.numel() > 0 && starts.has_data()) {
    const auto first = item(select(starts, 0, 0)).to<int64_t>();
    const auto last = item(select(starts, 0, -1)).to<int64_t>();
    check(first == 0,
          "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
          "However, got ",
          first);
    check(last <= input.numel(), "offsets[-1] can not be greater than input's length ", input.numel(),
          " but got offsets[-1] of ", last);
  }
  if (include_last_offset) return starts;
  const std::array<Tensor, 2> parts = {starts,
                                       full(Ints{1}, Scalar(input.numel()), Options{.dtype = DType::I64})};
  return cat(parts);
}

Bags bags_of(const Tensor& input, const Tensor& offsets, bool include_last_offset) {
  check_value(input.dim() == 1 || input.dim() == 2,
              "input has to be 1D or 2D Tensor, but got Tensor of dimension ", input.dim());
  check_integers(input, "1", "indices");
  const Tensor indices = reshape(to_dtype(input, DType::I64), Ints{input.numel()});
  if (input.dim() == 2) {
    check_value(
        !offsets.defined(),
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
        "sequences. However, found offsets of type <class 'torch.Tensor'>");
    const int64_t count = input.sizes()[0];
    return {indices, repeat_interleave(arange(Scalar(count)), input.sizes()[1]), count};
  }
  const Tensor borders = borders_of(input, offsets, include_last_offset);
  const int64_t count = borders.numel() - 1;
  if (!borders.has_data()) return {indices, zeros_like(indices), count};
  const Tensor sizes = sub(narrow(borders, 0, 1, count), narrow(borders, 0, 0, count));
  check(!item(any(lt(sizes, Scalar(0)))).to<bool>(), "offsets should be in ascending order");
  // What follows the last border belongs to no bag.
  const Tensor used = narrow(indices, 0, 0, item(sum(sizes)).to<int64_t>());
  return {used, repeat_interleave(arange(Scalar(count)), sizes), count};
}

Tensor largest_of(const Tensor& rows, const Tensor& bag, int64_t count) {
  const Ints sizes = {count, rows.sizes()[1]};
  const Tensor zero = zeros(sizes, Options{.dtype = rows.dtype()});
  if (rows.numel() == 0 || count == 0) return zero;
  if (!rows.has_data()) return index_add(zero, 0, bag, rows);  // of the same shape, whatever the bags hold
  // A table of the rows of each bag, filled up with a row of −inf.
  const Tensor lengths = index_add(zeros(Ints{count}, Options{.dtype = DType::I64}), 0, bag, ones_like(bag));
  const Tensor starts = sub(cumsum(lengths, 0), lengths);
  const auto longest = item(max(lengths)).to<int64_t>();
  const Tensor place = sub(arange(Scalar(bag.numel())), index_select(starts, 0, bag));
  const Tensor cells = add(mul(bag, Scalar(longest)), place);
  const Tensor none = full(Ints{count * longest}, Scalar(bag.numel()), Options{.dtype = DType::I64});
  const Tensor table = scatter(none, 0, cells, arange(Scalar(bag.numel())));
  const Tensor least = full(Ints{1, rows.sizes()[1]}, Scalar(-std::numeric_limits<double>::infinity()),
                            Options{.dtype = rows.dtype()});
  const std::array<Tensor, 2> both = {rows, least};
  const Tensor spread = reshape(index_select(cat(both), 0, table), Ints{count, longest, rows.sizes()[1]});
  return masked_fill(std::get<0>(max(spread, 1)), unsqueeze(eq(lengths, Scalar(0)), 1), Scalar(0));
}

Tensor of_bags(const Tensor& weight, const Tensor& factors, const Bags& bags, Bag mode, bool by_count) {
  Tensor rows = embedding(weight, bags.indices, -1, by_count);
  if (factors.defined()) rows = mul(rows, unsqueeze(factors, 1));
  if (mode == Bag::Max) return largest_of(rows, bags.bag, bags.count);
  const Tensor none = zeros(Ints{bags.count, weight.sizes()[1]}, Options{.dtype = weight.dtype()});
  Tensor total = index_add(none, 0, bags.bag, rows);
  if (mode == Bag::Sum) return total;
  const Tensor sizes =
      index_add(zeros(Ints{bags.count}, Options{.dtype = DType::I64}), 0, bags.bag, ones_like(bags.bag));
  return div(total, to_dtype(unsqueeze(clamp_min(sizes, Scalar(1)), 1), weight.dtype()));
}

}  // namespace

// ---- embedding_bag ----
Tensor embedding_bag(Body, const Tensor& input, const Tensor& weight, const Tensor& offsets,
                     std::string_view mode, bool scale_grad_by_freq, const Tensor& per_sample_weights,
                     bool include_last_offset, std::optional<int64_t> padding_idx) {
  check_value(!per_sample_weights.defined() || same(per_sample_weights.sizes(), input.sizes()),
              "embedding_bag: If per_sample_weights (torch.Size(",
              ShapeText{per_sample_weights.defined() ? per_sample_weights.sizes() : IntSpan()},
              ")) is not None, then it must have the same shape as the input (torch.Size(",
              ShapeText{input.sizes()}, "))");
  check(is_floating(weight.dtype()),
        "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
        "Float, Double; but got ",
        legacy_type_name(weight.dtype()), " instead (while checking arguments for embedding_bag)");
  check(weight.dim() == 2, "weight has to be a 2D Tensor, but got Tensor of dimension ", weight.dim());
  Bags bags = bags_of(input, offsets, include_last_offset);
  const Bag how = parse_mode(mode);
  check_value(how != Bag::Max || !scale_grad_by_freq,
              "max mode does not support scaling the gradient by the frequency");
  if (per_sample_weights.defined() && how != Bag::Sum) {
    fail(
        ErrorKind::NotImplemented,
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
        "(got mode='",
        mode, "'). Please open a feature request on GitHub.");
  }
  const int64_t rows = weight.sizes()[0];
  const Tensor outside = logical_or(lt(bags.indices, Scalar(0)), ge(bags.indices, Scalar(rows)));
  check(!outside.has_data() || !item(any(outside)).to<bool>(),
        "Expected i < index_size to be true, but got false.  (Could this error message be improved?  If so, "
        "please report an enhancement request to PyTorch.)");
  Tensor factors = per_sample_weights.defined()
                       ? narrow(reshape(per_sample_weights, Ints{input.numel()}), 0, 0, bags.indices.numel())
                       : Tensor();
  if (padding_idx && bags.indices.has_data()) {
    check(*padding_idx >= -rows && *padding_idx < rows,
          "padding_idx must be within the number of embeddings");
    const int64_t padding = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
    const Tensor kept = where(ne(bags.indices, Scalar(padding)))[0];
    bags.indices = index_select(bags.indices, 0, kept);
    bags.bag = index_select(bags.bag, 0, kept);
    if (factors.defined()) factors = index_select(factors, 0, kept);
  }
  const auto parts = [bags, how, scale_grad_by_freq](std::span<const Tensor> in) {
    return of_bags(in[0], in[1], bags, how, scale_grad_by_freq);
  };
  return composed("EmbeddingBagBackward0", std::array{weight, factors}, parts);
}

}  // namespace onetape::ops
