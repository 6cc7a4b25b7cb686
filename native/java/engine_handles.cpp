// Handles and memory: the first part of internal/Engine.java.

#include <array>

#include "core/allocator.h"
#include "java/arguments.h"

namespace onetape::java {
namespace {

void close(JNIEnv* env, jclass, jlong handle) {
  guarded(env, [&] { close_handle(handle); });
}

void close_few(JNIEnv* env, jclass, jlong first, jlong second, jlong third, jlong fourth) {
  guarded(env, [&] {
    for (const jlong handle : {first, second, third, fourth}) close_handle(handle);
  });
}

void close_all(JNIEnv* env, jclass, jlongArray handles, jint count) {
  guarded(env, [&] {
    std::array<jlong, 256> part;
    for (jint done = 0; done < count;) {
      const jint n = std::min(count - done, static_cast<jint>(part.size()));
      env->GetLongArrayRegion(handles, done, n, part.data());
      for (jint i = 0; i < n; ++i) close_handle(part[static_cast<size_t>(i)]);
      done += n;
    }
  });
}

jlong alias(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] { return result(required_tensor(env, tensor, "tensor")); });
}

jstring describe(JNIEnv* env, jclass, jlong handle) {
  return guarded(env, [&] {
    TensorHandles::Slot* slot = TensorHandles::pin(handle);
    if (!slot) return string(env, "a tensor");
    std::ostringstream text;
    text << "tensor " << slot->object.shape() << " of " << scalar_type_name(slot->object.dtype());
    TensorHandles::unpin(slot);
    return string(env, text.str());
  });
}

void set_bound(JNIEnv*, jclass, jlong bytes) { set_pressure_bound(bytes); }
jlong native_bytes(JNIEnv*, jclass) { return charged_bytes(); }
jlong live_tensors(JNIEnv*, jclass) { return open_tensors(); }
jlongArray memory(JNIEnv* env, jclass, jboolean reset) {
  return guarded(env, [&] {
    if (reset) reset_peak_memory();
    const MemoryStats stats = memory_stats();
    return long_array(env, Ints{static_cast<int64_t>(stats.live), static_cast<int64_t>(stats.peak)});
  });
}

const JNINativeMethod kNatives[] = {
    native("close", "(J)V", close),
    native("close", "(JJJJ)V", close_few),
    native("closeAll", "([JI)V", close_all),
    native("alias", "(Ljava/lang/Object;)J", alias),
    native("describe", "(J)Ljava/lang/String;", describe),
    native("setPressureBound", "(J)V", set_bound),
    native("nativeBytes", "()J", native_bytes),
    native("liveTensors", "()J", live_tensors),
    native("memory", "(Z)[J", memory),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
