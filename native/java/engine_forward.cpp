// Forward mode: a part of internal/Engine.java.

#include "autograd/forward.h"
#include "autograd/meta.h"
#include "java/arguments.h"

namespace onetape::java {
namespace {

jint enter_level(JNIEnv* env, jclass) {
  return guarded(env, [] { return static_cast<jint>(enter_dual_level()); });
}

void exit_level(JNIEnv* env, jclass, jint level) {
  guarded(env, [&] { exit_dual_level(level); });
}

jint level(JNIEnv*, jclass) { return static_cast<jint>(dual_level()); }

jlong dual_of(JNIEnv* env, jclass, jobject primal, jobject tangent) {
  return guarded(env, [&] {
    return result(make_dual(required_tensor(env, primal, "tensor"), required_tensor(env, tangent, "tangent"),
                            dual_level()));
  });
}

jlongArray unpacked(JNIEnv* env, jclass, jobject dual) {
  return guarded(env, [&] {
    auto [primal, tangent] = unpack_dual(required_tensor(env, dual, "tensor"), dual_level());
    return results(env, std::vector<Tensor>{std::move(primal), std::move(tangent)});
  });
}

/// The tangents of tensors, 0 for none.
jlongArray tangents(JNIEnv* env, jclass, jobjectArray tensors) {
  return guarded(env, [&] {
    std::vector<Tensor> all = optional_tensor_list(env, tensors);
    for (Tensor& t : all) {
      if (t.defined()) t = tangent_of(t);
    }
    return results(env, std::move(all));
  });
}

/// Gives a result of a function its tangent, and the copy of it that its node keeps.
void give(JNIEnv* env, jclass, jobject tensor, jobject tangent, jboolean in_place) {
  guarded(env, [&] {
    const Tensor t = required_tensor(env, tensor, "result");
    const Tensor direction = required_tensor(env, tangent, "tangent");
    if (in_place != JNI_FALSE) {
      if (!tangent_of(t).is(direction)) set_tangent(t, direction);
    } else {
      give_tangent(t, direction);
    }
    if (const Ref<Node> node = grad_fn(t)) share_tangent(t, node->saved());
  });
}

jboolean enabled(JNIEnv*, jclass) { return forward_enabled(); }
void set_enabled(JNIEnv*, jclass, jboolean enabled) { set_forward_enabled(enabled != JNI_FALSE); }

const JNINativeMethod kNatives[] = {
    native("enterDualLevel", "()I", enter_level),
    native("exitDualLevel", "(I)V", exit_level),
    native("dualLevel", "()I", level),
    native("makeDual", "(Ljava/lang/Object;Ljava/lang/Object;)J", dual_of),
    native("unpackDual", "(Ljava/lang/Object;)[J", unpacked),
    native("tangents", "([Ljava/lang/Object;)[J", tangents),
    native("giveTangent", "(Ljava/lang/Object;Ljava/lang/Object;Z)V", give),
    native("forwardEnabled", "()Z", enabled),
    native("setForwardEnabled", "(Z)V", set_enabled),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
