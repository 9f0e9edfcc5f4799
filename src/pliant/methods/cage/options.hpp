// SPDX-License-Identifier: Apache-2.0
// Settings of the cage method (docs/methods/cage.md).
#pragma once

#include <optional>

#include "pliant/base/option.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/plasticity.hpp"

namespace pliant::cage {

enum class Normals { rigid_split, frozen, consistent };
enum class NormalScale { material, conformal };
enum class Precision { single, twice };
enum class Solver { automatic, direct, iterative };
using pliant::Integrator;

struct Plasticity : PlasticLaw {};

inline constexpr int default_budget = 300;  ///< degrees of freedom of a cage that nobody described

struct Options {
  // Which cage: one of file, budget and cells; none of them: an automatic one of default_budget.
  std::string file = {};
  int budget = 0;                     ///< degrees of freedom of an automatic cage; 0 = not told
  std::array<int, 3> cells{0, 0, 0};  ///< of a box around the surface; zeros = none
  double clearance = 0.05;            ///< of a box, share of a cell's edge
  TriMesh mesh = {};                  ///< the cage itself, once it was read or made (prepare.hpp)

  double stiffness = 1e5;
  double poisson = 0.3;
  Normals normals = Normals::rigid_split;
  NormalScale normal_scale = NormalScale::material;
  Integrator integrator = Integrator::bdf2;
  Precision precision = Precision::single;
  int points = 0;  ///< quadrature points; 0 = automatic
  Solver solver = Solver::automatic;
  double regularisation = 0.01;
  double hold = 20;
  int iterations = 8;
  std::optional<Plasticity> plasticity = {};
};

const OptionTable<Options>& option_table();
const OptionTable<Plasticity>& plasticity_table();

/// Quadrature points that a cage of so many vertices needs.
int points_for(const Options& options, int cage_vertices);

}  // namespace pliant::cage
