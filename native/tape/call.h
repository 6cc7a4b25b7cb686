#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "core/generator.h"
#include "core/options.h"
#include "core/scalar.h"
#include "core/tensor.h"

namespace onetape::tape {

/// The place of a tensor in a tape; kNoSlot stands for an undefined tensor.
using SlotNumber = int32_t;
inline constexpr SlotNumber kNoSlot = -1;

/// A tensor argument.
struct Place {
  SlotNumber slot = kNoSlot;
};
/// A list of tensors.
struct Places {
  std::vector<SlotNumber> slots;
};
/// A number that stands for a tensor.
struct Number {
  Scalar value;
  Tensor tensor;  // the number as operators take it
};

/// A list of numbers; a run may have others in its place.
struct Reals {
  std::vector<double> values;
};

/// One argument of a recorded call; empty where an optional one was not given.
using Value = std::variant<std::monostate, Place, Places, Number, Scalar, int64_t, double, bool, Ints,
                           std::string, DType, Ref<Generator>, Options, Reals>;

/// A recorded call that is made again: hands its arguments to the operator and takes the results.
class ONETAPE_API Call {
 public:
  Call(std::span<const Value> arguments, std::span<const SlotNumber> results, std::span<Tensor> slots)
      : arguments_(arguments), results_(results), slots_(slots) {}

  size_t size() const { return arguments_.size(); }
  const Tensor& tensor(size_t i) const {
    if (const Place* place = std::get_if<Place>(&arguments_[i])) [[likely]]
      return at(place->slot);
    if (const Number* number = std::get_if<Number>(&arguments_[i])) return number->tensor;
    return kUndefined;
  }
  std::vector<Tensor> tensors(size_t i) const;
  const Scalar& scalar(size_t i) const { return std::get<Scalar>(arguments_[i]); }
  std::optional<Scalar> optional_scalar(size_t i) const { return optional<Scalar>(i); }
  int64_t integer(size_t i) const { return std::get<int64_t>(arguments_[i]); }
  std::optional<int64_t> optional_integer(size_t i) const { return optional<int64_t>(i); }
  const Ints& ints(size_t i) const { return std::get<Ints>(arguments_[i]); }
  std::optional<IntSpan> optional_ints(size_t i) const {
    const Ints* found = std::get_if<Ints>(&arguments_[i]);
    return found ? std::optional<IntSpan>(*found) : std::nullopt;
  }
  double real(size_t i) const { return std::get<double>(arguments_[i]); }
  std::optional<double> optional_real(size_t i) const { return optional<double>(i); }
  bool boolean(size_t i) const { return std::get<bool>(arguments_[i]); }
  std::optional<bool> optional_boolean(size_t i) const { return optional<bool>(i); }
  std::string_view text(size_t i) const { return std::get<std::string>(arguments_[i]); }
  std::optional<std::string_view> optional_text(size_t i) const {
    const std::string* found = std::get_if<std::string>(&arguments_[i]);
    return found ? std::optional<std::string_view>(*found) : std::nullopt;
  }
  DType dtype(size_t i) const { return std::get<DType>(arguments_[i]); }
  std::optional<DType> optional_dtype(size_t i) const { return optional<DType>(i); }
  Generator* generator(size_t i) const {
    const auto* found = std::get_if<Ref<Generator>>(&arguments_[i]);
    return found ? found->get() : nullptr;
  }
  /// Those of this run, else the recorded ones.
  std::span<const double> reals(size_t i) const {
    return numbers_.empty() ? std::get<Reals>(arguments_[i]).values : numbers_;
  }
  void set_numbers(std::span<const double> numbers) { numbers_ = numbers; }
  const Options& options(size_t i) const { return std::get<Options>(arguments_[i]); }

  void give(Tensor result) { put(0, std::move(result)); }
  void give(std::vector<Tensor> results);
  template <typename... Tensors>
  void give(std::tuple<Tensors...> results) {
    std::apply([this](auto&... each) { give(std::vector<Tensor>{std::move(each)...}); }, results);
  }
  /// For an operator without results.
  void give() {}

 private:
  static const Tensor kUndefined;

  const Tensor& at(SlotNumber slot) const {
    return slot == kNoSlot ? kUndefined : slots_[static_cast<size_t>(slot)];
  }
  void put(size_t i, Tensor&& result) {
    if (results_[i] != kNoSlot) slots_[static_cast<size_t>(results_[i])] = std::move(result);
  }
  template <typename T>
  std::optional<T> optional(size_t i) const {
    const T* found = std::get_if<T>(&arguments_[i]);
    return found ? std::optional<T>(*found) : std::nullopt;
  }

  std::span<const Value> arguments_;
  std::span<const SlotNumber> results_;
  std::span<Tensor> slots_;
  std::span<const double> numbers_;
};

/// One form of an operator, as a tape knows it.
struct Operator {
  const char* name;  ///< of the table's block, with _ for the in-place form and _out for the one with out=
  const char* parameters;  ///< their names, with commas between them
  const char* kinds;       ///< a letter for each: what may be given for it; see check_arguments()
  int results;             ///< how many; -1 where that depends on the call
  void (*run)(Call&);
  bool draws;       ///< takes numbers from a generator
  bool makes;       ///< takes no tensor
  const char* why;  ///< it cannot be recorded ("none: …"), or not with masks ("no masks: …")
};

/// Throws a ValueError unless the arguments and the number of results are such as the operator is called
/// with.
void check_arguments(const Operator& op, std::span<const Value> arguments, size_t results);

/// Called by the generated sources while the library loads.
ONETAPE_API bool register_operators(std::span<const Operator> operators);
/// The form of that name, or null.
ONETAPE_API const Operator* find_operator(std::string_view name);

}  // namespace onetape::tape
