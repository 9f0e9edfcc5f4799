// SPDX-License-Identifier: Apache-2.0
// A body that moves with a cage around it [Martin09]: the vertices of the cage are the freedoms, the scaled
// normals of its faces follow. step.cpp advances it, statics.cpp finds where it rests, surface.cpp shows it;
// equation.hpp is what their solvers see. Everything is done along the body's own axes, where a body that only
// moved as a whole has strain 0 to the last bit, also in single precision.
#pragma once

#include "pliant/methods/cage/cache.hpp"
#include "pliant/methods/cage/contact.hpp"
#include "pliant/methods/cage/meeting.hpp"
#include "pliant/methods/cage/scratch.hpp"
#include "pliant/methods/cage/state.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::cage {

class Body final : public Method {
 public:
  Body(Model model, const Damping& damping, const Options& options, double setup_ms = 0);

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override;
  /// The cage goes where its quadrature points tell by a linear map that keeps affine maps; other positions
  /// are met as well as a cage can.
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
  const Gather& embedding() const override { return model_.embedding; }
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  double elastic_energy() const override;
  /// By the transpose of the map of place(): the work of moving the nodes is that of moving the cage.
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  /// Quadrature points that are turned inside out.
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override;
  bool load(Reader& reader) override;
  MethodDescription describe() const override;
  ContactBody* contact_body() override { return &meeting_; }
  double mass_damping() const override { return damping_.mass; }

  const Model& model() const { return model_; }
  /// The live options and the damping of the next step; the rest of `options` must be unchanged.
  void set_live(const Damping& damping, const Options& options) {
    damping_ = damping;
    options_.iterations = options.iterations;
  }
  const Columns& cage_vertices() const { return state_.x; }
  const std::vector<double>& plastic_strain() const { return state_.plastic; }
  /// Vertices of the surface that meet colliders besides the spread ones, because they went deep; -1 = a free
  /// place.
  const std::vector<Index>& more_contact_points() const { return state_.more; }
  /// Floating-point operations of the dense products and the factor of a step without contact.
  double step_flops() const;

 private:
  friend class Meeting;

  /// Computes strains, rotations, momenta and energy from positions, velocities and plastic strain; warm starts
  /// are dropped.
  void look_afresh();
  /// Plastic strain of the state, as the kernels read it.
  void load_plastic();

  Model model_;
  Damping damping_;
  Options options_;
  double setup_ms_ = 0;

  State state_;
  mutable Cache cache_;  // nodes() fills it: not for two threads at once
  Scratch scratch_;
  ContactStep contact_;
  Meeting meeting_;
};

}  // namespace pliant::cage
