// Tapes: a part of internal/Engine.java.

#include "java/arguments.h"
#include "java/tape_handles.h"
#include "tape/file.h"
#include "tape/text.h"

namespace onetape::java {
namespace {

Ref<tape::Tape> tape_of(jlong handle) {
  TapeHandles::Slot* slot = TapeHandles::pin(handle);
  if (!slot) throw_error(ErrorKind::Closed, "the tape was closed");
  Ref<tape::Tape> found = slot->object;
  TapeHandles::unpin(slot);
  return found;
}

void begin(JNIEnv* env, jclass, jobjectArray inputs) {
  guarded(env, [&] { tape::begin_recording(tensor_list(env, inputs, "inputs")); });
}

jlong finish(JNIEnv* env, jclass, jobjectArray outputs, jboolean clears) {
  return guarded(env, [&]() -> jlong {
    return TapeHandles::open(
        tape::finish_recording(tensor_list(env, outputs, "outputs"), clears != JNI_FALSE), 0);
  });
}

void abandon(JNIEnv*, jclass) { tape::abandon_recording(); }

jlongArray run(JNIEnv* env, jclass, jlong handle, jobjectArray inputs) {
  return guarded(env, [&] { return results(env, tape_of(handle)->run(tensor_list(env, inputs, "inputs"))); });
}

jlong run_one(JNIEnv* env, jclass, jlong handle, jobject input) {
  return guarded(env, [&] {
    const TensorArg only(env, input, "input");
    std::vector<Tensor> outputs = tape_of(handle)->run(std::span(&only.get(), 1));
    check(outputs.size() == 1, "Tape: it has ", outputs.size(), " results, not one");
    return result(std::move(outputs[0]));
  });
}

jlong step(JNIEnv* env, jclass, jlong handle, jobjectArray inputs, jobjectArray numbers) {
  return guarded(env, [&] {
    std::vector<std::vector<double>> all(numbers ? static_cast<size_t>(env->GetArrayLength(numbers)) : 0);
    for (size_t i = 0; i < all.size(); ++i) {
      const LocalRef group(env, env->GetObjectArrayElement(numbers, static_cast<jsize>(i)));
      auto* values = static_cast<jdoubleArray>(group.get());
      all[i].resize(static_cast<size_t>(env->GetArrayLength(values)));
      env->GetDoubleArrayRegion(values, 0, static_cast<jsize>(all[i].size()), all[i].data());
    }
    std::vector<Tensor> outputs = tape_of(handle)->run(tensor_list(env, inputs, "batch"), all);
    return result(std::move(outputs.at(0)));
  });
}

jstring mismatch(JNIEnv* env, jclass, jlong handle, jobjectArray inputs) {
  return guarded(env, [&]() -> jstring {
    const auto why = tape_of(handle)->mismatch(tensor_list(env, inputs, "inputs"));
    return why ? string(env, *why) : nullptr;
  });
}

jlong reordered(JNIEnv* env, jclass, jlong handle) {
  return guarded(env, [&]() -> jlong { return TapeHandles::open(tape_of(handle)->reordered(), 0); });
}

jlongArray captured(JNIEnv* env, jclass, jlong handle) {
  return guarded(env, [&] { return results(env, tape_of(handle)->captured()); });
}

jstring text_of(JNIEnv* env, jclass, jlong handle) {
  return guarded(env, [&] { return string(env, tape::text_of(tape_of(handle)->program())); });
}

void save(JNIEnv* env, jclass, jlong handle, jstring path) {
  guarded(env, [&] { tape::save(*tape_of(handle), text(env, path, "path")); });
}

jlong load(JNIEnv* env, jclass, jstring path) {
  return guarded(env, [&]() -> jlong { return TapeHandles::open(tape::load(text(env, path, "path")), 0); });
}

const JNINativeMethod kNatives[] = {
    native("beginTape", "([Ljava/lang/Object;)V", begin),
    native("finishTape", "([Ljava/lang/Object;Z)J", finish),
    native("abandonTape", "()V", abandon),
    native("runTape", "(J[Ljava/lang/Object;)[J", run),
    native("runTape", "(JLjava/lang/Object;)J", run_one),
    native("stepTape", "(J[Ljava/lang/Object;[[D)J", step),
    native("tapeMismatch", "(J[Ljava/lang/Object;)Ljava/lang/String;", mismatch),
    native("tapeText", "(J)Ljava/lang/String;", text_of),
    native("saveTape", "(JLjava/lang/String;)V", save),
    native("loadTape", "(Ljava/lang/String;)J", load),
    native("reorderedTape", "(J)J", reordered),
    native("tapeCaptured", "(J)[J", captured),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
