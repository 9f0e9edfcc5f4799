// SPDX-License-Identifier: Apache-2.0
// A rigid body. Where to find what:
//   mass, centre, inertia   model.hpp
//   place and motion        state.hpp
//   pins and handles        joint.hpp
//   time step               step.cpp; turn, kick, turn: flight.hpp
//   contact                 contact.hpp, response.hpp
//   statics, surface        statics.hpp, surface.cpp
// The outline with all equations: docs/methods/rigid.md.
#pragma once

#include "pliant/methods/method.hpp"
#include "pliant/methods/rigid/contact.hpp"
#include "pliant/methods/rigid/meeting.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::rigid {

class Body final : public Method {
 public:
  Body(Model model, Skin skin, const Damping& damping);

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return state_.nodes; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
  const Gather& embedding() const override { return skin_.embedding; }
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  double elastic_energy() const override { return 0; }
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  void save(Writer& writer) const override { rigid::save(state_, writer); }
  bool load(Reader& reader) override { return rigid::load(reader, state_); }
  MethodDescription describe() const override;
  double mass_damping() const override { return damping_.mass; }
  ContactBody* contact_body() override { return &meeting_; }

  const Model& model() const { return model_; }
  const Motion& motion() const { return state_.motion; }
  /// The damping of the next step.
  void set_damping(const Damping& damping) { damping_ = damping; }

 private:
  friend class Meeting;  // the same step, in pieces

  /// Nodes at the end of the step, in end_x_ and end_v_. False: it is beyond what numbers can hold.
  bool arrive(const Motion& end, const StepInput& input, StepReport& report);
  /// The body is there, at the end of a step or where it is put.
  void accept(const Motion& motion);

  Model model_;
  Skin skin_;
  Damping damping_;
  State state_;
  Points end_x_, end_v_;  // scratch: nodes at the end of the step
  ContactStep contact_;
  Meeting meeting_{*this};
};

}  // namespace pliant::rigid
