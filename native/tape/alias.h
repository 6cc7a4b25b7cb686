#pragma once

#include "tape/tape.h"

namespace onetape::tape {

/// The operator alias(base, sizes, strides, distance, dtype): another view of the memory of `base`, whose
/// first element lies `distance` bytes behind that of `base`; for views that no operator of the tables made.
const Operator& alias_operator();

/// A tensor of the same sizes, strides and elements, with a memory of its own and no history.
Tensor copy_of_form(const Tensor& t);

/// An uninitialised tensor of the slot's form with a memory of its own.
Tensor empty_of_form(const Slot& slot);

}  // namespace onetape::tape
