#include "core/operand_device.h"

namespace onetape {

void OperandDevice::look(const Tensor& t) {
  if (!t.defined()) return;
  const DeviceType type = t.impl()->device();
  if (type == DeviceType::CPU && t.dim() == 0) {
    numbers_ = true;
  } else if (!found_) {
    found_ = type;
  } else {
    check(asked_ || *found_ == type, "Tensor on device ", t.device(), " is not on the expected device ",
          Device{.type = *found_}, "!");
  }
}

void fail_without_data(const char* op) {
  fail(ErrorKind::NotImplemented, "aten::", op,
       ": attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
       "registered.");
}

}  // namespace onetape
