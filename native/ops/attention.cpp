#include "kernels/attention.h"

#include "ops.h"
#include "ops/again.h"
#include "ops/copy.h"
#include "ops/prepared.h"
#include "ops/type_words.h"

namespace onetape {
namespace {

/// How queries see keys.
struct Sight {
  bool causal;
  double scale;
  double dropout;
};

// ---- checks ----

void check_operands(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                    bool causal) {
  check(!causal || !mask.defined(),
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  check(query.dtype() == key.dtype() && query.dtype() == value.dtype(),
        "Expected query, key, and value to have the same dtype, but got query.dtype: ",
        type_words(query.dtype()), " key.dtype: ", type_words(key.dtype()),
        " and value.dtype: ", type_words(value.dtype()), " instead.");
  check(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: ", query.dim(),
        " key.dim: ", key.dim(), " and value.dim: ", value.dim(), " instead.");
  if (is_complex(query.dtype())) {
    fail(ErrorKind::NotImplemented, "\"softmax_lastdim_kernel_impl\" not implemented for '",
         scalar_type_name(query.dtype()), "'");
  }
  if (is_floating(query.dtype())) return;
  check(query.dim() > 2,
        "expected m1 and m2 to have the same dtype, but got: float != ", type_words(query.dtype()));
  const bool no_infinity = mask.defined() && mask.dtype() == DType::Bool && query.dtype() != DType::Bool;
  check(!no_infinity, "value cannot be converted to type int64_t without overflow");
  fail(ErrorKind::Runtime, "expected scalar type Float but found ", scalar_type_name(query.dtype()));
}

/// The mask as numbers to be added.
Tensor additive_mask(const Tensor& query, const Tensor& mask) {
  if (!mask.defined()) return mask;
  check(mask.dtype() == DType::Bool || mask.dtype() == query.dtype() ||
            (mask.dtype() == DType::F32 && is_floating(query.dtype()) && query.dtype() != DType::F64),
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: ",
        type_words(mask.dtype()), " and  query.dtype: ", type_words(query.dtype()), " instead.");
  check_index(mask.dim() >= 2, "Dimension out of range (expected to be in range of [", -mask.dim(), ", ",
              mask.dim() - 1, "], but got -2)");
  if (mask.dtype() != DType::Bool) return ops::to_dtype(mask, query.dtype());
  const Tensor shown = ops::zeros(mask.sizes(), Options{.dtype = query.dtype()});
  return ops::masked_fill(shown, ops::logical_not(mask), Scalar(-std::numeric_limits<double>::infinity()));
}

Ints batch_of(const Tensor& t) { return Ints(t.sizes().first(static_cast<size_t>(t.dim() - 2))); }
int64_t from_end(const Tensor& t, int64_t place) { return t.sizes()[static_cast<size_t>(t.dim() - place)]; }

/// Broadcasts all but the last two dimensions.
Tensor spread_out(const Tensor& t, const Ints& batch) {
  Ints sizes = batch;
  sizes.push_back(from_end(t, 2));
  sizes.push_back(from_end(t, 1));
  return same(t.sizes(), sizes) ? t : ops::expand(t, sizes);
}

/// Samples, heads, rows and columns.
Tensor in_four_dims(const Tensor& t) {
  if (t.dim() == 4) return t;
  if (t.dim() == 3) return ops::unsqueeze(t, 0);
  if (t.dim() == 2) return ops::unsqueeze(ops::unsqueeze(t, 0), 0);
  int64_t samples = 1;
  for (int64_t d = 0; d < t.dim() - 3; ++d) samples *= t.sizes()[static_cast<size_t>(d)];
  return ops::reshape(t, std::array{samples, from_end(t, 3), from_end(t, 2), from_end(t, 1)});
}

void check_fit(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  const int64_t heads = query.sizes()[0] * query.sizes()[1];
  const auto check_length = [heads](int64_t wanted, int64_t given) {
    check(wanted == given, "Expected size for first two dimensions of batch2 tensor to be: [", heads, ", ",
          wanted, "] but got: [", heads, ", ", given, "].");
  };
  check_length(query.sizes()[3], key.sizes()[3]);
  check_length(key.sizes()[2], value.sizes()[2]);
  if (!mask.defined()) return;
  const Ints scores = {query.sizes()[0], query.sizes()[1], query.sizes()[2], key.sizes()[2]};
  const Ints both = broadcast_shapes(scores, mask.sizes());
  check(same(both, scores), "output with shape ", scores, " doesn't match the broadcast shape ", both);
}

// ---- the same of other operators ----

/// softmax, and zeros in the rows where no key is seen
Tensor weights_of(const Tensor& scores) {
  Tensor weights = ops::softmax(scores, -1, std::nullopt);
  if (scores.sizes().back() == 0) return weights;
  const Tensor nothing = ops::eq(scores, Scalar(-std::numeric_limits<double>::infinity()));
  const Tensor blind = ops::all(nothing, std::array<int64_t, 1>{-1}, true);
  return ops::masked_fill(weights, blind, Scalar(0));
}

/// `mask` is undefined if every key is seen, `kept` if no weight is dropped.
Tensor attention_of_parts(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                          const Tensor& kept, const Sight& sight) {
  const int64_t group = key.sizes()[1] == 0 ? 1 : query.sizes()[1] / key.sizes()[1];
  const auto shared = [group](const Tensor& t) {
    return group == 1 ? t : ops::repeat_interleave(t, group, 1, std::nullopt);
  };
  // The square root on both sides, as in PyTorch, keeps products in the range of short floats.
  const double root = std::sqrt(std::abs(sight.scale));
  Tensor scores = ops::matmul(ops::mul(query, Scalar(std::copysign(root, sight.scale))),
                              ops::transpose(ops::mul(shared(key), Scalar(root)), -2, -1));
  if (sight.causal) {
    const Options bools{.dtype = DType::Bool};
    const Tensor seen = ops::tril(ops::ones(std::array{query.sizes()[2], key.sizes()[2]}, bools), 0);
    scores =
        ops::masked_fill(scores, ops::logical_not(seen), Scalar(-std::numeric_limits<double>::infinity()));
  }
  if (mask.defined()) scores = ops::add(scores, mask);
  Tensor weights = weights_of(scores);
  if (kept.defined()) weights = ops::mul(weights, kept);
  return ops::matmul(weights, shared(value));
}

// ---- in blocks ----

/// In the dtype of the arithmetic, with columns side by side.
Tensor with_columns_together(const Tensor& t) {
  const GradModeGuard no_grad(false);
  const Tensor wide = ops::to_dtype(t, inner_dtype(t.dtype()));
  return wide.strides()[3] == 1 || wide.sizes()[3] == 1 ? wide : dense(wide);
}
HeadsView heads_view(const Tensor& t) { return {t.bytes(), t.strides()[0], t.strides()[1], t.strides()[2]}; }

/// What the kernels read, in the dtype of the arithmetic.
class Operands {
 public:
  /// `mask` and `states` may be undefined.
  Operands(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
           const Tensor& states, const Sight& sight)
      : shape{query.sizes()[0], query.sizes()[1], key.sizes()[1], query.sizes()[2], key.sizes()[2],
              query.sizes()[3], value.sizes()[3], sight.causal,   sight.scale},
        query_(with_columns_together(query)),
        key_(with_columns_together(key)),
        value_(with_columns_together(value)),
        states_(states) {
    in.dropout.p = sight.dropout;
    if (!query_.has_data()) return;
    in.query = heads_view(query_);
    in.key = heads_view(key_);
    in.value = heads_view(value_);
    if (states.defined()) in.dropout.states = states.data<uint32_t>();
    if (!mask.defined()) return;
    const GradModeGuard no_grad(false);
    // As long as all scores, most of it perhaps not in memory.
    mask_ = ops::expand(ops::to_dtype(mask, dtype()),
                        std::array{shape.samples, shape.heads, shape.queries, shape.keys});
    in.mask = {mask_.bytes(), mask_.strides()[0], mask_.strides()[1], mask_.strides()[2], mask_.strides()[3]};
  }
  DType dtype() const { return query_.dtype(); }

  AttentionShape shape;
  AttentionInputs in{};

 private:
  Tensor query_;
  Tensor key_;
  Tensor value_;
  Tensor mask_;
  Tensor states_;
};

/// Draws for all scores, in the order of PyTorch, whose operators drop from the whole of them.
Tensor drawn_states(const AttentionShape& shape, double dropout) {
  const int64_t scores = shape.samples * shape.heads * shape.queries * shape.keys;
  if (dropout <= 0 || dropout >= 1 || scores == 0) return Tensor();
  const Tensor states = Tensor::empty(std::array{attention_state_words(shape)}, DType::I32);
  if (!states.has_data()) return states;
  if (thread_modes.watcher) thread_modes.watcher->numbers_drawn();
  Generator& generator = default_generator();
  const std::lock_guard guard(generator.mutex);
  draw_attention_states(shape, generator, states.data<uint32_t>());
  return states;
}

/// The gradient of a mask, in its own shape.
Tensor mask_gradient(const Operands& operands, const AttentionResults& of, const Tensor& mask) {
  Ints sizes = mask.shape();
  while (sizes.size() < 4) sizes.insert(0, 1);
  const Tensor sum = ops::zeros(sizes, Options{.dtype = operands.dtype()});
  std::array<int64_t, 4> steps{};
  for (size_t d = 0; d < 4; ++d) steps[d] = sizes[d] == 1 ? 0 : sum.strides()[d];
  if (sum.has_data())
    attention_mask_backward(operands.dtype(), operands.shape, operands.in, of,
                            {sum.bytes(), steps[0], steps[1], steps[2], steps[3]});
  return ops::view(sum, mask.sizes());
}

void gradients_in_blocks(Backward& g, const Sight& sight) {
  const Tensor mask = g.saved(5);
  const Operands operands(g.saved(0), g.saved(1), g.saved(2), mask, g.saved(6), sight);
  const AttentionShape& shape = operands.shape;
  const Tensor out = prepared(g.saved(3));
  const Tensor grad = prepared(g.grad());
  AttentionResults of{};
  if (out.has_data()) of = {out.bytes(), g.saved(4).bytes(), grad.bytes()};
  std::array<Tensor, 4> found;
  if (g.needs(0) || g.needs(1) || g.needs(2)) {
    for (size_t i = 0; i < 3; ++i) found[i] = Tensor::empty(g.saved(i).sizes(), operands.dtype());
    if (out.has_data())
      attention_backward(operands.dtype(), shape, operands.in, of, found[0].bytes(), found[1].bytes(),
                         found[2].bytes());
  }
  if (g.needs(3)) found[3] = mask_gradient(operands, of, mask);
  const GradModeGuard no_grad(false);
  for (size_t i = 0; i < found.size(); ++i) {
    if (g.needs(i)) g.set(i, ops::to_dtype(found[i], g.grad().dtype()));
  }
}

/// By what the weights were multiplied; undefined if none was dropped.
Tensor kept_weights(const Operands& operands, DType dtype) {
  if (operands.in.dropout.p <= 0) return Tensor();
  const AttentionShape& shape = operands.shape;
  const Tensor kept =
      Tensor::empty(std::array{shape.samples, shape.heads, shape.queries, shape.keys}, operands.dtype());
  if (kept.has_data()) attention_kept(operands.dtype(), shape, operands.in.dropout, kept.bytes());
  return ops::to_dtype(kept, dtype);
}

void attention_gradients(Backward& g, const Sight& sight) {
  if (!recording_enabled()) return gradients_in_blocks(g, sight);
  const Operands operands(g.saved(0), g.saved(1), g.saved(2), Tensor(), g.saved(6), sight);
  const Tensor kept = kept_weights(operands, g.grad().dtype());
  const auto forward = [&sight, &kept](std::span<const Tensor> in) {
    return std::vector<Tensor>{attention_of_parts(in[0], in[1], in[2], in[3], kept, sight)};
  };
  const std::vector<Tensor> found =
      gradients_again(std::array{g.saved(0), g.saved(1), g.saved(2), g.saved(5)},
                      {g.needs(0), g.needs(1), g.needs(2), g.needs(3)}, forward, std::array{g.grad()});
  for (size_t i = 0; i < found.size(); ++i) g.set(i, found[i]);
}

Tensor attention_in_blocks(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                           const Sight& sight) {
  const bool recorded = recording(query, key, value, mask);
  Operands operands(query, key, value, mask, Tensor(), sight);
  const AttentionShape& shape = operands.shape;
  const Tensor states = drawn_states(shape, sight.dropout);
  if (states.defined() && states.has_data()) operands.in.dropout.states = states.data<uint32_t>();
  const Ints sizes = {shape.samples, shape.heads, shape.queries, shape.value_size};
  const Tensor wide = Tensor::empty(sizes, operands.dtype());
  const Tensor lse = Tensor::empty(IntSpan(sizes).first(3), operands.dtype());
  if (wide.has_data()) attention(operands.dtype(), shape, operands.in, wide.bytes(), lse.bytes());
  Tensor result = wide;
  {
    const GradModeGuard no_grad(false);
    result = ops::to_dtype(wide, query.dtype());
  }
  if (!recorded) return result;
  return record(result, "ScaledDotProductFlashAttentionForCpuBackward0", {query, key, value, mask},
                saving(save(query), save(key), save(value), save_result(result), save(lse),
                       save_if(mask.defined(), mask), save_if(states.defined(), states)),
                [sight](Backward& g) { attention_gradients(g, sight); });
}

}  // namespace

namespace ops {

// ---- scaled_dot_product_attention ----
Tensor scaled_dot_product_attention(Body, const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
  check_operands(query, key, value, attn_mask, is_causal);
  check(dropout_p >= 0 && dropout_p <= 1, "dropout probability has to be between 0 and 1, but got ",
        dropout_p);
  Tensor mask = additive_mask(query, attn_mask);
  const double size = static_cast<double>(from_end(query, 1));
  const Sight sight{is_causal, scale.value_or(1.0 / std::sqrt(size)), dropout_p};
  Ints batch = broadcast_shapes(batch_of(key), batch_of(value));
  const bool shares_heads = enable_gqa && query.dim() > 2 && key.dim() > 2 && value.dim() > 2;
  Tensor q = query;
  if (shares_heads) {
    const int64_t heads = from_end(query, 3);
    const int64_t of_key = from_end(key, 3);
    check(of_key == from_end(value, 3) && of_key > 0 && heads % of_key == 0,
          "Number of heads in key and value must divide the number of heads in query");
    // The other dimensions are broadcast without the heads.
    Ints others = broadcast_shapes(batch_of(select(query, -3, 0)), batch_of(select(key, -3, 0)));
    batch = others;
    batch.push_back(of_key);
    others.push_back(heads);
    q = spread_out(query, others);
  } else {
    batch = broadcast_shapes(batch_of(query), batch);
    q = spread_out(query, batch);
  }
  const Tensor wide_query = in_four_dims(q);
  const Tensor wide_key = in_four_dims(spread_out(key, batch));
  const Tensor wide_value = in_four_dims(spread_out(value, batch));
  if (mask.defined() && mask.dim() > 4) mask = in_four_dims(spread_out(mask, batch_of(q)));
  check_fit(wide_query, wide_key, wide_value, mask);
  Tensor result = attention_in_blocks(wide_query, wide_key, wide_value, mask, sight);
  if (query.dim() == 4 && q.dim() == 4) return result;
  Ints sizes = batch_of(q);
  sizes.push_back(result.sizes()[2]);
  sizes.push_back(result.sizes()[3]);
  return reshape(result, sizes);
}

// ---- bilinear ----
Tensor bilinear(Body, const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias) {
  check(input1.dtype() == input2.dtype() && input1.dtype() == weight.dtype(),
        "All tensors must have the same dtype, got input1: ", type_words(input1.dtype()),
        ", input2: ", type_words(input2.dtype()), ", weight: ", type_words(weight.dtype()));
  check(weight.dim() == 3, "bilinear(): weight must have three dimensions, got ", weight.dim());
  check(input1.dim() > 0 && input1.dim() == input2.dim(), "bilinear(): input dimensions do not match: got ",
        input1.dim(), " and ", input2.dim());
  for (int64_t d = 0; d + 1 < input1.dim(); ++d) {
    const auto at = static_cast<size_t>(d);
    check(input1.sizes()[at] == input2.sizes()[at], "bilinear(): input batch dimensions do not match at dim ",
          d, ": got ", input1.sizes()[at], " and ", input2.sizes()[at]);
  }
  const int64_t results = weight.sizes()[0];
  const int64_t first = weight.sizes()[1];
  const int64_t second = weight.sizes()[2];
  check(input1.sizes().back() == first, "bilinear(): input1 size does not match weight size: got ",
        input1.sizes().back(), " but expected ", first);
  check(input2.sizes().back() == second, "bilinear(): input2 size does not match weight size: got ",
        input2.sizes().back(), " but expected ", second);
  check(!bias.defined() || (bias.dim() == 1 && bias.sizes()[0] == results),
        "bilinear(): bias size does not match weight size: got ", bias.defined() ? bias.sizes().back() : 0,
        " but expected ", results);
  if (weight.dtype() == DType::Bool) fail(ErrorKind::NotImplemented, "\"bmm\" not implemented for 'Bool'");
  Ints sizes(input1.sizes().first(static_cast<size_t>(input1.dim() - 1)));
  int64_t rows = 1;
  for (const int64_t size : sizes) rows *= size;
  sizes.push_back(results);
  const Tensor x = reshape(input1, std::array{rows, first});
  const Tensor y = reshape(input2, std::array{rows, second, int64_t{1}});
  const Tensor map =
      reshape(permute(weight, std::array<int64_t, 3>{1, 0, 2}), std::array{first, results * second});
  const Tensor half = reshape(mm(x, map), std::array{rows, results, second});
  const Tensor result = reshape(bmm(half, y), sizes);
  return bias.defined() ? add(result, bias) : result;
}

}  // namespace ops
}  // namespace onetape
