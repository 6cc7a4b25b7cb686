// What all optimizers share: checks, making state, and running kernels over parameters.

#include "ops/optimize.h"

#include <algorithm>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "core/inline_vector.h"
#include "core/parallel.h"
#include "ops.h"
#include "ops/optimizer_step.h"
#include "ops/target.h"
#include "optimizers.h"

namespace onetape {
namespace {

constexpr int64_t kGrain = 32768;  // elements worth a thread
constexpr size_t kMostOperands = 6;

/// The shape of a state.
Ints shape_of(const OptimizerState& state, const Tensor& param) {
  Ints shape = param.shape();
  if (state.form == StateForm::Rows) shape[shape.size() - 1] = 1;
  if (state.form == StateForm::Columns) shape[shape.size() - 2] = 1;
  return shape;
}

void check_like_parameter(const OptimizerTable& table, const Tensor& param, const Tensor& other,
                          const Ints& shape) {
  check(same(other.sizes(), shape) && other.dtype() == param.dtype(), table.name, ": a parameter of shape ",
        param.shape(), " and dtype ", param.dtype(), " goes with a tensor of shape ", other.shape(),
        " and dtype ", other.dtype());
}

void check_operands(const OptimizerTable& table, const Tensor& param, const Tensor& grad,
                    std::span<const Tensor> states) {
  check_type(is_differentiable(param.dtype()), table.name, ": a parameter has dtype ", param.dtype());
  check(!table.real || !is_complex(param.dtype()), table.name, " does not support complex parameters");
  check_like_parameter(table, param, grad, param.shape());
  check_no_internal_overlap(param);
  for (size_t i = 0; i < states.size(); ++i) {
    if (!states[i].defined()) continue;
    if (table.states[i].form != StateForm::Number) {
      check_like_parameter(table, param, states[i], shape_of(table.states[i], param));
      check_no_internal_overlap(states[i]);
    } else {
      check(states[i].numel() == 1 && is_floating(states[i].dtype()), table.name, ": the state '",
            table.states[i].name, "' is not a floating-point tensor of one element");
    }
  }
}

Tensor make_state(const OptimizerState& state, const Tensor& param, std::span<const double> options) {
  const double value =
      state.value_option < 0 ? state.value : options[static_cast<size_t>(state.value_option)];
  if (state.form == StateForm::Number) {
    return scalar_tensor(value, default_dtype() == DType::F64 ? DType::F64 : DType::F32);
  }
  if (state.form != StateForm::Like) return ops::new_full(param, shape_of(state, param), value);
  if (value == 0) return ops::zeros_like(param);
  // The two parts of a complex element are numbers of their own.
  const Scalar filling = is_complex(param.dtype()) ? Scalar(complex128(value, value)) : Scalar(value);
  return ops::full_like(param, filling);
}

/// Makes the missing states of one parameter; were there none?
bool complete(const OptimizerTable& table, const Tensor& param, std::span<Tensor> states,
              std::span<const double> options) {
  bool fresh = false;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i].defined() || !exists(table.states[i], param, options)) continue;
    states[i] = make_state(table.states[i], param, options);
    fresh = true;
  }
  return fresh;
}

bool all_contiguous(std::span<const Tensor* const> operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Tensor* t) { return t->is_contiguous(); });
}

}  // namespace

bool exists(const OptimizerState& state, const Tensor& param, std::span<const double> options) {
  if (state.of != StateOf::All && (param.dim() > 1) != (state.of == StateOf::Matrices)) return false;
  return state.condition < 0 || options[static_cast<size_t>(state.condition)] != 0;
}

const OptimizerTable& find_optimizer(std::string_view name) {
  for (const OptimizerTable& table : optimizers::tables) {
    if (table.name == name) return table;
  }
  fail(ErrorKind::Value, "there is no optimizer '", name, "'");
}

void make_optimizer_state(const OptimizerTable& table, std::span<const Tensor> params,
                          std::span<Tensor> states, std::span<const double> options) {
  const GradModeGuard no_grad(false);
  const size_t count = table.states.size();
  for (size_t i = 0; i < params.size(); ++i) {
    complete(table, params[i], states.subspan(i * count, count), options);
  }
}

void optimizer_step(const OptimizerTable& table, std::span<const Tensor> params,
                    std::span<const Tensor> grads, std::span<Tensor> states,
                    std::span<const double> options) {
  if (thread_modes.watcher) [[unlikely]]
    return taped::optimizer_step(table, params, grads, states, options);
  run_optimizer_step(table, params, grads, states, options);
}

