#include "distributed/reducer.h"

#include <algorithm>

#include "autograd/accumulate.h"
#include "distributed/group_error.h"
#include "distributed/places.h"

namespace onetape::distributed {
namespace {

std::string list_of(const std::vector<size_t>& indices) {
  std::string text;
  for (const size_t index : indices) text += (text.empty() ? "" : " ") + std::to_string(index);
  return text;
}

WorkRef finished(const WorkRef& work) {
  const ReadingPaused pause;  // the others may take their time
  work->wait();
  return work;
}

}  // namespace

LeafSet leaves_of(const std::vector<Tensor>& outputs) {
  LeafSet leaves;
  std::unordered_set<Node*> seen;
  std::vector<Ref<Node>> next;
  const auto visit = [&](const Ref<Node>& node) {
    if (node && seen.insert(node.get()).second) next.push_back(node);
  };
  for (const Tensor& output : outputs)
    if (output.defined() && output.requires_grad()) visit(gradient_edge(output).node);
  while (!next.empty()) {
    const Ref<Node> node = std::move(next.back());
    next.pop_back();
    if (const auto* leaf = dynamic_cast<const AccumulateGrad*>(node.get()))
      leaves.insert(leaf->variable().impl());
    for (const Edge& edge : node->edges()) visit(edge.node);
  }
  return leaves;
}

Reducer::Reducer(GroupRef group, std::vector<Tensor> parameters, const ReducerOptions& options)
    : group_(std::move(group)), parameters_(std::move(parameters)), options_(options) {
  for (const Tensor& parameter : parameters_) {
    check_value(parameter.requires_grad() && is_leaf(parameter),
                "Reducer: a parameter is no leaf that requires a gradient");
  }
  places_.resize(parameters_.size());
  ready_.resize(parameters_.size());
  used_.resize(parameters_.size(), true);
  make_buckets(options);
}

std::shared_ptr<Reducer> Reducer::make(GroupRef group, std::vector<Tensor> parameters,
                                       const ReducerOptions& options) {
  const std::shared_ptr<Reducer> reducer(new Reducer(std::move(group), std::move(parameters), options));
  for (size_t i = 0; i < reducer->parameters_.size(); ++i) {
    // A pass that is under way when the reducer ends goes on without it.
    reducer->removers_.push_back(register_post_accumulate_hook(
        reducer->parameters_[i], [weak = std::weak_ptr<Reducer>(reducer), i](const Tensor&) {
          if (const std::shared_ptr<Reducer> there = weak.lock()) there->on_gradient(i);
        }));
  }
  return reducer;
}

Reducer::~Reducer() {
  for (const HookRemover& remove : removers_) remove();
}

/// The last parameters come first, since their gradients do. A bucket has one dtype.
void Reducer::make_buckets(const ReducerOptions& options) {
  std::vector<std::vector<size_t>> open(kDTypes);
  std::vector<int64_t> bytes(kDTypes, 0);
  for (size_t i = parameters_.size(); i-- > 0;) {
    const auto dtype = static_cast<size_t>(parameters_[i].dtype());
    open[dtype].push_back(i);
    bytes[dtype] += static_cast<int64_t>(bytes_in(parameters_[i]));
    if (bytes[dtype] < (buckets_.empty() ? options.first_bucket_bytes : options.bucket_bytes)) continue;
    add_bucket(std::move(open[dtype]));
    open[dtype].clear();
    bytes[dtype] = 0;
  }
  for (std::vector<size_t>& rest : open)
    if (!rest.empty()) add_bucket(std::move(rest));
  if (!buckets_.empty()) buckets_.back().parts.last = true;
}

void Reducer::add_bucket(std::vector<size_t> indices) {
  Bucket bucket;
  int64_t numel = 0;
  for (const size_t i : indices) numel += parameters_[i].numel();
  bucket.parts.index = buckets_.size();
  const NoRecord scope;
  bucket.parts.buffer = Tensor::empty(IntSpan(&numel, 1), parameters_[indices[0]].dtype());
  ops::zero_(bucket.parts.buffer);
  int64_t start = 0;
  for (size_t place = 0; place < indices.size(); ++place) {
    const Tensor& parameter = parameters_[indices[place]];
    places_[indices[place]] = {buckets_.size(), place};
    const Tensor part = ops::narrow(bucket.parts.buffer, 0, start, parameter.numel());
    bucket.parts.gradients.push_back(ops::view(part, parameter.sizes()));
    bucket.parts.parameters.push_back(parameter);
    start += parameter.numel();
  }
  bucket_parameters_.push_back(indices);
  bucket.indices = std::move(indices);
  buckets_.push_back(std::move(bucket));
}

void Reducer::set_hook(CommHook hook) {
  const std::lock_guard lock(lock_);
  check(!active_, "register_comm_hook: a backward pass is under way");
  hook_ = std::move(hook);
}

void Reducer::set_hook(BuiltinHook hook) {
  if (hook == BuiltinHook::AllReduce) return set_hook(CommHook());
  const DType narrow = hook == BuiltinHook::Float16 ? DType::F16 : DType::BF16;
  set_hook([this, narrow](const GradBucket& bucket) -> std::function<Tensor()> {
    const NoRecord scope;
    const int64_t divisor = divisor_ > 0 ? divisor_ : group_->size();
    const Tensor sent = ops::div_(ops::to_dtype(bucket.buffer, narrow, true), Scalar(divisor));
    return [work = group_->all_reduce(sent, ReduceOp::Sum), sent, dtype = bucket.buffer.dtype()] {
      finished(work);
      const NoRecord inner;
      return ops::to_dtype(sent, dtype);
    };
  });
}

void Reducer::begin_pass() {
  active_ = true;
  begun_ = false;
  next_bucket_ = 0;
  std::fill(ready_.begin(), ready_.end(), false);
  for (Bucket& bucket : buckets_) {
    bucket.pending = bucket.indices.size();
    bucket.ready = false;
    bucket.wait = nullptr;
  }
}

void Reducer::prepare(const LeafSet& reached) {
  const std::lock_guard lock(lock_);
  check(!active_ || !begun_,
        "Expected to have finished reduction in the prior iteration before starting a new one. ",
        missing_text());
  begin_pass();
  if (!options_.find_unused) return;
  for (size_t i = 0; i < parameters_.size(); ++i) used_[i] = reached.contains(parameters_[i].impl());
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (used_[i]) continue;
    const auto [bucket, place] = places_[i];
    const NoRecord scope;
    ops::zero_(buckets_[bucket].parts.gradients[place]);
    mark_ready(i);
  }
  // The rest is up to the first gradient: a pass without backward must not begin anything.
}

