#pragma once

// The numbers that the kernels "sgd", "sgd_momentum", "adam" and "adam_max" take, in their order in `params`.

namespace onetape {

/// Operands: parameter, gradient; for sgd_momentum the momentum buffer, too.
namespace sgd_number {
enum : int { kLr, kWeightDecay, kMomentum, kDampening, kNesterov, kMaximize, kCount };
}

/// Operands: parameter, gradient, first and second moment; for adam_max the largest second moment, too.
namespace adam_number {
enum : int { kStepSize, kBeta1, kBeta2, kEps, kRootCorrection, kShrink, kWeightDecay, kMaximize, kCount };
}

}  // namespace onetape
