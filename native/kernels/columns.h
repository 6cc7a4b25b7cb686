#pragma once

#include <array>
#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// Stretches under a kernel that moves over images, and the matrix that has each as a column. Sizes are of
/// height and width.
struct ColumnShape {
  using Sizes = std::array<int64_t, 2>;
  int64_t channels;  // of all samples
  Sizes image;
  Sizes kernel;
  Sizes dilation;
  Sizes padding;
  Sizes stride;
  Sizes count;  // of stretches
};

/// columns[channel, kernel element, stretch] = the element of the image there, or zero beside it.
void image_to_columns(DType dtype, const ColumnShape& shape, const char* images, char* columns);
/// Adds each element of the columns to where image_to_columns takes it from.
void columns_to_image(DType dtype, const ColumnShape& shape, const char* columns, char* images);

}  // namespace onetape
