// SPDX-License-Identifier: Apache-2.0
// The held pieces of a step. A basis is made for certain pieces (basis.hpp): they are held whole, and move as
// their columns can. The coordinates of these columns are prescribed; the step solves for the others.
#pragma once

#include <string>

#include "pliant/methods/geometric/reduced/model.hpp"
#include "pliant/physics/step.hpp"

namespace pliant::geometric {

class ReducedHolds {
 public:
  /// Nothing held.
  explicit ReducedHolds(const ReducedModel& model);

  /// Checks the input and takes its held nodes; those of the last step cost nothing but the comparison.
  /// Returns the trouble, empty when all is well.
  std::string take(const ReducedModel& model, const StepInput& input);

  const std::vector<unsigned char>& active() const { return active_; }  ///< one byte a piece
  bool holds(Index piece) const { return piece >= 0 && active_[std::size_t(piece)] != 0; }

  /// Calls put(column, its coordinates) for every column of a held piece.
  template <class Put>
  void each_prescribed(const ReducedModel& model, Put&& put) const {
    for (std::size_t p = 0; p < active_.size(); ++p) {
      const Basis::Piece& piece = model.basis.pieces[p];
      for (Index c = piece.first; active_[p] && c < piece.first + piece.count; ++c)
        put(c, prescribed_.row(c));
    }
  }
  /// The columns that no held piece prescribes.
  std::vector<Eigen::Index> unknown_columns(const ReducedModel& model) const;

 private:
  /// Which pieces the held nodes are; others cannot be held. Returns the trouble.
  std::string choose_pieces(const ReducedModel& model, const StepInput& input);
  /// The prescribed coordinates: each piece's motion in its own functions, which must be all of it. Returns the
  /// trouble.
  std::string aim_pieces(const ReducedModel& model, const StepInput& input);

  std::vector<unsigned char> active_;
  Coordinates prescribed_;
  // The input that active_ and prescribed_ were made from.
  std::vector<Index> held_;
  Points targets_;
  bool known_ = false;
};

}  // namespace pliant::geometric
