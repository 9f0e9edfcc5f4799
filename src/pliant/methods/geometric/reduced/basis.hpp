// SPDX-License-Identifier: Apache-2.0
// The space a reduced body moves in: x = X + Phi Z, Phi n x k, shared by x, y and z    [Huang06, Sec. 4]
//
// Own columns are zero at every held node. A held piece that moves (a handle, a pin that is let go) has up to
// four columns more: 1, x, y, z on its own nodes, zero at the other pieces, and in between such that K u = 0.
// While it is held they are prescribed, not solved for; released, they are unknowns like the others. Motions of
// a rigid piece are affine in its nodes, so that held nodes are where they should be.
//
// Modes alone cannot turn cross-sections: they lock. Modes times the affine functions can, and with the
// affine functions themselves, which every body that may turn as a whole has, rigid motion is in the space.
#pragma once

#include <Eigen/Core>

#include "pliant/methods/geometric/model.hpp"
#include "pliant/methods/geometric/reduced/options.hpp"

namespace pliant::geometric {

/// Nodes that are held together: a pin or a handle.
struct HeldPiece {
  std::vector<Index> nodes;
  bool moves = false;  ///< it does not stay where it rests, or is let go
};

struct Basis {
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  struct Piece {
    std::vector<Index> nodes;
    Index first = 0, count = 0;  ///< its columns; none for one that does not move
  };
  Columns columns;            ///< Phi; the own columns are M-orthonormal
  Index own = 0;              ///< columns [0, own) are zero at all pieces
  std::vector<Piece> pieces;  ///< in the order they were given
};

/// The basis that a reduction asks for. samples: node positions, one list a sample; only read when the
/// reduction has no modes. Problems are placed relative to the body ("geometric.reduction").
Result<Basis> make_basis(const Model& model, const std::vector<HeldPiece>& pieces, const Reduction& reduction,
                         const std::vector<Points>& samples);

/// A basis of given scalar functions of the nodes (n rows); what they are at held nodes is taken out.
Result<Basis> make_basis(const Model& model, const std::vector<HeldPiece>& pieces,
                         const Eigen::MatrixXd& functions);

/// 1, x, y, z about the centre of mass, in units of the body's size; n x 4.
Eigen::MatrixXd affine_functions(const Model& model);

}  // namespace pliant::geometric
