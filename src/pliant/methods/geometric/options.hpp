// SPDX-License-Identifier: Apache-2.0
// Settings of the geometric method (docs/methods/geometric.md).
#pragma once

#include <optional>

#include "pliant/base/option.hpp"
#include "pliant/methods/geometric/reduction.hpp"

namespace pliant::geometric {

enum class Operator { volumetric };
enum class Covariance { consistent, paper };
enum class Weights { tributary, calibrated, uniform };
enum class Integrator { bdf2, euler };
enum class StepSolver { newton, local_global };
enum class RotationState { predicted, current };
enum class DampingFrame { corotated, paper };
enum class LinearSolver { automatic, direct, multigrid };

struct Options {
  Operator op = Operator::volumetric;
  double stiffness = 1e5;
  double edge = 1;
  double laplacian = 0;
  Covariance covariance = Covariance::consistent;
  Weights weights = Weights::tributary;
  Integrator integrator = Integrator::bdf2;
  StepSolver step_solver = StepSolver::newton;
  int iterations = 1;
  double tolerance = 0.1;
  RotationState rotation_state = RotationState::predicted;
  DampingFrame damping_frame = DampingFrame::corotated;
  bool angular_momentum = true;
  LinearSolver linear_solver = LinearSolver::automatic;
  std::optional<Reduction> reduction = {};  ///< none: full space
};

const OptionTable<Options>& option_table();

}  // namespace pliant::geometric
