#include "ops/recurrent_layer.h"

#include "ops.h"
#include "ops/again.h"
#include "ops/prepared.h"
#include "ops/type_words.h"

namespace onetape {
namespace {

constexpr size_t kOperands = 8;  // rows, hidden, cell, and the five weights

// ---- checks ----

void check_dtypes(CellKind kind, bool has_biases, const Tensor& rows, std::span<const Tensor> others) {
  for (const Tensor& other : others) {
    if (!other.defined()) continue;
    check(other.dtype() == rows.dtype(), "mat1 and mat2 must have the same dtype, but got ",
          scalar_type_name(rows.dtype()), " and ", scalar_type_name(other.dtype()));
  }
  if (is_floating(rows.dtype())) return;
  if (rows.dtype() == DType::Bool)
    fail(ErrorKind::NotImplemented, "\"addmm_impl_cpu_\" not implemented for 'Bool'");
  if (is_complex(rows.dtype()) || kind == CellKind::Relu)
    fail(ErrorKind::NotImplemented, "clamp is not supported for complex types");
  // After the first step PyTorch's state is of float32.
  check(kind != CellKind::Tanh || !has_biases, "mat1 and mat2 must have the same dtype, but got Float and ",
        scalar_type_name(rows.dtype()));
  check(kind != CellKind::Tanh,
        "expected m1 and m2 to have the same dtype, but got: float != ", type_words(rows.dtype()));
  fail(ErrorKind::Runtime, "result type Float can't be cast to the desired output type ",
       scalar_type_name(rows.dtype()));
}

void check_sizes(const char* op, const char* what, const Tensor& t, IntSpan wanted) {
  if (!t.defined()) return;
  check(same(t.sizes(), wanted), op, ": expected ", what, " of size ", ShapeText{wanted}, ", but got ",
        ShapeText{t.sizes()});
}

RecurrentShape checked_shape(const char* op, CellKind kind, const Tensor& rows, const Ints& batch_sizes,
                             const Tensor& hidden, const Tensor& cell, const LayerWeights& w, bool reverse) {
  check_dtypes(kind, w.input_bias.defined(), rows,
               std::array{w.input, hidden, cell, w.state, w.input_bias, w.state_bias, w.projection});
  RecurrentShape shape{kind,    rows.sizes()[1], 0, hidden.sizes()[1], w.projection.defined(),
                       reverse, batch_sizes};
  shape.hidden = cell.defined() ? cell.sizes()[1] : shape.projected;
  check(shape.projection || shape.projected == shape.hidden, op, ": expected states of one size, but got ",
        shape.projected, " and ", shape.hidden);
  check(w.input.dim() == 2 && w.input.sizes()[1] == shape.features,
        "mat1 and mat2 shapes cannot be multiplied (", rows.sizes()[0], "x", shape.features, " and ",
        w.input.dim() == 2 ? w.input.sizes()[1] : 0, "x", w.input.dim() > 0 ? w.input.sizes()[0] : 0, ")");
  const int64_t batch = shape.batch();
  check_sizes(op, "the first state", hidden, Ints{batch, shape.projected});
  check_sizes(op, "the first cell", cell, Ints{batch, shape.hidden});
  check_sizes(op, "the input's weight", w.input, Ints{shape.gates(), shape.features});
  check_sizes(op, "the state's weight", w.state, Ints{shape.gates(), shape.projected});
  check_sizes(op, "the input's bias", w.input_bias, Ints{shape.gates()});
  check_sizes(op, "the state's bias", w.state_bias, Ints{shape.gates()});
  check_sizes(op, "the projection", w.projection, Ints{shape.projected, shape.hidden});
  check(w.input_bias.defined() == w.state_bias.defined(), op, ": expected both biases or none");
  return shape;
}

// ---- runs ----

RecurrentWeights pointers(const LayerWeights& w) {
  return {w.input.bytes(), w.state.bytes(), bytes_or_null(w.input_bias), bytes_or_null(w.state_bias),
          bytes_or_null(w.projection)};
}

/// What a run computes for its run back.
struct Kept {
  Tensor gates;
  Tensor cells;
  Tensor unprojected;
};

Kept room_for(const RecurrentShape& shape, DType dtype) {
  const Ints wide = {shape.rows(), shape.hidden};
  const bool has_cells = shape.kind == CellKind::Lstm || shape.kind == CellKind::Gru;
  return {Tensor::empty(Ints{shape.rows(), shape.gates()}, dtype),
          has_cells ? Tensor::empty(wide, dtype) : Tensor(),
          shape.projection ? Tensor::empty(wide, dtype) : Tensor()};
}

/// Prepared operands, the results and what was kept.
struct Run {
  Tensor rows;
  Tensor hidden;
  Tensor cell;
  LayerWeights weights;
  Kept kept;
  LayerResult result;

