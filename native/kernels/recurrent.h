#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "core/ints.h"

namespace onetape {

enum class CellKind { Tanh, Relu, Lstm, Gru };
/// Vectors of the hidden size that a cell computes of input and state.
constexpr int64_t gate_count(CellKind kind) {
  return kind == CellKind::Lstm ? 4 : kind == CellKind::Gru ? 3 : 1;
}

/// One layer of cells, in one direction, along sequences of which the longer ones come first: at step t there
/// are the first batch_sizes[t] of them, whose rows stand one step after the other.
struct RecurrentShape {
  CellKind kind;
  int64_t features;  // of the input
  int64_t hidden;
  int64_t projected;  // size of the results: `hidden`, unless they are projected
  bool projection;    // an LSTM's results are projected
  bool reverse;       // from the last step to the first
  Ints batch_sizes;

  int64_t gates() const { return gate_count(kind) * hidden; }
  int64_t rows() const;
  int64_t batch() const { return batch_sizes.empty() ? 0 : batch_sizes[0]; }
};

/// Row-major weights; biases and the projection may be null.
struct RecurrentWeights {
  const char* input;       // gates × features
  const char* state;       // gates × projected
  const char* input_bias;  // gates
  const char* state_bias;
  const char* projection;  // projected × hidden
};

/// What a run reads, and what it writes for the caller and for the run back.
struct RecurrentRun {
  const char* input;         // rows × features
  const char* first_hidden;  // batch × projected
  const char* first_cell;    // batch × hidden, for an LSTM
  char* gates;               // rows × gates, as they are after their activation functions
  char* cells;               // rows × hidden: an LSTM's cells, or what a GRU's reset gate is multiplied with
  char* unprojected;         // rows × hidden, where results are projected
  char* output;              // rows × projected
  char* last_hidden;         // batch × projected
  char* last_cell;           // batch × hidden, for an LSTM
};

/// Gradients of the results (null: zero), and those wanted of the operands (null: not wanted).
struct RecurrentGradients {
  const char* output;
  const char* last_hidden;
  const char* last_cell;
  char* input;
  char* first_hidden;  // always wanted
  char* first_cell;    // always wanted, for an LSTM
  char* input_weight;
  char* state_weight;
  char* input_bias;
  char* state_bias;
  char* projection;
};

/// float32 and float64. Gates come in PyTorch's order: input, forget, cell, output; reset, update, new.
void run_recurrent(DType dtype, const RecurrentShape& shape, const RecurrentWeights& weights,
                   const RecurrentRun& run);
void run_recurrent_backward(DType dtype, const RecurrentShape& shape, const RecurrentWeights& weights,
                            const RecurrentRun& run, const RecurrentGradients& gradients);

/// One step of a cell for some sequences side by side. Rows are dense.
struct CellStep {
  int64_t rows;
  int64_t hidden;
  const char* bias;        // of the gates, or null
  const char* state_bias;  // of a GRU's products with the state, or null
  char* gates;             // sums on entry, activated afterwards
  const char* products;    // of a GRU's state and weights
  const char* before;      // an LSTM's cells, a GRU's state
  char* cells;
  char* out;
};
struct CellStepBackward {
  int64_t rows;
  int64_t hidden;
  const char* gates;
  const char* cells;
  const char* before;
  const char* out;       // the results, for a plain cell
  char* grad_hidden;     // of the results; becomes that of the state but for what comes through the weights
  const char* grad_out;  // of an LSTM's results, if that is not grad_hidden
  char* grad_cell;       // of the cells after the step; becomes that of the cells before
  char* grad_gates;      // of the sums
  char* grad_products;   // of a GRU's products with the state
};

}  // namespace onetape
