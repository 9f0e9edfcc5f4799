// SPDX-License-Identifier: Apache-2.0
// A body of the geometric method in reduced space [Huang06, Sec. 4]: x = X + Phi Z. A step knows only the k x
// 3 numbers Z and one rotation a swept node; node positions and the surface are made when someone asks.
// step.cpp advances it, momentum.cpp keeps what the body has as a whole, statics.cpp finds
// where it rests.
#pragma once

#include "pliant/methods/geometric/adaptive_rotations.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/reduced/flow.hpp"
#include "pliant/methods/geometric/reduced/kernels.hpp"
#include "pliant/methods/geometric/reduced/model.hpp"
#include "pliant/methods/geometric/skin.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/momentum.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::geometric {

/// What decides the next step together with model and input; the rotations' warm starts belong to it.
struct ReducedState {
  Coordinates z, v;                   ///< Z, m; dZ/dt, m/s (times the unit of the column)
  Coordinates z_before, v_before;     ///< one step earlier, for BDF2
  bool has_before = false;            ///< false: the next step starts the multistep scheme anew
  double h = 0;                       ///< of the last step, s
  std::vector<unsigned char> active;  ///< held pieces of the last step
  Points rest_vectors;                ///< d of every directed edge of a plastic body; else empty
};

class ReducedBody final : public Method {
 public:
  /// cubature: every_node(model), or fewer with weights; every node with plasticity or adaptive rotations.
  ReducedBody(Model model, Skin skin, const Damping& damping, const Options& options, Basis basis,
              Cubature cubature);

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override;
  /// What is not in the space is lost: the nearest place and velocity in the M norm are taken.
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  bool activity(std::span<float> vertices) const override;
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  /// Of the swept nodes with their weights: the energy that this body conserves.
  double elastic_energy() const override;
  /// The forces that move the body: those of the energy, without what the space cannot follow.
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override;
  bool load(Reader& reader) override;
  MethodDescription describe() const override;

  const Model& model() const { return model_; }
  const Basis& basis() const { return basis_; }
  const ReducedModel& reduced() const { return reduced_; }
  const Coordinates& coordinates() const { return state_.z; }

 private:
  /// As in body.hpp.
  struct Scheme : ImplicitScheme {
    double turning = 0;  ///< as in Body
  };
  Scheme scheme(double h) const;
  std::string take_held(const StepInput& input);
  std::string choose_pieces(const StepInput& input);
  std::string aim_pieces(const StepInput& input);
  std::vector<Eigen::Index> unknown_columns() const;
  bool prepare_matrix(const Scheme& s, StepReport& report);
  bool history_applies(const StepInput& input) const;
  void predict(const StepInput& input, const Scheme& s);
  void set_base(const StepInput& input, const Scheme& s);
  void set_springs(const StepInput& input, const Scheme& s);

  int sweep_parts() const;
  ReducedArrays arrays();
  void to_single(const Coordinates& z);
  void add_parts();
  template <class Sweep>
  void sweep(const Coordinates& z, Pool& pool, Sweep&& over);
  void renew_rotations(const Coordinates& z, Pool& pool);
  void spread_rotations(const Coordinates& z, Pool& pool);
  double sweep_turns(const Coordinates& p, Pool& pool);
  void residual(bool renew, const Scheme& s, Pool& pool, StageWatch& watch);
  void add_inner_drag(const Scheme& s, Pool& pool);
  double hessian(const Scheme& s, Pool& pool, StageWatch& watch);
  void solve(StageWatch& watch);
  void newton(const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch);
  void anderson(const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch);
  void local_global(const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch);
  void settle(const StepInput& input, const Scheme& s);
  void accept(const StepInput& input);
  void flow(const StepInput& input, StepReport& report);

  // statics.cpp
  struct Balance {
    double elastic = 0, potential = 0;  ///< V and Pi, J
    Coordinates force;                  ///< F, of all columns
    double unbalanced = 0, acting = 0;  ///< N
  };
  void stand_still();
  Balance balance(const StepInput& input);
  double force_in_space(const Coordinates& force) const;
  class StaticProblem;
  std::string static_direction(const StepInput& input, double h, const Coordinates& force);

  // momentum.cpp
  Vec3 total(const Coordinates& z) const;
  void weigh(const Coordinates& z);
  Mat3 first_moments(const Coordinates& z, const Coordinates& u);
  Mat3 second_moments(const Coordinates& a, const Coordinates& b);
  Vec3 spin_of(const Coordinates& z, const Coordinates& v);
  void turn_about(const Vec3& pivot, const Coordinates& from, const Mat3& change, Coordinates& z);
  void keep_linear_momentum(const StepInput& input, const Scheme& s);
  void keep_angular_momentum(const StepInput& input, const Scheme& s);
  void keep_rigid_motion(const StepInput& input, const Scheme& s);

  void show(Index begin, Index end) const;
  Vec3 node_at(Index node, const Coordinates& z) const;
  Coordinates pulled(std::span<const Vec3> field) const;
  void project(std::span<const Vec3> field, Coordinates& out) const;
  void row_forces(std::span<Vec3> out) const;
  Rotations rotations_now(const Points& x) const;
  void set_rotations(const Rotations& rotations);
  StepTraffic traffic(const StepReport& report) const;

  Model model_;
  Skin skin_;
  Damping damping_;
  Options options_;
  Basis basis_;
  ReducedModel reduced_;
  Basis::Columns surface_columns_;  // W Phi
  Points surface_rest_;             // W X
  std::vector<Index> piece_of_;     // of a node, -1: none
  double setup_ms_ = 0, size_ = 0;
  double unit_strain_force_ = 0;  // as forces are measured in statics.cpp, N

  ReducedState state_;
  AlignedVector<float> quaternion_;
  ReducedFlow flow_;            // of a plastic body: what the sweeps read, made from state_.rest_vectors
  AdaptiveRotations adaptive_;  // places are nodes

  // The matrix that is in force: of the columns that no active piece tells.
  struct Spring {
    Index node = -1;
    double stiffness = 0;  ///< in the units of the matrix
    bool operator==(const Spring&) const = default;
  };
  struct Matrix {
    double mass = 0, stiffness = 0;
    std::vector<unsigned char> active;
    std::array<Spring, max_grabs> springs;
    int spring_count = 0;
    bool operator==(const Matrix&) const = default;
  };
  Matrix wanted_, have_;
  Eigen::MatrixXd matrix_, inverse_;  // told columns: rows and columns of the inverse are 0
  std::array<Vec3, max_grabs> targets_;

  // The held set that new_active_ and told_ were made from: the same input again needs no look at its nodes.
  std::vector<Index> known_held_;
  Points known_targets_;
  bool held_known_ = false;

  // Scratch: never read across steps.
  Coordinates hat_z_, hat_v_, start_, told_, base_, trial_, new_z_, new_v_, d_, g_, solved_, p_, q_, sums_,
      velocity_, heavy_;
  AlignedVector<float> small_, lanes_, quaternion_before_;
  AlignedVector<float> covariance_, rotation_;  // of adaptive bodies: [batch][9][16]
  std::vector<double> partial_;
  bool backwards_ = false;  // the direction of the next sweep
  std::vector<float> largest_;
  std::vector<unsigned char> new_active_;
  static constexpr int window = 5;
  static constexpr double violent_turn = 0.3;  // rad
  std::array<Coordinates, window + 1> iterate_, increment_;

  mutable NodeState nodes_;
  mutable bool shown_ = false;
};

}  // namespace pliant::geometric
