// Optimizer steps: a part of internal/Engine.java.

#include "java/arguments.h"
#include "ops/optimize.h"

namespace onetape::java {
namespace {

/// Handles of momentum buffers that the step has made; 0 where there was one.
jlongArray sgd(JNIEnv* env, jclass, jobjectArray params, jobjectArray grads, jobjectArray buffers, jdouble lr,
               jdouble momentum, jdouble dampening, jdouble weight_decay, jboolean nesterov) {
  return guarded(env, [&] {
    const std::vector<Tensor> changed = tensor_list(env, params, "params");
    const std::vector<Tensor> along = tensor_list(env, grads, "grads");
    const std::vector<Tensor> before = optional_tensor_list(env, buffers);
    std::vector<Tensor> after = before;
    SgdOptions options;
    options.lr = lr;
    options.momentum = momentum;
    options.dampening = dampening;
    options.weight_decay = weight_decay;
    options.nesterov = nesterov != JNI_FALSE;
    sgd_step(changed, along, after, options);
    for (size_t i = 0; i < after.size(); ++i) {
      if (before[i].defined()) after[i].reset();
    }
    return results(env, std::move(after));
  });
}

void adam(JNIEnv* env, jclass, jobjectArray params, jobjectArray grads, jobjectArray means,
          jobjectArray squares, jobjectArray largest, jobjectArray steps, jdoubleArray numbers,
          jboolean decoupled) {
  guarded(env, [&] {
    const std::vector<Tensor> changed = tensor_list(env, params, "params");
    const std::vector<Tensor> along = tensor_list(env, grads, "grads");
    const std::vector<Tensor> mean = tensor_list(env, means, "means");
    const std::vector<Tensor> square = tensor_list(env, squares, "squares");
    const std::vector<Tensor> most = optional_tensor_list(env, largest);
    const std::vector<Tensor> step = tensor_list(env, steps, "steps");
    AdamOptions options;
    env->GetDoubleArrayRegion(numbers, 0, 1, &options.lr);
    env->GetDoubleArrayRegion(numbers, 1, 1, &options.beta1);
    env->GetDoubleArrayRegion(numbers, 2, 1, &options.beta2);
    env->GetDoubleArrayRegion(numbers, 3, 1, &options.eps);
    env->GetDoubleArrayRegion(numbers, 4, 1, &options.weight_decay);
    options.decoupled_weight_decay = decoupled != JNI_FALSE;
    adam_step(changed, along, mean, square, most, step, options);
  });
}

const JNINativeMethod kNatives[] = {
    native("sgdStep", "([Ljava/lang/Object;[Ljava/lang/Object;[Ljava/lang/Object;DDDDZ)[J", sgd),
    native("adamStep",
           "([Ljava/lang/Object;[Ljava/lang/Object;[Ljava/lang/Object;[Ljava/lang/Object;[Ljava/lang/Object;"
           "[Ljava/lang/Object;[DZ)V",
           adam),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
