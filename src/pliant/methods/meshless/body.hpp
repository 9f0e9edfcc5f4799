// SPDX-License-Identifier: Apache-2.0
// Meshless flesh on a skeleton [ZJU06]. step.cpp advances it by solving equation.hpp (solver.hpp) at given
// rotations (rotations.hpp), contact.cpp lets it meet colliders, statics.cpp finds where it rests,
// surface.cpp shows it.
#pragma once

#include "pliant/math/gather.hpp"
#include "pliant/methods/meshless/contact_response.hpp"
#include "pliant/methods/meshless/energy.hpp"
#include "pliant/methods/meshless/momentum.hpp"
#include "pliant/methods/meshless/scratch.hpp"
#include "pliant/methods/meshless/solver.hpp"
#include "pliant/methods/method.hpp"

namespace pliant::meshless {

class Body final : public Method {
 public:
  /// options.rotations must have been resolved: not automatic.
  /// `contact`: the points that meet colliders; no rows = those of the embedding.
  Body(Model model, Rig rig, Gather embedding, Gather contact, const Damping& damping,
       const Options& options);
  Body(const Body&) = delete;  // the contact stage knows its own rows by address
  Body& operator=(const Body&) = delete;

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return state_.nodes; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  /// Of the given rotations, those of the last step; polar ones are those of the present positions. Bones and
  /// holds store energy too, which does not count. Rows that turn by themselves [Mueller02] have no energy:
  /// theirs is that of the cells.
  double elastic_energy() const override;
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  std::optional<double> driven_until() const override;
  /// Cells whose det F is not positive.
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override;
  bool load(Reader& reader) override;
  MethodDescription describe() const override;

  const Model& model() const { return model_; }
  /// The live options and the damping of the next step; the rest of `options` must be unchanged.
  void set_live(const Damping& damping, const Options& options) {
    damping_ = damping;
    options_.iterations = options.iterations;
    options_.tolerance = options.tolerance;
    options_.refinements = options.refinements;
  }
  const Rig& rig() const { return rig_; }
  /// A joint leaves its keys: it has this turn and move (geometry/skeleton.hpp) from the next step on. The
  /// trouble, or empty.
  std::string drive_joint(const DrivenJoint& joint);
  const std::vector<DrivenJoint>& driven_joints() const { return state_.driven; }
  /// Cells whose blend of rotations had no length in the last step and that kept theirs; without those of
  /// parts that no bone reaches.
  int kept_rotations() const { return rotations_.kept(); }
  /// Cells that no bone reaches: they never turn.
  int unreached_cells() const { return rotations_.unreached(); }
  const PackedCells& packed() const { return cells_; }
  void add_setup(double ms) { setup_ms_ += ms; }

 private:
  bool diffuses() const {
    return options_.rotations == Rotations::diffused && options_.warping != Warping::none;
  }
  /// Rotation of a node, and R_i^T x_i of all, for warping at nodes and rows.
  Mat3 node_rotation(Index node) const;
  Points unturned_nodes() const;
  /// Matrix and targets of the step. Returns the trouble, empty when all is well.
  std::string prepare(const Context& step);
  /// The end of the step without contact, in scratch_.x.
  void move_freely(const Context& step);
  /// The same with contact, and scratch_.v (contact.cpp).
  void meet_colliders(const Context& step);
  /// Impulses of the contacts that were found, and the motion that they cause.
  void answer_contacts(const Context& step);
  /// scratch_.v of the straight way to scratch_.x.
  void set_velocities(double h);

  Model model_;
  Rig rig_;
  PackedCells cells_;
  Gather embedding_, contact_points_;
  Damping damping_;
  Options options_;
  double setup_ms_ = 0;

  State state_;
  CellRotations rotations_;
  Equation equation_;
  Solver solver_;
  Momentum momentum_;
  ContactStage stage_;
  ContactResponse response_;  // with the cache of columns
  Scratch scratch_;
};

}  // namespace pliant::meshless
