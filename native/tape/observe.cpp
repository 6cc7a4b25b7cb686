#include <algorithm>
#include <cstring>

#include "autograd/mode.h"
#include "ops/pointwise.h"
#include "tape/plan.h"

namespace onetape::tape {
namespace {

/// The kernels that an instruction runs.
class Watch final : public LaunchWatcher {
 public:
  Watch() : outer_(std::exchange(thread_modes.launches, this)) {}
  ~Watch() override { thread_modes.launches = outer_; }
  void launched(const Launch& launch) override {
    ++count;
    if (count > 1) return;
    direct = launch.direct;
    out = launch.out;
    loop = launch.loop;
    for (size_t i = 0; i < launch.operands.size(); ++i) {
      given.push_back(*launch.given[i]);
      operands.push_back(*launch.operands[i]);
    }
    params.assign(launch.params.begin(), launch.params.end());
  }

  void reduced(const ReduceLaunch& launch) override {
    ++count;
    reduction = &launch.reduction;
    shape = launch.shape;
    in = launch.in;
    out = launch.out;
    if (launch.param) params.assign(1, *launch.param);
  }

  int count = 0;
  const Reduction* reduction = nullptr;
  ReduceShape shape;
  Tensor in;
  bool direct = false;
  Tensor out;
  InnerLoop loop = nullptr;
  std::vector<Tensor> given;
  std::vector<Tensor> operands;
  std::vector<Scalar> params;

