// SPDX-License-Identifier: Apache-2.0
// A body of the geometric method [Huang06] in full space. Where to find what:
//   energy, force, Hessian   model.hpp; energy.hpp in double; step_kernels.inl is what a step runs, in float
//   rotation fit             math/rotation.hpp, called by update_rotations (energy.cpp) and step_kernels.inl
//   time step                step.cpp, its first one start.cpp; its equation equation.hpp; solvers newton, factored_newton, local_global
//   contact                  contact.hpp (the order), contact_response.hpp (B), contact_newton.cpp
//   plasticity, statics      plastic_flow.hpp, statics.cpp
//   surface                  surface.cpp
// The outline with all equations: docs/methods/geometric.md.
#pragma once

#include "pliant/base/clock.hpp"
#include "pliant/methods/geometric/contact.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/meeting.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "pliant/methods/method.hpp"

namespace pliant::geometric {

/// `automatic` takes the direct solver up to this many nodes. Above, its set-up costs more than its faster
/// steps save (docs/methods/geometric/decisions.md).
inline constexpr Index direct_limit = 8000;
/// The same for bodies whose nodes are the vertices of a surface: the graph of a sheet has small separators,
/// so its factor is cheap, and thin bodies need exact solves (newton_stop.hpp).
inline constexpr Index surface_direct_limit = 40000;

inline Index direct_limit_of(const Options& options) {
  return operator_of(options) == Operator::volumetric ? direct_limit : surface_direct_limit;
}

class Body final : public Method {
 public:
  /// options.linear_solver must have been resolved: not automatic. The set-up time counts from `begin`.
  Body(Model model, Skin skin, const Damping& damping, const Options& options,
       Clock::time_point begin = Clock::now());

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
  bool activity(std::span<float> vertices) const override;
  /// A cell counts when the Jacobian at any of its eight corners is not positive.
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override;
  bool load(Reader& reader) override;
  MethodDescription describe() const override;
  double mass_damping() const override { return damping_.mass; }
  /// None where a volume is kept: the answers of contact would change it.
  ContactBody* contact_body() override { return &meeting_; }

  const Model& model() const { return model_; }
  /// From now on, of this body's surface.
  void keep_volume(KeptVolume kept);
  /// The live options and the damping of the next step; the rest of `options` must be unchanged.
  void set_live(const Damping& damping, const Options& options);

 private:
  friend class Meeting;  // the same step, in pieces

  /// Forces of the step. BDF2 goes on with a third of the last change of the velocities; of what contacts with other
  /// bodies changed it must not: they act in their own step alone. As a force, not as another history, which would
  /// predict a pressed body far from where it is.
  std::span<const Vec3> forces_after_contact(const StepInput& input, double h);

  /// Makes the layout and the factors for the held nodes and the scheme. False: the report tells why not.
  bool prepare(const Context& context);
  /// d = (M/h^2 + H)^-1 f on the free nodes (methods/node_statics.hpp); only h, held and pool of the input
  /// are used.
  std::string static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d);
  /// x^, v^ and the prediction: from the last step, or anew (start.cpp).
  void predict(Equation& e);
  /// The acceleration that BDF2 starts from (physics/first_step.hpp). False: something would touch, and a
  /// straight line serves better.
  bool find_acceleration(Equation& e);
  /// Finds D, in scratch_.vectors.d.
  void solve(Equation& e);
  /// The same without contact.
  void solve_free(Equation& e);
  /// The end of the step by D, with exact momentum, in scratch_.new_x and scratch_.new_v. touches: forces are those of
  /// contact, which D has answered.
  void end_with_momentum(Equation& e, bool touches);
  /// The end of the step becomes the state.
  void accept(const Equation& e);
  /// The rest vectors of strained rows flow towards the new state, with its own rotations (plastic_flow.hpp).
  void flow(const Context& context);
  /// The rotations of the present positions, in double precision.
  Rotations rotations_now() const;
  /// The bytes that the step has moved.
  StepTraffic traffic(const StepReport& report) const;

  Model model_;
  Skin skin_;
  Damping damping_;
  Options options_;
  KeptVolume kept_;  // empty: the volume is free
  State state_;
  Cache cache_;
  Scratch scratch_;
  ContactStep contact_;
  Meeting meeting_{*this};
  double setup_ms_ = 0;
};

}  // namespace pliant::geometric
