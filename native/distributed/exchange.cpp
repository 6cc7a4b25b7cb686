// What each rank has for each other: all_to_all, reduce_scatter, and messages from one to one.

#include <cstring>
#include <numeric>

#include "distributed/group_error.h"
#include "distributed/operation.h"
#include "distributed/places.h"

namespace onetape::distributed {
namespace {

Tensor joined(const std::vector<Tensor>& tensors) {
  const Tensor block = room_for(tensors);
  char* at = block.bytes();
  for (const Tensor& t : tensors) {
    const Tensor elements = dense(t);
    if (elements.numel() > 0) std::memcpy(at, elements.bytes(), bytes_in(elements));
    at += bytes_in(elements);
  }
  return block;
}

std::vector<int64_t> bytes_of_each(const std::vector<Tensor>& tensors) {
  std::vector<int64_t> bytes;
  bytes.reserve(tensors.size());
  for (const Tensor& t : tensors) bytes.push_back(static_cast<int64_t>(bytes_in(t)));
  return bytes;
}

/// Bytes for each rank of a tensor that is split along dimension 0.
std::vector<int64_t> split_bytes(const Tensor& t, const std::vector<int64_t>& splits, int size) {
  const auto count = static_cast<size_t>(size);
  const int64_t rows = t.dim() == 0 ? 1 : t.size(0);
  const int64_t row_bytes = rows == 0 ? 0 : static_cast<int64_t>(bytes_in(t)) / rows;
  if (splits.empty()) {
    check(rows % size == 0, "Tensor's dim 0 does not divide equally across group size");
    return std::vector<int64_t>(count, rows / size * row_bytes);
  }
  check(splits.size() == count, "Number of tensor splits not equal to group size");
  std::vector<int64_t> bytes;
  int64_t total = 0;
  for (const int64_t split : splits) {
    check(split >= 0 && split <= rows, "Split sizes doesn't match total dim 0 size");
    bytes.push_back(split * row_bytes);
    total += split;
  }
  check(total == rows, "Split sizes doesn't match total dim 0 size");
  return bytes;
}

/// Moves blocks of any sizes, once it is known that what each rank sends is what the other has room for.
void exchange(Backend& backend, const CallInfo& info, int rank, const char* in,
              const std::vector<int64_t>& in_bytes, char* out, const std::vector<int64_t>& out_bytes) {
  const std::vector<int64_t> words(in_bytes.size(), sizeof(int64_t));
  std::vector<int64_t> announced(in_bytes.size());
  backend.all_to_all(in_bytes.data(), words, announced.data(), words, info);
  for (size_t other = 0; other < announced.size(); ++other) {
    check(announced[other] == out_bytes[other], "rank ", other, " sends ", announced[other],
          " bytes to rank ", rank, ", which has room for ", out_bytes[other]);
  }
  CallInfo next = info;
  next.tag ^= 1;
  backend.all_to_all(in, in_bytes, out, out_bytes, next);
}

/// What a sender says of a message before it.
struct Header {
  int64_t bytes = 0;
  int64_t dtype = 0;
};

std::string told(const Header& header) {
  const auto dtype = static_cast<DType>(header.dtype);
  return std::to_string(header.bytes / static_cast<int64_t>(item_size(dtype))) + " " +
         std::string(name_of(dtype));
}

uint64_t header_slot(uint32_t tag) { return uint64_t{0x70} << 56 | tag; }
/// Messages of differing sizes do not meet: Gloo ends the process that gets more than it has room for.
uint64_t message_slot(uint32_t tag, const Header& header) {
  const uint64_t mixed = static_cast<uint64_t>(header.bytes * 16 + header.dtype) * 0x9e3779b97f4a7c15U;
  return uint64_t{0x71} << 56 | (mixed >> 40) << 32 | tag;
}

}  // namespace

// ---- reduce_scatter ----

/// Every rank sends each other its block, and adds up those that it gets in the order of the ranks.
WorkRef ProcessGroup::reduce_blocks(const Tensor& output, const Tensor& blocks, ReduceOp op,
                                    const char* function) {
  const Combine combine = combine_function(function, op, output.dtype());
  const Written place(output, false);
  Operation operation{.name = "reduce_scatter(" + std::string(name_of(op)) + ")" + elements_of(output),
                      .results = {output}};
  if (output.numel() == 0) return submit(std::move(operation));
  const int64_t total = blocks.numel();
  const Tensor got = Tensor::empty(IntSpan(&total, 1), output.dtype());
  const std::vector<int64_t> each(static_cast<size_t>(size()), static_cast<int64_t>(bytes_in(output)));
  operation.body = [blocks, got, each](Backend& backend, const CallInfo& info) {
    backend.all_to_all(blocks.bytes(), each, got.bytes(), each, info);
  };
  operation.end = [place, got, combine, op, size = size()] {
    const int64_t count = got.numel() / size;
    const size_t step = bytes_in(got) / static_cast<size_t>(size);
    for (int other = 1; other < size; ++other) {
      combine(got.bytes(), got.bytes(), got.bytes() + static_cast<size_t>(other) * step,
              static_cast<size_t>(count));
    }
    const Unrecorded scope;
    const Tensor sum = ops::narrow(got, 0, 0, count);
    finish_sum(sum, op, size);
    place.fill(sum);
  };
  return submit(std::move(operation));
}

WorkRef ProcessGroup::reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs, ReduceOp op) {
  check(inputs.size() == static_cast<size_t>(size()), "invalid input tensor list size, must be world size");
  check_same_dtype(inputs, output);
  for (const Tensor& input : inputs) {
    check(std::ranges::equal(input.sizes(), output.sizes()),
          "Check failed: outputs[0].sizes().vec() == inputs[0][i].sizes().vec() (",
          shape_text(output.sizes()), " vs. ", shape_text(input.sizes()), "). ");
  }
  return reduce_blocks(output, joined(inputs), op, "reduce_scatter");
}

