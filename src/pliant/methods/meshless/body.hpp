// SPDX-License-Identifier: Apache-2.0
// Meshless flesh on a skeleton [ZJU06]. step.cpp advances it by solving equation.hpp (solver.hpp) at given
// rotations (rotations.hpp), momentum.hpp keeps what a free body does as a whole, contact.hpp lets it meet
// colliders, statics.cpp finds where it rests, surface.cpp shows it.
#pragma once

#include "pliant/methods/meshless/contact.hpp"
#include "pliant/methods/meshless/energy.hpp"
#include "pliant/methods/meshless/meeting.hpp"
#include "pliant/methods/method.hpp"

namespace pliant::meshless {

class Body final : public Method {
 public:
  /// options.rotations must have been resolved: not automatic.
  Body(Model model, Rig rig, Skin skin, const Damping& damping, const Options& options);
  Body(const Body&) = delete;  // the contact stage knows its own rows by address
  Body& operator=(const Body&) = delete;

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return state_.nodes; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
  const Gather& embedding() const override { return skin_.embedding; }
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  /// With the rotations of the last step; with polar ones, those of the present positions. A loaded rod, and
  /// what holds the flesh to it, count; other bones and holds do not. `warping: row` [Mueller02] has no energy of its own; that of the cells is given.
  double elastic_energy() const override;
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  std::optional<double> driven_until() const override;
  /// Cells whose det F is not positive.
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override;
  bool load(Reader& reader) override;
  MethodDescription describe() const override;
  double mass_damping() const override { return damping_.mass; }
  /// None of flesh that does not meet colliders either, or whose step has no symmetric matrix.
  ContactBody* contact_body() override;

  const Model& model() const { return model_; }
  /// The live options and the damping of the next step; the rest of `options` must be unchanged.
  void set_live(const Damping& damping, const Options& options) {
    damping_ = damping;
    options_.iterations = options.iterations;
    options_.tolerance = options.tolerance;
    options_.refinements = options.refinements;
  }
  const Rig& rig() const { return rig_; }
  /// Of a loaded skeleton; else empty.
  const RodState& rod() const { return state_.rod; }
  /// A joint leaves its keys: it has this turn and move (geometry/skeleton.hpp) from the next step on. The
  /// trouble, or empty.
  std::string drive_joint(const DrivenJoint& joint);
  const std::vector<DrivenJoint>& driven_joints() const { return state_.driven; }
  /// Cells that no bone reaches: they never turn.
  int unreached_cells() const { return cache_.unreached; }
  const PackedCells& packed() const { return cache_.cells; }
  void add_setup(double ms) { cache_.setup_ms += ms; }

 private:
  friend class Meeting;

  /// New rotations: of the positions x, or those that the posed bones give. Returns the cells whose blend of
  /// the bones' rotations had no length and that kept theirs.
  int turn(const Points& x, bool polar, Pool& pool);
  double flesh_energy() const;
  double hold_stiffness() const { return hold_stiffness_of(model_, options_); }
  /// A step by this integrator. False: one of BDF2 that would touch a collider; nothing has changed.
  bool advance_by(Integrator by, const StepInput& input, StageWatch& watch, StepReport& report);
  /// What a step of BDF2 starts from; Past::curved: by scratch_.acceleration.
  Past past(const Equation& e);
  /// By a trial step (physics/first_step.hpp).
  void find_acceleration(const Equation& e);
  /// Bones, held points and rotations of the step, which lasts `h`; returns what turn() does.
  int aim(Equation& e, double h);
  /// The end of the step without contact, in scratch_.x.
  void move_freely(Equation& e);
  /// The end of the step becomes the state.
  void accept(const Equation& e);

  Model model_;
  Rig rig_;  // poses the joints of State::driven as they say, the others by their keys
  Skin skin_;
  Damping damping_;
  Options options_;
  Cache cache_;
  State state_;
  Scratch scratch_;
  ContactStep contact_;
  Meeting meeting_;
};

}  // namespace pliant::meshless
