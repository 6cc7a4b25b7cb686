// Optimizer steps: a part of internal/Engine.java.

#include <cmath>
#include <mutex>

#include "java/arguments.h"
#include "java/optimizer_handles.h"
#include "ops/clip.h"
#include "ops/optimize.h"

namespace onetape::java {

/// A group of parameters that several threads may use, one after the other.
struct LockedOptimizer {
  std::mutex lock;
  OptimizerGroup group;
  LockedOptimizer(const OptimizerTable& table, std::vector<Tensor> params)
      : group(table, std::move(params)) {}
};

namespace {

/// Calls f with the group of a handle; IllegalStateException once the optimizer was closed.
template <typename F>
auto with_group(jlong handle, F f) {
  OptimizerHandles::Slot* slot = OptimizerHandles::pin(handle);
  if (!slot) throw_error(ErrorKind::Closed, "the optimizer was closed");
  const std::shared_ptr<LockedOptimizer> optimizer = slot->object;
  OptimizerHandles::unpin(slot);
  const std::lock_guard lock(optimizer->lock);
  return f(optimizer->group);
}

std::vector<double> doubles(JNIEnv* env, jdoubleArray values, const OptimizerTable& table) {
  check_value(values && static_cast<size_t>(env->GetArrayLength(values)) == table.options.size(), table.name,
              " takes ", table.options.size(), " numbers");
  std::vector<double> numbers(table.options.size());
  env->GetDoubleArrayRegion(values, 0, static_cast<jsize>(numbers.size()), numbers.data());
  return numbers;
}

jlong make(JNIEnv* env, jclass, jstring name, jobjectArray params) {
  return guarded(env, [&]() -> jlong {
    const OptimizerTable& table = find_optimizer(text(env, name, "name"));
    return OptimizerHandles::open(
        std::make_shared<LockedOptimizer>(table, tensor_list(env, params, "params")), 0);
  });
}

void begin(JNIEnv* env, jclass, jlong handle, jdoubleArray options) {
  guarded(env, [&] {
    with_group(handle, [&](OptimizerGroup& group) { group.begin(doubles(env, options, group.table)); });
  });
}

void step(JNIEnv* env, jclass, jlong handle, jdoubleArray options) {
  guarded(env, [&] {
    with_group(handle, [&](OptimizerGroup& group) { group.step(doubles(env, options, group.table)); });
  });
}

void clear(JNIEnv* env, jclass, jlong handle, jboolean set_to_none) {
  guarded(env, [&] {
    with_group(handle, [&](OptimizerGroup& group) { clear_grads(group.params, set_to_none != JNI_FALSE); });
  });
}

std::span<Tensor> state_of(OptimizerGroup& group, jint param) {
  check_index(param >= 0 && static_cast<size_t>(param) < group.params.size(), "there is no parameter ",
              param);
  return group.state_of(static_cast<size_t>(param));
}

/// Handles in the order of the table; 0 for what does not exist.
jlongArray state(JNIEnv* env, jclass, jlong handle, jint param) {
  return guarded(env, [&] {
    const std::vector<Tensor> states = with_group(handle, [&](OptimizerGroup& group) {
      const std::span<Tensor> own = state_of(group, param);
      return std::vector<Tensor>(own.begin(), own.end());
    });
    return results(env, states);
  });
}

void set_state(JNIEnv* env, jclass, jlong handle, jint param, jobjectArray states) {
  guarded(env, [&] {
    std::vector<Tensor> given = optional_tensor_list(env, states);
    with_group(handle, [&](OptimizerGroup& group) {
      const std::span<Tensor> own = state_of(group, param);
      check_value(given.size() == own.size(), group.table.name, " remembers ", own.size(), " tensors");
      std::move(given.begin(), given.end(), own.begin());
    });
  });
}

jlong norm(JNIEnv* env, jclass, jobjectArray tensors, jdouble order) {
  return guarded(env, [&] { return result(total_norm(tensor_list(env, tensors, "tensors"), order)); });
}

void clip_norm(JNIEnv* env, jclass, jobjectArray params, jdouble max_norm, jobject total) {
  guarded(env, [&] {
    const TensorArg norm(env, total, "total_norm");
    clip_grads_with_norm(tensor_list(env, params, "parameters"), max_norm, norm);
  });
}

void clip_value(JNIEnv* env, jclass, jobjectArray params, jdouble bound) {
  guarded(env, [&] { clip_grad_value(tensor_list(env, params, "parameters"), bound); });
}

/// Java's own functions may differ from C's in the last digit, which schedules would show.
jdouble cosine(JNIEnv*, jclass, jdouble x) { return std::cos(x); }
jdouble power(JNIEnv*, jclass, jdouble x, jdouble exponent) { return std::pow(x, exponent); }
jdouble logarithm(JNIEnv*, jclass, jdouble x) { return std::log(x); }

const JNINativeMethod kNatives[] = {
    native("newOptimizer", "(Ljava/lang/String;[Ljava/lang/Object;)J", make),
    native("beginOptimizer", "(J[D)V", begin),
    native("stepOptimizer", "(J[D)V", step),
    native("clearGrads", "(JZ)V", clear),
    native("optimizerState", "(JI)[J", state),
    native("setOptimizerState", "(JI[Ljava/lang/Object;)V", set_state),
    native("totalNorm", "([Ljava/lang/Object;D)J", norm),
    native("clipNorm", "([Ljava/lang/Object;DLjava/lang/Object;)V", clip_norm),
    native("clipValue", "([Ljava/lang/Object;D)V", clip_value),
    native("cosine", "(D)D", cosine),
    native("power", "(DD)D", power),
    native("logarithm", "(D)D", logarithm),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
