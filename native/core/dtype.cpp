#include "core/dtype.h"

#include <array>
#include <atomic>

namespace onetape {
namespace {

struct Facts {
  std::string_view name;
  std::string_view scalar_type;
};

constexpr std::array<Facts, kDTypes> kFacts = {{
    {"bool", "Bool"},
    {"uint8", "Byte"},
    {"int8", "Char"},
    {"int16", "Short"},
    {"int32", "Int"},
    {"int64", "Long"},
    {"float16", "Half"},
    {"bfloat16", "BFloat16"},
    {"float32", "Float"},
    {"float64", "Double"},
    {"complex64", "ComplexFloat"},
    {"complex128", "ComplexDouble"},
}};

const Facts& facts(DType dtype) { return kFacts[static_cast<size_t>(dtype)]; }

std::atomic<DType> g_default{DType::F32};

}  // namespace

std::string_view name_of(DType dtype) { return facts(dtype).name; }
std::string_view scalar_type_name(DType dtype) { return facts(dtype).scalar_type; }

bool parse_dtype(std::string_view name, DType* out) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  constexpr std::array<std::pair<std::string_view, DType>, 8> aliases = {{{"float", DType::F32},
                                                                          {"double", DType::F64},
                                                                          {"half", DType::F16},
                                                                          {"int", DType::I32},
                                                                          {"long", DType::I64},
                                                                          {"short", DType::I16},
                                                                          {"cfloat", DType::C64},
                                                                          {"cdouble", DType::C128}}};
  for (int i = 0; i < kDTypes; ++i) {
    if (kFacts[i].name == name) return *out = static_cast<DType>(i), true;
  }
  for (const auto& [alias, dtype] : aliases) {
    if (alias == name) return *out = dtype, true;
  }
  return false;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);  // b is of the higher or the same kind
  // Unsigned and signed bytes meet in int16; the two 16-bit floats meet in float32.
  if (a == DType::U8 && b == DType::I8) return DType::I16;
  if (a == DType::F16 && b == DType::BF16) return DType::F32;
  if (b == DType::C64 && a == DType::F64) return DType::C128;
  return b;
}

DType to_real(DType dtype) {
  if (dtype == DType::C64) return DType::F32;
  if (dtype == DType::C128) return DType::F64;
  return dtype;
}

DType to_complex(DType dtype) {
  if (is_complex(dtype)) return dtype;
  return dtype == DType::F64 ? DType::C128 : DType::C64;
}

DType default_dtype() { return g_default.load(std::memory_order_relaxed); }

void set_default_dtype(DType dtype) {
  check_type(is_floating(dtype), "only floating-point types are supported as the default type");
  g_default.store(dtype, std::memory_order_relaxed);
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << "torch." << name_of(dtype); }

}  // namespace onetape
