// Hooks that are written in Java, on tensors, nodes and saved tensors: a part of internal/Engine.java.

#include "autograd/meta.h"
#include "autograd/saved_hooks.h"
#include "autograd/saved_tensor.h"
#include "java/arguments.h"

namespace onetape::java {
namespace {

JNIEnv* env_of(const AttachedThread& thread) {
  check(thread.env() != nullptr, "a hook written in Java was called after the JVM had ended");
  return thread.env();
}

GlobalRef hook_object(JNIEnv* env, jobject hook) {
  if (!hook) fail(ErrorKind::NullPointer, "argument 'hook' is null");
  return GlobalRef(env, hook);
}

jlongArray handles_of(JNIEnv* env, const TensorList& tensors) {
  std::vector<int64_t> handles;
  for (const Tensor& one : tensors) handles.push_back(new_handle(one));
  return long_array(env, handles);
}

/// Puts what a hook on a node returned in the place of the gradients; null keeps them.
void replace(JNIEnv* env, jlongArray returned, TensorList& grads) {
  if (!returned) return;
  const Ints handles = ints(env, returned, "gradients");
  TensorList replaced;
  for (const int64_t handle : handles) replaced.push_back(take_handle(handle));
  check(replaced.size() == grads.size(), "hook has returned an incorrect number of values (got ",
        replaced.size(), ", but expected ", grads.size(), ")");
  grads = std::move(replaced);
}

// ---- what the engine calls ----

Tensor call_tensor_hook(const GlobalRef& hook, const Tensor& gradient) {
  const AttachedThread thread;
  JNIEnv* env = env_of(thread);
  const LocalFrame frame(env, 8);
  const jlong passed = new_handle(gradient);
  const jlong returned = upcall(
      [&] { return env->CallStaticLongMethod(classes().upcalls, classes().hook, hook.get(), passed); });
  check_java(env);
  return take_handle(returned);
}

void call_accumulate_hook(const GlobalRef& hook, const Tensor& leaf) {
  const AttachedThread thread;
  JNIEnv* env = env_of(thread);
  const LocalFrame frame(env, 8);
  const jlong passed = new_handle(leaf);
  upcall(
      [&] { env->CallStaticVoidMethod(classes().upcalls, classes().accumulate_hook, hook.get(), passed); });
  check_java(env);
}

void call_pre_hook(const GlobalRef& hook, TensorList& grad_outputs) {
  const AttachedThread thread;
  JNIEnv* env = env_of(thread);
  const LocalFrame frame(env, 8);
  const jlongArray passed = handles_of(env, grad_outputs);
  const jobject returned = upcall([&] {
    return env->CallStaticObjectMethod(classes().upcalls, classes().node_pre_hook, hook.get(), passed);
  });
  check_java(env);
  replace(env, static_cast<jlongArray>(returned), grad_outputs);
}

void call_post_hook(const GlobalRef& hook, TensorList& grad_inputs, const TensorList& grad_outputs) {
  const AttachedThread thread;
  JNIEnv* env = env_of(thread);
  const LocalFrame frame(env, 8);
  const jlongArray inputs = handles_of(env, grad_inputs);
  const jlongArray outputs = handles_of(env, grad_outputs);
  const jobject returned = upcall([&] {
    return env->CallStaticObjectMethod(classes().upcalls, classes().node_hook, hook.get(), inputs, outputs);
  });
  check_java(env);
  replace(env, static_cast<jlongArray>(returned), grad_inputs);
}

/// A pair of Java functions for the tensors that a thread saves.
class JavaSavedHooks final : public SavedTensorHooks {
 public:
  explicit JavaSavedHooks(GlobalRef pair) : pair_(std::move(pair)) {}
  Ref<PackedTensor> pack(const Tensor& tensor) override;

 private:
  GlobalRef pair_;
};

class JavaPackedTensor final : public PackedTensor {
 public:
  JavaPackedTensor(GlobalRef pair, GlobalRef packed) : pair_(std::move(pair)), packed_(std::move(packed)) {}
  Tensor unpack() override {
    const AttachedThread thread;
    JNIEnv* env = env_of(thread);
    const LocalFrame frame(env, 8);
    const jlong handle = upcall([&] {
      return env->CallStaticLongMethod(classes().upcalls, classes().unpack, pair_.get(), packed_.get());
    });
    check_java(env);
    Tensor tensor = take_handle(handle);
    check_type(tensor.defined(), "Output of saved tensor unpack_hook expected to be a Tensor but got null");
    return tensor;
  }

