#include "ops/type_words.h"

namespace onetape {

std::string_view type_words(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return "bool";
    case DType::U8:
      return "unsigned char";
    case DType::I8:
      return "signed char";
    case DType::I16:
      return "short int";
    case DType::I32:
      return "int";
    case DType::I64:
      return "long int";
    case DType::F16:
      return "c10::Half";
    case DType::BF16:
      return "c10::BFloat16";
    case DType::F32:
      return "float";
    case DType::F64:
      return "double";
    case DType::C64:
      return "c10::complex<float>";
    case DType::C128:
      return "c10::complex<double>";
  }
  return "";
}

}  // namespace onetape
