// What all ranks do together.

#include <algorithm>

#include "distributed/operation.h"
#include "distributed/places.h"

namespace onetape::distributed {
namespace {

std::string reducing(const char* name, ReduceOp op) {
  return std::string(name) + "(" + std::string(name_of(op)) + ")";
}

std::string rooted(const char* name, const char* how, int root) {
  return std::string(name) + " " + how + " rank " + std::to_string(root);
}

void check_sizes(const char* function, size_t index, const Tensor& expected, const Tensor& got) {
  check(std::ranges::equal(expected.sizes(), got.sizes()), "ProcessGroupGloo::", function,
        ": invalid tensor size at index ", index, " (expected ", shape_text(expected.sizes()), ", got ",
        shape_text(got.sizes()), ")");
}

Tensor block_of(const Tensor& like, int64_t count) {
  const int64_t numel = like.numel() * count;
  return Tensor::empty(IntSpan(&numel, 1), like.dtype());
}

/// Several tensors of one dtype that travel as one.
class Joined {
 public:
  Joined(const char* function, const std::vector<Tensor>& tensors) {
    check_value(!tensors.empty(), function, ": there is no tensor");
    check_same_dtype(tensors, tensors[0]);
    for (const Tensor& t : tensors) places_.emplace_back(t, true);
    block_ = room_for(tensors);
  }
  const Tensor& block() const { return block_; }
  void collect() const {
    const Unrecorded scope;
    int64_t start = 0;
    for (const Written& place : places_) {
      const int64_t count = place.memory().numel();
      ops::copy_(ops::narrow(block_, 0, start, count), ops::view(place.memory(), IntSpan(&count, 1)));
      start += count;
    }
  }
  void deliver() const { spread(block_, places_); }

