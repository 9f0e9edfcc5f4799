// SPDX-License-Identifier: Apache-2.0
// A body of corotational or linear finite elements [Mueller04]. step.cpp advances it, surface.cpp shows it.
#pragma once

#include "pliant/math/gather.hpp"
#include "pliant/methods/fem/assembly.hpp"
#include "pliant/methods/fem/soft_holds.hpp"
#include "pliant/methods/fem/state.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::fem {

class Body final : public Method {
 public:
  Body(Model model, Gather embedding, const Damping& damping, const Options& options);

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return state_.nodes; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  double elastic_energy() const override;
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  /// A cell counts when any of its elements has no positive volume.
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
  }

 private:
  /// d = (M/h^2 + H)^-1 f on the free nodes (methods/node_statics.hpp); of the input h, held and pool count.
  std::string static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d);
  using Scheme = ImplicitScheme;
  void arrange(const StepInput& input);
  bool history_applies(const StepInput& input) const;
  void predict(const StepInput& input, const Scheme& scheme);
  void linearise(const StepInput& input, const Scheme& scheme, StageWatch& watch);
  void pull_followers(const StepInput& input, const Scheme& scheme);
  void assemble(const StepInput& input, const Scheme& scheme);
  double descend(StepReport& report, Pool& pool);
  void accept(const StepInput& input, const Scheme& scheme);
  bool has_followers() const { return model_.followers.rows() > 0; }
  void move_followers(Points& points) const;
  StepTraffic traffic(const StepReport& report) const;

  Model model_;
  Gather embedding_;
  Damping damping_;
  Options options_;
  double setup_ms_ = 0;

  State state_;

  // The matrix and the unknowns that are in force.
  Assembly assembly_;
  BlockGradients matrix_;
  SoftHolds soft_holds_;  // in place of held unknowns where there are followers
  std::vector<unsigned char> arranged_held_;
  bool arranged_ = false;

  // Scratch: never read across steps.
  Points hat_x_, hat_v_, new_x_, new_v_, g_, p_;
  Rotations new_rotations_;
  std::vector<unsigned char> new_held_;
};

}  // namespace pliant::fem