WorkRef ProcessGroup::reduce_scatter_from(const Tensor& output, const Tensor& input, ReduceOp op) {
  check_same_dtype({input}, output);
  check_value(input.numel() == output.numel() * size(),
              "input tensor must be the same size as output size times world size");
  return reduce_blocks(output, dense(input), op, "reduce_scatter_tensor");
}

// ---- all_to_all ----

WorkRef ProcessGroup::all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) {
  const auto check_count = [this](const char* which, const std::vector<Tensor>& tensors) {
    check(tensors.size() == static_cast<size_t>(size()), "ProcessGroupGloo::alltoall: ", which,
          " tensor list size ", tensors.size(), " does not match world size ", size());
  };
  check_count("input", inputs);
  check_count("output", outputs);
  check_same_dtype(outputs, inputs[0]);
  check_same_dtype(inputs, inputs[0]);
  const size_t own = static_cast<size_t>(rank());
  check(outputs[own].numel() == inputs[own].numel(),
        "ProcessGroupGloo::alltoall: input and output tensors must have the same size");
  const Tensor in = joined(inputs);
  const Tensor out = room_for(outputs);
  Operation operation{.name = "all_to_all of " + std::string(name_of(in.dtype())), .results = outputs};
  operation.body = [in, out, rank = rank(), in_bytes = bytes_of_each(inputs),
                    out_bytes = bytes_of_each(outputs)](Backend& backend, const CallInfo& info) {
    exchange(backend, info, rank, in.bytes(), in_bytes, out.bytes(), out_bytes);
  };
  operation.end = [places = written(outputs), out] { spread(out, places); };
  return submit(std::move(operation));
}

WorkRef ProcessGroup::all_to_all_single(const Tensor& output, const Tensor& input,
                                        const std::vector<int64_t>& output_splits,
                                        const std::vector<int64_t>& input_splits) {
  check_same_dtype({output}, input);
  const std::vector<int64_t> in_bytes = split_bytes(input, input_splits, size());
  const std::vector<int64_t> out_bytes = split_bytes(output, output_splits, size());
  const auto own = static_cast<size_t>(rank());
  check(in_bytes[own] == out_bytes[own], "all_to_all_single: rank ", rank(), " has ", in_bytes[own],
        " bytes for itself, but room for ", out_bytes[own]);
  const Tensor in = dense(input);
  const Written place(output, false);
  Operation operation{.name = "all_to_all of " + std::string(name_of(in.dtype())), .results = {output}};
  operation.body = [in, place, rank = rank(), in_bytes, out_bytes](Backend& backend, const CallInfo& info) {
    exchange(backend, info, rank, in.bytes(), in_bytes, place.memory().bytes(), out_bytes);
  };
  operation.end = [place] { place.finish(); };
  return submit(std::move(operation));
}

