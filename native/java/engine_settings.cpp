// Random numbers and settings: the last part of internal/Engine.java.

#include <array>
#include <mutex>

#include "core/parallel.h"
#include "java/arguments.h"

namespace onetape::java {
namespace {

void seed(JNIEnv* env, jclass, jlong value) {
  guarded(env, [&] { manual_seed(static_cast<uint64_t>(value)); });
}

jlong new_generator(JNIEnv* env, jclass) {
  return guarded(env, [&] { return new_handle(Ref<Generator>::adopt(new Generator)); });
}

void set_generator_seed(JNIEnv* env, jclass, jobject object, jlong value) {
  guarded(env, [&] {
    const Ref<Generator> own = generator(env, object);
    const std::lock_guard lock(own->mutex);
    own->set_seed(static_cast<uint64_t>(value));
  });
}

jlong generator_seed(JNIEnv* env, jclass, jobject object) {
  return guarded(env, [&] {
    const Ref<Generator> own = generator(env, object);
    const std::lock_guard lock(own->mutex);
    return static_cast<jlong>(own->seed());
  });
}

jlong reseed(JNIEnv* env, jclass, jobject object) {
  return guarded(env, [&] {
    const Ref<Generator> own = generator(env, object);
    const std::lock_guard lock(own->mutex);
    return static_cast<jlong>(own->reseed());
  });
}

/// The given generator, or the default one.
Ref<Generator> generator_or_default(JNIEnv* env, jobject object) {
  return object ? generator(env, object) : Ref<Generator>::share(&default_generator());
}

jbyteArray random_state(JNIEnv* env, jclass, jobject object) {
  return guarded(env, [&] {
    const Ref<Generator> own = generator_or_default(env, object);
    std::array<char, Generator::kStateBytes> state;
    {
      const std::lock_guard lock(own->mutex);
      own->write_state(state.data());
    }
    const jbyteArray bytes = env->NewByteArray(static_cast<jsize>(state.size()));
    check_java(env);
    env->SetByteArrayRegion(bytes, 0, static_cast<jsize>(state.size()),
                            reinterpret_cast<const jbyte*>(state.data()));
    return bytes;
  });
}

void set_random_state(JNIEnv* env, jclass, jobject object, jbyteArray bytes) {
  guarded(env, [&] {
    const Ref<Generator> own = generator_or_default(env, object);
    check(bytes && env->GetArrayLength(bytes) == Generator::kStateBytes, "RNG state is wrong size");
    std::array<char, Generator::kStateBytes> state;
    env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(state.size()),
                            reinterpret_cast<jbyte*>(state.data()));
    const std::lock_guard lock(own->mutex);
    own->read_state(state.data());
  });
}

jint default_type(JNIEnv*, jclass) { return code_of(default_dtype()); }

void set_default_type(JNIEnv* env, jclass, jint type) {
  guarded(env, [&] {
    const DType wanted = dtype(type);
    check_type(is_floating(wanted), "only floating-point types are supported as the default type");
    set_default_dtype(wanted);
  });
}

jint threads(JNIEnv*, jclass) { return num_threads(); }

void set_threads(JNIEnv* env, jclass, jint count) {
  guarded(env, [&] { set_num_threads(count); });
}

const JNINativeMethod kNatives[] = {
    native("seed", "(J)V", seed),
    native("newGenerator", "()J", new_generator),
    native("setGeneratorSeed", "(Ljava/lang/Object;J)V", set_generator_seed),
    native("generatorSeed", "(Ljava/lang/Object;)J", generator_seed),
    native("reseed", "(Ljava/lang/Object;)J", reseed),
    native("randomState", "(Ljava/lang/Object;)[B", random_state),
    native("setRandomState", "(Ljava/lang/Object;[B)V", set_random_state),
    native("defaultType", "()I", default_type),
    native("setDefaultType", "(I)V", set_default_type),
    native("threads", "()I", threads),
    native("setThreads", "(I)V", set_threads),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
