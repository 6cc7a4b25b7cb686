#include "tape/json.h"

#include <array>
#include <bit>
#include <cmath>

namespace onetape::tape {
namespace {

constexpr std::array kOrigins = {"input", "captured", "constant", "result"};
constexpr size_t kMostSlots = size_t{1} << 24;

[[noreturn]] void damaged(const char* what) { fail(ErrorKind::Value, "Tape: the file is damaged: ", what); }

// ---- numbers ----
// As their bits where decimals would not do: inf, nan and the last bit come back as they were.

Json bits_of(double value) {
  if (std::isfinite(value) && std::abs(value) < 1e15 && value == std::trunc(value) && !std::signbit(value))
    return value;
  return std::to_string(std::bit_cast<uint64_t>(value));
}
double real_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  if (text.empty() || text.size() > 20 || text.find_first_not_of("0123456789") != std::string::npos)
    damaged("a number is none");
  errno = 0;
  const uint64_t bits = std::strtoull(text.c_str(), nullptr, 10);
  if (errno) damaged("a number is too large");
  return std::bit_cast<double>(bits);
}

Json number_json(const Scalar& value) {
  switch (value.kind()) {
    case DTypeKind::Bool:
      return {"bool", value.to<bool>()};
    case DTypeKind::Integral:
      if (value.is_beyond_int64()) return {"uint", static_cast<uint64_t>(value.to<int64_t>())};
      return {"int", value.to<int64_t>()};
    case DTypeKind::Floating:
      return {"float", bits_of(value.to<double>())};
    default: {
      const auto z = value.to<complex128>();
      return {"complex", bits_of(z.real()), bits_of(z.imag())};
    }
  }
}
Scalar number_of(const Json& json) {
  const auto& kind = json.at(0).get_ref<const std::string&>();
  if (kind == "bool") return json.at(1).get<bool>();
  if (kind == "int") return json.at(1).get<int64_t>();
  if (kind == "uint") return Scalar::beyond_int64(json.at(1).get<uint64_t>());
  if (kind == "float") return real_of(json.at(1));
  if (kind == "complex") return complex128(real_of(json.at(1)), real_of(json.at(2)));
  damaged("a number is of an unknown kind");
}

DType dtype_of(const Json& json) {
  DType dtype = DType::F32;
  if (!parse_dtype(json.get_ref<const std::string&>(), &dtype)) damaged("there is no such dtype");
  return dtype;
}

Json ints_json(IntSpan values) { return std::vector<int64_t>(values.begin(), values.end()); }
Ints ints_of(const Json& json) { return json.get<std::vector<int64_t>>(); }

// ---- arguments: [kind, value…] ----

struct ToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const Place& x) const { return {"tensor", x.slot}; }
  Json operator()(const Places& x) const { return {"tensors", x.slots}; }
  Json operator()(const Number& x) const { return {"number", number_json(x.value)}; }
  Json operator()(const Scalar& x) const { return {"scalar", number_json(x)}; }
  Json operator()(int64_t x) const { return {"int", x}; }
  Json operator()(double x) const { return {"float", bits_of(x)}; }
  Json operator()(bool x) const { return {"bool", x}; }
  Json operator()(const Ints& x) const { return {"ints", ints_json(x)}; }
  Json operator()(const std::string& x) const { return {"text", x}; }
  Json operator()(DType x) const { return {"dtype", name_of(x)}; }
  Json operator()(const Ref<Generator>&) const {
    fail(ErrorKind::Runtime, "Tape: a program with a generator of its own cannot be saved");
  }
  Json operator()(const Options& x) const {
    return {"options", x.dtype ? Json(name_of(*x.dtype)) : Json(), x.requires_grad};
  }
  Json operator()(const Reals& x) const {
    Json all = Json::array();
    for (const double one : x.values) all.push_back(bits_of(one));
    return {"floats", all};
  }
};

