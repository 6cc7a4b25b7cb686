// What DistributedDataParallel is made of: a part of internal/Groups.java.

#include "distributed/reducer.h"
#include "java/arguments.h"
#include "java/distributed_tables.h"

namespace onetape::java {
namespace {

using namespace distributed;  // NOLINT(google-build-using-namespace)

SharedTable<Reducer>& reducer_table() {
  static auto* table = new SharedTable<Reducer>;
  return *table;
}

std::shared_ptr<Reducer> reducer_of(jlong handle) {
  return reducer_table().get(handle, "DistributedDataParallel");
}

jlongArray handles_of(JNIEnv* env, const std::vector<Tensor>& tensors) {
  std::vector<int64_t> handles;
  for (const Tensor& one : tensors) handles.push_back(new_handle(one));
  return long_array(env, IntSpan(handles.data(), handles.size()));
}

/// A hook that is written in Java, with the functions of Groups.java that call it.
struct JavaHook {
  GlobalRef groups;  // the class
  GlobalRef hook;
  jmethodID begin = nullptr;
  jmethodID end = nullptr;

  std::function<Tensor()> operator()(const GradBucket& bucket) const {
    const AttachedThread thread;
    JNIEnv* env = thread.env();
    check(env != nullptr, "a hook written in Java was called after the JVM had ended");
    const LocalFrame frame(env, 8);
    const jlong buffer = new_handle(bucket.buffer);
    const jlongArray gradients = handles_of(env, bucket.gradients);
    const jlongArray parameters = handles_of(env, bucket.parameters);
    const jobject future = upcall([&] {
      return env->CallStaticObjectMethod(static_cast<jclass>(groups.get()), begin, hook.get(),
                                         static_cast<jint>(bucket.index), static_cast<jboolean>(bucket.last),
                                         buffer, gradients, parameters);
    });
    check_java(env);
    return [*this, result = GlobalRef(env, future)] { return end_of(result); };
  }

  Tensor end_of(const GlobalRef& future) const {
    const AttachedThread thread;
    JNIEnv* env = thread.env();
    check(env != nullptr, "a hook written in Java was called after the JVM had ended");
    const jlong mean = upcall(
        [&] { return env->CallStaticLongMethod(static_cast<jclass>(groups.get()), end, future.get()); });
    check_java(env);
    return take_handle(mean);
  }
};

jlong make(JNIEnv* env, jclass, jlong group, jobjectArray parameters, jlong bucket_bytes,
           jlong first_bucket_bytes, jboolean find_unused, jboolean bucket_views) {
  return guarded(env, [&]() -> jlong {
    const ReducerOptions options{bucket_bytes, first_bucket_bytes, find_unused != JNI_FALSE,
                                 bucket_views != JNI_FALSE};
    return reducer_table().add(Reducer::make(group_table().get(group, "process group"),
                                             tensor_list(env, parameters, "parameters"), options));
  });
}

void verify(JNIEnv* env, jclass, jlong group, jobjectArray parameters) {
  guarded(env, [&] {
    const std::vector<Tensor> all = tensor_list(env, parameters, "parameters");
    verify_parameters(*group_table().get(group, "process group"), all);
  });
}

void prepare(JNIEnv* env, jclass, jlong reducer, jobjectArray outputs) {
  guarded(env, [&] {
    const std::shared_ptr<Reducer> one = reducer_of(reducer);
    LeafSet reached;
    if (one->finds_unused()) reached = leaves_of(tensor_list(env, outputs, "outputs"));
    const ReadingPaused pause;
    one->prepare(reached);
  });
}
void skip(JNIEnv* env, jclass, jlong reducer) {
  guarded(env, [&] {
    const std::shared_ptr<Reducer> one = reducer_of(reducer);
    const ReadingPaused pause;
    one->skip();
  });
}
void shadow(JNIEnv* env, jclass, jlong reducer) {
  guarded(env, [&] {
    const std::shared_ptr<Reducer> one = reducer_of(reducer);
    const ReadingPaused pause;
    one->shadow();
  });
}
void set_divisor(JNIEnv* env, jclass, jlong reducer, jint divisor) {
  guarded(env, [&] { reducer_of(reducer)->set_divisor(divisor); });
}
void set_builtin(JNIEnv* env, jclass, jlong reducer, jint hook) {
  guarded(env, [&] { reducer_of(reducer)->set_hook(static_cast<BuiltinHook>(hook)); });
}
void set_hook(JNIEnv* env, jclass groups, jlong reducer, jobject hook) {
  guarded(env, [&] {
    if (!hook) fail(ErrorKind::NullPointer, "argument 'hook' is null");
    JavaHook own{GlobalRef(env, groups), GlobalRef(env, hook)};
    own.begin = env->GetStaticMethodID(groups, "beginHook", "(Ljava/lang/Object;IZJ[J[J)Ljava/lang/Object;");
    own.end = own.begin ? env->GetStaticMethodID(groups, "endHook", "(Ljava/lang/Object;)J") : nullptr;
    check_java(env);
    reducer_of(reducer)->set_hook(CommHook(own));
  });
}
void release(JNIEnv*, jclass, jlong reducer) { reducer_table().remove(reducer); }

const JNINativeMethod kNatives[] = {
    native("newReducer", "(J[Ljava/lang/Object;JJZZ)J", make),
    native("verifyParameters", "(J[Ljava/lang/Object;)V", verify),
    native("prepareReducer", "(J[Ljava/lang/Object;)V", prepare),
    native("skipReducer", "(J)V", skip),
    native("shadowReducer", "(J)V", shadow),
    native("setDivisor", "(JI)V", set_divisor),
    native("setBuiltinHook", "(JI)V", set_builtin),
    native("setHook", "(JLjava/lang/Object;)V", set_hook),
    native("releaseReducer", "(J)V", release),
};
const NativeGroup kGroup = natives("internal/Groups", kNatives);

}  // namespace
}  // namespace onetape::java
