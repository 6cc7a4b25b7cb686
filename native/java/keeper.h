#pragma once

#include <atomic>

#include <jni.h>

#include "autograd/keeper.h"
#include "core/tensor.h"
#include "java/jvm.h"

namespace onetape::java {

/// A Java object that nodes need. The Java tensors through which a program reaches these nodes hold it, so
/// that the garbage collector sees a cycle through it.
class JavaKeeper final : public Keeper {
 public:
  JavaKeeper(JNIEnv* env, jobject object);
  ~JavaKeeper() override;
  JavaKeeper(const JavaKeeper&) = delete;
  JavaKeeper& operator=(const JavaKeeper&) = delete;

  /// A local reference; null if nothing held the object any more.
  jobject get(JNIEnv* env) const { return env->NewLocalRef(weak_); }
  static bool any() { return g_alive.load(std::memory_order_relaxed) > 0; }

 protected:
  void hold() override;
  void let_go() override;

 private:
  static std::atomic<int64_t> g_alive;
  jweak weak_;
  jobject strong_ = nullptr;
};

/// Has the graph of a tensor a keeper, which its Java object must hold?
bool has_keeper(const Tensor& tensor);
/// That keeper, or null.
std::shared_ptr<Keeper> keeper_behind(const Tensor& tensor);
/// What holds the objects of all these keepers, as a local reference: the one, or an array.
jobject together(JNIEnv* env, std::span<const std::shared_ptr<Keeper>> keepers);
/// The keeper of a tensor's graph as a local reference, or null. `only_owner`: nothing but the Java object
/// has the tensor.
jobject take_keeper(JNIEnv* env, const Tensor& tensor, bool only_owner);
/// Native code keeps the tensor apart from its Java object.
void keep_natively(const Tensor& tensor);

}  // namespace onetape::java