 private:
  LaunchWatcher* outer_;
};

bool same_memory(const Tensor& a, const Tensor& b) { return a.impl()->storage() == b.impl()->storage(); }

/// Where a kernel's operand is found in later runs; false if it is none of the instruction's operands.
bool locate(const Instruction& one, std::span<const Tensor> slots, const Tensor& given, const Tensor& t,
            KernelOperand& operand) {
  if (given.impl()->wrapped_number()) {
    operand.number = t;
    return true;
  }
  bool found = false;
  for_each_operand(one, [&](SlotNumber slot) {
    const Tensor& candidate = slots[static_cast<size_t>(slot)];
    if (found || !same_memory(candidate, t)) return;
    found = true;
    operand.slot = slot;
    operand.distance = t.bytes() - candidate.bytes();
  });
  return found;
}

/// Does an operand overlap the result otherwise than element by element?
bool overlaps(const Tensor& out, const Tensor& t) {
  if (!same_memory(out, t)) return false;
  return out.bytes() != t.bytes() || !same(out.sizes(), t.sizes()) || !same(out.strides(), t.strides());
}

std::optional<KernelCall> kernel_of(const Instruction& one, std::span<const Tensor> slots,
                                    const Watch& watch) {
  if (watch.count != 1 || !watch.loop || !watch.direct || one.results.size() != 1 ||
      one.results[0] == kNoSlot || one.draws)
    return std::nullopt;
  const Tensor& result = slots[static_cast<size_t>(one.results[0])];
  if (!result.is(watch.out) || result.numel() == 0) return std::nullopt;
  if (one.writes.size() > 1 || (one.writes.size() == 1 && one.writes[0] != one.results[0]))
    return std::nullopt;
  KernelCall call;
  call.loop = watch.loop;
  call.shape = result.shape();
  call.numel = result.numel();
  call.flat = result.is_contiguous();
  call.params = watch.params;
  const auto add = [&](KernelOperand&& operand, const Tensor& t) {
    operand.strides = loop_strides(t.sizes(), t.strides(), t.item_bytes(), call.shape);
    const bool full = t.is_contiguous() && same(t.sizes(), result.sizes());
    const bool number = t.numel() == 1;
    operand.step = full ? static_cast<int64_t>(t.item_bytes()) : 0;
    call.flat = call.flat && (full || number);
    call.operands.push_back(std::move(operand));
  };
  add({one.results[0]}, result);
  for (size_t i = 0; i < watch.operands.size(); ++i) {
    KernelOperand operand;
    if (!locate(one, slots, watch.given[i], watch.operands[i], operand)) return std::nullopt;
    if (watch.operands[i].dtype() != watch.given[i].dtype() && operand.slot != kNoSlot) return std::nullopt;
    if (overlaps(result, watch.operands[i])) return std::nullopt;
    add(std::move(operand), watch.operands[i]);
  }
  return call;
}

bool equal_elements(const Tensor& a, const Tensor& b) {
  return a.is_contiguous() && b.is_contiguous() && a.dtype() == b.dtype() && same(a.sizes(), b.sizes()) &&
         std::memcmp(a.bytes(), b.bytes(), static_cast<size_t>(a.numel()) * a.item_bytes()) == 0;
}

/// Is it one of those that take the elements of long rows as they stand, each row by itself?
bool is_plain(const Reduction* reduction, DType dtype) {
  if (dtype != DType::F32 && dtype != DType::F64) return false;
  constexpr const char* kNames[] = {"sum_cpu", "mean_cpu", "prod_cpu", "max_values_cpu", "min_values_cpu"};
  return std::ranges::any_of(kNames,
                             [&](const char* name) { return &find_reduction(name, dtype) == reduction; });
}

std::optional<ReduceCall> reduction_of(const Instruction& one, std::span<const Tensor> slots,
                                       const Watch& watch) {
  if (watch.count != 1 || !watch.reduction || one.results.size() != 1 || one.results[0] == kNoSlot)
    return std::nullopt;
  const Tensor& in = watch.in;
  if (!slots[static_cast<size_t>(one.results[0])].is(watch.out) || !in.is_contiguous() || in.numel() == 0 ||
      !is_plain(watch.reduction, in.dtype()))
    return std::nullopt;
  SlotNumber from = kNoSlot;
  for_each_operand(one, [&](SlotNumber slot) {
    if (slots[static_cast<size_t>(slot)].is(in)) from = slot;
  });
  const ReduceShape& shape = watch.shape;
  const auto item = static_cast<int64_t>(in.item_bytes());
  if (from == kNoSlot || shape.keep.size() != 1 || shape.reduce.size() != 1 ||
      shape.reduce_strides[0] != item)
    return std::nullopt;
  ReduceCall call{watch.reduction, shape, {}, from, one.results[0], item, shape.reduce[0], shape.keep[0]};
  if (call.results > 1 && shape.keep_strides[0] != call.length * item) return std::nullopt;
  if (!watch.params.empty()) call.param = watch.params[0];
  return call;
}

/// Does the kernel alone give what the operator gave?
bool proved(const KernelCall& kernel, std::span<const Tensor> slots, const Tensor& result) {
  const Tensor again = Tensor::empty(result.sizes(), result.dtype());
  std::vector<char*> data = {again.bytes()};
  for (size_t i = 1; i < kernel.operands.size(); ++i) {
    const KernelOperand& operand = kernel.operands[i];
    data.push_back(operand.slot == kNoSlot
                       ? operand.number.bytes()
                       : slots[static_cast<size_t>(operand.slot)].bytes() + operand.distance);
  }
  KernelCall copy = kernel;
  copy.operands[0].strides = loop_strides(again.sizes(), again.strides(), again.item_bytes(), kernel.shape);
  run_kernel_call(copy, data);
  return equal_elements(again, result);
}

/// The form of an instruction's operator that writes into a given tensor, if it gives the same.
const Operator* into_form(const Instruction& one, std::span<Tensor> slots) {
  if (one.draws || !one.writes.empty() || one.results.size() != 1) return nullptr;
  const Operator* into = find_operator(std::string(one.op->name) + "_out");
  Tensor result = slots[static_cast<size_t>(one.results[0])];
  if (!into || !result.is_contiguous() || result.numel() == 0) return nullptr;
  std::vector<Value> arguments = {Place{one.results[0]}};
  arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
  slots[static_cast<size_t>(one.results[0])] = Tensor::empty(result.sizes(), result.dtype());
  bool same = false;
  try {
    Call call(arguments, one.results, slots);
    into->run(call);
    same = equal_elements(slots[static_cast<size_t>(one.results[0])], result);
  } catch (const Error&) {
    same = false;  // that form takes fewer operands
  }
  slots[static_cast<size_t>(one.results[0])] = std::move(result);
  return same ? into : nullptr;
}

bool shows_operands(const Instruction& one, std::span<const Tensor> slots) {
  if (one.results.empty() || one.draws || !one.writes.empty()) return false;
  return std::ranges::all_of(one.results, [&](SlotNumber result) {
    bool found = false;
    for_each_operand(one, [&](SlotNumber slot) {
      found = found || (result != kNoSlot &&
                        same_memory(slots[static_cast<size_t>(slot)], slots[static_cast<size_t>(result)]));
    });
    return found;
  });
}

}  // namespace

void run_kernel_call(const KernelCall& kernel, std::span<char* const> data) {
  std::array<LoopOperand, kMaxLoopOperands> operands;
  for (size_t i = 0; i < kernel.operands.size(); ++i) operands[i] = {data[i], kernel.operands[i].strides};
  run_loop(kernel.shape, std::span(operands.data(), kernel.operands.size()), kernel.loop,
           kernel.params.data());
}

std::vector<Observation> observe(const Program& program, std::vector<Tensor>& slots,
                                 std::span<const std::vector<double>> numbers) {
  std::vector<Observation> seen(program.code.size());
  size_t steps = 0;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& one = program.code[i];
    std::span<const double> own;
    if (std::string_view(one.op->name) == "optimizer_step" && steps < numbers.size()) own = numbers[steps++];
    {
      Watch watch;
      execute(one, slots, own);
      check_results(program, one, slots);
      seen[i].kernel = kernel_of(one, slots, watch);
      seen[i].reduces = reduction_of(one, slots, watch);
    }
    if (one.writes.empty()) {
      seen[i].is_view = shows_operands(one, slots);
      const Tensor* result = one.results.empty() || one.results[0] == kNoSlot
                                 ? nullptr
                                 : &slots[static_cast<size_t>(one.results[0])];
      if (seen[i].kernel && !proved(*seen[i].kernel, slots, *result)) seen[i].kernel.reset();
      if (!seen[i].kernel && !seen[i].reduces && !seen[i].is_view && result)
        seen[i].into = into_form(one, slots);
    }
  }
  return seen;
}

}  // namespace onetape::tape