void run_optimizer_step(const OptimizerTable& table, std::span<const Tensor> params,
                        std::span<const Tensor> grads, std::span<Tensor> states,
                        std::span<const double> options) {
  const GradModeGuard no_grad(false);
  const size_t count = table.states.size();
  std::vector<bool> fresh(params.size());
  for (size_t i = 0; i < params.size(); ++i) {
    const std::span<Tensor> own = states.subspan(i * count, count);
    check_type(is_differentiable(params[i].dtype()), table.name, ": a parameter has dtype ",
               params[i].dtype());
    fresh[i] = complete(table, params[i], own, options);
    check_operands(table, params[i], grads[i], own);
  }
  for (size_t i = 0; i < params.size(); ++i) {
    ParameterStep one(params[i], grads[i], states.subspan(i * count, count), fresh[i], options);
    table.step(one);
  }
}

void clear_grads(std::span<const Tensor> params, bool set_to_none) {
  const GradModeGuard no_grad(false);
  for (const Tensor& param : params) {
    if (set_to_none) {
      if (meta_or_null(param)) set_grad(param, Tensor());
      continue;
    }
    Tensor gradient = grad(param);
    if (!gradient.defined()) continue;
    if (gradient.requires_grad()) {  // the graph behind it goes
      gradient = detach(gradient);
      set_grad(param, gradient);
    }
    ops::zero_(gradient);
  }
}

void OptimizerGroup::step(std::span<const double> options) {
  const size_t count = table.states.size();
  std::vector<size_t> places;
  std::vector<Tensor> with_grad;
  std::vector<Tensor> grads;
  for (size_t i = 0; i < params.size(); ++i) {
    Tensor gradient = grad(params[i]);
    if (!gradient.defined()) continue;
    places.push_back(i);
    with_grad.push_back(params[i]);
    grads.push_back(std::move(gradient));
  }
  if (places.size() == params.size()) {
    optimizer_step(table, params, grads, states, options);
    return;
  }
  std::vector<Tensor> theirs;
  theirs.reserve(places.size() * count);
  for (const size_t place : places) {
    for (const Tensor& state : state_of(place)) theirs.push_back(state);
  }
  optimizer_step(table, with_grad, grads, theirs, options);
  for (size_t i = 0; i < places.size(); ++i) {
    std::copy_n(theirs.begin() + static_cast<std::ptrdiff_t>(i * count), count, state_of(places[i]).begin());
  }
}

void OptimizerGroup::begin(std::span<const double> options) {
  if (table.eager) make_optimizer_state(table, params, states, options);
}

double ParameterStep::number(int state) const {
  return item(states_[static_cast<size_t>(state)]).to<double>();
}

double ParameterStep::multiplied(int state, double factor) const {
  const bool wide = states_[static_cast<size_t>(state)].dtype() == DType::F64;
  return number(state) * (wide ? factor : static_cast<double>(static_cast<float>(factor)));
}

double ParameterStep::set_number(int state, double value) {
  const Tensor& holder = states_[static_cast<size_t>(state)];
  return visit_floating("step", holder.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T rounded = T(static_cast<compute_t<T>>(value));
    *holder.data<T>() = rounded;
    bump_version(holder);
    return static_cast<double>(static_cast<compute_t<T>>(rounded));
  });
}

/// Complex elements are updated as pairs of real ones.
void ParameterStep::run(const Kernel& kernel, std::span<const Scalar> numbers,
                        std::initializer_list<int> states) {
  if (!param_.has_data()) return;
  InlineVector<const Tensor*, kMostOperands> operands = {&param_, &grad_};
  for (const int state : states) operands.push_back(&states_[static_cast<size_t>(state)]);
  const DType dtype = param_.dtype();
  const DType real = to_real(dtype);
  const int64_t parts = real == dtype ? 1 : 2;
  const InnerLoop loop = kernel.loop(real);
  if (all_contiguous({operands.data(), operands.size()})) {
    const auto item = static_cast<int64_t>(item_size(real));
    std::array<int64_t, kMostOperands> strides;
    strides.fill(item);
    parallel_for(param_.numel() * parts, kGrain, [&](int64_t begin, int64_t end) {
      std::array<char*, kMostOperands> data;
      for (size_t i = 0; i < operands.size(); ++i) data[i] = operands[i]->bytes() + begin * item;
      loop(data.data(), strides.data(), end - begin, numbers.data());
    });
  } else {
    Ints shape = param_.shape();
    if (parts == 2) shape.push_back(2);
    std::array<LoopOperand, kMostOperands> each;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Tensor& t = *operands[i];
      each[i] = {t.bytes(), loop_strides(t.sizes(), t.strides(), t.item_bytes(), t.sizes())};
      if (parts == 2) each[i].strides.push_back(static_cast<int64_t>(item_size(real)));
    }
    run_loop(shape, std::span(each.data(), operands.size()), loop, numbers.data());
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i != 1) bump_version(*operands[i]);  // all but the gradient
  }
}

}  // namespace onetape