 private:
  GlobalRef pair_;
  GlobalRef packed_;
};

Ref<PackedTensor> JavaSavedHooks::pack(const Tensor& tensor) {
  const GeometryFixed fixed;
  const AttachedThread thread;
  JNIEnv* env = env_of(thread);
  const LocalFrame frame(env, 8);
  const jobject packed =
      env->CallStaticObjectMethod(classes().upcalls, classes().pack, pair_.get(), new_handle(tensor));
  check_java(env);
  return Ref<PackedTensor>::adopt(new JavaPackedTensor(pair_, GlobalRef(env, packed)));
}

// ---- what Java calls ----

jlong add_tensor_hook(JNIEnv* env, jclass, jobject tensor, jobject hook) {
  return guarded(env, [&] {
    const GlobalRef ref = hook_object(env, hook);
    return new_handle(register_hook(required_tensor(env, tensor, "self"), [ref](const Tensor& gradient) {
      return call_tensor_hook(ref, gradient);
    }));
  });
}

jlong add_accumulate_hook(JNIEnv* env, jclass, jobject tensor, jobject hook) {
  return guarded(env, [&] {
    const GlobalRef ref = hook_object(env, hook);
    return new_handle(
        register_post_accumulate_hook(required_tensor(env, tensor, "self"),
                                      [ref](const Tensor& leaf) { call_accumulate_hook(ref, leaf); }));
  });
}

jlong add_node_hook(JNIEnv* env, jclass, jobject node, jobject hook) {
  return guarded(env, [&] {
    const GlobalRef ref = hook_object(env, hook);
    return new_handle(node_of(env, node)->extra().post_hooks.add(
        [ref](TensorList& grad_inputs, const TensorList& grad_outputs) {
          call_post_hook(ref, grad_inputs, grad_outputs);
        }));
  });
}

jlong add_node_pre_hook(JNIEnv* env, jclass, jobject node, jobject hook) {
  return guarded(env, [&] {
    const GlobalRef ref = hook_object(env, hook);
    return new_handle(
        node_of(env, node)->extra().pre_hooks.add([ref](TensorList& grads) { call_pre_hook(ref, grads); }));
  });
}

void remove_hook(JNIEnv* env, jclass, jlong handle) {
  guarded(env, [&] {
    HookRemover remove;
    if (HookHandles::Slot* slot = HookHandles::pin(handle)) {
      remove = slot->object;
      HookHandles::unpin(slot);
    }
    if (remove) remove();
    close_handle(handle);
  });
}

void push_hooks(JNIEnv* env, jclass, jobject pair) {
  guarded(env, [&] { push_saved_hooks(std::make_shared<JavaSavedHooks>(hook_object(env, pair))); });
}
void pop_hooks(JNIEnv* env, jclass) {
  guarded(env, [&] { pop_saved_hooks(); });
}
jstring disable_hooks(JNIEnv* env, jclass, jstring why) {
  return guarded(env, [&] { return string(env, disable_saved_hooks(text(env, why, "message"))); });
}
void restore_hooks(JNIEnv* env, jclass, jstring why) {
  guarded(env, [&] { restore_saved_hooks(text(env, why, "message")); });
}

jlongArray saved_of_node(JNIEnv* env, jclass, jobject node) {
  return guarded(env, [&] {
    const Ref<Node> ref = node_of(env, node);
    size_t count = 0;
    ref->visit_saved([&count](const SavedTensor&) { ++count; });
    std::vector<Tensor> all;
    for (size_t i = 0; i < count; ++i) {
      const SavedTensor one = ref->saved_at(i);
      if (one.defined()) all.push_back(one.unpack(*ref));
    }
    return results(env, std::move(all));
  });
}

const JNINativeMethod kNatives[] = {
    native("addHook", "(Ljava/lang/Object;Ljava/lang/Object;)J", add_tensor_hook),
    native("addAccumulateHook", "(Ljava/lang/Object;Ljava/lang/Object;)J", add_accumulate_hook),
    native("addNodeHook", "(Ljava/lang/Object;Ljava/lang/Object;)J", add_node_hook),
    native("addNodePreHook", "(Ljava/lang/Object;Ljava/lang/Object;)J", add_node_pre_hook),
    native("removeHook", "(J)V", remove_hook),
    native("pushSavedHooks", "(Ljava/lang/Object;)V", push_hooks),
    native("popSavedHooks", "()V", pop_hooks),
    native("disableSavedHooks", "(Ljava/lang/String;)Ljava/lang/String;", disable_hooks),
    native("restoreSavedHooks", "(Ljava/lang/String;)V", restore_hooks),
    native("nodeSaved", "(Ljava/lang/Object;)[J", saved_of_node),
};
const NativeGroup kGroup = natives("internal/Engine", kNatives);

}  // namespace
}  // namespace onetape::java
