#include "python/optimize.h"

#include "ops/optimize.h"
#include "python/generated.h"

namespace onetape::python {
namespace {

constexpr Parameter sgd_parameters[] = {
    {"params", Kind::Tensors},     {"grads", Kind::Tensors},  {"momentum_buffers", Kind::OptionalTensors},
    {"lr", Kind::Float},           {"momentum", Kind::Float}, {"dampening", Kind::Float},
    {"weight_decay", Kind::Float}, {"nesterov", Kind::Bool},  {"maximize", Kind::Bool},
};
constexpr Signature sgd_signatures[] = {{sgd_parameters}};
constexpr Parser sgd_parser = {"_sgd_step", sgd_signatures};

PyObject* sgd_call(const Arguments& call) {
  const std::vector<Tensor> params = call.tensors(0);
  const std::vector<Tensor> grads = call.tensors(1);
  std::vector<Tensor> buffers = call.optional_tensors(2);
  const SgdOptions options = {.lr = call.real(3),
                              .momentum = call.real(4),
                              .dampening = call.real(5),
                              .weight_decay = call.real(6),
                              .nesterov = call.boolean(7),
                              .maximize = call.boolean(8)};
  run(is_large(params), [&] { sgd_step(params, grads, buffers, options); });
  return wrap(buffers);
}

constexpr Parameter adam_parameters[] = {
    {"params", Kind::Tensors},
    {"grads", Kind::Tensors},
    {"exp_avgs", Kind::Tensors},
    {"exp_avg_sqs", Kind::Tensors},
    {"max_exp_avg_sqs", Kind::Tensors},
    {"steps", Kind::Tensors},
    {"lr", Kind::Float},
    {"beta1", Kind::Float},
    {"beta2", Kind::Float},
    {"eps", Kind::Float},
    {"weight_decay", Kind::Float},
    {"decoupled_weight_decay", Kind::Bool},
    {"maximize", Kind::Bool},
};
constexpr Signature adam_signatures[] = {{adam_parameters}};
constexpr Parser adam_parser = {"_adam_step", adam_signatures};

PyObject* adam_call(const Arguments& call) {
  const std::vector<Tensor> params = call.tensors(0);
  const std::vector<Tensor> grads = call.tensors(1);
  const std::vector<Tensor> exp_avgs = call.tensors(2);
  const std::vector<Tensor> exp_avg_sqs = call.tensors(3);
  const std::vector<Tensor> max_exp_avg_sqs = call.tensors(4);
  const std::vector<Tensor> steps = call.tensors(5);
  const AdamOptions options = {.lr = call.real(6),
                               .beta1 = call.real(7),
                               .beta2 = call.real(8),
                               .eps = call.real(9),
                               .weight_decay = call.real(10),
                               .decoupled_weight_decay = call.boolean(11),
                               .maximize = call.boolean(12)};
  run(is_large(params),
      [&] { adam_step(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, options); });
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    method_entry(
        "_sgd_step", entry<sgd_parser, sgd_call>,
        "Steps of SGD for a group of parameters; returns the momentum buffers, made where they are None."),
    method_entry("_adam_step", entry<adam_parser, adam_call>,
                 "Steps of Adam or AdamW for a group of parameters."),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_optimizers(PyObject* module) { need(PyModule_AddFunctions(module, functions)); }

}  // namespace onetape::python
