// What Java's garbage collector has to know of the graph: see autograd/keeper.h.

#include "java/keeper.h"

#include "autograd/meta.h"
#include "java/arguments.h"

namespace onetape::java {

std::atomic<int64_t> JavaKeeper::g_alive{0};

namespace {

Ref<Node> node_made(const Tensor& tensor) {
  AutogradMeta* m = tensor.defined() && JavaKeeper::any() ? meta_or_null(tensor) : nullptr;
  if (!m) return nullptr;
  const std::lock_guard guard(m->lock);
  return m->grad_fn && m->grad_fn->is_kept() ? m->grad_fn : nullptr;
}

std::shared_ptr<Keeper> join(std::span<const std::shared_ptr<Keeper>> keepers) {
  const AttachedThread thread;
  JNIEnv* env = thread.env();
  if (!env) return nullptr;
  const LocalRef<> all(env, together(env, keepers));
  return std::make_shared<JavaKeeper>(env, all.get());
}

jobject keeper(JNIEnv* env, jclass, jobject tensor) {
  return guarded(env, [&] {
    const TensorArg self(env, tensor, "self");
    return take_keeper(env, self.get(), self.get().impl()->use_count() == 1);
  });
}

const JNINativeMethod kNatives[] = {
    native("graphKeeper", "(Ljava/lang/Object;)Ljava/lang/Object;", keeper),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace

JavaKeeper::JavaKeeper(JNIEnv* env, jobject object) : weak_(env->NewWeakGlobalRef(object)) {
  check_java(env);
  if (g_alive.fetch_add(1, std::memory_order_relaxed) == 0) set_keeper_joiner(join);
}

JavaKeeper::~JavaKeeper() {
  g_alive.fetch_sub(1, std::memory_order_relaxed);
  const AttachedThread thread;
  if (!thread.env()) return;
  if (strong_) thread.env()->DeleteGlobalRef(strong_);
  thread.env()->DeleteWeakGlobalRef(weak_);
}

void JavaKeeper::hold() {
  const AttachedThread thread;
  if (!thread.env() || strong_) return;
  const jobject object = get(thread.env());
  if (!object) return;
  strong_ = thread.env()->NewGlobalRef(object);
  thread.env()->DeleteLocalRef(object);
}

void JavaKeeper::let_go() {
  const AttachedThread thread;
  if (thread.env() && strong_) thread.env()->DeleteGlobalRef(strong_);
  strong_ = nullptr;
}

jobject together(JNIEnv* env, std::span<const std::shared_ptr<Keeper>> keepers) {
  if (keepers.size() == 1) return static_cast<JavaKeeper&>(*keepers.front()).get(env);
  const jobjectArray all = env->NewObjectArray(static_cast<jsize>(keepers.size()), classes().object, nullptr);
  check_java(env);
  for (size_t i = 0; i < keepers.size(); ++i) {
    const LocalRef<> one(env, static_cast<JavaKeeper&>(*keepers[i]).get(env));
    env->SetObjectArrayElement(all, static_cast<jsize>(i), one.get());
  }
  return all;
}

std::shared_ptr<Keeper> keeper_behind(const Tensor& tensor) {
  const Ref<Node> node = node_made(tensor);
  return node ? keeper_of(*node) : nullptr;
}

bool has_keeper(const Tensor& tensor) { return static_cast<bool>(node_made(tensor)); }

jobject take_keeper(JNIEnv* env, const Tensor& tensor, bool only_owner) {
  const Ref<Node> node = node_made(tensor);
  const std::shared_ptr<Keeper> keeper = node ? keeper_of(*node) : nullptr;
  if (!keeper) return nullptr;
  const jobject object = static_cast<JavaKeeper&>(*keeper).get(env);
  // Next to another language every tensor may have an owner that the collector does not see.
  if (only_owner && !face_hooks.release) delivered(*node);
  return object;
}

void keep_natively(const Tensor& tensor) {
  if (const Ref<Node> node = node_made(tensor)) pin_firmly(*node);
}

}  // namespace onetape::java
