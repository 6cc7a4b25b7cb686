// Backward passes, gradients and modes: a part of internal/Engine.java.

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "java/arguments.h"
#include "java/keeper.h"

namespace onetape::java {
namespace {

BackwardOptions backward_options(jboolean retain_graph, jboolean create_graph) {
  BackwardOptions options;
  options.retain_graph = retain_graph != JNI_FALSE;
  options.create_graph = create_graph != JNI_FALSE;
  return options;
}

void backward_one(JNIEnv* env, jclass, jobject tensor, jobject gradient, jboolean retain_graph,
                  jboolean create_graph, jobjectArray inputs) {
  guarded(env, [&] {
    const TensorArg root(env, tensor, "self");
    const Tensor given = optional_tensor(env, gradient);
    const std::vector<Tensor> only = optional_tensor_list(env, inputs);
    backward(std::span(&root.get(), 1), std::span(&given, 1), backward_options(retain_graph, create_graph),
             only);
  });
}

void backward_all(JNIEnv* env, jclass, jobjectArray tensors, jobjectArray gradients, jboolean retain_graph,
                  jboolean create_graph, jobjectArray inputs) {
  guarded(env, [&] {
    const std::vector<Tensor> roots = tensor_list(env, tensors, "tensors");
    const std::vector<Tensor> given = optional_tensor_list(env, gradients);
    const std::vector<Tensor> only = optional_tensor_list(env, inputs);
    backward(roots, given, backward_options(retain_graph, create_graph), only);
  });
}

jlongArray gradients_of(JNIEnv* env, jclass, jobjectArray outputs, jobjectArray inputs,
                        jobjectArray gradients, jboolean retain_graph, jboolean create_graph,
                        jboolean allow_unused) {
  return guarded(env, [&] {
    const std::vector<Tensor> from = tensor_list(env, outputs, "outputs");
    const std::vector<Tensor> to = tensor_list(env, inputs, "inputs");
    const std::vector<Tensor> given = optional_tensor_list(env, gradients);
    return results(
        env, grad(from, to, given, backward_options(retain_graph, create_graph), allow_unused != JNI_FALSE));
  });
}

jlong grad_of(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return result(grad(self.get()));
  });
}

void set_grad_of(JNIEnv* env, jclass, jobject tensor, jobject gradient) {
  guarded(env, [&] {
    const Tensor given = optional_tensor(env, gradient);
    set_grad(required_tensor(env, tensor, "self"), given);
    keep_natively(given);
  });
}

void set_requires(JNIEnv* env, jclass, jobject tensor, jboolean required) {
  guarded(env, [&] { set_requires_grad(required_tensor(env, tensor, "self"), required != JNI_FALSE); });
}

void retain(JNIEnv* env, jclass, jobject tensor) {
  guarded(env, [&] { retain_grad(required_tensor(env, tensor, "self")); });
}

jlong detached(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] { return result(detach(required_tensor(env, tensor, "self"))); });
}

void detach_in_place(JNIEnv* env, jclass, jobject tensor) {
  guarded(env, [&] {
    const Tensor self = required_tensor(env, tensor, "self");
    forget_history(self);
  });
}

jlong data(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] { return result(data_of(required_tensor(env, tensor, "self"))); });
}

void set_data_of(JNIEnv* env, jclass, jobject tensor, jobject data) {
  guarded(env, [&] { set_data(required_tensor(env, tensor, "self"), required_tensor(env, data, "data")); });
}

jlong base(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] { return result(view_base(required_tensor(env, tensor, "self"))); });
}

jboolean enabled(JNIEnv*, jclass) { return grad_mode(); }
void set_enabled(JNIEnv*, jclass, jboolean enabled) { set_grad_enabled(enabled != JNI_FALSE); }

const JNINativeMethod kNatives[] = {
    native("backward", "(Ljava/lang/Object;Ljava/lang/Object;ZZ[Ljava/lang/Object;)V", backward_one),
    native("backwardAll", "([Ljava/lang/Object;[Ljava/lang/Object;ZZ[Ljava/lang/Object;)V", backward_all),
    native("gradients", "([Ljava/lang/Object;[Ljava/lang/Object;[Ljava/lang/Object;ZZZ)[J", gradients_of),
    native("grad", "(Ljava/lang/Object;)J", grad_of),
    native("setGrad", "(Ljava/lang/Object;Ljava/lang/Object;)V", set_grad_of),
    native("setRequiresGrad", "(Ljava/lang/Object;Z)V", set_requires),
    native("retainGrad", "(Ljava/lang/Object;)V", retain),
    native("detach", "(Ljava/lang/Object;)J", detached),
    native("detachInPlace", "(Ljava/lang/Object;)V", detach_in_place),
    native("data", "(Ljava/lang/Object;)J", data),
    native("setData", "(Ljava/lang/Object;Ljava/lang/Object;)V", set_data_of),
    native("base", "(Ljava/lang/Object;)J", base),
    native("gradEnabled", "()Z", enabled),
    native("setGradEnabled", "(Z)V", set_enabled),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
