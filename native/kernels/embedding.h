#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// out[i] = row indices[i] of a dense table of `rows` rows of `row_bytes` bytes; false if an index is out of
/// range.
bool gather_rows(const char* table, int64_t rows, int64_t row_bytes, const int64_t* indices, int64_t count,
                 char* out);

/// table[indices[i]] += grad[i] · (1 or, with `shares`, 1 / how often that index occurs), one index after the
/// other; the index `skip` is passed over. Rows have n dense elements.
void add_rows(DType dtype, char* table, int64_t rows, int64_t n, const int64_t* indices, int64_t count,
              const char* grad, int64_t skip, bool shares);

}  // namespace onetape
