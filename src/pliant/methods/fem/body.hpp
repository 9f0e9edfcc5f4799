// SPDX-License-Identifier: Apache-2.0
// A body of corotational or linear finite elements [Mueller04]. Where to find what:
//   energy, force, Hessian   model.hpp (elements), energy.hpp; assembly.hpp adds them up
//   rotation fit             math/polar.hpp, called by rotation (energy.cpp)
//   time step                step.cpp; its linear system equation.hpp, conjugate gradients inside
//   holds on embedded points soft_holds.hpp
//   bones                    rig.hpp
//   statics, surface         statics.cpp, surface.cpp
// The outline with all equations: docs/methods/fem.md.
#pragma once

#include "pliant/math/gather.hpp"
#include "pliant/methods/fem/equation.hpp"
#include "pliant/methods/fem/meeting.hpp"
#include "pliant/methods/fem/rig.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/methods/skin.hpp"

namespace pliant::fem {

class Body final : public Method {
 public:
  Body(Model model, Rig rig, Skin skin, const Damping& damping, const Options& options);
  Body(const Body&) = delete;  // its parts know the model by address
  Body& operator=(const Body&) = delete;

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return state_.nodes; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
  const Gather& embedding() const override { return skin_.embedding; }
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  double elastic_energy() const override;
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  std::optional<double> driven_until() const override;
  /// A cell counts when any of its elements has no positive volume.
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override;
  bool load(Reader& reader) override;
  MethodDescription describe() const override;
  double mass_damping() const override { return damping_.mass; }
  ContactBody* contact_body() override { return &meeting_; }

  const Model& model() const { return model_; }
  const Rig& rig() const { return rig_; }
  /// The live options and the damping of the next step; the rest of `options` must be unchanged.
  void set_live(const Damping& damping, const Options& options) {
    damping_ = damping;
    options_.iterations = options.iterations;
    options_.tolerance = options.tolerance;
  }

 private:
  friend class Meeting;

  /// d = (M/h^2 + H)^-1 f on the free nodes (methods/node_statics.hpp); only h, held and pool of the input
  /// are used.
  std::string static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d);
  /// The unknowns and the pattern of the matrix for these held nodes.
  void arrange(std::span<const Index> nodes);
  /// What the step starts from; Past::curved: by scratch_.acceleration.
  Past past(const Context& step);
  /// The acceleration that BDF2 starts from (physics/first_step.hpp).
  void find_acceleration(const Context& step);
  /// The forces of the input on the nodes with freedom.
  std::span<const Vec3> carried_forces(const StepInput& input);
  /// x^, v^ and the first guess, in scratch_.
  void predict(const Context& step, Past past);
  /// The Newton steps of scratch_.x.
  void solve(const Context& step);
  /// The momenta of a body that nothing holds, at scratch_.x (momentum.hpp).
  void keep_free_momentum(const Context& step, Past from);
  /// scratch_.v of scratch_.x.
  void set_velocities(const Scheme& s);
  /// One Newton step of scratch_.x. Returns the longest way of a node.
  double descend(const Context& step);
  void accept(const Context& step);
  bool has_followers() const { return model_.followers.rows() > 0; }
  /// Positions or velocities of all nodes: the last ones from those before.
  void move_followers(Points& points) const;

  Model model_;
  Rig rig_;  // bones, or none
  Skin skin_;
  Damping damping_;
  Options options_;

  State state_;
  Equation equation_;
  Scratch scratch_;
  Meeting meeting_;
};

}  // namespace pliant::fem
