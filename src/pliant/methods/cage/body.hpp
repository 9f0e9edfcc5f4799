// SPDX-License-Identifier: Apache-2.0
// A body that moves with a cage around it [Martin09]: the vertices of the cage are the freedoms, the scaled
// normals of its faces follow. step.cpp advances it with frozen normals (as a whole and by deformation apart,
// or as the paper does), consistent_step.cpp with normals that follow, rest.cpp finds where it rests,
// surface.cpp shows it. Everything is done in the body's own frame, where a body that only moved as a whole
// has strain 0 to the last bit, also in single precision.
#pragma once

#include "pliant/contact/detection.hpp"
#include "pliant/methods/cage/dense_contacts.hpp"
#include "pliant/methods/cage/holds.hpp"
#include "pliant/methods/cage/state.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::cage {

// Of the mean diagonal of a step's matrix: what is added, ten times more each time, where it is not definite.
inline constexpr double least_shift = 1e-7, most_shift = 1e-2;

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
  friend struct BodyProbe;  // tests/unit/methods/cage/matrix_test.cpp looks at matrices and forces

  template <class T>
  struct Work {
    AlignedVector<T> z, stress, force, rows, gram, system, scalar, right, plastic, jacobian, twist, response,
        w, damper;
    AlignedVector<T> kept, kept_scalar, answer, residual, way, image, divided;  // kept_factor.cpp
    std::array<double, 4> kept_for{};  // time step, damping and holds of the kept factor
    std::vector<double> energy;        // of the batches
    Look<T> trial;
  };
  template <class T>
  Work<T>& work();

  /// The body as a whole over a step: x -> c + R r goes to c1 + R1 r.
  struct Flight {
    Vec3 c{0, 0, 0}, c1{0, 0, 0}, velocity{0, 0, 0}, omega{0, 0, 0};
    Mat3 r0 = Mat3::Identity(), r1 = Mat3::Identity();
    bool split = false;  ///< the body as a whole goes its own way
  };

  // body.cpp
  template <class T>
  void make_work();
  template <class T>
  void look_at(const Columns& x, Look<T>& look, Pool& pool, const Columns* y = nullptr);
  template <class T>
  double stress_of(const Look<T>& look, Pool& pool);
  template <class T>
  void start_looking(Pool& pool);
  template <class T>
  void load_plastic();
  void set_local(const Columns& x, const Vec3& c, const Mat3& rotation, Columns& z) const;
  Whole whole_of(const Columns& x, const Columns& velocity, Mat3* second);
  Whole whole_about(const Vec3& c, const Columns& velocity, Mat3* second);
  void follow(const Eigen::Ref<const Columns>& x, const Columns& v, Columns& velocity);
  void exact(double* energy, Columns* force) const;
  void show() const;

  // step.cpp
  template <class T>
  void advance_frozen(const StepInput& input, StepReport& report, StageWatch& watch);
  Flight fly(const StepInput& input) const;
  template <class T>
  bool assemble_frozen(const Look<T>& look, double h, Pool& pool, StageWatch& watch);
  template <class T>
  void load_right(const StepInput& input, const Flight& flight);
  void add_node_forces(const StepInput& input, const Mat3& rotation, Columns& force) const;
  template <class T>
  bool accept(const StepInput& input, const Flight& flight, double before, double scale, StepReport& report);
  Whole keep_momentum(const StepInput& input);
  static Mat3 turned(const Vec3& angle, const Mat3& rotation);
  double potential(const StepInput& input, const Columns& x, const Whole& whole) const;
  void flow(const StepInput& input, StepReport& report);
  template <class T>
  void flow_as(double h, StepReport& report, Pool& pool);

  // kept_factor.cpp
  template <class T>
  bool iterates(const StepInput& input, const Flight& flight) const;
  template <class T>
  bool keep_factor(const StepInput& input, StepReport& report, StageWatch& watch);
  template <class T>
  void times_system(const AlignedVector<T>& v, double h, Pool& pool);
  template <class T>
  bool solve_kept(const StepInput& input, const Flight& flight, StepReport& report, StageWatch& watch);

  // contact_step.cpp
  bool meet(const StepInput& input, const Flight& flight, const Columns& rate, Index used, bool first);
  template <class T>
  void fill_response(bool consistent);
  template <class T>
  void respond(const StepInput& input, const Flight& flight, double unit, bool consistent,
               StepReport& report);
  template <class T>
  void apply_impulses(const Eigen::VectorXd& impulses, Columns& change);

  // contact_points.cpp
  void choose_contact_points();
  void set_contact_point(Index k, Index vertex);
  void set_more_points();
  double depth_of_contacts(const StepInput& input) const;
  void measure_gaps(const StepInput& input, double band);
  void measure_contacts(const StepInput& input, StepReport& report);
  void leave_contact_points();
  bool is_contact_point(Index vertex) const;
  void choose_more_points(double deep);

  // consistent_step.cpp
  template <class T>
  void advance_consistent(const StepInput& input, StepReport& report, StageWatch& watch);
  /// Minus the derivative of what a step or a rest minimises by Z, in the frame of the look; z_ is Z there.
  template <class T>
  void big_force(const StepInput& input, const Look<T>& look, const Vec3& c, Columns& out);
  void set_rigid_motions(const Columns& x);
  void leave_out_rigid(Columns& motion) const;
  double inertia_of(const Columns& apart, double h);
  template <class T>
  double damped(const Columns& x, double h, Columns* force);
  template <class T>
  double objective(const StepInput& input, const Columns& x, double elastic);
  template <class T>
  void descend(const StepInput& input, const Look<T>& look, const Columns& x, const Vec3& c);
  template <class T>
  bool factor_consistent(const StepInput& input, const Look<T>& look, bool exact);
  template <class T>
  double promised();
  void add_contact_forces(const Mat3& frame);
  template <class T>
  void lift_out(const StepInput& input, const Mat3& frame, double kinetic);
  template <class T>
  void end_consistent(const StepInput& input, double start, const Mat3& lift_frame, StepReport& report);

  // newton_system.cpp
  template <class T>
  void make_twist(const Look<T>& look);
  template <class T>
  void consistent_gram(const Look<T>& look, bool twisted, Pool& pool);
  double faces_open(const Eigen::Ref<const Columns>& x, Columns* force) const;
  void add_curvature(const Columns& force, bool definite);
  void pull_back_scalar(const Eigen::MatrixXd& scalar);
  void pull_back_force(const Columns& big, Columns& out) const;

  // rest.cpp
  class StaticProblem;
  double share_of_size(const Columns& moved) const;
  bool folds(const Columns& from, const Columns& to) const;

  Model model_;
  Damping damping_;
  Options options_;
  double setup_ms_ = 0;
  double hold_stiffness_ = 0;          // N/m, of a pin or handle as a whole
  double opening_ = 0;                 // J, keeps the faces of the cage open (normal_curvature.hpp)
  double fictitious_ = 0;              // kg, of a vertex of the cage
  AlignedVector<double> mass_blocks_;  // model_.mass as the kernels read it: [batch][row][16]
  Gather contact_points_;              // every contact point is its own node
  std::vector<Index> spread_;          // vertices of the surface that are always asked, ascending

  State state_;

  // Scratch: never read across steps.
  Pool alone_{1};
  Holds holds_;
  Work<float> single_;
  Work<double> twice_;
  Columns z_, z1_, y_, big_, new_x_, new_velocity_, local_, solved_, force_, shift_, moved_;
  std::vector<FaceJacobian> jacobians_;
  AlignedVector<double> product_;
  Detection detection_;
  AlignedVector<double> contact_blocks_;  // b of spread_ and of State::more: [batch][row][16]
  Eigen::MatrixXd contact_value_;         // the same, (N + T) x points
  std::vector<Index> asked_;              // whose b the places of State::more have
  std::vector<unsigned char> unused_;     // points without a vertex
  Index contact_count_ = 0;               // points up to the last that is used
  Points surface_;
  std::vector<double> gap_;  // of surface_, m
  std::vector<Index> deepest_, taken_;
  DenseContacts contacts_;
  std::vector<Contact> found_;
  std::vector<SideMemory> sides_;
  std::vector<ContactMemory> memory_;
  Points begin_, end_;
  std::vector<double> lift_;
  AlignedVector<double> lanes_;
  Eigen::MatrixXd pulled_, across_[3], scalar_;  // P^T S P and its making
  Columns hat_, hat_seen_, start_z_, told_, resisted_;
  Eigen::VectorXd way_, pull_;
  Eigen::Quaterniond damper_frame_ = Eigen::Quaterniond::Identity();
  std::array<Columns, 6> rigid_;  // motions of the cage as a whole, orthonormal
  Eigen::MatrixXd modes_;         // the same seen from the frame, 3 N x 6
  double more_mass_ = 0;          // kg, of the vertices in this step where its matrix needed it

  mutable NodeState nodes_;
  mutable bool shown_ = false;
};

template <>
inline Body::Work<float>& Body::work() {
  return single_;
}
template <>
inline Body::Work<double>& Body::work() {
  return twice_;
}

}  // namespace pliant::cage
