#pragma once

#include <exception>
#include <functional>

#include "core/export.h"

namespace onetape {

/// An exception that a program's language has thrown, on its way through native code. In its own language it
/// comes out as the same object.
class ONETAPE_API LanguageError : public std::exception {
 public:
  LanguageError() = default;
  LanguageError(const LanguageError&) = default;
  LanguageError& operator=(const LanguageError&) = default;
  ~LanguageError() override;
  /// Brings it into the other language: leaves it where that one looks for it, in a place of the calling
  /// thread, and calls `take` while it is there. Does nothing where no bridge joins the two.
  virtual void cross(const std::function<void()>& take) const noexcept = 0;
};

}  // namespace onetape