void Reducer::skip() {
  const std::lock_guard lock(lock_);
  active_ = false;
}

std::string Reducer::missing_text() const {
  std::vector<size_t> missing;
  for (size_t i = 0; i < ready_.size(); ++i)
    if (!ready_[i]) missing.push_back(i);
  return "This error indicates that your module has parameters that were not used in producing loss. You can "
         "enable "
         "unused parameter detection by passing the keyword argument `find_unused_parameters=True` to "
         "`torch.nn.parallel.DistributedDataParallel`, and by making sure all `forward` function outputs "
         "participate "
         "in calculating loss.\nParameter indices which did not receive grad for rank " +
         std::to_string(group_->rank()) + ": " + list_of(missing);
}

void Reducer::on_gradient(size_t parameter) {
  const ReadingPaused pause;  // another thread of this pass may have the lock, and wait for other ranks
  const std::lock_guard lock(lock_);
  if (!active_) return;
  check(!ready_[parameter] || !used_[parameter],
        "Expected to mark a variable ready only once. Parameter at index ", parameter,
        " has been marked as ready twice: it is used in more than one backward pass of an iteration.");
  begun_ = true;
  if (ready_[parameter]) return;  // it was thought not to be used
  take_gradient(parameter);
  mark_ready(parameter);
  launch_ready();
}

