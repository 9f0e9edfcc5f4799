// SPDX-License-Identifier: Apache-2.0
// What follows from the model, the held nodes and the coefficients of the step's matrix: the layout of the
// nodes and the factors. Without it a step would compute it again, with the same result.
#pragma once

#include "pliant/methods/geometric/factored_hessian.hpp"
#include "pliant/methods/geometric/linear_system.hpp"
#include "pliant/methods/geometric/scheme.hpp"
#include "pliant/methods/geometric/sheet/hessian.hpp"
#include "pliant/methods/geometric/state.hpp"
#include "pliant/methods/geometric/sweeps.hpp"

namespace pliant::geometric {

inline FactoredHessian::Coefficients hessian_coefficients(const Scheme& s) {
  return {s.mass, s.stiffness, s.turning};
}

struct Cache {
  /// Laid out for a body of which no node is held. options.linear_solver: not automatic.
  Cache(const Model& model, const Options& options, const State& state);

  SymmetricMatrix stiffness;  ///< K; empty without the direct solver
  std::vector<Index> order;   ///< of the nodes, before held ones go to the end

  std::vector<unsigned char> held;  ///< that the layout is for, one byte a node
  Arrangement arrangement;
  /// Also holds the present rotations, in the layout of the kernels; their true home is State::rotations,
  /// from where load_rotations copies them.
  Sweeps sweeps;
  SheetSweeps sheet;  ///< of a sheet, in place of the sweeps over edges

  LinearSystem system;  ///< A
  LinearSystem::Coefficients coefficients;
  bool factored = false;
  Floats diagonal;  ///< (1 + h' alpha) m of every place, kg

  FactoredHessian hessian;
  SheetHessian sheet_hessian;
  bool factors_hessian = false;  ///< every step factors H
  bool hessian_arranged = false;
  int gradients = 0;  ///< of a sheet that does not factor H: conjugate gradients of a step

  /// Lays the nodes out for a held set, with the rotations of the state.
  void arrange(const Model& model, const State& state, const std::vector<unsigned char>& held_now);

  /// Whether the matrix of this scheme and held set is there.
  bool has_matrix(const Scheme& scheme, const std::vector<unsigned char>& held_now) const;
  /// Factors A of the scheme; new_pattern: its held set is another one than that of the last factor. With
  /// may_factor_hessian it also decides whether the steps factor H. Returns the trouble, empty when all is well.
  std::string factor(const Model& model, const Scheme& scheme, bool new_pattern, bool may_factor_hessian,
                     Pool& pool);

  /// Copies the rotations of the state into the sweeps, and those of the sweeps into the state.
  void load_rotations(const State& state);
  void store_rotations(State& state, Pool& pool) const;

 private:
  /// Whether a factor of H in every step is cheaper than conjugate gradients, and its symbolic part.
  void choose_hessian(const Model& model, const Scheme& scheme, bool new_pattern, bool may, Pool& pool);
  /// The same of a sheet, and how many conjugate gradients if not.
  void choose_sheet_hessian(const Model& model, const Scheme& scheme, bool may, Pool& pool);
};

}  // namespace pliant::geometric
