// SPDX-License-Identifier: Apache-2.0
// The equation of a step, G(D) = 0 of step.cpp, about given positions: its residual G and the matrix A. The
// unknowns are the nodes that are not held; where nodes follow others, all of them, held softly.
#pragma once

#include "pliant/methods/fem/assembly.hpp"
#include "pliant/methods/fem/scratch.hpp"
#include "pliant/methods/fem/soft_holds.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/step_context.hpp"

namespace pliant::fem {

using Scheme = ImplicitScheme;
using Context = StepContext<Scheme>;

class Equation {
 public:
  /// The model outlives this object.
  explicit Equation(const Model& model);

  /// New held nodes are a new set of unknowns, and so a new pattern. held: the same, one byte a node.
  void arrange(std::span<const Index> nodes, const std::vector<unsigned char>& held);
  /// Nodes of the unknowns.
  const std::vector<Index>& free() const { return assembly_.free(); }
  Index unknowns() const { return arranged_ ? Index(free().size()) : model_.carriers(); }

  /// Rotations at end.x and end.g = G there; end.v must belong to end.x.
  void linearise(const Context& step, Scratch& end);
  /// Rotations alone, without forces of damping.
  void turn(Scratch& end, Pool& pool);
  /// A at those rotations. grabs: soft pulls of the step.
  void assemble(const Scheme& s, std::span<const Grab> grabs, Pool& pool);
  /// end.rotations and end.g = dV/dx at end.x, by unknowns, and K' there with what holds softly, N/m.
  void strain(std::span<const Vec3> targets, Scratch& end, Pool& pool);
  /// out = K' p, both by nodes with freedom; end.g and end.p are lost.
  void stiffen(const Points& p, Scratch& end, Points& out) const;
  /// Of what holds each of so many nodes softly, N/m.
  double hold_stiffness(std::size_t held) const { return held == 0 ? 0 : model_.hold / double(held); }
  /// p = A^-1 g.
  BlockGradients::Outcome solve(const Points& g, Points& p, double tolerance, int most, Pool& pool);

  double setup_ms() const { return setup_ms_; }  ///< of the first pattern
  std::size_t memory_bytes() const { return assembly_.memory_bytes() + matrix_.memory_bytes(); }
  /// Of a step of so many iterations.
  StepTraffic traffic(int iterations) const;

 private:
  bool has_followers() const { return model_.followers.rows() > 0; }
  /// Adds holds, grabs and forces where a node may be one that follows.
  void pull_followers(const Context& step, Scratch& end) const;

  const Model& model_;
  Assembly assembly_;
  BlockGradients matrix_;
  SoftHolds soft_holds_;  // in place of held unknowns where there are followers
  std::vector<unsigned char> held_;
  bool arranged_ = false;
  double setup_ms_ = 0;
};

}  // namespace pliant::fem
