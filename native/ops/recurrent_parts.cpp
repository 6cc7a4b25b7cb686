#include "ops.h"
#include "ops/recurrent_layer.h"

namespace onetape {
namespace {

struct State {
  Tensor hidden;
  Tensor cell;
};

Tensor part(const Tensor& gates, int64_t index, int64_t hidden) {
  return ops::narrow(gates, 1, index * hidden, hidden);
}

/// One step of a cell. `sums` are those of the input, with its bias.
State step(CellKind kind, int64_t hidden, const Tensor& sums, const State& before,
           const LayerWeights& weights) {
  const Tensor products = ops::linear(before.hidden, weights.state, weights.state_bias);
  if (kind == CellKind::Tanh) return {ops::tanh(ops::add(sums, products)), {}};
  if (kind == CellKind::Relu) return {ops::relu(ops::add(sums, products)), {}};
  if (kind == CellKind::Gru) {
    const auto gate = [&](int64_t i) {
      return ops::sigmoid(ops::add(part(sums, i, hidden), part(products, i, hidden)));
    };
    const Tensor kept = ops::mul(gate(0), part(products, 2, hidden));
    const Tensor fresh = ops::tanh(ops::add(part(sums, 2, hidden), kept));
    return {ops::add(fresh, ops::mul(gate(1), ops::sub(before.hidden, fresh))), {}};
  }
  const Tensor gates = ops::add(sums, products);
  const Tensor in = ops::sigmoid(part(gates, 0, hidden));
  const Tensor forget = ops::sigmoid(part(gates, 1, hidden));
  const Tensor fresh = ops::tanh(part(gates, 2, hidden));
  const Tensor open = ops::sigmoid(part(gates, 3, hidden));
  const Tensor cell = ops::add(ops::mul(forget, before.cell), ops::mul(in, fresh));
  const Tensor shown = ops::mul(open, ops::tanh(cell));
  return {weights.projection.defined() ? ops::linear(shown, weights.projection, {}) : shown, cell};
}

/// The first rows replaced.
Tensor with_first_rows(const Tensor& all, const Tensor& rows) {
  const int64_t count = rows.sizes()[0];
  const int64_t size = all.sizes()[0];
  if (count == size) return rows;
  return ops::cat(std::vector<Tensor>{rows, ops::narrow(all, 0, count, size - count)}, 0);
}

}  // namespace

LayerResult recurrent_layer_of_parts(const RecurrentShape& shape, const Tensor& rows, const Tensor& hidden,
                                     const Tensor& cell, const LayerWeights& weights) {
  const Tensor sums = ops::linear(rows, weights.input, weights.input_bias);
  const auto steps = std::ssize(shape.batch_sizes);
  std::vector<Tensor> outputs(static_cast<size_t>(steps));
  State state{hidden, cell};
  int64_t begin = shape.reverse ? shape.rows() : 0;
  for (int64_t n = 0; n < steps; ++n) {
    const int64_t time = shape.reverse ? steps - 1 - n : n;
    const int64_t count = shape.batch_sizes[static_cast<size_t>(time)];
    if (shape.reverse) begin -= count;
    const auto first = [count](const Tensor& t) { return t.defined() ? ops::narrow(t, 0, 0, count) : t; };
    const State next = step(shape.kind, shape.hidden, ops::narrow(sums, 0, begin, count),
                            {first(state.hidden), first(state.cell)}, weights);
    outputs[static_cast<size_t>(time)] = next.hidden;
    state.hidden = with_first_rows(state.hidden, next.hidden);
    if (cell.defined()) state.cell = with_first_rows(state.cell, next.cell);
    if (!shape.reverse) begin += count;
  }
  return {ops::cat(outputs, 0), state.hidden, state.cell};
}

}  // namespace onetape