/// Puts a gradient into its bucket, divided by the number of ranks unless a hook sees to that.
void Reducer::take_gradient(size_t parameter) {
  const auto [index, place] = places_[parameter];
  const Tensor& part = buckets_[index].parts.gradients[place];
  const Tensor gradient = grad(parameters_[parameter]);
  const NoRecord scope;
  if (!gradient.defined()) {
    ops::zero_(part);
    return;
  }
  const Scalar divisor(static_cast<int64_t>(hook_ ? 1 : divisor_ > 0 ? divisor_ : group_->size()));
  const bool same = gradient.bytes() == part.bytes() && gradient.numel() > 0;
  if (!same) {
    ops::copy_(part, detach(gradient));
    if (options_.bucket_views) set_grad(parameters_[parameter], part);
  }
  if (!hook_) ops::div_(part, divisor);
}

void Reducer::mark_ready(size_t parameter) {
  ready_[parameter] = true;
  Bucket& bucket = buckets_[places_[parameter].first];
  bucket.ready = --bucket.pending == 0;
}

/// Buckets begin in one order on all ranks, whatever the order of their gradients.
void Reducer::launch_ready() {
  while (next_bucket_ < buckets_.size() && buckets_[next_bucket_].ready) {
    Bucket& bucket = buckets_[next_bucket_++];
    bucket.wait = reduce(bucket.parts);
  }
  if (next_bucket_ == buckets_.size()) finish();
}

std::function<Tensor()> Reducer::reduce(const GradBucket& bucket) {
  if (hook_) return hook_(bucket);
  return [work = group_->all_reduce(bucket.buffer, ReduceOp::Sum), buffer = bucket.buffer] {
    finished(work);
    return buffer;
  };
}

void Reducer::exchange_used() {
  if (!options_.find_unused) return;
  const auto count = static_cast<int64_t>(parameters_.size());
  used_anywhere_ = Tensor::empty(IntSpan(&count, 1), DType::U8);
  for (size_t i = 0; i < used_.size(); ++i) used_anywhere_.data<uint8_t>()[i] = used_[i];
  finished(group_->all_reduce(used_anywhere_, ReduceOp::Max));
}

void Reducer::finish() {
  active_ = false;
  exchange_used();
  for (Bucket& bucket : buckets_) {
    const Tensor mean = bucket.wait();
    bucket.wait = nullptr;
    check(mean.defined() && mean.numel() == bucket.parts.buffer.numel(), "comm hook: it returned ",
          mean.defined() ? mean.numel() : 0, " elements for a bucket of ", bucket.parts.buffer.numel());
    int64_t start = 0;
    for (const size_t parameter : bucket.indices) {
      const Tensor& own = parameters_[parameter];
      const NoRecord scope;
      give_gradient(parameter, ops::view(ops::narrow(mean, 0, start, own.numel()), own.sizes()));
      start += own.numel();
    }
  }
}

void Reducer::give_gradient(size_t parameter, const Tensor& mean) {
  if (options_.find_unused && !used_anywhere_.data<uint8_t>()[parameter]) return;  // it stays as it is
  const Tensor& own = parameters_[parameter];
  const auto [bucket, place] = places_[parameter];
  const Tensor& part = buckets_[bucket].parts.gradients[place];
  Tensor gradient = grad(own);
  if (options_.bucket_views) {
    if (mean.bytes() != part.bytes()) ops::copy_(part, mean);
    if (!gradient.defined()) set_grad(own, part);
    return;
  }
  if (gradient.defined()) {
    ops::copy_(detach(gradient), mean);
    return;
  }
  gradient = Tensor::empty(own.sizes(), own.dtype());
  ops::copy_(gradient, mean);
  set_grad(own, gradient);
}

void Reducer::shadow() {
  const std::lock_guard lock(lock_);
  begin_pass();
  std::fill(used_.begin(), used_.end(), false);
  std::vector<std::function<Tensor()>> waits;
  for (Bucket& bucket : buckets_) {
    {
      const NoRecord scope;
      ops::zero_(bucket.parts.buffer);
    }
    waits.push_back(reduce(bucket.parts));
  }
  exchange_used();
  for (const auto& wait : waits) wait();
  active_ = false;
  std::fill(used_.begin(), used_.end(), true);
}

}  // namespace onetape::distributed
