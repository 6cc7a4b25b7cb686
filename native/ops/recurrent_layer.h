#pragma once

#include "core/tensor.h"
#include "kernels/recurrent.h"

namespace onetape {

/// The parameters of one layer in one direction; undefined where there are none.
struct LayerWeights {
  Tensor input;
  Tensor state;
  Tensor input_bias;
  Tensor state_bias;
  Tensor projection;
};

struct LayerResult {
  Tensor output;  // rows × projected
  Tensor hidden;  // batch × projected
  Tensor cell;    // batch × hidden; undefined but for an LSTM
};

/// Runs a layer over packed rows (see RecurrentShape). The cell is undefined but for an LSTM. Fails, with
/// `op` in the text, where shapes or dtypes do not fit.
LayerResult recurrent_layer(const char* op, CellKind kind, const Tensor& rows, const Ints& batch_sizes,
                            const Tensor& hidden, const Tensor& cell, const LayerWeights& weights,
                            bool reverse);

/// The same of differentiable operators, for gradients of gradients.
LayerResult recurrent_layer_of_parts(const RecurrentShape& shape, const Tensor& rows, const Tensor& hidden,
                                     const Tensor& cell, const LayerWeights& weights);

}  // namespace onetape
