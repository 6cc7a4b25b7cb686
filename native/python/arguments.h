#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/generator.h"
#include "core/options.h"
#include "core/scalar.h"
#include "python/gil.h"
#include "python/tensor_object.h"
#include "python/values.h"

namespace onetape::python {

/// What a parameter takes, in the words of the operator tables.
enum class Kind : uint8_t {
  Tensor,
  TensorOrNumber,
  Tensors,
  TensorVarargs,  ///< a list of tensors, or tensors one after the other
  OptionalTensors,
  Number,
  Int,
  Ints,
  IntVarargs,  ///< a list of ints, or ints one after the other
  Float,
  Bool,
  Text,
  DType,
  Generator,
  Device,
  Layout,
  MemoryFormat,
  Anything,
};

struct Parameter {
  const char* name;
  Kind kind;
  const char* fallback = nullptr;  ///< the default, as it is written; null where there is none
  bool takes_none = false;
  bool keyword_only = false;
  bool hidden = false;               ///< accepted, but not named in error texts
  const char* other_name = nullptr;  ///< NumPy's name of it, accepted too
};

struct Signature {
  std::span<const Parameter> parameters;
};

/// Reads a call of one Python function, which may have several signatures.
/// A method's first parameter is its self: it is given apart and does not count in error texts.
struct Parser {
  const char* name;
  std::span<const Signature> signatures;
  bool method = false;
};

inline constexpr size_t kMaxParameters = 24;

bool is_number(PyObject* object);
/// An int, or what can stand for one (not a bool).
bool is_int(PyObject* object);
Scalar to_scalar(PyObject* object);
/// A number that is used with these objects: one beyond int64 is a floating number next to a floating tensor.
/// Next to integers it wraps around, as with PyTorch's operators, or is refused as by most of its functions.
Scalar to_scalar_among(PyObject* object, std::span<PyObject* const> others, bool wraps);
int64_t to_int(PyObject* object);
double to_double(PyObject* object);
bool to_bool(PyObject* object);
/// A list or tuple of ints, or one int.
Ints to_ints(PyObject* object);
std::string_view to_text(PyObject* object);
Generator* to_generator(PyObject* object);
Device to_device(PyObject* object);
/// The tensors of a list or tuple; None gives undefined ones where it is allowed.
std::vector<Tensor> to_tensors(PyObject* object, int position, bool takes_none);

/// A tensor, or a number made into one.
class TensorOrNumber {
 public:
  TensorOrNumber(PyObject* object, std::span<PyObject* const> others, bool wraps = false) {
    if (is_tensor(object)) {
      tensor_ = &tensor_of(object);
    } else {
      number_ = wrapped_number(to_scalar_among(object, others, wraps));
    }
  }
  operator const Tensor&() const {
    return tensor_ ? *tensor_ : number_;
  }  // NOLINT(google-explicit-constructor)

 private:
  const Tensor* tensor_ = nullptr;
  Tensor number_;
};

/// A list of ints that the call keeps alive.
class IntsArgument {
 public:
  IntsArgument() = default;
  explicit IntsArgument(Ints values) : values_(std::move(values)), given_(true) {}
  IntSpan span() const { return values_; }
  std::optional<IntSpan> optional() const { return given_ ? std::optional<IntSpan>(values_) : std::nullopt; }

 private:
  Ints values_;
  bool given_ = false;
};

/// The arguments of one call, in the order of the parameters of the signature that fits.
class Arguments {
 public:
  /// Finds the first signature that fits; its index, or -1 with a TypeError set.
  int parse(const Parser& parser, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

  bool has(size_t i) const { return values_[i] != nullptr; }
  PyObject* object(size_t i) const { return values_[i]; }
  const Tensor& tensor(size_t i) const { return tensor_of(values_[i]); }
  const Tensor& tensor_or_none(size_t i) const { return has(i) ? tensor_of(values_[i]) : undefined(); }
  TensorOrNumber tensor_or_number(size_t i) const {
    return {values_[i], {values_, signature_->parameters.size()}};
  }
  std::vector<Tensor> tensors(size_t i) const;
  std::vector<Tensor> optional_tensors(size_t i) const {
    return to_tensors(values_[i], static_cast<int>(i), true);
  }
  Scalar number(size_t i) const { return to_scalar(values_[i]); }
  int64_t integer(size_t i) const { return to_int(values_[i]); }
  double real(size_t i) const { return to_double(values_[i]); }
  bool boolean(size_t i) const { return to_bool(values_[i]); }
  IntsArgument ints(size_t i) const;
  std::string_view text(size_t i) const { return to_text(values_[i]); }
  DType dtype(size_t i) const { return *as_dtype(values_[i]); }
  Generator* generator(size_t i) const { return has(i) ? to_generator(values_[i]) : nullptr; }
  /// dtype, layout, device, pin_memory, requires_grad: five parameters from i on.
  Options options(size_t i) const;

 private:
  friend class Binding;
  static const Tensor& undefined() {
    static const Tensor none;
    return none;
  }

  PyObject* values_[kMaxParameters];
  [[nodiscard]] int64_t unpacked(size_t i, Py_ssize_t place, PyObject* item) const;
  [[noreturn]] void fail_unpacking(size_t i, Py_ssize_t place, const std::string& why) const;

  PyObject* const* varargs_ = nullptr;  // given one after the other instead of as a list
  Py_ssize_t vararg_count_ = 0;
  const char* function_ = nullptr;
  const Signature* signature_ = nullptr;  // the one that fits
};

/// The name of a type as error texts write it: `tuple of ints`.
const char* kind_name(Kind kind);
/// May the object be given for a parameter of this kind?
bool accepts(Kind kind, PyObject* object);

/// Sets the TypeError for a call that no signature fits. For the parser.
void set_argument_error(const Parser& parser, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames);

}  // namespace onetape::python
