#include "kernels/recurrent.h"

#include <numeric>
#include <optional>
#include <vector>

#include "kernels/recurrent_parts.h"
#include "kernels/registry.h"

namespace onetape {

int64_t RecurrentShape::rows() const {
  return std::accumulate(batch_sizes.begin(), batch_sizes.end(), int64_t{0});
}

namespace {

using namespace recurrent;

using Step = void (*)(const CellStep&);
using StepBackward = void (*)(const CellStepBackward&);

constexpr const char* kNames[] = {"rnn_tanh_cell", "rnn_relu_cell", "lstm_cell", "gru_cell"};
constexpr const char* kBackwardNames[] = {"rnn_tanh_cell_backward", "rnn_relu_cell_backward",
                                          "lstm_cell_backward", "gru_cell_backward"};

/// Rows [begin, end) of a step.
CellStep rows_of(const Arithmetic& a, CellStep s, int64_t gates, int64_t begin, int64_t end) {
  s.rows = end - begin;
  s.gates = a.at(s.gates, begin, gates);
  if (s.products) s.products = a.at(s.products, begin, gates);
  s.before = a.at(s.before, begin, s.hidden);
  if (s.cells) s.cells = a.at(s.cells, begin, s.hidden);
  s.out = a.at(s.out, begin, s.hidden);
  return s;
}
CellStepBackward rows_of(const Arithmetic& a, CellStepBackward s, int64_t gates, int64_t begin, int64_t end) {
  s.rows = end - begin;
  s.gates = a.at(s.gates, begin, gates);
  if (s.cells) s.cells = a.at(s.cells, begin, s.hidden);
  s.before = a.at(s.before, begin, s.hidden);
  s.out = a.at(s.out, begin, s.hidden);
  s.grad_hidden = a.at(s.grad_hidden, begin, s.hidden);
  s.grad_out = a.at(s.grad_out, begin, s.hidden);
  if (s.grad_cell) s.grad_cell = a.at(s.grad_cell, begin, s.hidden);
  s.grad_gates = a.at(s.grad_gates, begin, gates);
  if (s.grad_products) s.grad_products = a.at(s.grad_products, begin, gates);
  return s;
}

/// The order of the steps, and where each finds the state it starts from.
class Walk {
 public:
  Walk(const Arithmetic& arithmetic, const RecurrentShape& shape) : arithmetic_(arithmetic), shape_(shape) {
    int64_t begin = 0;
    for (const int64_t size : shape.batch_sizes) {
      begins_.push_back(begin);
      begin += size;
    }
  }
  int64_t steps() const { return std::ssize(begins_); }
  /// The time of the n-th step, in the layer's direction.
  int64_t time(int64_t n) const { return shape_.reverse ? steps() - 1 - n : n; }
  int64_t begin(int64_t time) const { return begins_[static_cast<size_t>(time)]; }
  int64_t rows(int64_t time) const { return shape_.batch_sizes[static_cast<size_t>(time)]; }

  /// The rows that were computed before the step, of results or of cells; `first` where there are none yet.
  /// Sequences that only start here, since the direction is reversed, are put together in `joined`.
  const char* before(int64_t time, const char* all, const char* first, int64_t columns,
                     Memory& joined) const {
    const int64_t last = shape_.reverse ? time + 1 : time - 1;
    if (last < 0 || last >= steps()) return first;
    const char* found = arithmetic_.at(all, begin(last), columns);
    const int64_t there = rows(last);
    if (there >= rows(time)) return found;
    if (!joined) joined = arithmetic_.memory(shape_.batch() * columns);
    arithmetic_.copy(joined.get(), found, there * columns);
    arithmetic_.copy(arithmetic_.at(joined.get(), there, columns), arithmetic_.at(first, there, columns),
                     (rows(time) - there) * columns);
    return joined.get();
  }
  /// The state of each sequence after its last step.
  void gather_last(const char* all, int64_t columns, char* out) const {
    if (shape_.reverse) return arithmetic_.copy(out, all, shape_.batch() * columns);
    for (int64_t t = 0; t < steps(); ++t) {
      const int64_t going_on = t + 1 < steps() ? rows(t + 1) : 0;
      arithmetic_.copy(arithmetic_.at(out, going_on, columns),
                       arithmetic_.at(all, begin(t) + going_on, columns), (rows(t) - going_on) * columns);
    }
  }

