// SPDX-License-Identifier: Apache-2.0
// A body of the geometric method [Huang06] in full space. step.cpp advances it, surface.cpp shows it.
#pragma once

#include "pliant/contact/contact_problem.hpp"
#include "pliant/contact/detection.hpp"
#include "pliant/contact/position_pass.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/geometric/contact_response.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/factored_hessian.hpp"
#include "pliant/methods/geometric/kept_volume.hpp"
#include "pliant/methods/geometric/linear_system.hpp"
#include "pliant/methods/geometric/skin.hpp"
#include "pliant/methods/geometric/state.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "pliant/methods/geometric/sweeps.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::geometric {

/// `automatic` takes the direct solver up to so many nodes. Frames of geometric/bar-stiff at 5, 8, 14 and 20
/// thousand nodes: the solvers are level between 8 and 14, where the direct one takes 50 times the set-up.
inline constexpr Index direct_limit = 8000;
/// The same of bodies whose nodes are the vertices of a surface: what cuts a sheet in two is short (sheets of
/// 10 and 40 thousand nodes take 2.3 and 13.7 ms a step, 2.7 and 15.4 with the V-cycle), and thin bodies need
/// exact solves (step.cpp).
inline constexpr Index surface_direct_limit = 40000;

inline Index direct_limit_of(const Options& options) {
  return operator_of(options) == Operator::volumetric ? direct_limit : surface_direct_limit;
}

class Body final : public Method {
 public:
  /// options.linear_solver must have been resolved: not automatic.
  Body(Model model, Skin skin, const Damping& damping, const Options& options);

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return state_.nodes; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
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

  const Model& model() const { return model_; }
  /// From now on, of this body's surface.
  void keep_volume(KeptVolume kept);
  /// The live options and the damping of the next step; the rest of `options` must be unchanged.
  void set_live(const Damping& damping, const Options& options);

 private:
  struct Scheme : ImplicitScheme {
    double turning = 0;  ///< the rotations' share in the Hessian: stiffness, or h'^2 in the paper's frame
  };

  void prepare_contact();
  Scheme scheme(double h) const;
  bool prepare_system(const StepInput& input, const Scheme& scheme, StepReport& report);
  void rearrange();
  void choose_hessian(bool new_pattern, const Scheme& scheme, Pool& pool);
  static FactoredHessian::Coefficients hessian_coefficients(const Scheme& scheme);
  bool soft_rows() const;
  bool history_applies(const StepInput& input) const;
  EndArrays end_arrays(const Scheme& scheme) const;
  void predict(const StepInput& input, const Scheme& scheme);
  void load_prediction(const StepInput& input, const Scheme& scheme);
  std::string set_springs(const StepInput& input, const Scheme& scheme);

  const double* trial_at(const float* u);
  void exact_residual(const float* u, const Scheme& scheme, Pool& pool, StageWatch& watch);
  Mat3 exact_rotation(Index node, const Mat3& slew) const;
  void add_pulls(const double* x);
  void residual(const float* u, bool renew_rotations, const Scheme& scheme, Pool& pool, StageWatch& watch);
  void add_inner_drag(const float* u, const Scheme& scheme, Pool& pool);
  double hessian(const float* p, float* out, const Scheme& scheme, Pool& pool, StageWatch& watch);
  std::optional<double> solve(const float* b, float* z, Pool& pool, StageWatch& watch);
  double kept_solve(float* g, float* z, Pool& pool, StageWatch& watch);
  void newton(const StepInput& input, const Scheme& scheme, StepReport& report, StageWatch& watch);
  bool conjugate_gradients(double rho, int most, const Scheme& scheme, Pool& pool, StepReport& report,
                           StageWatch& watch);
  bool long_gradients(const Scheme& scheme, Pool& pool, StepReport& report, StageWatch& watch);
  void gradient_newton(double rho, const Scheme& scheme, Pool& pool, StepReport& report, StageWatch& watch);
  bool factored_newton(const Scheme& scheme, Pool& pool, StepReport& report, StageWatch& watch);
  void local_global_step(const Scheme& scheme, Pool& pool, StageWatch& watch);
  std::optional<double> add_newton_step(double most, const Scheme& scheme, Pool& pool, StageWatch& watch);
  void anderson(const StepInput& input, const Scheme& scheme, StepReport& report, StageWatch& watch);
  void local_global(const StepInput& input, const Scheme& scheme, StepReport& report, StageWatch& watch);