// ---- send, receive ----

WorkRef ProcessGroup::transfer(std::string operation, std::string blame, std::vector<Tensor> results,
                               std::function<int(Milliseconds)> wait) {
  auto work = std::make_shared<Work>(std::move(operation), std::move(results));
  transfers_->run([this, work, blame = std::move(blame), wait = std::move(wait)]() mutable {
    std::exception_ptr failure;
    const Milliseconds timeout = timeout_;
    try {
      work->set_source(wait(timeout));
    } catch (const std::exception& error) {
      failure = failed(work->operation(), -1, error.what(), timeout, blame);
    }
    wait = nullptr;
    work->finish(std::move(failure));
  });
  return work;
}

void ProcessGroup::check_peer(const char* function, int peer) const {
  check(peer >= 0 && peer < size(), "ProcessGroupGloo::", function, ": invalid rank: ", peer);
  check_value(peer != rank(), "Invalid ", function == std::string_view("send") ? "destination" : "source",
              " rank: ", function == std::string_view("send") ? "destination" : "source",
              " rank should not be the same as the rank of the current process.");
}

WorkRef ProcessGroup::send(const Tensor& tensor, int to, uint32_t tag) {
  check_peer("send", to);
  const Tensor in = dense(tensor);
  auto header =
      std::make_shared<Header>(Header{static_cast<int64_t>(bytes_in(in)), static_cast<int64_t>(in.dtype())});
  const std::string peer = "rank " + std::to_string(to);
  const std::string operation =
      "send" + elements_of(in) + " to " + peer + " (tag " + std::to_string(tag) + ")";
  std::shared_ptr<Transfer> first, second;
  {
    // Messages with one tag arrive in the order of the calls.
    const std::lock_guard lock(lock_);
    check_usable();
    first = backend_->send(header.get(), sizeof *header, to, header_slot(tag));
    if (header->bytes > 0) second = backend_->send(in.bytes(), bytes_in(in), to, message_slot(tag, *header));
  }
  return transfer(operation, peer + " did not take it", {tensor}, [=](Milliseconds timeout) {
    static_cast<void>(in);
    static_cast<void>(header);
    first->wait(timeout);
    if (second) second->wait(timeout);
    return -1;
  });
}

WorkRef ProcessGroup::receive(const Tensor& tensor, std::optional<int> from, uint32_t tag) {
  if (from) check_peer("recv", *from);
  const Written place(tensor, false);
  const Tensor& memory = place.memory();
  const Header expected{static_cast<int64_t>(bytes_in(memory)), static_cast<int64_t>(memory.dtype())};
  auto header = std::make_shared<Header>();
  const std::string peer = from ? "rank " + std::to_string(*from) : "any rank";
  const std::string operation =
      "recv" + elements_of(memory) + " from " + peer + " (tag " + std::to_string(tag) + ")";
  std::shared_ptr<Transfer> first, second;
  {
    const std::lock_guard lock(lock_);
    check_usable();
    first = backend_->receive(header.get(), sizeof *header, from.value_or(-1), header_slot(tag));
    if (expected.bytes > 0)
      second =
          backend_->receive(memory.bytes(), bytes_in(memory), from.value_or(-1), message_slot(tag, expected));
  }
  return transfer(operation, peer + " sent nothing that fits", {tensor},
                  [=, own = rank()](Milliseconds timeout) {
                    const int sender = first->wait(timeout);
                    check(header->bytes == expected.bytes && header->dtype == expected.dtype, "rank ", sender,
                          " sends ", told(*header), ", but rank ", own, " has room for ", told(expected));
                    if (second) second->wait(timeout);
                    place.finish();
                    return sender;
                  });
}

}  // namespace onetape::distributed
