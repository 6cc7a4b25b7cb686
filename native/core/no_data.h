#pragma once

#include "core/error.h"

namespace onetape {

/// Elements were asked for where there are none; an operator that needs them says so by its name.
class ONETAPE_API NoData final : public Error {
 public:
  NoData()
      : Error(ErrorKind::NotImplemented, "Cannot access data pointer of Tensor that doesn't have storage") {}
};

}  // namespace onetape