 private:
  const Arithmetic& arithmetic_;
  const RecurrentShape& shape_;
  std::vector<int64_t> begins_;
};

/// One bias for the sums of both products; a GRU keeps them apart.
Memory bias_of(const Arithmetic& a, const RecurrentShape& shape, const RecurrentWeights& weights) {
  if (!weights.input_bias) return {};
  Memory bias = a.memory(shape.gates());
  a.copy(bias.get(), weights.input_bias, shape.gates());
  if (shape.kind != CellKind::Gru) a.add(bias.get(), weights.state_bias, shape.gates());
  return bias;
}

}  // namespace

void run_recurrent(DType dtype, const RecurrentShape& shape, const RecurrentWeights& weights,
                   const RecurrentRun& run) {
  const Arithmetic a(dtype);
  const auto step = find_function<Step>(kNames[static_cast<size_t>(shape.kind)], dtype);
  const Walk walk(a, shape);
  const int64_t gates = shape.gates();
  const bool is_gru = shape.kind == CellKind::Gru;
  const StepWeight state_weight(a, dtype, a.view(weights.state, gates, shape.projected).transposed(),
                                shape.rows());
  const MatrixView of_input = a.view(weights.input, gates, shape.features).transposed();
  std::optional<StepWeight> input_weight;
  if (input_by_steps(dtype, shape)) {
    input_weight.emplace(a, dtype, of_input, shape.rows());
  } else {  // all steps at once
    a.multiply(a.view(run.input, shape.rows(), shape.features), of_input,
               a.view(run.gates, shape.rows(), gates));
  }
  const Memory bias = bias_of(a, shape, weights);
  const Memory products = is_gru ? a.memory(shape.batch() * gates) : Memory();
  Memory joined_hidden;
  Memory joined_cells;
  for (int64_t n = 0; n < walk.steps(); ++n) {
    const int64_t time = walk.time(n);
    const int64_t begin = walk.begin(time);
    const int64_t rows = walk.rows(time);
    const char* hidden = walk.before(time, run.output, run.first_hidden, shape.projected, joined_hidden);
    CellStep s{};
    s.rows = rows;
    s.hidden = shape.hidden;
    s.bias = bias.get();
    s.state_bias = is_gru ? weights.state_bias : nullptr;
    s.gates = a.at(run.gates, begin, gates);
    s.products = products.get();
    s.before = hidden;
    s.cells = run.cells ? a.at(run.cells, begin, shape.hidden) : nullptr;
    s.out = a.at(run.output, begin, shape.projected);
    if (shape.kind == CellKind::Lstm)
      s.before = walk.before(time, run.cells, run.first_cell, shape.hidden, joined_cells);
    if (shape.projection) s.out = a.at(run.unprojected, begin, shape.hidden);
    const char* input = a.at(run.input, begin, shape.features);
    state_weight.for_rows(rows, [&](int64_t from, int64_t to) {
      if (input_weight) input_weight->multiply(input, s.gates, from, to, 0);
      state_weight.multiply(hidden, is_gru ? products.get() : s.gates, from, to, is_gru ? 0 : 1);
      step(rows_of(a, s, gates, from, to));
    });
    if (shape.projection) {
      a.multiply(a.view(s.out, rows, shape.hidden),
                 a.view(weights.projection, shape.projected, shape.hidden).transposed(),
                 a.view(a.at(run.output, begin, shape.projected), rows, shape.projected));
    }
  }
  walk.gather_last(run.output, shape.projected, run.last_hidden);
  if (shape.kind == CellKind::Lstm) walk.gather_last(run.cells, shape.hidden, run.last_cell);
}

namespace {

/// The run back through time, and what it collects for the gradients of the weights.
class BackwardRun {
 public:
  BackwardRun(DType dtype, const RecurrentShape& shape, const RecurrentWeights& weights,
              const RecurrentRun& run, const RecurrentGradients& gradients)
      : a_(dtype),
        shape_(shape),
        weights_(weights),
        run_(run),
        gradients_(gradients),
        walk_(a_, shape),
        rows_(shape.rows()),
        gates_(shape.gates()),
        is_gru_(shape.kind == CellKind::Gru),
        is_lstm_(shape.kind == CellKind::Lstm),
        step_(find_function<StepBackward>(kBackwardNames[static_cast<size_t>(shape.kind)], dtype)),
        state_weight_(a_, dtype, a_.view(weights.state, gates_, shape.projected), rows_),
        grad_gates_(a_.memory(rows_ * gates_)) {
    if (gradients.input && input_by_steps(dtype, shape))
      input_weight_.emplace(a_, dtype, a_.view(weights.input, gates_, shape.features), rows_);
    if (is_gru_) grad_products_ = a_.memory(rows_ * gates_);
    if (gradients.state_weight) states_ = a_.memory(rows_ * shape.projected);
    if (shape.projection) {
      grad_results_ = a_.memory(rows_ * shape.projected);
      grad_unprojected_ = a_.memory(shape.batch() * shape.hidden);
    }
  }

  void operator()() {
    // Sequences that a step does not reach wait with the gradients of their last state.
    a_.copy_or_clear(gradients_.first_hidden, gradients_.last_hidden, shape_.batch() * shape_.projected);
    if (is_lstm_)
      a_.copy_or_clear(gradients_.first_cell, gradients_.last_cell, shape_.batch() * shape_.hidden);
    for (int64_t n = walk_.steps() - 1; n >= 0; --n) back(walk_.time(n));
    weights();
  }

