// SPDX-License-Identifier: Apache-2.0
// Settings of the geometric method (docs/methods/geometric.md).
#pragma once

#include <optional>
#include <string>

#include "pliant/base/option.hpp"
#include "pliant/methods/geometric/reduced/options.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/plasticity.hpp"

namespace pliant::geometric {

enum class Operator { volumetric, edge, cotangent, mixed, sheet };
enum class Preset { none, surface_solid, shell };
enum class Covariance { consistent, paper };
enum class Weights { tributary, calibrated, uniform };
using pliant::Integrator;
enum class StepSolver { newton, local_global };
enum class RotationState { predicted, current };
enum class DampingFrame { corotated, paper };
enum class LinearSolver { automatic, direct, multigrid };
enum class PlasticForm { consistent, printed, rows };

struct Plasticity {
  PlasticLaw law;
  PlasticForm form = PlasticForm::consistent;
};

/// Edges along the fibres are stiffer: a_ij (1 + strength cos^2), the mean of both ends.
struct Fibres {
  Vec3 direction{1, 0, 0};  ///< any length but zero
  std::string file = {};    ///< not empty: one direction a node, read by who builds the body into `field`
  double strength = 0;      ///< 0 = no fibres
  Points field = {};        ///< one a node, zero = no fibres there; empty = `direction` everywhere
};

/// Bending of operator sheet (sheet/elements.hpp).
struct SheetOptions {
  double poisson = 0;  ///< nu
  double bending = 0;  ///< D, N m; 0 = that of stiffness, thickness and nu
};

enum class RotationCriterion { angle, printed, naive_1, naive_2 };
enum class RotationSeeds { end, tips, first };

/// Rotations only where they change (adaptive_rotations.hpp).
struct Adaptive {
  RotationCriterion criterion = RotationCriterion::angle;
  double threshold = 0.03;
  bool correct = true;
  RotationSeeds seeds = RotationSeeds::end;
};

struct Options {
  Operator op = Operator::volumetric;
  Preset preset = Preset::none;
  double stiffness = 1e5;
  double edge = 1;
  double laplacian = 0;
  double bending = 0;
  Covariance covariance = Covariance::consistent;
  Weights weights = Weights::tributary;
  double hourglass = 0;
  Integrator integrator = Integrator::bdf2;
  StepSolver step_solver = StepSolver::newton;
  int iterations = 1;
  double tolerance = 0.1;
  RotationState rotation_state = RotationState::predicted;
  DampingFrame damping_frame = DampingFrame::corotated;
  bool angular_momentum = true;
  LinearSolver linear_solver = LinearSolver::automatic;
  double poisson = 0;
  double volume = 0;
  bool keep_volume = false;
  std::optional<Plasticity> plasticity = std::nullopt;
  Fibres fibres = {};
  SheetOptions sheet = {};
  std::optional<Adaptive> adaptive = std::nullopt;  ///< none: every rotation in every step
  std::optional<Reduction> reduction = {};          ///< none: full space
};

/// What Young's modulus and Poisson's ratio mean for the rows (docs/methods/geometric.md, Stiffness).
struct RowModuli {
  double edge = 0;    ///< of the edge rows, Pa: twice the shear modulus
  double volume = 0;  ///< w of the volume rows
};
RowModuli row_moduli(const Options& options);

const OptionTable<Options>& option_table();
const OptionTable<Plasticity>& plasticity_table();
const OptionTable<Fibres>& fibre_table();
const OptionTable<SheetOptions>& sheet_table();
const OptionTable<Adaptive>& adaptive_table();

}  // namespace pliant::geometric
