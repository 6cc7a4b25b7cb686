#include "java/errors.h"

#include <new>

#include "core/error.h"

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

/// A Java string of UTF-8 text, which JNI itself does not take where characters are outside the basic plane.
jstring string_of(JNIEnv* env, const char* text) {
  std::u16string wide;
  for (const auto* p = reinterpret_cast<const unsigned char*>(text); *p;) {
    const int extra = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    uint32_t code = extra == 0 ? *p : *p & (0x3fu >> extra);
    ++p;
    for (int i = 0; i < extra && *p; ++i) code = code << 6 | (*p++ & 0x3fu);
    if (code >= 0x10000) {
      wide += static_cast<char16_t>(0xd7c0 + (code >> 10));
      wide += static_cast<char16_t>(0xdc00 | (code & 0x3ff));
    } else {
      wide += static_cast<char16_t>(code);
    }
  }
  return env->NewString(reinterpret_cast<const jchar*>(wide.data()), static_cast<jsize>(wide.size()));
}

void raise(JNIEnv* env, const char* name, const char* text) {
  const std::string full = std::string(name).find('/') == std::string::npos ? package() + name : name;
  const jclass type = env->FindClass(full.c_str());
  if (!type) return;  // FindClass has raised an exception of its own
  const jmethodID make = env->GetMethodID(type, "<init>", "(Ljava/lang/String;)V");
  const jstring message = make ? string_of(env, text) : nullptr;
  if (!message) return;
  const auto error = static_cast<jthrowable>(env->NewObject(type, make, message));
  if (error) env->Throw(error);
}

void raise_closed(JNIEnv* env) {
  const auto error = static_cast<jthrowable>(env->CallStaticObjectMethod(classes().engine, classes().closed));
  if (!env->ExceptionCheck() && error) env->Throw(error);
}

std::string text_of(JNIEnv* env, jobject object) {
  const auto text = static_cast<jstring>(env->CallObjectMethod(object, classes().to_string));
  if (env->ExceptionCheck() || !text) {
    env->ExceptionClear();
    return "a Java exception";
  }
  const char* chars = env->GetStringUTFChars(text, nullptr);
  std::string result = chars ? chars : "";
  if (chars) env->ReleaseStringUTFChars(text, chars);
  env->DeleteLocalRef(text);
  return result;
}

}  // namespace

JavaError::JavaError(JNIEnv* env, jthrowable throwable)
    : throwable_(env, throwable), text_(text_of(env, throwable)) {}

void check_java(JNIEnv* env) {
  const jthrowable pending = env->ExceptionOccurred();
  if (!pending) return;
  env->ExceptionClear();
  const JavaError error(env, pending);
  env->DeleteLocalRef(pending);
  throw error;
}

void raise_in_java(JNIEnv* env) noexcept {
  if (env->ExceptionCheck()) return;
  try {
    throw;
  } catch (const JavaError& error) {
    env->Throw(error.throwable());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Closed) {
      raise_closed(env);
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
