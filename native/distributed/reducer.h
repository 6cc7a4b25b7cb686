#pragma once

#include <functional>
#include <unordered_set>

#include "autograd/node.h"
#include "distributed/process_group.h"

namespace onetape::distributed {

/// Gradients of some parameters, joined to one tensor that is reduced at once.
struct GradBucket {
  size_t index = 0;
  bool last = false;
  Tensor buffer;                  // one dimension: the gradients one after the other
  std::vector<Tensor> gradients;  // its parts, in the shapes of the parameters
  std::vector<Tensor> parameters;
};

/// Begins to reduce a bucket. What is returned waits for the end, and gives the mean over the ranks, in as
/// many elements.
using CommHook = std::function<std::function<Tensor()>(const GradBucket&)>;

/// Ways to reduce that are made already: as the gradients are, or on their way in 16 bits.
enum class BuiltinHook : uint8_t { AllReduce, Float16, BFloat16 };

struct ReducerOptions {
  int64_t bucket_bytes = int64_t{25} << 20;
  int64_t first_bucket_bytes = int64_t{1} << 20;  // small, so that the first begins early
  bool find_unused = false;
  bool bucket_views = false;  // gradients are parts of the buckets
};

using LeafSet = std::unordered_set<TensorImpl*>;
/// The leaves that tensors were made from.
ONETAPE_API LeafSet leaves_of(const std::vector<Tensor>& outputs);

/// RuntimeError on all ranks unless all have as many parameters, of the same shapes and dtypes.
ONETAPE_API void verify_parameters(ProcessGroup& group, const std::vector<Tensor>& parameters);

/// Gives every rank the mean of the ranks' gradients: as soon as the gradients of a bucket are there, its
/// reduction begins, while backward goes on; the last gradient waits for all.
class ONETAPE_API Reducer {
 public:
  static std::shared_ptr<Reducer> make(GroupRef group, std::vector<Tensor> parameters,
                                       const ReducerOptions& options);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  /// Does it need to know which parameters take part in a pass?
  bool finds_unused() const { return options_.find_unused; }
  /// After a forward pass whose gradients are to be reduced, and in which `reached` took part, if that is
  /// needed. RuntimeError if the pass before has not come to its end.
  void prepare(const LeafSet& reached);
  /// After a forward pass whose gradients stay on this rank.
  void skip();
  /// Null is the usual way.
  void set_hook(CommHook hook);
  void set_hook(BuiltinHook hook);
  /// By how many the sum is divided; the size of the group if 0.
  void set_divisor(int divisor) { divisor_ = divisor; }
  /// Takes part in a backward pass of the others, without gradients.
  void shadow();
  const std::vector<std::vector<size_t>>& buckets() const { return bucket_parameters_; }

 private:
  Reducer(GroupRef group, std::vector<Tensor> parameters, const ReducerOptions& options);

  struct Bucket {
    GradBucket parts;
    std::vector<size_t> indices;  // of its parameters
    size_t pending = 0;
    bool ready = false;
    std::function<Tensor()> wait;
  };

  void make_buckets(const ReducerOptions& options);
  void add_bucket(std::vector<size_t> indices);
  void begin_pass();
  void on_gradient(size_t parameter);
  void take_gradient(size_t parameter);
  void mark_ready(size_t parameter);
  void launch_ready();
  void finish();
  void give_gradient(size_t parameter, const Tensor& mean);
  std::function<Tensor()> reduce(const GradBucket& bucket);
  void exchange_used();
  std::string missing_text() const;

  const GroupRef group_;
  const std::vector<Tensor> parameters_;
  const ReducerOptions options_;
  std::vector<std::vector<size_t>> bucket_parameters_;
  std::vector<Bucket> buckets_;
  std::vector<std::pair<size_t, size_t>> places_;  // of each parameter: its bucket, and which one in it
  std::vector<HookRemover> removers_;
  CommHook hook_;
  int divisor_ = 0;

  std::mutex lock_;
  bool active_ = false;  // a pass that is to be reduced is under way
  bool begun_ = false;   // and the first gradient has come
  std::vector<bool> ready_;
  std::vector<bool> used_;
  Tensor used_anywhere_;
  size_t next_bucket_ = 0;
};

}  // namespace onetape::distributed
