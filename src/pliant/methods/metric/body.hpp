// SPDX-License-Identifier: Apache-2.0
// A body whose energy is the change of its metric tensor [Terzopoulos87; Kelager05]. step.cpp, or in second
// order bdf2.cpp, advances it by solving equation.hpp, momentum.hpp keeps what a free body does as a whole, contact.hpp lets it meet
// colliders, statics.cpp finds where it rests, surface.cpp shows it. There is no cache: the matrix is that of
// one step.
#pragma once

#include "pliant/methods/method.hpp"
#include "pliant/methods/metric/contact.hpp"
#include "pliant/methods/metric/meeting.hpp"
#include "pliant/methods/metric/momentum.hpp"
#include "pliant/methods/metric/whole_motion.hpp"
#include "pliant/methods/skin.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::metric {

class Body final : public Method {
 public:
  Body(Model model, Skin skin, const Damping& damping, const Options& options);
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
  /// A cell counts when its six tetrahedra together have no positive volume.
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override;
  bool load(Reader& reader) override;
  MethodDescription describe() const override;
  double mass_damping() const override { return damping_.mass; }
  /// None of a body so large that the matrix of its response would not be factored in reasonable time.
  ContactBody* contact_body() override { return model_.nodes() <= most_meeting_nodes ? &meeting_ : nullptr; }

  const Model& model() const { return model_; }
  /// The live options and the damping of the next step; the rest of `options` must be unchanged.
  void set_live(const Damping& damping, const Options& options) {
    damping_ = damping;
    options_.kappa = options.kappa;
    options_.tolerance = options.tolerance;
    options_.iterations = options.iterations;
  }
  double time() const { return state_.time; }

 private:
  friend class Meeting;

  /// d = (M/h^2 + H)^-1 f on the free nodes (methods/node_statics.hpp); of the input h, held and pool count.
  std::string static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d);
  /// The step in `count` equal parts. True: contact tore the body, and fewer halves would be too few.
  bool substeps(int count, const StepInput& input, StepReport& report, StageWatch& watch);
  /// The step by (2) of bdf2.cpp. False: nothing is done, and Euler's step must do it.
  bool second_order_step(const StepInput& input, StepReport& report, StageWatch& watch);
  void find_acceleration(const ImplicitScheme& s, const Context& step);
  void extrapolate(const ImplicitScheme& s, Past past, const StepInput& input);
  bool end_of(const ImplicitScheme& s, Past past, double time, const Context& step);
  /// One solve of (1), or several under contact. flies: as Momentum::measure_start; a body that then touches
  /// does the step again. True: contact tore the body.
  bool substep(const StepInput& input, bool flies, StepReport& report, StageWatch& watch);
  /// The numbers of the step from the present state.
  Scheme scheme(const StepInput& input) const;
  /// Holds, rigid motion, forces and matrix.
  void start(const Context& step, bool flies);
  /// scratch_.outer, where something may act; else nothing.
  std::span<Vec3> outer_forces(const StepInput& input);
  /// The end of the step in scratch_. False: it is not finite.
  bool solve(const Context& step, std::span<const Vec3> outer);
  /// The end of the step becomes the state.
  void accept(const StepInput& input);
  /// Of the constraints, at the time of the state.
  Strengths strengths() const;

  Model model_;
  Skin skin_;
  Damping damping_;
  Options options_;
  State state_;
  Equation equation_;
  std::unique_ptr<Equation> statics_;  // of the static solve, made when it is first asked for
  Momentum momentum_;
  WholeMotion whole_;
  ContactStep contact_;
  Scratch scratch_;
  Meeting meeting_{*this};
};

}  // namespace pliant::metric
