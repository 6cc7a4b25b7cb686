#include "ops/format.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "autograd/forward.h"
#include "autograd/meta.h"
#include "core/call_watcher.h"

namespace onetape {
namespace {

std::mutex options_mutex;
PrintOptions current_options;

std::string printed(const char* pattern, int precision, double value) {
  if (std::isnan(value)) return "nan";
  const int length = std::snprintf(nullptr, 0, pattern, precision, value);
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), pattern, precision, value);
  text.pop_back();
  return text;
}
std::string fixed(double value, int precision) { return printed("%.*f", precision, value); }
std::string scientific(double value, int precision) { return printed("%.*e", precision, value); }

/// Decides, from the elements that will be seen, how floating-point numbers are written so that they line up.
class Column {
 public:
  Column(const std::vector<double>& values, const PrintOptions& options)
      : precision_(std::max(options.precision, 0)) {
    double smallest = INFINITY;
    double largest = 0;
    for (const double value : values) {
      if (!std::isfinite(value) || value == 0) continue;
      smallest = std::min(smallest, std::fabs(value));
      largest = std::max(largest, std::fabs(value));
      whole_ = whole_ && value == std::ceil(value);
    }
    if (largest == 0) return;
    const bool helps = largest / smallest > 1000.0 || largest > 1.0e8 || smallest < 1.0e-4;
    scientific_ = options.sci_mode.value_or(helps);
    for (const double value : values) {
      if (std::isfinite(value) && value != 0) width_ = std::max(width_, text(value).size());
    }
  }

  size_t width() const { return width_; }
  std::string padded(double value) const {
    const std::string number = text(value);
    return std::string(width_ - std::min(width_, number.size()), ' ') + number;
  }

 private:
  std::string text(double value) const {
    if (scientific_) return scientific(value, precision_);
    if (!whole_) return fixed(value, precision_);
    // The point tells a floating-point tensor from one of integers.
    return fixed(value, 0) + (std::isfinite(value) ? "." : "");
  }

  int precision_;
  bool whole_ = true;
  bool scientific_ = false;
  size_t width_ = 1;
};

/// The elements of one tensor as nested brackets.
class Body {
 public:
  Body(const Tensor& self, const PrintOptions& options)
      : self_(self),
        edge_(std::max(options.edgeitems, 0)),
        linewidth_(options.linewidth),
        summarised_(static_cast<double>(self.numel()) > options.threshold) {
    std::vector<double> real;
    std::vector<double> imaginary;
    collect(0, self.bytes(), real, imaginary);
    if (kind_of(self.dtype()) < DTypeKind::Floating) return;
    real_.emplace(real, options);
    width_ = real_->width();
    if (!onetape::is_complex(self.dtype())) return;
    imaginary_.emplace(imaginary, options);
    width_ += imaginary_->width() + 1;  // the j
  }

  std::string text(int indent) const { return slice(0, self_.bytes(), indent); }

 private:
  bool cut(int64_t size) const { return summarised_ && size > 2 * edge_; }
  const char* step(const char* data, int d, int64_t i) const {
    return data + i * self_.strides()[static_cast<size_t>(d)] * static_cast<int64_t>(self_.item_bytes());
  }

  /// Calls visit(i) for the positions of a dimension that are shown, and gap() between its two ends.
  template <typename Visit, typename Gap>
  void each_shown(int64_t size, const Visit& visit, const Gap& gap) const {
    const bool is_cut = cut(size);
    for (int64_t i = 0; i < (is_cut ? edge_ : size); ++i) visit(i);
    if (!is_cut) return;
    gap();
    for (int64_t i = size - edge_; i < size; ++i) visit(i);
  }

  /// Reads what will be shown: numbers for the columns of floating-point types, the widest text for the
  /// others.
  void collect(int d, const char* data, std::vector<double>& real, std::vector<double>& imaginary) {
    if (d < self_.dim()) {
      each_shown(
          self_.sizes()[static_cast<size_t>(d)],
          [&](int64_t i) { collect(d + 1, step(data, d, i), real, imaginary); }, [] {});
      return;
    }
    const Scalar value = read_scalar(self_.dtype(), data);
    if (value.kind() < DTypeKind::Floating) {
      width_ = std::max(width_, format_number(value).size());
      return;
    }
    const complex128 number = value.to<complex128>();
    real.push_back(number.real());
    imaginary.push_back(number.imag());
  }

  std::string element(const char* data) const {
    const Scalar value = read_scalar(self_.dtype(), data);
    if (!real_) {
      const std::string number = format_number(value);
      return std::string(width_ - number.size(), ' ') + number;
    }
    if (!imaginary_) return real_->padded(value.to<double>());
    const complex128 number = value.to<complex128>();
    std::string imaginary = imaginary_->padded(number.imag()) + "j";
    imaginary.erase(0, imaginary.find_first_not_of(' '));
    return real_->padded(number.real()) + (imaginary[0] == '-' ? "" : "+") + imaginary;
  }