  RecurrentRun pointers() const {
    return {rows.bytes(),
            hidden.bytes(),
            bytes_or_null(cell),
            kept.gates.bytes(),
            bytes_or_null(kept.cells),
            bytes_or_null(kept.unprojected),
            result.output.bytes(),
            bytes_or_null(result.hidden),
            bytes_or_null(result.cell)};
  }
};

LayerWeights prepared(const LayerWeights& w) {
  return {prepared(w.input), prepared(w.state), prepared(w.input_bias), prepared(w.state_bias),
          prepared(w.projection)};
}

LayerWeights weights_of(std::span<const Tensor> operands) {
  return {operands[3], operands[4], operands[5], operands[6], operands[7]};
}

/// The gradients of the operands, in one run back through time.
void gradients_at_once(Backward& g, const RecurrentShape& shape) {
  std::array<Tensor, kOperands> operands;
  for (size_t i = 0; i < kOperands; ++i) operands[i] = g.saved(i);
  Run run{prepared(operands[0]),
          prepared(operands[1]),
          prepared(operands[2]),
          prepared(weights_of(operands)),
          {g.saved(8), g.saved(9), g.saved(10)},
          {}};
  run.result.output = prepared(g.saved(11));
  const DType dtype = run.rows.dtype();
  std::array<Tensor, 3> given;
  for (size_t i = 0; i < given.size(); ++i) given[i] = prepared(g.grad(i));
  std::array<Tensor, kOperands> found;
  for (size_t i = 0; i < kOperands; ++i) {
    const bool state = i == 1 || i == 2;  // a run needs room for these in any case
    if (operands[i].defined() && (state || g.needs(i))) found[i] = Tensor::empty(operands[i].sizes(), dtype);
  }
  if (run.rows.has_data())
    run_recurrent_backward(
        dtype, shape, pointers(run.weights), run.pointers(),
        {bytes_or_null(given[0]), bytes_or_null(given[1]), bytes_or_null(given[2]), bytes_or_null(found[0]),
         bytes_or_null(found[1]), bytes_or_null(found[2]), bytes_or_null(found[3]), bytes_or_null(found[4]),
         bytes_or_null(found[5]), bytes_or_null(found[6]), bytes_or_null(found[7])});
  const GradModeGuard no_grad(false);
  for (size_t i = 0; i < kOperands; ++i) {
    if (g.needs(i) && found[i].defined()) g.set(i, ops::to_dtype(found[i], operands[i].dtype()));
  }
}

void layer_gradients(Backward& g, const RecurrentShape& shape) {
  if (!recording_enabled()) return gradients_at_once(g, shape);
  std::array<Tensor, kOperands> operands;
  std::vector<bool> wanted;
  for (size_t i = 0; i < kOperands; ++i) {
    operands[i] = g.saved(i);
    wanted.push_back(g.needs(i));
  }
  const auto forward = [&shape](std::span<const Tensor> in) {
    const LayerResult result = recurrent_layer_of_parts(shape, in[0], in[1], in[2], weights_of(in));
    return std::vector<Tensor>{result.output, result.hidden, result.cell};
  };
  const std::vector<Tensor> found =
      gradients_again(operands, wanted, forward, std::array{g.grad(0), g.grad(1), g.grad(2)});
  for (size_t i = 0; i < kOperands; ++i) g.set(i, found[i]);
}

}  // namespace

LayerResult recurrent_layer(const char* op, CellKind kind, const Tensor& rows, const Ints& batch_sizes,
                            const Tensor& hidden, const Tensor& cell, const LayerWeights& weights,
                            bool reverse) {
  const RecurrentShape shape = checked_shape(op, kind, rows, batch_sizes, hidden, cell, weights, reverse);
  const DType inner = inner_dtype(rows.dtype());
  Run run{prepared(rows), prepared(hidden), prepared(cell), prepared(weights), room_for(shape, inner), {}};
  run.result = {Tensor::empty(Ints{shape.rows(), shape.projected}, inner),
                Tensor::empty(hidden.sizes(), inner),
                cell.defined() ? Tensor::empty(cell.sizes(), inner) : Tensor()};
  if (run.rows.has_data()) run_recurrent(inner, shape, pointers(run.weights), run.pointers());
  LayerResult result = run.result;
  if (inner != rows.dtype()) {
    const GradModeGuard no_grad(false);
    for (Tensor* t : {&result.output, &result.hidden, &result.cell}) {
      if (t->defined()) *t = ops::to_dtype(*t, rows.dtype());
    }
  }
  const std::array operands = {rows,
                               hidden,
                               cell,
                               weights.input,
                               weights.state,
                               weights.input_bias,
                               weights.state_bias,
                               weights.projection};
  if (!recording(std::span<const Tensor>(operands))) return result;
  const Ref<Node> node = make_function(
      "RnnLayerBackward0", operands,
      saving(save(rows), save(hidden), save(cell), save(weights.input), save(weights.state),
             save(weights.input_bias), save(weights.state_bias), save(weights.projection),
             save(run.kept.gates), save(run.kept.cells), save(run.kept.unprojected),
             save_result(result.output)),
      [shape](Backward& g) { layer_gradients(g, shape); }, 3);
  set_history(result.output, node, 0);
  set_history(result.hidden, node, 1);
  if (cell.defined()) set_history(result.cell, node, 2);
  return result;
}

}  // namespace onetape
