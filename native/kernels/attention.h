#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// Four dimensions, samples × heads × rows × columns, in memory: strides in elements, columns side by side.
struct HeadsView {
  char* data;
  int64_t sample_stride;
  int64_t head_stride;
  int64_t row_stride;
};

/// What is added to the scores before softmax; null data: nothing. Strides may be 0.
struct MaskView {
  const char* data;
  int64_t sample_stride;
  int64_t head_stride;
  int64_t row_stride;
  int64_t column_stride;
};

/// softmax(query · keyᵀ · scale + mask) · value for each head. Several heads of the query may share one of
/// key and value. Only blocks of the scores are ever kept.
struct AttentionShape {
  int64_t samples;
  int64_t heads;      // of query; a multiple of key_heads
  int64_t key_heads;  // of key and value
  int64_t queries;
  int64_t keys;
  int64_t size;        // of query and key
  int64_t value_size;  // of value and output
  bool causal;         // a query sees the keys up to its own place
  double scale;
};

/// Outputs are dense; `lse` holds the logarithm of each row's sum of exponentials. A row that sees no key
/// gives zeros. float32 and float64.
void attention(DType dtype, const AttentionShape& shape, const HeadsView& query, const HeadsView& key,
               const HeadsView& value, const MaskView& mask, char* out, char* lse);
/// Dense gradients of query, key and value, from a dense one of the output.
void attention_backward(DType dtype, const AttentionShape& shape, const HeadsView& query,
                        const HeadsView& key, const HeadsView& value, const MaskView& mask, const char* out,
                        const char* lse, const char* grad, char* query_grad, char* key_grad,
                        char* value_grad);

/// A block of scores, rows × columns, that becomes one of weights.
struct ScoreBlock {
  int64_t rows;
  int64_t columns;
  int64_t ld;  // of the scores, in elements
  int64_t value_size;
  char* scores;
  const char* mask;  // of the block's first element, or null
  int64_t mask_row;
  int64_t mask_column;
  int64_t allowed;  // columns that the first row sees, each later one seeing one more; negative: none
  double scale;
  char* top;  // forwards: the largest score so far and the sum of exponentials below it, by row
  char* sum;
  char* out;               // forwards: rows × value_size, the sum so far, scaled anew where the top rises
  const char* lse;         // backwards
  const char* correction;  // backwards: the sums of grad · out, by row
  char* grad;              // backwards: gradients of the weights, which become those of the scores
};

}  // namespace onetape
