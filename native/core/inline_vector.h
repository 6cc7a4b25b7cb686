#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace onetape {

/// May an object be moved by copying its bytes and forgetting where they were?
template <typename T>
concept Relocatable = std::is_trivially_copyable_v<T> || requires {
  requires T::kRelocatable;
};

/// A vector that holds up to N elements without the heap.
template <typename T, size_t N>
class InlineVector {
 public:
  InlineVector() = default;
  explicit InlineVector(size_t count) { resize(count); }
  InlineVector(std::initializer_list<T> values) {
    reserve(values.size());
    for (const T& value : values) push_back(value);
  }
  InlineVector(const InlineVector& other) {
    reserve(other.size_);
    for (const T& value : other) push_back(value);
  }
  InlineVector(InlineVector&& other) noexcept { steal(other); }
  InlineVector& operator=(InlineVector other) noexcept {
    clear();
    free_heap();
    steal(other);
    return *this;
  }
  ~InlineVector() {
    clear();
    free_heap();
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }

  void push_back(T value) {
    if (size_ == capacity_) [[unlikely]]
      grow(size_ * 2 + 1);
    new (data_ + size_) T(std::move(value));
    ++size_;
  }
  void resize(size_t count) {
    reserve(count);
    while (size_ < count) new (data_ + size_++) T();
    while (size_ > count) data_[--size_].~T();
  }
  void clear() {
    for (size_t i = size_; i-- > 0;) data_[i].~T();
    size_ = 0;
  }
  void reserve(size_t count) {
    if (count > capacity_) [[unlikely]]
      grow(count);
  }

 private:
  T* inline_data() { return reinterpret_cast<T*>(inline_); }
  [[gnu::noinline]] void grow(size_t count) {
    T* larger = static_cast<T*>(::operator new(count * sizeof(T)));
    for (size_t i = 0; i < size_; ++i) {
      new (larger + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    free_heap();
    data_ = larger;
    capacity_ = count;
  }
  void free_heap() {
    if (data_ == inline_data()) [[likely]]
      return;
    ::operator delete(data_);
    data_ = inline_data();
    capacity_ = N;
  }
  void steal(InlineVector& other) {
    if (other.data_ != other.inline_data()) [[unlikely]] {
      data_ = std::exchange(other.data_, other.inline_data());
      capacity_ = std::exchange(other.capacity_, N);
      size_ = std::exchange(other.size_, 0);
      return;
    }
    if constexpr (Relocatable<T>) {
      std::memcpy(inline_, other.inline_, sizeof(inline_));
      size_ = std::exchange(other.size_, 0);
    } else {
      for (size_t i = 0; i < other.size_; ++i) new (data_ + i) T(std::move(other.data_[i]));
      size_ = other.size_;
      other.clear();
    }
  }

  alignas(T) unsigned char inline_[N * sizeof(T)];
  T* data_ = inline_data();
  size_t size_ = 0;
  size_t capacity_ = N;
};

}  // namespace onetape