Value value_of(const Json& json) {
  if (json.is_null()) return {};
  const auto& kind = json.at(0).get_ref<const std::string&>();
  const Json& value = json.at(1);
  if (kind == "tensor") return Place{value.get<SlotNumber>()};
  if (kind == "tensors") return Places{value.get<std::vector<SlotNumber>>()};
  if (kind == "number") {
    const Scalar number = number_of(value);
    return Number{number, wrapped_number(number)};
  }
  if (kind == "scalar") return number_of(value);
  if (kind == "int") return value.get<int64_t>();
  if (kind == "float") return real_of(value);
  if (kind == "bool") return value.get<bool>();
  if (kind == "ints") return ints_of(value);
  if (kind == "text") return value.get<std::string>();
  if (kind == "dtype") return dtype_of(value);
  if (kind == "options") {
    Options options;
    if (!value.is_null()) options.dtype = dtype_of(value);
    options.requires_grad = json.at(2).get<bool>();
    return options;
  }
  if (kind == "floats") {
    Reals all;
    for (const Json& one : value) all.values.push_back(real_of(one));
    return all;
  }
  damaged("an argument is of an unknown kind");
}

// ---- slots and instructions ----

Json slot_json(const Slot& slot) {
  return {{"origin", kOrigins[static_cast<size_t>(slot.origin)]},
          {"dtype", name_of(slot.dtype)},
          {"sizes", ints_json(slot.sizes)},
          {"strides", ints_json(slot.strides)},
          {"requires_grad", slot.requires_grad},
          {"memory", slot.memory}};
}

Slot slot_of(const Json& json, size_t count) {
  Slot slot;
  const auto& origin = json.at("origin").get_ref<const std::string&>();
  const auto found = std::ranges::find(kOrigins, origin);
  if (found == kOrigins.end()) damaged("a tensor is of an unknown origin");
  slot.origin = static_cast<Origin>(found - kOrigins.begin());
  slot.dtype = dtype_of(json.at("dtype"));
  slot.sizes = ints_of(json.at("sizes"));
  slot.strides = ints_of(json.at("strides"));
  slot.requires_grad = json.at("requires_grad").get<bool>();
  slot.memory = json.at("memory").get<int32_t>();
  checked_numel(slot.sizes, slot.dtype);
  if (slot.sizes.size() != slot.strides.size() || slot.sizes.size() > 64) damaged("a shape is none");
  if (slot.memory < 0 || static_cast<size_t>(slot.memory) >= count) damaged("there is no such memory");
  return slot;
}

Json instruction_json(const Instruction& one) {
  check(!one.gradient && one.kept.empty(),
        "Tape: it holds the gradient of an operator that a file has no name for (",
        one.gradient ? one.gradient->node->name() : one.op->name, "), and cannot be saved");
  Json arguments = Json::array();
  for (const Value& value : one.arguments) arguments.push_back(std::visit(ToJson{}, value));
  return {{"op", one.op->name},   {"arguments", arguments}, {"results", one.results},
          {"writes", one.writes}, {"grad", one.grad},       {"draws", one.draws}};
}

/// Reads a program and checks that each tensor is there before it is used.
class Reader {
 public:
  explicit Reader(const Json& json) {
    const Json& slots = json.at("slots");
    if (slots.size() > kMostSlots) damaged("it has too many tensors");
    for (const Json& one : slots) program_.slots.push_back(slot_of(one, slots.size()));
    made_.resize(program_.slots.size());
    for (size_t i = 0; i < made_.size(); ++i)
      made_[i] = program_.slots[i].origin == Origin::Captured || program_.slots[i].origin == Origin::Constant;
    program_.inputs = json.at("inputs").get<std::vector<SlotNumber>>();
    for (const SlotNumber slot : program_.inputs) {
      check_slot(slot);
      if (program_.slots[static_cast<size_t>(slot)].origin != Origin::Input ||
          made_[static_cast<size_t>(slot)])
        damaged("an input is none");
      made_[static_cast<size_t>(slot)] = true;
    }
    for (const Json& one : json.at("code")) add(one);
    program_.outputs = json.at("outputs").get<std::vector<SlotNumber>>();
    for (const SlotNumber slot : program_.outputs) check_made(slot);
    program_.gradients = notes(json.at("gradients"));
    program_.starts = notes(json.at("starts"));
    for (const GradientNote& start : program_.starts) {
      const SlotNumber gradient = start.gradient;
      if (program_.slots[static_cast<size_t>(start.leaf)].origin == Origin::Result ||
          (gradient != kNoSlot && program_.slots[static_cast<size_t>(gradient)].origin != Origin::Captured))
        damaged("a gradient was not there before");
    }
    program_.clears = json.at("clears").get<bool>();
    program_.reorder_sums = json.value("reorder_sums", false);
    program_.default_dtype = dtype_of(json.at("default_dtype"));
    program_.grad_mode = json.at("grad_mode").get<bool>();
    program_.ran_backward = json.at("ran_backward").get<bool>();
  }
  Program take() { return std::move(program_); }