  // static_direction.cpp
  /// d = (M/h^2 + H)^-1 f on the free nodes (methods/node_statics.hpp); of the input h, held and pool count.
  std::string static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d);
  void static_gradients(const Scheme& scheme, Pool& pool, StageWatch& watch);

  // kept_volume_step.cpp
  void stiffen_stretched_stars(Pool& pool);
  void aim_volume(const Points& x, Pool& pool, StageWatch& watch);
  void aim_volume_from_start(Pool& pool, StageWatch& watch);
  void start_at_volume(const Scheme& scheme, Pool& pool, StageWatch& watch);
  void settle_volume(const StepInput& input, const Scheme& scheme);

  // contact_step.cpp
  Detection::Step detection_step(const StepInput& input) const;
  bool meet(const StepInput& input, const Scheme& scheme, StepReport& report, StageWatch& watch);
  void prepare_problem(bool split, const StepInput& input, const Scheme& scheme);
  void contact_anew(bool split, const StepInput& input, const Scheme& scheme, StageWatch& watch);
  void prepare_again(const StepInput& input, const Scheme& scheme);
  struct Descent {
    bool bounded = true;
    double first = 0;  ///< of its first step: the squared residual, kg m^2
  };
  Descent linearised_contact(const StepInput& input, const Scheme& scheme, StepReport& report,
                             StageWatch& watch);
  bool linearise_again(const Descent& before, const StepInput& input, const Scheme& scheme,
                       StepReport& report, StageWatch& watch);
  bool free_to_turn(const StepInput& input) const;
  void find_contacts(const StepInput& input);
  bool jump(const StepInput& input, const Scheme& scheme, StepReport& report);
  void set_targets(const StepInput& input, const Scheme& scheme);
  void warm_start(const Scheme& scheme);
  Vec3 velocity_of(const Contact& contact, const float* d, const Scheme& scheme) const;
  void answer(const float* d, int sweeps, double tolerance, const Scheme& scheme, StepReport& report);
  void take_impulses();
  void add_impulses(double scale, float* array) const;
  void complete_residual();
  void solve_residual(Pool& pool, StageWatch& watch);
  void contact_newton(const StepInput& input, const Scheme& scheme, StepReport& report, StageWatch& watch);
  void projected_step(int sweeps, double tolerance, const StepInput& input, const Scheme& scheme, float* step,
                      StepReport& report, StageWatch& watch);
  bool projected_steps(int count, const StepInput& input, const Scheme& scheme, StepReport& report,
                       StageWatch& watch);
  void contact_iterations(int count, const StepInput& input, const Scheme& scheme, StepReport& report,
                          StageWatch& watch);
  void last_answer(const StepInput& input, const Scheme& scheme, StepReport& report);
  void position_pass(const StepInput& input, StepReport& report);
  void remember_contacts(const Scheme& scheme);

  void settle(const StepInput& input, const Scheme& scheme);
  void keep_momentum(const StepInput& input, const Scheme& scheme);
  void put_held(const StepInput& input, const Scheme& scheme);
  bool finite_end() const;
  void accept(const StepInput& input, const Scheme& scheme);
  void flow(const StepInput& input, StepReport& report);
  Vec3 spin_of(std::span<const Index> part, const Points& x, const Points& v, double earlier);
  void keep_rigid_motion(Index part, const StepInput& input, const Scheme& scheme);
  void keep_linear_momentum(std::span<const Index> part, const StepInput& input, const Scheme& scheme);
  void keep_angular_momentum(std::span<const Index> part, const StepInput& input, const Scheme& scheme);
  Rotations rotations_now() const;
  void set_rotations(const Rotations& rotations);
  StepTraffic traffic(const StepReport& report) const;

  Model model_;
  Skin skin_;
  Damping damping_;
  Options options_;
  SymmetricMatrix stiffness_;  // K, for the direct solver
  std::vector<Index> order_;
  double setup_ms_ = 0;

  State state_;
  KeptVolume kept_;  // empty: the volume is free

  // The matrix and the layout that are in force.
  Arrangement arrangement_;
  Sweeps sweeps_;
  LinearSystem system_;
  LinearSystem::Coefficients coefficients_;
  std::vector<unsigned char> arranged_held_;
  bool factored_ = false;
  FactoredHessian hessian_factor_;
  bool factors_hessian_ = false, hessian_arranged_ = false;

  // Scratch: never read across steps.
  Points hat_x_, hat_v_, new_x_, new_v_;
  Doubles start_, trial_;  // X0 and the positions the residual is taken at
  Floats base_, diagonal_, g_, z_, p_, q_, d_, velocity_, load_, outer_load_, quaternions_before_;
  Points exact_x_, exact_v_, exact_g_;
  std::vector<Mat3> exact_turns_;
  struct Pull {
    LinearSystem::Spring spring;
    Vec3 target;
  };
  std::array<Pull, max_grabs> pulls_;
  int pull_count_ = 0;
  static constexpr int window = 5;
  static constexpr int most_factors = 8;       // of a step
  static constexpr double violent_turn = 0.3;  // rad
  std::array<Floats, window + 1> iterate_, increment_;
  std::vector<unsigned char> new_held_;
  std::span<const Vec3> loads_;  // outer forces of the step, contact included

  // Contact: what outlives a step is a function of the matrix.
  Detection detection_;
  ContactResponse response_;
  ContactProblem problem_, position_problem_;
  double total_mass_ = 0;
  bool whole_stencils_ = true;  // no vertex hangs on two parts
  std::vector<char> turns_;     // per part: its rigid turning can be split off
  std::vector<Contact> contacts_, touches_;
  Points impulses_;  // of contacts_
  PositionPass position_pass_;
  Points on_nodes_, outer_, jump_, change_, free_end_, shifted_x_, shifted_v_;
  std::vector<SideMemory> sides_;
  bool jumped_ = false, moved_ = false;
};

}  // namespace pliant::geometric
