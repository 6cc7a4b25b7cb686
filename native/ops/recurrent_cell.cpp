#include "ops.h"
#include "ops/recurrent_layer.h"

namespace onetape::ops {
namespace {

void check_state(const Tensor& input, const Tensor& state, const char* name, int64_t hidden) {
  check(state.dim() == 2, "Expected 2D ", name, " (batch x hidden_size), but got ", state.dim(), "D tensor");
  check(input.sizes()[0] == state.sizes()[0], "Input batch size ", input.sizes()[0], " doesn't match ", name,
        " batch size ", state.sizes()[0]);
  check(state.sizes()[1] == hidden, name, " has inconsistent hidden_size: got ", state.sizes()[1],
        ", expected ", hidden);
}

LayerResult run_cell(const char* op, CellKind kind, const Tensor& input, const Tensor& hidden,
                     const Tensor& cell, const LayerWeights& weights) {
  check(input.dim() == 2, "Expected 2D input (batch x feature), but got ", input.dim(), "D input");
  check(weights.input.dim() == 2 && weights.state.dim() == 2, op,
        ": expected weights of two dimensions, but got ", weights.input.shape(), " and ",
        weights.state.shape());
  check(input.sizes()[1] == weights.input.sizes()[1], "input has inconsistent input_size: got ",
        input.sizes()[1], " expected ", weights.input.sizes()[1]);
  const int64_t size = weights.state.sizes()[1];
  check_state(input, hidden, "hidden0", size);
  if (cell.defined()) check_state(input, cell, "hidden1", size);
  const int64_t gates = gate_count(kind);
  check(weights.input.sizes()[0] == gates * size, "weight_ih first dim must be ", gates,
        " * hidden_size = ", gates * size, ", but got ", weights.input.sizes()[0]);
  LayerWeights w = weights;
  // One bias alone is as good as the other.
  if (w.input_bias.defined() != w.state_bias.defined()) {
    Tensor& missing = w.input_bias.defined() ? w.state_bias : w.input_bias;
    missing = zeros_like(w.input_bias.defined() ? w.input_bias : w.state_bias);
  }
  const Ints one_step = {input.sizes()[0]};
  return recurrent_layer(op, kind, input, one_step, hidden, cell, w, false);
}

}  // namespace

// ---- lstm_cell ----
std::tuple<Tensor, Tensor> lstm_cell(Body, const Tensor& input, std::span<const Tensor> hx,
                                     const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                                     const Tensor& b_hh) {
  check(hx.size() == 2 && hx[0].defined() && hx[1].defined(), "lstm_cell expects two hidden states");
  const LayerResult result =
      run_cell("lstm_cell", CellKind::Lstm, input, hx[0], hx[1], {w_ih, w_hh, b_ih, b_hh, {}});
  return {result.output, result.cell};
}

// ---- gru_cell ----
Tensor gru_cell(Body, const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih, const Tensor& b_hh) {
  return run_cell("gru_cell", CellKind::Gru, input, hx, {}, {w_ih, w_hh, b_ih, b_hh, {}}).output;
}

// ---- rnn_tanh_cell ----
Tensor rnn_tanh_cell(Body, const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh) {
  return run_cell("rnn_tanh_cell", CellKind::Tanh, input, hx, {}, {w_ih, w_hh, b_ih, b_hh, {}}).output;
}

// ---- rnn_relu_cell ----
Tensor rnn_relu_cell(Body, const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh) {
  return run_cell("rnn_relu_cell", CellKind::Relu, input, hx, {}, {w_ih, w_hh, b_ih, b_hh, {}}).output;
}

}  // namespace onetape::ops
