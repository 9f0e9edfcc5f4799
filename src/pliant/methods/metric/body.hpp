// SPDX-License-Identifier: Apache-2.0
// A body whose energy is the change of its metric tensor [Terzopoulos87; Kelager05]. step.cpp advances it,
// contact.cpp lets it meet colliders, surface.cpp shows it.
#pragma once

#include "pliant/math/gather.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/methods/metric/conjugate_gradients.hpp"
#include "pliant/methods/metric/contact_response.hpp"
#include "pliant/methods/metric/energy.hpp"
#include "pliant/methods/metric/rigid_motion.hpp"
#include "pliant/methods/metric/state.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::metric {

class Body final : public Method {
 public:
  /// contact: points that meet colliders, from nodes; no rows = the embedding.
  Body(Model model, Gather embedding, Gather contact, const Damping& damping, const Options& options);

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return state_.nodes; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  double elastic_energy() const override;
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  /// A cell counts when its six tetrahedra together have no positive volume.
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override;
  bool load(Reader& reader) override;
  MethodDescription describe() const override;

  const Model& model() const { return model_; }
  /// The live options and the damping of the next step; the rest of `options` must be unchanged.
  void set_live(const Damping& damping, const Options& options) {
    damping_ = damping;
    options_.kappa = options.kappa;
    options_.tolerance = options.tolerance;
    options_.iterations = options.iterations;
  }
  double time() const { return state_.time; }
  /// Solves that met a direction of no positive curvature, since the body was made.
  long breakdowns() const { return breakdowns_; }
  /// The longest explicit step of the lively scheme, s: 2 sqrt(m / sum_e 4 eta_e/H_e^2), the least of all
  /// nodes; 0 for the others.
  double lively_step() const { return lively_step_; }

 private:
  /// d = (M/h^2 + H)^-1 f on the free nodes (methods/node_statics.hpp); of the input h, held and pool count.
  std::string static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d);
  /// The numbers of one step (step.cpp).
  struct Scheme {
    double h = 0;           ///< s
    double drag = 0;        ///< alpha, 1/s
    double inner_drag = 0;  ///< beta, s
    double unit = 1;        ///< a typical mass, kg: the equation is divided by unit/h^2
    double factor = 1;      ///< on all strengths
    bool split = false;     ///< the rigid motion is taken out
  };
  /// The rigid motion of a part within a step.
  struct Frame {
    Vec3 from{0, 0, 0}, drift{0, 0, 0}, spin{0, 0, 0};       ///< before: centre, velocity, spin
    Vec3 to{0, 0, 0}, velocity{0, 0, 0}, new_spin{0, 0, 0};  ///< after
    Mat3 turn = Mat3::Identity(), outward = Mat3::Zero();    ///< R, and 2 - R - R^T
    Vec3 momentum{0, 0, 0}, angular{0, 0, 0};                ///< of the end, as they must be
    Vec3 missing_velocity{0, 0, 0}, missing_spin{0, 0, 0}, shift{0, 0, 0};
  };

  StepReport whole_step(const StepInput& input);
  void substeps(int count, const StepInput& input, StepReport& report, StageWatch& watch);
  void substep(const StepInput& input, StepReport& report, StageWatch& watch);
  Scheme scheme(const StepInput& input) const;
  void hold(const StepInput& input);
  void move_rigidly(const StepInput& input, const Scheme& scheme);
  void set_frames(const StepInput& input, const Scheme& scheme);
  void evaluate(const Scheme& scheme, Pool& pool);
  void set_matrix(const StepInput& input, const Scheme& scheme);
  void set_outer(const StepInput& input);
  void set_right_side(const StepInput& input, const Scheme& scheme);
  void solve(const Scheme& scheme, StepReport& report, Pool& pool);
  bool end_of_step(const StepInput& input, const Scheme& scheme);
  void add_to_right_side(std::span<const Vec3> forces, double factor, Pool& pool);
  void keep_momentum(const StepInput& input, const Scheme& scheme);
  bool finite_end(Pool& pool);
  bool finite_sums() const;
  void accept(const StepInput& input, const Scheme& scheme);
  void flow(double h, StepReport& report);
  Strengths strengths() const;
  StepTraffic traffic(const StepReport& report) const;

  // contact.cpp
  void recall_forces(bool colliders);
  void meet(const StepInput& input, const Scheme& scheme);
  void respond(const Scheme& scheme, Pool& pool);
  void measure_response();
  double closing_speed(const Contact& contact, double h) const;
  double answer(double share, const StepInput& input, StepReport& report);
  void move_by_impulses(double h);
  void position_pass(const StepInput& input, StepReport& report);
  bool tears(const StepInput& input) const;
  double jitter(Index point) const;

  template <class Part>
  void each_run(int begin, int end, Part&& part) const;
  const Gather& contact_points() const { return contact_.rows() > 0 ? contact_ : embedding_; }
  std::size_t at(int axis, Index node) const {
    return std::size_t(axis) * std::size_t(operator_->points()) + std::size_t(operator_->place(node));
  }

  Model model_;
  Gather embedding_, contact_;
  Damping damping_;
  Options options_;
  double unit_ = 1, lively_step_ = 0;
  Floats relative_mass_;  // over unit_, at the operator's places
  std::unique_ptr<Operator> operator_;
  std::unique_ptr<Preconditioner> preconditioner_;
  ConjugateGradients gradients_;
  double setup_ms_ = 0;

  State state_;
  long breakdowns_ = 0;

  // Scratch: never read across steps.
  State before_;       // of a step of several substeps
  bool torn_ = false;  // a substep since the step began tore the body
  static constexpr int node_block = 2048;
  std::vector<RigidMotion> rigid_, rigid_end_, moments_;
  std::vector<Frame> frames_;
  std::vector<unsigned char> held_;
  std::vector<Index> held_nodes_;  // those of held_: who is let go is known
  std::vector<Index> run_end_;     // behind the last node that lies beside the one before, from every node on
  Points outer_;                   // forces on nodes but gravity and grabs, N
  bool has_outer_ = false;
  Points new_x_, new_v_, solved_x_, targets_;
  std::vector<double> block_sums_;  // of node_block nodes each
  Floats b_, delta_;

  ContactStage stage_;
  ContactResponse answers_;
  Points speeds_, recalled_, on_nodes_;
  double response_ = 1, alone_ = 0;
};

}  // namespace pliant::metric