 private:
  std::vector<Written> places_;
  Tensor block_;
};

}  // namespace

std::string elements_of(const Tensor& t) {
  return " of " + std::to_string(t.numel()) + " " + std::string(name_of(t.dtype()));
}

std::string shape_text(IntSpan sizes) {
  std::string text = "(";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + ")";
}

void check_same_dtype(const std::vector<Tensor>& tensors, const Tensor& other) {
  for (const Tensor& t : tensors) {
    check_value(t.dtype() == other.dtype(), "Invalid usage of tensors with different dtypesFound torch.",
                name_of(t.dtype()), " and  torch.", name_of(other.dtype()));
  }
}

// ---- all_reduce ----

WorkRef ProcessGroup::all_reduce(const Tensor& tensor, ReduceOp op) {
  const Combine combine = combine_function("all_reduce", op, tensor.dtype());
  const Written place(tensor, true);
  Operation operation{.name = reducing("all_reduce", op) + elements_of(tensor), .results = {tensor}};
  if (tensor.numel() > 0) {
    operation.body = [place, combine](Backend& backend, const CallInfo& info) {
      const Tensor& memory = place.memory();
      backend.all_reduce(memory.bytes(), static_cast<size_t>(memory.numel()), memory.item_bytes(), combine,
                         info);
    };
    operation.end = [place, op, size = size()] {
      finish_sum(place.memory(), op, size);
      place.finish();
    };
  }
  return submit(std::move(operation));
}

WorkRef ProcessGroup::all_reduce(const std::vector<Tensor>& tensors, ReduceOp op) {
  const Joined all("all_reduce_coalesced", tensors);
  const Combine combine = combine_function("all_reduce", op, all.block().dtype());
  Operation operation{.name = reducing("all_reduce", op) + elements_of(all.block()), .results = tensors};
  operation.body = [all, combine](Backend& backend, const CallInfo& info) {
    const Tensor& block = all.block();
    all.collect();
    if (block.numel() > 0)
      backend.all_reduce(block.bytes(), static_cast<size_t>(block.numel()), block.item_bytes(), combine,
                         info);
  };
  operation.end = [all, op, size = size()] {
    finish_sum(all.block(), op, size);
    all.deliver();
  };
  return submit(std::move(operation));
}

// ---- broadcast ----

WorkRef ProcessGroup::broadcast(const Tensor& tensor, int root) {
  check_root("broadcast", root);
  const Written place(tensor, rank() == root);
  Operation operation{.name = rooted("broadcast", "from", root) + elements_of(tensor), .results = {tensor}};
  if (tensor.numel() > 0) {
    operation.body = [place, root](Backend& backend, const CallInfo& info) {
      backend.broadcast(place.memory().bytes(), bytes_in(place.memory()), root, info);
    };
    if (rank() != root) operation.end = [place] { place.finish(); };
  }
  return submit(std::move(operation));
}

WorkRef ProcessGroup::broadcast(const std::vector<Tensor>& tensors, int root) {
  check_root("broadcast", root);
  const Joined all("broadcast_coalesced", tensors);
  Operation operation{.name = rooted("broadcast", "from", root) + elements_of(all.block()),
                      .results = tensors};
  if (all.block().numel() > 0) {
    operation.body = [all, root, here = rank() == root](Backend& backend, const CallInfo& info) {
      if (here) all.collect();
      backend.broadcast(all.block().bytes(), bytes_in(all.block()), root, info);
    };
    if (rank() != root) operation.end = [all] { all.deliver(); };
  }
  return submit(std::move(operation));
}

// ---- reduce ----

WorkRef ProcessGroup::reduce(const Tensor& tensor, int root, ReduceOp op) {
  check_root("reduce", root);
  const Combine combine = combine_function("reduce", op, tensor.dtype());
  Operation operation{.name = rooted(reducing("reduce", op).c_str(), "to", root) + elements_of(tensor),
                      .results = {tensor}};
  const bool here = rank() == root;
  const Tensor in = dense(tensor);
  // Other ranks' tensors stay as they are, so the sums on the way need memory of their own.
  const Tensor out = Tensor::empty(in.sizes(), in.dtype());
  std::optional<Written> place;
  if (here) place.emplace(tensor, false);
  if (tensor.numel() > 0) {
    operation.body = [in, out, root, combine](Backend& backend, const CallInfo& info) {
      backend.reduce(in.bytes(), out.bytes(), static_cast<size_t>(in.numel()), in.item_bytes(), combine, root,
                     info);
    };
    if (here) {
      operation.end = [place = *place, out, op, size = size()] {
        finish_sum(out, op, size);
        place.fill(out);
      };
    }
  }
  return submit(std::move(operation));
}

// ---- all_gather ----

WorkRef ProcessGroup::all_gather(const std::vector<Tensor>& outputs, const Tensor& input) {
  check(outputs.size() == static_cast<size_t>(size()),
        "ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length ", size(),
        ", got ", outputs.size(), ")");
  check_same_dtype(outputs, input);
  for (size_t i = 0; i < outputs.size(); ++i) check_sizes("allgather", i, input, outputs[i]);
  Operation operation{.name = "all_gather" + elements_of(input), .results = outputs};
  if (input.numel() > 0) {
    const Tensor in = dense(input);
    const Tensor block = block_of(in, size());
    operation.body = [in, block](Backend& backend, const CallInfo& info) {
      backend.all_gather(in.bytes(), bytes_in(in), block.bytes(), info);
    };
    operation.end = [places = written(outputs), block] { spread(block, places); };
  }
  return submit(std::move(operation));
}

WorkRef ProcessGroup::all_gather_into(const Tensor& output, const Tensor& input) {
  check_same_dtype({output}, input);
  check_value(output.numel() == input.numel() * size(),
              "output tensor size must be equal to world_size times input tensor size");
  const Tensor in = dense(input);
  const Written place(output, false);
  Operation operation{.name = "all_gather" + elements_of(input), .results = {output}};
  if (input.numel() > 0) {
    operation.body = [in, place](Backend& backend, const CallInfo& info) {
      backend.all_gather(in.bytes(), bytes_in(in), place.memory().bytes(), info);
    };
    operation.end = [place] { place.finish(); };
  }
  return submit(std::move(operation));
}

// ---- gather ----

WorkRef ProcessGroup::gather(const std::vector<Tensor>& outputs, const Tensor& input, int root) {
  check_root("gather", root);
  const bool here = rank() == root;
  if (here) {
    check(outputs.size() == static_cast<size_t>(size()),
          "ProcessGroupGloo::gather: Incorrect output list size ", outputs.size(),
          ". Output list size should be ", size(), ", same as size of the process group.");
    check_same_dtype(outputs, input);
    for (size_t i = 0; i < outputs.size(); ++i) check_sizes("gather", i, input, outputs[i]);
  } else {
    check(outputs.empty(), "ProcessGroupGloo::gather: requires empty output on non-root");
  }
  Operation operation{.name = rooted("gather", "to", root) + elements_of(input), .results = outputs};
  if (input.numel() > 0) {
    const Tensor in = dense(input);
    const Tensor block = here ? block_of(in, size()) : Tensor::empty({}, in.dtype());
    operation.body = [in, block, root](Backend& backend, const CallInfo& info) {
      backend.gather(in.bytes(), bytes_in(in), block.bytes(), root, info);
    };
    if (here) operation.end = [places = written(outputs), block] { spread(block, places); };
  }
  return submit(std::move(operation));
}

// ---- scatter ----

WorkRef ProcessGroup::scatter(const Tensor& output, const std::vector<Tensor>& inputs, int root) {
  check_root("scatter", root);
  if (rank() == root) {
    check(inputs.size() == static_cast<size_t>(size()),
          "ProcessGroupGloo::scatter: Incorrect input list size ", inputs.size(),
          ". Input list size should be ", size(), ", same as size of the process group.");
    check_same_dtype({output}, inputs[0]);
    check_same_dtype(inputs, inputs[0]);
    for (size_t i = 0; i < inputs.size(); ++i) check_sizes("scatter", i, output, inputs[i]);
  } else {
    check(inputs.empty(), "ProcessGroupGloo::scatter: requires empty input on non-root");
  }
  const Written place(output, false);
  Operation operation{.name = rooted("scatter", "from", root) + elements_of(output), .results = {output}};
  if (output.numel() > 0) {
    std::vector<Tensor> in;
    in.reserve(inputs.size());
    for (const Tensor& input : inputs) in.push_back(dense(input));
    operation.body = [in, place, root](Backend& backend, const CallInfo& info) {
      std::vector<const void*> blocks;
      for (const Tensor& one : in) blocks.push_back(one.bytes());
      backend.scatter(blocks, place.memory().bytes(), bytes_in(place.memory()), root, info);
    };
    operation.end = [place] { place.finish(); };
  }
  return submit(std::move(operation));
}

// ---- barrier ----

WorkRef ProcessGroup::barrier() {
  Operation operation{.name = "barrier", .after_all = true};
  operation.body = [](Backend& backend, const CallInfo& info) { backend.barrier(info); };
  return submit(std::move(operation));
}

}  // namespace onetape::distributed
