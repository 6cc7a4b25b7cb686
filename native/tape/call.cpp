#include "tape/call.h"

#include <algorithm>
#include <unordered_map>

namespace onetape::tape {

const Tensor Call::kUndefined;

std::vector<Tensor> Call::tensors(size_t i) const {
  std::vector<Tensor> all;
  const Places& places = std::get<Places>(arguments_[i]);
  all.reserve(places.slots.size());
  for (const SlotNumber slot : places.slots) all.push_back(at(slot));
  return all;
}

void Call::give(std::vector<Tensor> results) {
  check(results.size() == results_.size(), "a recorded operator gave ", results_.size(),
        " tensors and gives ", results.size(), " now");
  for (size_t i = 0; i < results.size(); ++i) put(i, std::move(results[i]));
}

namespace {

template <typename T>
bool is(const Value& value) {
  return std::holds_alternative<T>(value);
}
bool none(const Value& value) { return is<std::monostate>(value); }

bool all_given(const Value& value) {
  const Places* places = std::get_if<Places>(&value);
  return places && std::ranges::find(places->slots, kNoSlot) == places->slots.end();
}

bool fits(char kind, const Value& value) {
  const Place* place = std::get_if<Place>(&value);
  switch (kind) {
    case 't':
    case 'n':
      return (place && place->slot != kNoSlot) || is<Number>(value);
    case 'T':
      return place || is<Number>(value);
    case 'l':
      return all_given(value);
    case 'L':
      return is<Places>(value);
    case 's':
      return is<Scalar>(value);
    case 'S':
      return is<Scalar>(value) || none(value);
    case 'i':
      return is<int64_t>(value);
    case 'I':
      return is<int64_t>(value) || none(value);
    case 'v':
      return is<Ints>(value);
    case 'V':
      return is<Ints>(value) || none(value);
    case 'f':
      return is<double>(value);
    case 'F':
      return is<double>(value) || none(value);
    case 'b':
      return is<bool>(value);
    case 'B':
      return is<bool>(value) || none(value);
    case 'x':
      return is<std::string>(value);
    case 'X':
      return is<std::string>(value) || none(value);
    case 'd':
      return is<DType>(value);
    case 'D':
      return is<DType>(value) || none(value);
    case 'G':
      return is<Ref<Generator>>(value) || none(value);
    case 'o':
      return is<Options>(value);
    case 'r':
      return is<Reals>(value);
    default:
      return false;
  }
}

}  // namespace

void check_arguments(const Operator& op, std::span<const Value> arguments, size_t results) {
  const std::string_view kinds = op.kinds;
  check_value(arguments.size() == kinds.size(), "Tape: ", op.name, "() takes ", kinds.size(),
              " arguments, not ", arguments.size());
  for (size_t i = 0; i < kinds.size(); ++i)
    check_value(fits(kinds[i], arguments[i]), "Tape: ", op.name, "(): argument ", i, " is of another kind");
  check_value(op.results < 0 || results == static_cast<size_t>(op.results), "Tape: ", op.name, "() has ",
              op.results, " results, not ", results);
}

namespace {

std::unordered_map<std::string_view, const Operator*>& by_name() {
  static std::unordered_map<std::string_view, const Operator*> all;
  return all;
}

}  // namespace

bool register_operators(std::span<const Operator> operators) {
  for (const Operator& one : operators) by_name().emplace(one.name, &one);
  return true;
}

const Operator* find_operator(std::string_view name) {
  const auto found = by_name().find(name);
  return found == by_name().end() ? nullptr : found->second;
}

}  // namespace onetape::tape
