#pragma once

#include <exception>
#include <string>
#include <type_traits>

#include <jni.h>

#include "core/language_error.h"
#include "java/jvm.h"

namespace onetape::java {

/// A Java exception on its way through native code; it comes out as the same object.
class ONETAPE_API JavaError : public LanguageError {
 public:
  JavaError(JNIEnv* env, jthrowable throwable);
  const char* what() const noexcept override { return text_.c_str(); }
  /// Leaves it to internal/Handover.java, whose rethrow() then throws it again.
  void cross(const std::function<void()>& take) const noexcept override;
  jthrowable throwable() const { return static_cast<jthrowable>(throwable_.get()); }

 private:
  GlobalRef throwable_;
  std::string text_;
};

/// After a call into Java: throws what it threw.
ONETAPE_API void check_java(JNIEnv* env);

/// Throws what Java answers a use of a closed tensor, node or generator with.
[[noreturn]] ONETAPE_API void fail_closed(JNIEnv* env, jobject owner);

/// Makes the C++ exception being handled the pending exception of Java.
ONETAPE_API void raise_in_java(JNIEnv* env) noexcept;

/// Runs the body of a native; whatever it throws becomes a Java exception, and the native returns zero.
template <typename F>
auto guarded(JNIEnv* env, F&& body) noexcept -> std::invoke_result_t<F> {
  try {
    const ReadingGeometry reading;
    return body();
  } catch (...) {
    raise_in_java(env);
    if constexpr (!std::is_void_v<std::invoke_result_t<F>>) return {};
  }
}

}  // namespace onetape::java
