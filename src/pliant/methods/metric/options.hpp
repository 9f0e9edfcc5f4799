// SPDX-License-Identifier: Apache-2.0
// Settings of the metric method (docs/methods/metric.md).
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "pliant/base/option.hpp"
#include "pliant/physics/plasticity.hpp"

namespace pliant::metric {

enum class Kind { improved, original };
enum class Lattice { grid, mesh };
enum class Integrator { automatic, bdf2, stable, accurate, lively, paper };
enum class Preconditioning { automatic, jacobi, multigrid };

inline constexpr double not_given = std::numeric_limits<double>::infinity();

/// All strengths times this factor at this time; straight lines between keys.
struct StrengthKey {
  double time = 0;    ///< s
  double factor = 1;  ///< >= 0
};

struct Options {
  Kind model = Kind::improved;
  Lattice lattice = Lattice::grid;
  double stiffness = 1e5;       ///< Pa
  double strength = not_given;  ///< J; given: stiffness is not read
  double length = 2;            ///< the strengths, relative to each other
  double area = not_given;      ///< see area_of
  double volume = not_given;    ///< see volume_of
  double pillar = 0.5;
  double pillar_diagonal = 0;
  double angle = 3;     ///< original only; as strong as the face diagonals that replace it
  bool squared = true;  ///< the volume term
  double orientation = not_given;
  double threshold = not_given;                   ///< see threshold_of
  Integrator integrator = Integrator::automatic;  ///< see integrator_of
  double kappa = 0.5;
  double tolerance = 1e-3;
  int iterations = 50;
  Preconditioning preconditioner = Preconditioning::automatic;
  bool keep_momentum = true;
  std::vector<StrengthKey> keys = {};
  std::optional<PlasticLaw> plasticity = std::nullopt;
};

const OptionTable<Options>& option_table();
const OptionTable<StrengthKey>& key_table();
const OptionTable<PlasticLaw>& plasticity_table();

/// Whether `stiffness` decides the strengths: the improved model without a `strength` in J.
/// Then the cells share their constraints (shares.hpp), and the defaults make an isotropic lattice.
bool in_pascals(const Options& options);
/// `area`, or its default: 5 in pascals, which makes the lattice isotropic, 3 with a strength. The paper gives no
/// number, but wants faces at least as strong as lengths, or patches fold (eta_12 + eta_21 >= eta_11 + eta_22)
/// [Kelager05, Sec. 4.1], and volume before area before distance [Kelager05, Sec. 6].
double area_of(const Options& options);
/// `volume`, or its default, above area: 6 in pascals, 4 with a strength.
double volume_of(const Options& options);
/// `threshold`, or its default: 0.8 in pascals, else 0.5.
double threshold_of(const Options& options);

/// `integrator`; automatic: bdf2 for the improved model with a stiffness, stable for the papers' models.
Integrator integrator_of(const Options& options);
/// The integrator whose matrix (operator.hpp) the steps of the options have: accurate for bdf2.
Integrator matrix_of(const Options& options);

/// The factor of the keys at a time; 1 without keys.
double factor_at(const std::vector<StrengthKey>& keys, double time);

}  // namespace pliant::metric
