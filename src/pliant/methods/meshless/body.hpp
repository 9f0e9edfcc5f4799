// SPDX-License-Identifier: Apache-2.0
// Meshless flesh on a skeleton [ZJU06]. step.cpp advances it, settle.cpp finds where it rests, surface.cpp
// shows it.
#pragma once

#include "pliant/math/direct_solver.hpp"
#include "pliant/math/gather.hpp"
#include "pliant/methods/meshless/contact_response.hpp"
#include "pliant/methods/meshless/energy.hpp"
#include "pliant/methods/meshless/rig.hpp"
#include "pliant/methods/meshless/scalar_system.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::meshless {

/// Root of the sum of squares.
double norm(const Points& vectors);

class Body final : public Method {
 public:
  /// options.rotations must have been resolved: not automatic.
  /// `contact`: the points that meet colliders; no rows = those of the embedding.
  Body(Model model, Rig rig, Gather embedding, Gather contact, const Damping& damping,
       const Options& options);
  Body(const Body&) = delete;  // the contact stage knows its own rows by address
  Body& operator=(const Body&) = delete;

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return state_.nodes; }
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  void surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const override;
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  /// Of the given rotations, those of the last step; polar ones are those of the present positions. Bones and
  /// holds store energy too, which does not count. Rows that turn by themselves [Mueller02] have no energy:
  /// theirs is that of the cells.
  double elastic_energy() const override;
  void elastic_forces(std::span<Vec3> out) const override;
  /// The whole answer; rotations that follow the positions (`polar`) take several solves.
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  StaticSolve static_solve() const override { return StaticSolve::in_one_solve; }
  std::optional<double> driven_until() const override;
  /// Cells whose det F is not positive.
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
    options_.refinements = options.refinements;
  }
  const Rig& rig() const { return rig_; }
  /// A joint leaves its keys: it has this turn and move (geometry/skeleton.hpp) from the next step on. The
  /// trouble, or empty.
  std::string drive_joint(const DrivenJoint& joint);
  const std::vector<DrivenJoint>& driven_joints() const { return state_.driven; }
  /// Cells whose blend of rotations had no length in the last step and that kept theirs; without those of
  /// parts that no bone reaches.
  int kept_rotations() const { return kept_; }
  /// Cells that no bone reaches: they never turn.
  int unreached_cells() const { return unreached_; }
  const PackedCells& packed() const { return packed_; }
  void add_setup(double ms) { setup_ms_ += ms; }

 private:
  /// The matrix of a solve is  mass M + stiffness K(R) + hold rows^T rows.
  struct Scheme {
    double h = 0;           ///< s; 0: statics
    double mass = 0;        ///< (1 + h alpha) / h^2, 1/s^2
    double stiffness = 1;   ///< 1 + beta / h
    double drag = 0;        ///< alpha, 1/s
    double inner_drag = 0;  ///< beta, s
  };
  Scheme scheme(double h) const;
  std::string prepare(const StepInput& input, const Scheme& scheme, StepReport& report);
  void aim(const StepInput& input);
  bool turns_nodes() const { return options_.warping == Warping::node || options_.warping == Warping::row; }
  bool diffuses() const {
    return options_.rotations == Rotations::diffused && options_.warping != Warping::none;
  }
  int cells_without_bone();
  Mat3 node_rotation(Index node) const;
  Points unturned_nodes() const;
  void turn(const Points& x, bool polar, Pool& pool);
  void turn_nodes(const Points& x, bool polar, Pool& pool);
  void elastic(const Points& x, bool rest, bool exact, Points& out, Pool& pool);
  double residual(const StepInput& input, const Scheme& scheme, const Points& x);
  void apply(const StepInput& input, const Scheme& scheme, const Float4* z, Float4* y);
  double curvature(const StepInput& input, const Scheme& scheme, const AlignedVector<Float4>& z);
  void apply_rows(const StepInput& input, const Float4* z, Float4* y) const;
  void precondition(const Float4* r, Float4* z, Pool& pool);
  int solve(const StepInput& input, const Scheme& scheme, double tolerance, int most);
  int solve_unsymmetric(const StepInput& input, const Scheme& scheme, double tolerance, int most);
  bool runs_ahead() const;
  void run_ahead(double h);
  bool is_free(const StepInput& input) const;
  void keep_momentum(const StepInput& input, const Scheme& scheme, std::span<const Vec3> forces);
  Stress<double> stress_of(bool rest) const;
  Stress<float> rough_stress() const;  ///< of the matrix, for the iterations
  PackedCells::Quaternions& cell_rotations();
  StepTraffic traffic(const StepReport& report) const;
  int flow(double h);
  void contact(const StepInput& input, const Scheme& scheme, StepReport& report);
  void answer_contacts(const StepInput& input, const Scheme& scheme, StepReport& report);

  Model model_;
  Rig rig_;
  PackedCells packed_;
  Gather embedding_, contact_points_;
  Damping damping_;
  Options options_;
  double hold_ = 0;  ///< stiffness of bones and holds, N/m
  double setup_ms_ = 0;

  State state_;

  // What is in force for the held nodes and the step length.
  ScalarSystem system_;
  DirectSolver block_;  ///< of `warping: node`: M + K once for all, in the frame of the nodes
  ContactStage stage_;
  ContactResponse response_;
  Gather rows_;  ///< points held: bones, then held nodes
  std::vector<float> row_weight_;
  std::vector<Index> arranged_held_;
  Scheme arranged_;
  bool ready_ = false;

  // Scratch: never read across steps.
  Rig::Scratch posed_;
  AlignedVector<Float4> q_nodes_;
  std::vector<Mat3> turned_;  ///< of the nodes
  Points targets_;            ///< of rows_
  Points new_x_, new_v_, r_, elastic_, y_, on_nodes_;
  Points block_b_, block_z_;
  AlignedVector<Float4> d_, f_, z_, p_, ap_, s_, t_, shadow_;
  AlignedVector<double> stress_;  ///< plastic
  PackedCells::Quaternions unturned_;
  std::vector<Eigen::Quaterniond> part_turn_;
  double kappa_ = 0;  ///< Pa
  int kept_ = 0, unreached_ = 0;
};

}  // namespace pliant::meshless
