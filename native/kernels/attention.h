#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "core/generator.h"

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

/// Weights that are dropped: each becomes 0 with probability p, and the others grow by 1 / (1 − p). Nothing
/// of it is kept but the generator's state before each block of queries of each head, from which the same
/// numbers are drawn again.
struct AttentionDropout {
  double p;
  const uint32_t* states;  // null where nothing has to be drawn, p being 0 or 1
};

struct AttentionInputs {
  HeadsView query;
  HeadsView key;
  HeadsView value;
  MaskView mask;
  AttentionDropout dropout;
};

/// How many words the states of a dropout have.
int64_t attention_state_words(const AttentionShape& shape);
/// Draws, as PyTorch, one number a score in row-major order, and writes the states.
void draw_attention_states(const AttentionShape& shape, Generator& generator, uint32_t* states);
/// By what every weight is multiplied, 0 or 1 / (1 − p), as a dense tensor.
void attention_kept(DType dtype, const AttentionShape& shape, const AttentionDropout& dropout, char* out);

/// Outputs are dense; `lse` holds the logarithm of each row's sum of exponentials. A row that sees no key
/// gives zeros. float32 and float64.
void attention(DType dtype, const AttentionShape& shape, const AttentionInputs& in, char* out, char* lse);

/// What attention() gave, and a dense gradient of its output.
struct AttentionResults {
  const char* out;
  const char* lse;
  const char* grad;
};
/// Dense gradients of query, key and value.
void attention_backward(DType dtype, const AttentionShape& shape, const AttentionInputs& in,
                        const AttentionResults& of, char* query_grad, char* key_grad, char* value_grad);
/// The gradient of the mask, added to `mask_grad`; strides are 0 where the mask is broadcast. The scores are
/// made a second time, so that no two threads add to one place and sums have one order.
void attention_mask_backward(DType dtype, const AttentionShape& shape, const AttentionInputs& in,
                             const AttentionResults& of, const MaskView& mask_grad);

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
  const uint8_t* kept;  // 1 where a weight stays, 0 where it is dropped; null: all stay
  int64_t kept_row;
  double kept_factor;
  char* top;  // forwards: the largest score so far and the sum of exponentials below it, by row
  char* sum;
  char* out;               // forwards: rows × value_size, the sum so far, scaled anew where the top rises
  const char* lse;         // backwards
  const char* correction;  // backwards: the sums of grad · out, by row
  char* grad;              // backwards: gradients of the weights, which become those of the scaled scores
};

}  // namespace onetape
