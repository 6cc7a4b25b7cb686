#include "distributed/places.h"

namespace onetape::distributed {

std::vector<Written> written(const std::vector<Tensor>& outputs) {
  std::vector<Written> places;
  places.reserve(outputs.size());
  for (const Tensor& output : outputs) places.emplace_back(output, false);
  return places;
}

void spread(const Tensor& block, const std::vector<Written>& places) {
  const Unrecorded scope;
  int64_t start = 0;
  for (const Written& place : places) {
    const int64_t count = place.memory().numel();
    place.fill(ops::narrow(block, 0, start, count));
    start += count;
  }
}

Tensor room_for(const std::vector<Tensor>& tensors) {
  int64_t numel = 0;
  for (const Tensor& t : tensors) numel += t.numel();
  return Tensor::empty(IntSpan(&numel, 1), tensors[0].dtype());
}

void finish_sum(const Tensor& sum, ReduceOp op, int size) {
  if (op != ReduceOp::Avg) return;
  const Unrecorded scope;
  ops::div_(sum, Scalar(int64_t{size}));
}

}  // namespace onetape::distributed
