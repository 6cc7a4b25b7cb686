// Stores by which processes find each other: a part of internal/Groups.java.

#include "distributed/file_store.h"
#include "distributed/hash_store.h"
#include "distributed/tcp_store.h"
#include "java/arguments.h"
#include "java/distributed_tables.h"

namespace onetape::java {
namespace {

using namespace distributed;  // NOLINT(google-build-using-namespace)

StoreRef store_of(jlong handle) { return store_table().get(handle, "store"); }

/// Runs f with a store, which may wait.
template <typename F>
auto with_store(jlong handle, F&& f) {
  const StoreRef store = store_of(handle);
  const ReadingPaused pause;
  return f(*store);
}

std::string bytes_of(JNIEnv* env, jbyteArray value, const char* name) {
  if (!value) fail(ErrorKind::NullPointer, "argument '", name, "' is null");
  std::string bytes(static_cast<size_t>(env->GetArrayLength(value)), '\0');
  env->GetByteArrayRegion(value, 0, static_cast<jsize>(bytes.size()), reinterpret_cast<jbyte*>(bytes.data()));
  return bytes;
}
jbyteArray byte_array(JNIEnv* env, const std::string& bytes) {
  const jbyteArray array = env->NewByteArray(static_cast<jsize>(bytes.size()));
  if (array)
    env->SetByteArrayRegion(array, 0, static_cast<jsize>(bytes.size()),
                            reinterpret_cast<const jbyte*>(bytes.data()));
  return array;
}

std::vector<std::string> keys_of(JNIEnv* env, jobjectArray keys) {
  if (!keys) fail(ErrorKind::NullPointer, "argument 'keys' is null");
  std::vector<std::string> all;
  for (jsize i = 0; i < env->GetArrayLength(keys); ++i) {
    const LocalRef<jobject> one(env, env->GetObjectArrayElement(keys, i));
    all.push_back(text(env, static_cast<jstring>(one.get()), "key"));
  }
  return all;
}

jlong tcp_store(JNIEnv* env, jclass, jstring host, jint port, jboolean server, jlong world_size,
                jlong timeout, jstring token) {
  return guarded(env, [&]() -> jlong {
    const std::string name = text(env, host, "host");
    TcpStoreOptions options{.port = port,
                            .is_server = server != JNI_FALSE,
                            .timeout = Milliseconds(timeout),
                            .token = optional_text(env, token).value_or("")};
    if (world_size > 0) options.world_size = world_size;
    const ReadingPaused pause;
    return store_table().add(std::make_shared<TcpStore>(name, options));
  });
}
jlong file_store(JNIEnv* env, jclass, jstring path, jlong world_size) {
  return guarded(env, [&]() -> jlong {
    return store_table().add(std::make_shared<FileStore>(text(env, path, "path"), world_size));
  });
}
jlong hash_store(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong { return store_table().add(std::make_shared<HashStore>()); });
}
jlong prefix_store(JNIEnv* env, jclass, jstring prefix, jlong store) {
  return guarded(env, [&]() -> jlong {
    return store_table().add(std::make_shared<PrefixStore>(text(env, prefix, "prefix"), store_of(store)));
  });
}
jint store_port(JNIEnv* env, jclass, jlong store) {
  return guarded(env, [&]() -> jint {
    const auto tcp = std::dynamic_pointer_cast<TcpStore>(store_of(store));
    check_value(tcp != nullptr, "the store has no port");
    return tcp->port();
  });
}

void store_set(JNIEnv* env, jclass, jlong store, jstring key, jbyteArray value) {
  guarded(env, [&] {
    const std::string name = text(env, key, "key");
    const std::string bytes = bytes_of(env, value, "value");
    with_store(store, [&](Store& s) { s.set(name, bytes); });
  });
}
jbyteArray store_get(JNIEnv* env, jclass, jlong store, jstring key) {
  return guarded(env, [&] {
    const std::string name = text(env, key, "key");
    return byte_array(env, with_store(store, [&](Store& s) { return s.get(name); }));
  });
}
jlong store_add(JNIEnv* env, jclass, jlong store, jstring key, jlong amount) {
  return guarded(env, [&]() -> jlong {
    const std::string name = text(env, key, "key");
    return with_store(store, [&](Store& s) { return s.add(name, amount); });
  });
}
void store_append(JNIEnv* env, jclass, jlong store, jstring key, jbyteArray value) {
  guarded(env, [&] {
    const std::string name = text(env, key, "key");
    const std::string bytes = bytes_of(env, value, "value");
    with_store(store, [&](Store& s) { s.append(name, bytes); });
  });
}
jbyteArray store_compare_set(JNIEnv* env, jclass, jlong store, jstring key, jbyteArray expected,
                             jbyteArray desired) {
  return guarded(env, [&] {
    const std::string name = text(env, key, "key");
    const std::string before = bytes_of(env, expected, "expected");
    const std::string after = bytes_of(env, desired, "desired");
    return byte_array(env, with_store(store, [&](Store& s) { return s.compare_set(name, before, after); }));
  });
}
jboolean store_delete(JNIEnv* env, jclass, jlong store, jstring key) {
  return guarded(env, [&]() -> jboolean {
    const std::string name = text(env, key, "key");
    return with_store(store, [&](Store& s) { return s.delete_key(name); });
  });
}
jboolean store_check(JNIEnv* env, jclass, jlong store, jobjectArray keys) {
  return guarded(env, [&]() -> jboolean {
    const std::vector<std::string> all = keys_of(env, keys);
    return with_store(store, [&](Store& s) { return s.check(all); });
  });
}
jlong store_count(JNIEnv* env, jclass, jlong store) {
  return guarded(env, [&]() -> jlong { return with_store(store, [](Store& s) { return s.num_keys(); }); });
}
void store_wait(JNIEnv* env, jclass, jlong store, jobjectArray keys, jlong timeout) {
  guarded(env, [&] {
    const std::vector<std::string> all = keys_of(env, keys);
    with_store(store, [&](Store& s) { s.wait(all, timeout < 0 ? s.timeout() : Milliseconds(timeout)); });
  });
}
void store_set_timeout(JNIEnv* env, jclass, jlong store, jlong timeout) {
  guarded(env, [&] { store_of(store)->set_timeout(Milliseconds(timeout)); });
}

const JNINativeMethod kNatives[] = {
    native("tcpStore", "(Ljava/lang/String;IZJJLjava/lang/String;)J", tcp_store),
    native("fileStore", "(Ljava/lang/String;J)J", file_store),
    native("hashStore", "()J", hash_store),
    native("prefixStore", "(Ljava/lang/String;J)J", prefix_store),
    native("storePort", "(J)I", store_port),
    native("storeSet", "(JLjava/lang/String;[B)V", store_set),
    native("storeGet", "(JLjava/lang/String;)[B", store_get),
    native("storeAdd", "(JLjava/lang/String;J)J", store_add),
    native("storeAppend", "(JLjava/lang/String;[B)V", store_append),
    native("storeCompareSet", "(JLjava/lang/String;[B[B)[B", store_compare_set),
    native("storeDelete", "(JLjava/lang/String;)Z", store_delete),
    native("storeCheck", "(J[Ljava/lang/String;)Z", store_check),
    native("storeCount", "(J)J", store_count),
    native("storeWait", "(J[Ljava/lang/String;J)V", store_wait),
    native("storeSetTimeout", "(JJ)V", store_set_timeout),
};
const NativeGroup kGroup = natives("internal/Groups", kNatives);

}  // namespace
}  // namespace onetape::java
