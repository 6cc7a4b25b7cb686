#include "kernels/ctc.h"

#include "ops.h"
#include "ops/composed.h"
#include "ops/copy.h"

namespace onetape::ops {
namespace {

/// What both passes need, checked; tensors that the kernel's view points into.
struct Sequences {
  Tensor targets;
  Tensor starts;
  Tensor input_lengths;
  Tensor target_lengths;
  Ints sizes;  // steps, samples, classes
  int64_t longest;
  int64_t blank;

  Ctc view() const {
    return {sizes[0],
            sizes[1],
            sizes[2],
            longest,
            targets.data<int64_t>(),
            starts.data<int64_t>(),
            input_lengths.data<int64_t>(),
            target_lengths.data<int64_t>(),
            blank};
  }
};

Tensor lengths_of(const Tensor& given, const char* name, int64_t samples) {
  check(!is_floating(given.dtype()) && !is_complex(given.dtype()) && given.dtype() != DType::Bool, name,
        " must be integral");
  const Tensor lengths = dense(to_dtype(given, DType::I64));
  check(lengths.numel() == samples, name, " must be of size batch_size");
  if (!lengths.has_data()) return lengths;
  for (int64_t i = 0; i < samples; ++i) {
    const int64_t length = lengths.data<int64_t>()[i];
    check(length >= 0, "Expected ", name, " to have value at least 0, but got value ", length,
          " (while checking arguments for ctc_loss_allocate_outputs)");
  }
  return lengths;
}

void check_lengths(const Sequences& s, int64_t dims, IntSpan target_sizes) {
  int64_t total = 0;
  for (int64_t i = 0; i < s.sizes[1]; ++i) {
    const int64_t length = s.input_lengths.data<int64_t>()[i];
    check(length <= s.sizes[0], "Expected input_lengths to have value at most ", s.sizes[0],
          ", but got value ", length, " (while checking arguments for ctc_loss_allocate_outputs)");
    total += s.target_lengths.data<int64_t>()[i];
  }
  if (dims == 1) {
    check(target_sizes[0] == total, "Expected tensor to have size ", total, " at dimension 0, but got size ",
          target_sizes[0],
          " for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)");
    return;
  }
  check(target_sizes[0] == s.sizes[1], "Expected tensor to have size ", s.sizes[1],
        " at dimension 0, but got size ", target_sizes[0],
        " for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)");
  check(target_sizes[1] >= s.longest, "Expected tensor to have size at least ", s.longest,
        " at dimension 1, but got size ", target_sizes[1],
        " for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)");
}

Sequences sequences_of(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, int64_t blank) {
  check(log_probs.dim() == 3, "Expected 3-dimensional tensor, but got ", log_probs.dim(),
        "-dimensional tensor for argument #1 'log_probs' (while checking arguments for "
        "ctc_loss_allocate_outputs)");
  check(targets.dim() == 1 || targets.dim() == 2, "targets must have one or two dimensions, but got ",
        targets.dim());
  if (log_probs.dtype() != DType::F32 && log_probs.dtype() != DType::F64) {
    fail(ErrorKind::NotImplemented, "\"ctc_loss_cpu\" not implemented for '",
         scalar_type_name(log_probs.dtype()), "'");
  }
  const int64_t samples = log_probs.sizes()[1];
  Sequences s{dense(to_dtype(targets, DType::I64)),
              Tensor(),
              lengths_of(input_lengths, "input_lengths", samples),
              lengths_of(target_lengths, "target_lengths", samples),
              log_probs.shape(),
              0,
              blank};
  check(blank >= 0 && blank < s.sizes[2], "blank must be in label range");
  check(samples > 0, "log_probs tensor must not be empty");
  if (!s.targets.has_data()) return s;
  const auto* lengths = s.target_lengths.data<int64_t>();
  for (int64_t i = 0; i < samples; ++i) s.longest = std::max(s.longest, lengths[i]);
  check_lengths(s, targets.dim(), targets.sizes());
  s.starts = Tensor::empty(Ints{samples}, DType::I64);
  int64_t next = 0;
  for (int64_t i = 0; i < samples; ++i) {
    s.starts.data<int64_t>()[i] = targets.dim() == 1 ? next : i * targets.sizes()[1];
    next += lengths[i];
    for (int64_t k = 0; k < lengths[i]; ++k) {
      const int64_t label = s.targets.data<int64_t>()[s.starts.data<int64_t>()[i] + k];
      check(label >= 0 && label < s.sizes[2], "Expected targets to be in range [0, ", s.sizes[2],
            "), but got ", label);
    }
  }
  return s;
}

/// The loss of each sample.
Tensor losses_of(const Tensor& log_probs, const Sequences& s, bool zero_infinity) {
  const Tensor probs = dense(log_probs);
  Tensor losses = Tensor::empty(Ints{s.sizes[1]}, probs.dtype());
  const Tensor alpha = Tensor::empty(Ints{s.sizes[1], s.sizes[0], 2 * s.longest + 1}, probs.dtype());
  if (losses.has_data()) ctc_forward(probs.dtype(), s.view(), probs.bytes(), losses.bytes(), alpha.bytes());
  if (!recording(log_probs)) return losses;
  note_read(s.targets, "ctc_loss()");  // its gradient knows the labels and the lengths
  return record(losses, "CtcLossBackward0", {log_probs},
                saving(save(log_probs), save(detach(losses)), save(alpha)), [s, zero_infinity](Backward& g) {
                  check(!recording_enabled(), "derivative for aten::_ctc_loss_backward is not implemented");
                  const Tensor probs = dense(g.saved(0));
                  const Tensor grad = dense(g.grad());
                  const Tensor found = Tensor::empty(probs.sizes(), probs.dtype());
                  if (found.has_data())
                    ctc_backward(probs.dtype(), s.view(), probs.bytes(), g.saved(1).bytes(),
                                 g.saved(2).bytes(), grad.bytes(), zero_infinity, found.bytes());
                  g.set(0, found);
                });
}

}  // namespace

// ---- ctc_loss ----
Tensor ctc_loss(Body, const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank, std::string_view reduction, bool zero_infinity) {
  const Reduction mode = parse_reduction(reduction);
  const bool alone = log_probs.dim() == 2;
  const Sequences s = sequences_of(alone ? unsqueeze(log_probs, 1) : log_probs, targets, input_lengths,
                                   target_lengths, blank);
  Tensor losses = losses_of(alone ? unsqueeze(log_probs, 1) : log_probs, s, zero_infinity);
  if (zero_infinity) {
    const Tensor impossible = eq(detach(losses), Scalar(std::numeric_limits<double>::infinity()));
    losses = where(impossible, zeros_like(losses), losses);
  }
  if (mode != Reduction::Mean) {
    if (mode == Reduction::None && alone) return squeeze(losses, 0);
    return reduced(losses, mode);
  }
  const Tensor lengths = to_dtype(clamp_min(s.target_lengths, Scalar(1)), losses.dtype());
  return mean(div(losses, lengths));
}

}  // namespace onetape::ops