 private:
  void check_slot(SlotNumber slot) const {
    if (slot < 0 || static_cast<size_t>(slot) >= program_.slots.size()) damaged("there is no such tensor");
  }
  void check_made(SlotNumber slot) const {
    check_slot(slot);
    if (!made_[static_cast<size_t>(slot)]) damaged("a tensor is used before it is made");
  }
  std::vector<GradientNote> notes(const Json& json) const {
    std::vector<GradientNote> all;
    for (const Json& one : json) {
      const GradientNote note{one.at(0).get<SlotNumber>(), one.at(1).get<SlotNumber>()};
      check_made(note.leaf);
      if (note.gradient != kNoSlot) check_made(note.gradient);
      all.push_back(note);
    }
    return all;
  }
  void add(const Json& json) {
    Instruction one;
    const auto& name = json.at("op").get_ref<const std::string&>();
    one.op = find_operator(name);
    check_value(one.op, "Tape: the file uses the operator '", name.substr(0, 64),
                "', which this version does not have");
    for (const Json& value : json.at("arguments")) one.arguments.push_back(value_of(value));
    for (const Value& value : one.arguments) {
      if (const Places* places = std::get_if<Places>(&value)) {
        for (const SlotNumber slot : places->slots) {
          if (slot != kNoSlot) check_made(slot);
        }
      } else if (const Place* place = std::get_if<Place>(&value)) {
        if (place->slot != kNoSlot) check_made(place->slot);
      }
    }
    one.results = json.at("results").get<std::vector<SlotNumber>>();
    one.writes = json.at("writes").get<std::vector<SlotNumber>>();
    for (const SlotNumber slot : one.writes) check_made(slot);
    for (const SlotNumber slot : one.results) {
      if (slot == kNoSlot) continue;
      check_slot(slot);
      if (program_.slots[static_cast<size_t>(slot)].origin == Origin::Result)
        made_[static_cast<size_t>(slot)] = true;
    }
    one.grad = json.at("grad").get<bool>();
    one.draws = json.at("draws").get<bool>();
    check_arguments(*one.op, one.arguments, one.results.size());
    program_.code.push_back(std::move(one));
  }

  Program program_;
  std::vector<bool> made_;
};

}  // namespace

Json to_json(const Program& program) {
  Json slots = Json::array();
  for (const Slot& slot : program.slots) slots.push_back(slot_json(slot));
  Json code = Json::array();
  for (const Instruction& one : program.code) code.push_back(instruction_json(one));
  const auto notes_json = [](const std::vector<GradientNote>& notes) {
    Json all = Json::array();
    for (const GradientNote& note : notes) all.push_back({note.leaf, note.gradient});
    return all;
  };
  return {{"slots", slots},
          {"inputs", program.inputs},
          {"outputs", program.outputs},
          {"code", code},
          {"gradients", notes_json(program.gradients)},
          {"starts", notes_json(program.starts)},
          {"clears", program.clears},
          {"reorder_sums", program.reorder_sums},
          {"default_dtype", name_of(program.default_dtype)},
          {"grad_mode", program.grad_mode},
          {"ran_backward", program.ran_backward}};
}

Program from_json(const Json& json) {
  try {
    return Reader(json).take();
  } catch (const Json::exception& error) {
    fail(ErrorKind::Value, "Tape: the file is damaged: ", error.what());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Value) throw;
    fail(ErrorKind::Value, "Tape: the file is damaged: ", error.what());
  }
}

}  // namespace onetape::tape
