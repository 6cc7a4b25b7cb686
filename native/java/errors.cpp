#include "java/errors.h"

#include <new>

#include "autograd/anomaly.h"
#include "core/error.h"
#include "distributed/group_error.h"
#include "java/unicode.h"

namespace onetape::java {
namespace {

/// The class for each kind of error; names without a slash are of the library's package.
const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Index:
      return "java/lang/IndexOutOfBoundsException";
    case ErrorKind::Value:
      return "java/lang/IllegalArgumentException";
    case ErrorKind::Type:
      return "TypeException";
    case ErrorKind::NotImplemented:
      return "java/lang/UnsupportedOperationException";
    case ErrorKind::OutOfMemory:
      return "OutOfNativeMemoryException";
    case ErrorKind::NullPointer:
      return "java/lang/NullPointerException";
    case ErrorKind::Closed:
      return "java/lang/IllegalStateException";
    case ErrorKind::Runtime:
      break;
  }
  return "TorchException";
}

void raise(JNIEnv* env, const char* name, const char* text) {
  const std::string full = std::string(name).find('/') == std::string::npos ? package() + name : name;
  const jclass type = env->FindClass(full.c_str());
  if (!type) return;  // FindClass has raised an exception of its own
  const jmethodID make = env->GetMethodID(type, "<init>", "(Ljava/lang/String;)V");
  const std::u16string wide = utf16_of(text);
  const jstring message =
      make ? env->NewString(reinterpret_cast<const jchar*>(wide.data()), static_cast<jsize>(wide.size()))
           : nullptr;
  if (!message) return;
  const auto error = static_cast<jthrowable>(env->NewObject(type, make, message));
  if (error) env->Throw(error);
}

void raise_closed(JNIEnv* env, jobject owner) {
  const auto error =
      static_cast<jthrowable>(env->CallStaticObjectMethod(classes().engine, classes().closed, owner));
  if (!env->ExceptionCheck() && error) env->Throw(error);
}

/// Throws what an exception of another language is in Java, or one with its text where no bridge knows that.
void raise_crossed(JNIEnv* env, const LanguageError& error) {
  jthrowable crossed = nullptr;
  error.cross([&] {
    crossed = static_cast<jthrowable>(env->CallStaticObjectMethod(classes().handover, classes().take_error));
  });
  if (env->ExceptionCheck()) return;
  if (crossed) {
    env->Throw(crossed);
  } else {
    raise(env, class_of(ErrorKind::Runtime), error.what());
  }
}

std::string text_of(JNIEnv* env, jobject object) {
  const auto text = static_cast<jstring>(env->CallObjectMethod(object, classes().to_string));
  if (env->ExceptionCheck() || !text) {
    env->ExceptionClear();
    return "a Java exception";
  }
  std::u16string wide(static_cast<size_t>(env->GetStringLength(text)), u'\0');
  env->GetStringRegion(text, 0, static_cast<jsize>(wide.size()), reinterpret_cast<jchar*>(wide.data()));
  env->DeleteLocalRef(text);
  return utf8_of(wide);
}

}  // namespace

JavaError::JavaError(JNIEnv* env, jthrowable throwable)
    : throwable_(env, throwable), text_(text_of(env, throwable)) {}

void JavaError::cross(const std::function<void()>& take) const noexcept {
  const AttachedThread thread;
  JNIEnv* env = thread.env();
  if (!env) return;
  env->CallStaticVoidMethod(classes().handover, classes().leave_error, throwable());
  if (env->ExceptionCheck()) {
    env->ExceptionClear();
  } else {
    take();
  }
}

void check_java(JNIEnv* env) {
  const jthrowable pending = env->ExceptionOccurred();
  if (!pending) return;
  env->ExceptionClear();
  const JavaError error(env, pending);
  env->DeleteLocalRef(pending);
  throw error;
}

void fail_closed(JNIEnv* env, jobject owner) {
  raise_closed(env, owner);
  check_java(env);
  throw_error(ErrorKind::Closed, "closed");
}

namespace {

/// Throws what went wrong in anomaly mode, with the forward call as a suppressed exception.
void raise_explained(JNIEnv* env, const ExplainedError& error) noexcept {
  try {
    std::rethrow_exception(error.cause());
  } catch (...) {
    raise_in_java(env);
  }
  const jthrowable pending = env->ExceptionOccurred();
  if (!pending) return;
  env->ExceptionClear();
  const std::u16string wide = utf16_of(error.explanation());
  const jstring text =
      env->NewString(reinterpret_cast<const jchar*>(wide.data()), static_cast<jsize>(wide.size()));
  if (text) env->CallStaticVoidMethod(classes().upcalls, classes().explain, pending, text);
  if (env->ExceptionCheck()) env->ExceptionClear();
  env->Throw(pending);
}

}  // namespace

void raise_in_java(JNIEnv* env) noexcept {
  if (env->ExceptionCheck()) return;
  try {
    throw;
  } catch (const ExplainedError& error) {
    raise_explained(env, error);
  } catch (const JavaError& error) {
    env->Throw(error.throwable());
  } catch (const LanguageError& error) {
    raise_crossed(env, error);
  } catch (const distributed::GroupError& error) {
    raise(env, (package() + "distributed/DistributedException").c_str(), error.what());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Closed) {
      raise_closed(env, nullptr);
    } else {
      raise(env, class_of(error.kind()), error.what());
    }
  } catch (const std::bad_alloc&) {
    raise(env, class_of(ErrorKind::OutOfMemory), "there is not enough native memory");
  } catch (const std::exception& error) {
    raise(env, class_of(ErrorKind::Runtime), error.what());
  } catch (...) {
    raise(env, class_of(ErrorKind::Runtime), "an unknown native exception");
  }
}

}  // namespace onetape::java
