#pragma once

// The numbers that the kernels of the optimizers take, in their order in `params`. The operands of each are
// the parameter, the gradient and then what the name of its enumeration says.

namespace onetape {

/// The first numbers of every kernel: does the step go along the gradient, and how much of the parameter is
/// added to the gradient before anything else.
namespace step_number {
enum : int { kMaximize, kWeightDecay, kOwn };
}

namespace sgd_number {
enum : int { kLr = step_number::kOwn, kCount };
}

/// Operand: the momentum buffer.
namespace sgd_momentum_number {
enum : int { kLr = step_number::kOwn, kMomentum, kDampening, kNesterov, kCount };
}

/// Operands: first and second moment; for adam_max the largest second moment, too. Shrink is what the
/// parameter is multiplied by before the step.
namespace adam_number {
enum : int { kStepSize = step_number::kOwn, kBeta1, kBeta2, kEps, kRootCorrection, kShrink, kCount };
}

/// Operands: first moment and largest gradient.
namespace adamax_number {
enum : int { kStepSize = step_number::kOwn, kBeta1, kBeta2, kEps, kCount };
}

/// Operands: first and second moment.
namespace nadam_number {
enum : int { kGradSize = step_number::kOwn, kMeanSize, kBeta1, kBeta2, kEps, kCorrection, kShrink, kCount };
}

/// Operands: first and second moment. Without kRectified the step is the corrected mean alone.
namespace radam_number {
enum : int {
  kLr = step_number::kOwn,
  kBeta1,
  kBeta2,
  kEps,
  kCorrection1,
  kRootCorrection2,
  kRect,
  kRectified,
  kShrink,
  kCount
};
}

/// Operands: mean of squares; for the kernels named so also the mean of gradients (centered) and the momentum
/// buffer, in this order.
namespace rmsprop_number {
enum : int { kLr = step_number::kOwn, kAlpha, kEps, kMomentum, kCount };
}

/// Operand: sum of squares.
namespace adagrad_number {
enum : int { kStepSize = step_number::kOwn, kEps, kCount };
}

/// Operands: mean of squares and mean of squared steps.
namespace adadelta_number {
enum : int { kLr = step_number::kOwn, kRho, kEps, kCount };
}

/// Operands: the gradient before and the sizes of the steps.
namespace rprop_number {
enum : int { kShrinking = step_number::kOwn, kGrowing, kLeast, kMost, kCount };
}

/// Operand: the average of the parameter.
namespace asgd_number {
enum : int { kEta = step_number::kOwn, kShrink, kMu, kCount };
}

}  // namespace onetape
