// Random numbers and settings: the last part of internal/Engine.java.

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
    native("defaultType", "()I", default_type),
    native("setDefaultType", "(I)V", set_default_type),
    native("threads", "()I", threads),
    native("setThreads", "(I)V", set_threads),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
