// Tensors and exceptions that go to another language in the same process, or come from it:
// internal/Handover.java.

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

/// Gives an exception a message that its class has no way to set: that of JPype for Python's exceptions. The
/// field is part of the serialized form of java.lang.Throwable, so every JVM has it.
void set_message(JNIEnv* env, jclass, jthrowable error, jstring message) {
  const jclass type = env->FindClass("java/lang/Throwable");
  const jfieldID field = type ? env->GetFieldID(type, "detailMessage", "Ljava/lang/String;") : nullptr;
  if (field) {
    env->SetObjectField(error, field, message);
  } else {
    env->ExceptionClear();
  }
}

const JNINativeMethod kNatives[] = {
    native("put", "([Ljava/lang/Object;)V", put),
    native("takeHandles", "()[J", take),
    native("setMessage", "(Ljava/lang/Throwable;Ljava/lang/String;)V", set_message),
};
const NativeGroup kGroup = natives("internal/Handover", kNatives);

}  // namespace
}  // namespace onetape::java
