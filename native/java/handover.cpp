// Tensors that go to another language in the same process, or come from it: internal/Handover.java.

#include "core/handover.h"

#include "java/arguments.h"

namespace onetape::java {
namespace {

void put(JNIEnv* env, jclass, jobjectArray tensors) {
  guarded(env, [&] { hand_over(optional_tensor_list(env, tensors)); });
}

jlongArray take(JNIEnv* env, jclass) {
  return guarded(env, [&] { return results(env, take_over()); });
}

const JNINativeMethod kNatives[] = {
    native("put", "([Ljava/lang/Object;)V", put),
    native("takeHandles", "()[J", take),
};
const NativeGroup kGroup = natives("internal/Handover", kNatives);

}  // namespace
}  // namespace onetape::java
