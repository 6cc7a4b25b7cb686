#pragma once

#include <cstddef>
#include <utility>

namespace onetape {

/// An intrusive owning pointer. T provides retain() and release(); release() frees at zero.
template <typename T>
class Ref {
 public:
  static constexpr bool kRelocatable = true;  // see core/inline_vector.h
  constexpr Ref() = default;
  constexpr Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  /// Takes over one reference that the caller owns.
  static Ref adopt(T* pointer) {
    Ref ref;
    ref.pointer_ = pointer;
    return ref;
  }
  /// Adds a reference.
  static Ref share(T* pointer) {
    if (pointer) pointer->retain();
    return adopt(pointer);
  }
  Ref(const Ref& other) : pointer_(other.pointer_) {
    if (pointer_) pointer_->retain();
  }
  Ref(Ref&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~Ref() {
    if (pointer_) pointer_->release();
  }

  T* get() const { return pointer_; }
  T* operator->() const { return pointer_; }
  T& operator*() const { return *pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }
  bool operator==(const Ref& other) const { return pointer_ == other.pointer_; }
  /// Gives the reference to the caller.
  T* take() { return std::exchange(pointer_, nullptr); }
  void reset() { Ref().swap(*this); }
  void swap(Ref& other) noexcept { std::swap(pointer_, other.pointer_); }

 private:
  T* pointer_ = nullptr;
};

}  // namespace onetape
