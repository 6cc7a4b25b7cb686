#include "ops.h"
#include "ops/copy.h"
#include "ops/recurrent_layer.h"

namespace onetape::ops {
namespace {

/// What the operators of whole layers share.
struct Stack {
  const char* op;
  CellKind kind;
  std::span<const Tensor> params;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train;
  bool bidirectional;

  int64_t directions() const { return bidirectional ? 2 : 1; }
  bool projects(const Tensor& hidden, const Tensor& cell) const {
    return kind == CellKind::Lstm && hidden.sizes()[2] != cell.sizes()[2];
  }
  int64_t params_of_each(bool projects) const { return (has_biases ? 4 : 2) + (projects ? 1 : 0); }

  LayerWeights weights(int64_t layer, bool projects) const {
    const Tensor* p = params.data() + layer * params_of_each(projects);
    LayerWeights found{p[0], p[1], {}, {}, {}};
    if (has_biases) {
      found.input_bias = p[2];
      found.state_bias = p[3];
    }
    if (projects) found.projection = p[has_biases ? 4 : 2];
    return found;
  }
};

void check_states(const Stack& s, const Tensor& hidden, const Tensor& cell, int64_t batch) {
  check(s.num_layers > 0 && s.num_layers <= std::ssize(s.params),
        "got an incorrect number of RNN parameters");
  const int64_t layers = s.num_layers * s.directions();
  for (const Tensor& state : {hidden, cell}) {
    if (!state.defined()) continue;
    wrap_dim(2, state.dim());
    check(state.dim() == 3 && state.sizes()[0] == layers && state.sizes()[1] == batch, s.op,
          ": expected states of ", layers, " layers and directions and ", batch, " sequences, (", layers,
          ", ", batch, ", size), but got ", state.shape());
  }
}

void check_params(const Stack& s, bool projects) {
  const int64_t each = s.params_of_each(projects);
  const int64_t count = std::ssize(s.params);
  check(s.kind != CellKind::Lstm || count % each == 0, "MatrixRef: ArrayRef size ", count,
        " not divisible by stride ", each);
  check(s.num_layers * s.directions() * each == count, "got an incorrect number of RNN parameters");
  for (const Tensor& param : s.params) check(param.defined(), s.op, ": a parameter is undefined");
}

/// All layers over packed rows; the last states of each layer and direction one after the other.
LayerResult run_layers(const Stack& s, const Tensor& rows, const Ints& batch_sizes, const Tensor& hidden,
                       const Tensor& cell) {
  const bool projects = s.projects(hidden, cell);
  std::vector<Tensor> hiddens;
  std::vector<Tensor> cells;
  Tensor in = rows;
  for (int64_t layer = 0; layer < s.num_layers; ++layer) {
    std::vector<Tensor> outputs;
    for (int64_t direction = 0; direction < s.directions(); ++direction) {
      const int64_t place = layer * s.directions() + direction;
      const LayerResult one = recurrent_layer(s.op, s.kind, in, batch_sizes, select(hidden, 0, place),
                                              cell.defined() ? select(cell, 0, place) : Tensor(),
                                              s.weights(place, projects), direction == 1);
      outputs.push_back(one.output);
      hiddens.push_back(one.hidden);
      cells.push_back(one.cell);
    }
    in = outputs.size() == 1 ? outputs[0] : cat(outputs, 1);
    if (s.train && s.dropout != 0 && layer + 1 < s.num_layers)
      in = ops::dropout(in, s.dropout, true, nullptr);
  }
  const auto stacked = [](const std::vector<Tensor>& states) {
    return states.size() == 1 ? unsqueeze(states[0], 0) : stack(states, 0);
  };
  return {in, stacked(hiddens), cell.defined() ? stacked(cells) : Tensor()};
}

LayerResult run_padded(const Stack& s, const Tensor& input, const Tensor& hidden, const Tensor& cell,
                       bool batch_first) {
  wrap_dim(2, input.dim());
  check(input.dim() == 3, s.op, ": expected a 3-D input, but got ", input.dim(), "-D");
  const Tensor in = batch_first ? transpose(input, 0, 1) : input;
  const int64_t steps = in.sizes()[0];
  const int64_t batch = in.sizes()[1];
  const int64_t features = in.sizes()[2];
  check_states(s, hidden, cell, batch);
  check_params(s, s.projects(hidden, cell));
  check(steps > 0, "Expected sequence length to be larger than 0 in RNN");
  if (input.dtype() == DType::Bool && (!s.has_biases || !in.is_contiguous()))
    fail(ErrorKind::NotImplemented, "\"bmm\" not implemented for 'Bool'");
  const Tensor rows = reshape(in, std::array{steps * batch, features});
  LayerResult result = run_layers(s, rows, Ints(static_cast<size_t>(steps), batch), hidden, cell);
  result.output = view(result.output, std::array{steps, batch, result.output.sizes()[1]});
  if (batch_first) result.output = transpose(result.output, 0, 1);
  return result;
}

Ints checked_batch_sizes(const Stack& s, const Tensor& data, const Tensor& batch_sizes) {
  check(batch_sizes.dtype() == DType::I64, "expected scalar type Long but found ",
        scalar_type_name(batch_sizes.dtype()));
  check(batch_sizes.dim() == 1, s.op, ": expected batch_sizes of one dimension, but got ",
        batch_sizes.shape());
  wrap_dim(1, data.dim());
  check(data.dim() == 2, s.op, ": expected 2-D data, but got ", data.dim(), "-D");
  check(batch_sizes.numel() > 0, "Expected sequence length to be larger than 0 in RNN");
  const Tensor plain = dense(batch_sizes);
  const Ints sizes(
      IntSpan(reinterpret_cast<const int64_t*>(plain.bytes()), static_cast<size_t>(plain.numel())));
  int64_t left = data.sizes()[0];
  for (size_t i = 0; i < sizes.size(); ++i) {
    check(sizes[i] > 0 && (i == 0 || sizes[i] <= sizes[i - 1]), s.op,
          ": batch_sizes must be positive and none larger than the one before it, but got ", sizes[i], " at ",
          i);
    check(sizes[i] <= left, s.op, ": batch_sizes name more rows than the data's ", data.sizes()[0]);
    left -= sizes[i];
  }
  check(left == 0, s.op, ": batch_sizes name ", data.sizes()[0] - left, " rows, but the data has ",
        data.sizes()[0]);
  return sizes;
}

LayerResult run_packed(const Stack& s, const Tensor& data, const Tensor& batch_sizes, const Tensor& hidden,
                       const Tensor& cell) {
  const Ints sizes = checked_batch_sizes(s, data, batch_sizes);
  check_states(s, hidden, cell, sizes[0]);
  check_params(s, s.projects(hidden, cell));
  LayerResult result = run_layers(s, data, sizes, hidden, cell);
  result.output = view(result.output, result.output.shape());  // a node of its own, as that of each state
  return result;
}

std::array<Tensor, 2> two_states(const char* op, std::span<const Tensor> hx) {
  check(hx.size() == 2 && hx[0].defined() && hx[1].defined(), op, " expects two hidden states");
  return {hx[0], hx[1]};
}

}  // namespace

// ---- lstm ----
std::tuple<Tensor, Tensor, Tensor> lstm(Body, const Tensor& input, std::span<const Tensor> hx,
                                        std::span<const Tensor> params, bool has_biases, int64_t num_layers,
                                        double dropout, bool train, bool bidirectional, bool batch_first) {
  const auto [hidden, cell] = two_states("lstm", hx);
  const Stack s{"lstm", CellKind::Lstm, params, has_biases, num_layers, dropout, train, bidirectional};
  const LayerResult result = run_padded(s, input, hidden, cell, batch_first);
  return {result.output, result.hidden, result.cell};
}

std::tuple<Tensor, Tensor, Tensor> lstm(Body, const Tensor& data, const Tensor& batch_sizes,
                                        std::span<const Tensor> hx, std::span<const Tensor> params,
                                        bool has_biases, int64_t num_layers, double dropout, bool train,
                                        bool bidirectional) {
  const auto [hidden, cell] = two_states("lstm", hx);
  const Stack s{"lstm", CellKind::Lstm, params, has_biases, num_layers, dropout, train, bidirectional};
  const LayerResult result = run_packed(s, data, batch_sizes, hidden, cell);
  return {result.output, result.hidden, result.cell};
}

// ---- gru ----
std::tuple<Tensor, Tensor> gru(Body, const Tensor& input, const Tensor& hx, std::span<const Tensor> params,
                               bool has_biases, int64_t num_layers, double dropout, bool train,
                               bool bidirectional, bool batch_first) {
  const Stack s{"gru", CellKind::Gru, params, has_biases, num_layers, dropout, train, bidirectional};
  const LayerResult result = run_padded(s, input, hx, {}, batch_first);
  return {result.output, result.hidden};
}

std::tuple<Tensor, Tensor> gru(Body, const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                               std::span<const Tensor> params, bool has_biases, int64_t num_layers,
                               double dropout, bool train, bool bidirectional) {
  const Stack s{"gru", CellKind::Gru, params, has_biases, num_layers, dropout, train, bidirectional};
  const LayerResult result = run_packed(s, data, batch_sizes, hx, {});
  return {result.output, result.hidden};
}

// ---- rnn_tanh ----
std::tuple<Tensor, Tensor> rnn_tanh(Body, const Tensor& input, const Tensor& hx,
                                    std::span<const Tensor> params, bool has_biases, int64_t num_layers,
                                    double dropout, bool train, bool bidirectional, bool batch_first) {
  const Stack s{"rnn_tanh", CellKind::Tanh, params, has_biases, num_layers, dropout, train, bidirectional};
  const LayerResult result = run_padded(s, input, hx, {}, batch_first);
  return {result.output, result.hidden};
}

std::tuple<Tensor, Tensor> rnn_tanh(Body, const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    std::span<const Tensor> params, bool has_biases, int64_t num_layers,
                                    double dropout, bool train, bool bidirectional) {
  const Stack s{"rnn_tanh", CellKind::Tanh, params, has_biases, num_layers, dropout, train, bidirectional};
  const LayerResult result = run_packed(s, data, batch_sizes, hx, {});
  return {result.output, result.hidden};
}

// ---- rnn_relu ----
std::tuple<Tensor, Tensor> rnn_relu(Body, const Tensor& input, const Tensor& hx,
                                    std::span<const Tensor> params, bool has_biases, int64_t num_layers,
                                    double dropout, bool train, bool bidirectional, bool batch_first) {
  const Stack s{"rnn_relu", CellKind::Relu, params, has_biases, num_layers, dropout, train, bidirectional};
  const LayerResult result = run_padded(s, input, hx, {}, batch_first);
  return {result.output, result.hidden};
}

std::tuple<Tensor, Tensor> rnn_relu(Body, const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    std::span<const Tensor> params, bool has_biases, int64_t num_layers,
                                    double dropout, bool train, bool bidirectional) {
  const Stack s{"rnn_relu", CellKind::Relu, params, has_biases, num_layers, dropout, train, bidirectional};
  const LayerResult result = run_packed(s, data, batch_sizes, hx, {});
  return {result.output, result.hidden};
}

}  // namespace onetape::ops