  std::string row(const char* data, int d, int indent) const {
    std::vector<std::string> items;
    each_shown(
        self_.sizes()[static_cast<size_t>(d)], [&](int64_t i) { items.push_back(element(step(data, d, i))); },
        [&] { items.emplace_back(edge_ ? " ..." : "..."); });
    // Every item is followed by a comma and a space.
    const int64_t room = (int64_t{linewidth_} - indent) / static_cast<int64_t>(width_ + 2);
    const auto per_line = static_cast<size_t>(std::max<int64_t>(room, 1));
    std::string text = "[";
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += i % per_line == 0 ? ",\n" + std::string(static_cast<size_t>(indent) + 1, ' ') : ", ";
      text += items[i];
    }
    return text + "]";
  }

  std::string slice(int d, const char* data, int indent) const {
    const int left = self_.dim() - d;
    if (left == 0) return element(data);
    if (left == 1) return row(data, d, indent);
    const std::string separator = "," + std::string(static_cast<size_t>(left) - 1, '\n') +
                                  std::string(static_cast<size_t>(indent) + 1, ' ');
    std::string text = "[";
    const auto add = [&](const std::string& part) { text += (text.size() > 1 ? separator : "") + part; };
    each_shown(
        self_.sizes()[static_cast<size_t>(d)],
        [&](int64_t i) { add(slice(d + 1, step(data, d, i), indent + 1)); }, [&] { add("..."); });
    return text + "]";
  }

  const Tensor& self_;
  int64_t edge_;
  int linewidth_;
  bool summarised_;
  size_t width_ = 1;
  std::optional<Column> real_;
  std::optional<Column> imaginary_;
};

std::string size_text(IntSpan sizes) {
  std::string text = "size=(";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + (sizes.size() == 1 ? ",)" : ")");
}

std::string dtype_text(DType dtype) { return "dtype=torch." + std::string(name_of(dtype)); }

/// What stands after the elements but for autograd's part. `expected` tells which dtypes go without saying.
template <typename Expected>
std::vector<std::string> shape_and_dtype(const Tensor& self, const PrintOptions& options,
                                         const Expected& expected) {
  std::vector<std::string> parts;
  // Without elements the brackets show neither the shape nor whether the numbers would be integers.
  const bool show_size = self.numel() == 0 ? self.dim() != 1 : options.edgeitems <= 0;
  if (show_size) parts.push_back(size_text(self.sizes()));
  if (!expected(self.dtype())) parts.push_back(dtype_text(self.dtype()));
  return parts;
}

std::string autograd_text(const Tensor& self) {
  try {
    if (const Ref<Node> node = grad_fn(self)) return "grad_fn=<" + node->name() + ">";
  } catch (const Error&) {
    // A view that may no longer be used in a graph can still be looked at.
    return "grad_fn=<Invalid>";
  }
  return self.requires_grad() ? "requires_grad=True" : "";
}

std::string assemble(const Tensor& self, const PrintOptions& options, std::string_view name,
                     const std::vector<std::string>& parts) {
  const auto indent = static_cast<int>(name.size()) + 1;
  std::string text = std::string(name) + "(";
  text += self.numel() == 0 ? "[]" : Body(self, options).text(indent);
  const size_t newline = text.rfind('\n');
  size_t used = newline == std::string::npos ? text.size() + 2 : text.size() - newline + 1;
  for (const std::string& part : parts) {
    if (used + part.size() + 2 > static_cast<size_t>(std::max(options.linewidth, 0))) {
      text += ",\n" + std::string(static_cast<size_t>(indent), ' ') + part;
      used = static_cast<size_t>(indent) + part.size();
    } else {
      text += ", " + part;
      used += part.size() + 2;
    }
  }
  return text + ")";
}

}  // namespace

PrintOptions print_options() {
  const std::lock_guard guard(options_mutex);
  return current_options;
}

void set_print_options(const PrintOptions& options) {
  const std::lock_guard guard(options_mutex);
  current_options = options;
}

namespace {

/// Of a tensor without elements: what there is to say of it instead.
std::vector<std::string> without_elements(const Tensor& self) {
  std::string size = "size=(";
  for (size_t d = 0; d < self.sizes().size(); ++d) size += (d ? ", " : "") + std::to_string(self.sizes()[d]);
  std::vector<std::string> parts = {"device='" + to_string(self.device()) + "'",
                                    size + (self.dim() == 1 ? ",)" : ")")};
  if (self.dtype() != default_dtype()) parts.push_back("dtype=torch." + std::string(name_of(self.dtype())));
  return parts;
}

std::string assemble_without_elements(std::string_view name, const std::vector<std::string>& parts) {
  std::string text = std::string(name) + "(...";
  for (const std::string& part : parts) text += ", " + part;
  return text + ")";
}

}  // namespace

std::string repr(const Tensor& self, const PrintOptions& options, std::string_view name) {
  if (!self.defined()) return "None";
  const WatcherPause pause;  // a text decides nothing
  const DType usual = default_dtype();
  const bool empty = self.numel() == 0;
  const auto is_usual = [&](DType d) {
    return d == usual || (!empty && (d == to_complex(usual) || d == DType::I64 || d == DType::Bool));
  };
  std::vector<std::string> parts =
      self.has_data() ? shape_and_dtype(self, options, is_usual) : without_elements(self);
  const std::string autograd = autograd_text(self);
  if (!autograd.empty()) parts.push_back(autograd);
  if (const Tensor tangent = tangent_of(self); tangent.defined())
    parts.push_back("tangent=" + (tangent.dim() == 0 ? format(tangent, options) : repr(tangent, options)));
  if (!self.has_data()) return assemble_without_elements(name, parts);
  return assemble(self, options, name, parts);
}

std::string format(const Tensor& self, const PrintOptions& options) {
  if (!self.defined()) return "None";
  const WatcherPause pause;
  if (!self.has_data()) return assemble_without_elements("tensor", without_elements(self));
  if (self.dim() == 0) return format_number(item(self));
  return assemble(self, options, "tensor", shape_and_dtype(self, options, [](DType d) {
                    return d == DType::F32 || d == DType::F64 || d == DType::I64 || d == DType::Bool;
                  }));
}

}  // namespace onetape
