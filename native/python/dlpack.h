#pragma once

#include <cstdint>

namespace onetape::python {

// The binary layout in which array libraries hand tensors to each other; see dmlc.github.io/dlpack.

struct DLDevice {
  int32_t device_type;  // 1: CPU
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;  // 0 signed, 1 unsigned, 2 floating, 4 bfloat, 5 complex, 6 bool
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};

/// Capsules named "dltensor".
struct DLManagedTensor {
  DLTensor tensor;
  void* manager;
  void (*deleter)(DLManagedTensor*);
};

/// Capsules named "dltensor_versioned".
struct DLManagedTensorVersioned {
  struct {
    uint32_t major;
    uint32_t minor;
  } version;
  void* manager;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;  // bit 0: read-only; bit 1: a copy
  DLTensor tensor;
};

}  // namespace onetape::python