 private:
  void back(int64_t time) {
    const int64_t begin = walk_.begin(time);
    const int64_t rows = walk_.rows(time);
    const int64_t results = rows * shape_.projected;
    char* grad = gradients_.first_hidden;
    if (gradients_.output) a_.add(grad, a_.at(gradients_.output, begin, shape_.projected), results);
    const char* hidden = walk_.before(time, run_.output, run_.first_hidden, shape_.projected, joined_hidden_);
    if (states_) a_.copy(a_.at(states_.get(), begin, shape_.projected), hidden, results);
    CellStepBackward s{};
    s.rows = rows;
    s.hidden = shape_.hidden;
    s.gates = a_.at(run_.gates, begin, gates_);
    s.cells = run_.cells ? a_.at(run_.cells, begin, shape_.hidden) : nullptr;
    s.before = hidden;
    s.out = a_.at(run_.output, begin, shape_.projected);
    s.grad_hidden = grad;
    s.grad_out = grad;
    s.grad_cell = gradients_.first_cell;
    s.grad_gates = a_.at(grad_gates_.get(), begin, gates_);
    s.grad_products = is_gru_ ? a_.at(grad_products_.get(), begin, gates_) : nullptr;
    if (is_lstm_) s.before = walk_.before(time, run_.cells, run_.first_cell, shape_.hidden, joined_cells_);
    if (shape_.projection) {
      a_.copy(a_.at(grad_results_.get(), begin, shape_.projected), grad, results);
      a_.multiply(a_.view(grad, rows, shape_.projected),
                  a_.view(weights_.projection, shape_.projected, shape_.hidden),
                  a_.view(grad_unprojected_.get(), rows, shape_.hidden));
      s.grad_out = grad_unprojected_.get();
    }
    state_weight_.for_rows(rows, [&](int64_t from, int64_t to) {
      step_(rows_of(a_, s, gates_, from, to));
      if (input_weight_) {
        input_weight_->multiply(s.grad_gates, a_.at(gradients_.input, begin, shape_.features), from, to, 0);
      }
      state_weight_.multiply(is_gru_ ? s.grad_products : s.grad_gates, grad, from, to, is_gru_ ? 1 : 0);
    });
  }

  /// out = left transposed · right, summed over all rows
  void weight(char* out, const char* left, int64_t m, const char* right, int64_t n) const {
    if (out) a_.multiply(a_.view(left, rows_, m).transposed(), a_.view(right, rows_, n), a_.view(out, m, n));
  }
  void weights() const {
    const char* sums = grad_gates_.get();
    const char* products = is_gru_ ? grad_products_.get() : sums;
    if (gradients_.input && !input_weight_) {
      a_.multiply(a_.view(sums, rows_, gates_), a_.view(weights_.input, gates_, shape_.features),
                  a_.view(gradients_.input, rows_, shape_.features));
    }
    weight(gradients_.input_weight, sums, gates_, run_.input, shape_.features);
    weight(gradients_.state_weight, products, gates_, states_.get(), shape_.projected);
    weight(gradients_.projection, grad_results_.get(), shape_.projected, run_.unprojected, shape_.hidden);
    if (gradients_.input_bias) a_.add_rows(sums, rows_, gates_, gradients_.input_bias);
    if (!gradients_.state_bias) return;
    if (gradients_.input_bias && !is_gru_) {
      a_.copy(gradients_.state_bias, gradients_.input_bias, gates_);
    } else {
      a_.add_rows(products, rows_, gates_, gradients_.state_bias);
    }
  }

  const Arithmetic a_;
  const RecurrentShape& shape_;
  const RecurrentWeights& weights_;
  const RecurrentRun& run_;
  const RecurrentGradients& gradients_;
  const Walk walk_;
  const int64_t rows_;
  const int64_t gates_;
  const bool is_gru_;
  const bool is_lstm_;
  const StepBackward step_;
  const StepWeight state_weight_;
  std::optional<StepWeight> input_weight_;
  Memory grad_gates_;     // of the sums, for all rows
  Memory grad_products_;  // of a GRU's products with the state
  Memory states_;         // the state before each row
  Memory grad_results_;   // of the projected results, with what came from later steps
  Memory grad_unprojected_;
  Memory joined_hidden_;
  Memory joined_cells_;
};

}  // namespace

void run_recurrent_backward(DType dtype, const RecurrentShape& shape, const RecurrentWeights& weights,
                            const RecurrentRun& run, const RecurrentGradients& gradients) {
  BackwardRun(dtype, shape, weights, run, gradients)();
}

}  // namespace onetape
