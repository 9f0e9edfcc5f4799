// SPDX-License-Identifier: Apache-2.0
// What follows from the model, the rig, the held nodes and the coefficients of the step's matrix. Without it a
// step would compute it again, with the same result.
#pragma once

#include "pliant/contact/response_columns.hpp"
#include "pliant/math/direct_solver.hpp"
#include "pliant/methods/meshless/packed_cells.hpp"
#include "pliant/methods/meshless/scalar_system.hpp"

namespace pliant::meshless {

struct Cache {
  explicit Cache(const Model& model)
      : cells(model.cells, model.rest, model.relative), unturned(cells.unturned()) {}

  PackedCells cells;
  PackedCells::Quaternions unturned;  ///< no rotation, for every cell
  int unreached = 0;                  ///< cells that no bone reaches: they never turn

  // Of the held nodes.
  Gather rows;  ///< points held: bones, then held nodes; then the ties (model.hpp), whose targets are 0
  std::vector<float> row_weight;  ///< the weights of the rows in single precision
  std::vector<Index> held;        ///< nodes that the rows are for
  bool has_rows = false;

  /// The preconditioner of a scheme.
  struct Factors {
    double mass = 0, stiffness = 0;  ///< as in the scheme
    bool ready = false;
    ScalarSystem system;  ///< S
    DirectSolver block;   ///< of `warping: node`: M + K once for all, in the frame of the nodes
    Eigen::MatrixXd rod;  ///< of a loaded skeleton: what S answers at its rows (rod_coupling.hpp); or empty
  };
  Factors euler, bdf2;        ///< BDF2's steps are of another length; those that touch something are Euler's
  Factors* factors = &euler;  ///< of the present step
  ResponseColumns columns;    ///< S^-1 j^T of points that touched, of euler
  double setup_ms = 0;        ///< of the build and the first preparation

  /// Of the factors.
  std::size_t memory_bytes() const {
    return euler.system.memory_bytes() + euler.block.memory_bytes() + bdf2.system.memory_bytes() +
           bdf2.block.memory_bytes();
  }
};

}  // namespace pliant::meshless
