#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <span>
#include <vector>

namespace onetape {

using IntSpan = std::span<const int64_t>;

/// A short list of int64 (a shape, strides, dims) that needs no heap up to 6 entries.
class Ints {
 public:
  Ints() = default;
  Ints(std::initializer_list<int64_t> values) : Ints(IntSpan(values.begin(), values.size())) {}
  Ints(IntSpan values) { assign(values); }                             // NOLINT(google-explicit-constructor)
  Ints(const std::vector<int64_t>& values) : Ints(IntSpan(values)) {}  // NOLINT(google-explicit-constructor)
  Ints(size_t count, int64_t value) {
    resize(count);
    std::fill_n(data(), count, value);
  }
  Ints(const Ints& other) { assign(other); }
  Ints(Ints&& other) noexcept { steal(other); }
  Ints& operator=(const Ints& other) {
    if (this != &other) assign(other);
    return *this;
  }
  Ints& operator=(Ints&& other) noexcept {
    if (this != &other) steal(other);
    return *this;
  }
  ~Ints() = default;

  int64_t* data() { return heap_ ? heap_.get() : inline_; }
  const int64_t* data() const { return heap_ ? heap_.get() : inline_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t back() const { return data()[size_ - 1]; }
  operator IntSpan() const { return {data(), size_}; }  // NOLINT(google-explicit-constructor)

  void resize(size_t count) {
    if (count > capacity_) {
      auto larger = std::make_unique<int64_t[]>(count * 2);
      std::copy_n(data(), size_, larger.get());
      heap_ = std::move(larger);
      capacity_ = count * 2;
    }
    for (size_t i = size_; i < count; ++i) data()[i] = 0;
    size_ = count;
  }
  void push_back(int64_t value) {
    resize(size_ + 1);
    data()[size_ - 1] = value;
  }
  void append(IntSpan values) {
    const size_t at = size_;
    resize(at + values.size());
    std::copy(values.begin(), values.end(), data() + at);
  }
  void insert(size_t at, int64_t value) {
    resize(size_ + 1);
    std::copy_backward(data() + at, data() + size_ - 1, data() + size_);
    data()[at] = value;
  }
  void erase(size_t at) {
    std::copy(data() + at + 1, data() + size_, data() + at);
    --size_;
  }

  friend bool operator==(const Ints& a, const Ints& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr size_t kInline = 6;

  void assign(IntSpan values) {
    resize(values.size());
    std::copy(values.begin(), values.end(), data());
  }
  void steal(Ints& other) {
    heap_ = std::move(other.heap_);
    capacity_ = other.capacity_;
    size_ = other.size_;
    if (!heap_) std::copy_n(other.inline_, size_, inline_);
    other.capacity_ = kInline;
    other.size_ = 0;
  }

  std::unique_ptr<int64_t[]> heap_;
  size_t size_ = 0;
  size_t capacity_ = kInline;
  int64_t inline_[kInline];  // the first size_ are set
};

/// Names a shape in an error text without copying it (texts are made only when the check fails).
struct ShapeText {
  IntSpan values;
};
inline std::ostream& operator<<(std::ostream& out, ShapeText shape) {
  out << '[';
  for (size_t i = 0; i < shape.values.size(); ++i) out << (i ? ", " : "") << shape.values[i];
  return out << ']';
}

inline bool same(IntSpan a, IntSpan b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/// `[2, 3]`, as error texts write a shape.
inline std::ostream& operator<<(std::ostream& out, const Ints& values) { return out << ShapeText{values}; }

}  // namespace onetape
