// SPDX-License-Identifier: Apache-2.0
// Unilateral contact with Coulomb friction between one body and things it cannot move, as a problem in the
// impulses alone; it knows no method. Contacts are numbered c, d; r_d is the impulse on the body (N s), u_c
// the velocity of the contact point relative to the collider (m/s):
//   u_c = free_c + sum_d W_cd r_d,
//   W_cd = s_cd 1 + P_c J^-1 P_d^T - Z_c Q^-1 Z_d^T - a_c a_d^T/q   (the last three for contacts of the same part only)
// s is a scalar matrix: the method's response acts on x, y, z alike. A part of a body that is free to turn
// adds its exact rigid rotation, P_c w = w x lever_c, and takes the method's own idea of one out again,
// Z_c w = w x shadow_c. A part that keeps the volume it encloses leaves out what would change it: a_c is how c moves in
// that direction. A body that answers each direction in its own way has a dense W instead: nine numbers
// for each pair of contacts (dense_response.hpp). One whose nodes answer each for itself has no W at all
// (local_response.hpp). Conditions, with the normal n, the bias b >= 0 that lets an
// open gap close, and the friction mu:
//   0 <= r_n  complementary to  u_n + b >= 0;   |r_t| <= mu r_n, and r_t opposite to u_t where they are equal
// Projected Gauss-Seidel: contact by contact, in the order given, r <- Pi(r - (u + b n)/rho) with Pi the
// projection on the cone, normal first. With W_cc = rho 1 this is the exact solution of one contact; with a
// split part or a dense W rho is the largest eigenvalue of W_cc and the projection is repeated. Sweeps of
// stiff bodies converge slowly and are accelerated; those of a dense W are not.
// A part that rolls also gets a torque t (N m s) against its turning w about axes across a normal m (rolling.hpp):
//   |t| <= most, t . m = 0, and t opposite to w - (w.m) m where they are equal,   w = free + J^-1 (sum P^T r + t)
// t acts on the part as a rigid body: u_c = ... + (J^-1 t) x lever_c.
#pragma once

#include <span>

#include "pliant/base/aligned.hpp"
#include "pliant/base/types.hpp"
#include "pliant/contact/dense_response.hpp"
#include "pliant/contact/local_response.hpp"

namespace pliant {

template <int window>
class Anderson;  // math/anderson.hpp

/// r on the cone of the friction coefficient about the normal.
/// friction < 0: of a bond, which holds in all directions.
Vec3 on_cone(const Vec3& r, const Vec3& normal, double friction);

class ContactProblem {
 public:
  /// One contact of the problem.
  struct Row {
    Vec3 normal{0, 1, 0};
    double friction = 0;
    double bias = 0;       ///< m/s
    Vec3 free{0, 0, 0};    ///< u without impulses, m/s
    Vec3 lever{0, 0, 0};   ///< from the centre of mass of its part, m
    Vec3 shadow{0, 0, 0};  ///< the method's response to what would turn it, see above
    Vec3 swell{0, 0, 0};   ///< a, m^3/kg
    Index part = 0;
  };
  struct Part {
    Mat3 inverse_inertia = Mat3::Zero();  ///< J^-1
    Mat3 inverse_shadow = Mat3::Zero();   ///< Q^-1
    double inverse_swell = 0;             ///< 1/q, kg/m^6; 0: nothing keeps its volume
  };
  /// What resists the rolling of a split part.
  struct Rolling {
    double most = 0;       ///< N m s; 0: nothing does
    double reach = 1;      ///< a length of the part, that compares turning with velocities, m
    Vec3 normal{0, 1, 0};  ///< m
    Vec3 free{0, 0, 0};    ///< w without impulses, rad/s
  };
  struct Outcome {
    int sweeps = 0;
    double residual = 0;  ///< largest change of the last sweep, m/s
  };

  /// A problem of so many contacts, all impulses zero. With `split`, parts turn as rigid bodies; with `swells`, some keep
  /// their volume. A problem of the same size as the last keeps its s.
  void reset(Index contacts, Index parts, bool split, bool swells = false);
  /// The same with a dense W, which is to be set. The only part is not split.
  void reset_dense(Index contacts);
  /// The same of a body whose nodes answer each for itself; the response is to be given its contacts.
  LocalResponse& reset_local(Index contacts, std::span<const float> inverse);
  Index size() const { return size_; }
  Row& row(Index c) { return rows_[std::size_t(c)]; }
  const Row& row(Index c) const { return rows_[std::size_t(c)]; }
  Part& part(Index p) { return parts_[std::size_t(p)]; }
  float& s(Index c, Index d) { return s_[std::size_t(c) * stride_ + std::size_t(d)]; }
  float s(Index c, Index d) const { return s_[std::size_t(c) * stride_ + std::size_t(d)]; }
  Eigen::MatrixXd& dense() { return dense_response_.matrix(); }  ///< after reset_dense()

  Vec3 impulse(Index c) const {
    const std::size_t k = std::size_t(c);
    return {r_[k], r_[stride_ + k], r_[2 * stride_ + k]};
  }
  void set_impulse(Index c, const Vec3& r);
  Index parts() const { return Index(parts_.size()); }
  bool split() const { return split_; }
  /// Rows and parts have what is not s.
  bool has_parts() const { return split_ || swells_; }
  bool dense_response() const { return dense_; }
  bool local_response() const { return local_; }
  Rolling& rolling(Index p) { return rolling_[std::size_t(p)]; }
  Vec3 torque(Index p) const;
  void set_torque(Index p, const Vec3& t);
  /// w of a part at the impulses and torques that are summed up.
  Vec3 turning(Index p) const { return rolling_[std::size_t(p)].free + turning_[std::size_t(p)].rigid; }

  /// Makes the diagonal blocks; after the rows' levers, parts and s, or the dense W, are set; before solve.
  void prepare();
  /// Impulses push contacts the way they act, as far as the diagonal blocks tell. A body that a step squeezed or
  /// turned beyond all measure may answer otherwise.
  bool positive() const { return positive_; }
  Mat3 block(Index c, Index d) const;  ///< W_cd

  /// From the impulses that are set, projected first.
  Outcome solve(int most_sweeps, double tolerance);
  /// Without friction, normals only: u_n = u_normal[c] + sum_d n_c . W_cd n_d s_d >= 0. s >= 0 in `out`.
  void solve_normals(std::span<const double> u_normal, int sweeps, std::span<double> out);
  /// From now on u_c = velocity(c) at the impulses that are set: the free velocities follow.
  template <class Velocity>
  void rebase(Velocity&& velocity) {
    sum_response();
    for (Index c = 0; c < size_; ++c) rows_[c].free = velocity(c) - response(c);
  }
  /// The same of the turning of a part, after it.
  void rebase_turning(Index p, const Vec3& w) {
    rolling_[std::size_t(p)].free = w - turning_[std::size_t(p)].rigid;
  }
  /// Sums up what the impulses and torques do, for turning().
  void sum_response();
  /// u of a contact at the current impulses.
  Vec3 velocity(Index c) const;

  // For problems over several bodies (island/island_problem.hpp), of which this is one.
  /// (W r)_c of the impulses that are summed up.
  Vec3 response(Index c) const;
  /// Changes the impulse of a contact, and what is kept of W r.
  void add_impulse(Index c, const Vec3& change);

 private:
  static constexpr int window = 6;

  struct Turning {
    Vec3 rigid{0, 0, 0}, shadow{0, 0, 0};  ///< J^-1 sum P^T r, Q^-1 sum Z^T r
    double swelling = 0;                   ///< sum a . r/q
  };
  void resize(Index contacts, Index parts);
  /// Puts all impulses on their cones.
  void project();
  double sweep(double tolerance);
  /// The torque of a part. Returns its change, m/s.
  double resist(Index p);
  void accelerate(Anderson<window>& anderson, int now);

  Index size_ = 0;
  std::size_t stride_ = 0;  // of the rows of s, and between x, y and z of the impulses
  bool split_ = false, swells_ = false, dense_ = false, local_ = false, positive_ = true;
  std::vector<Row> rows_;
  std::vector<Part> parts_;
  std::vector<Turning> turning_;
  std::vector<Rolling> rolling_;
  std::vector<Mat3> diagonal_;
  std::vector<double> rho_, part_rho_;
  AlignedVector<float> s_;
  DenseResponse dense_response_;          // in place of s_, when dense_
  LocalResponse local_response_;          // when local_
  AlignedVector<double> r_;               // and behind the impulses the torques over their reach
  AlignedVector<double> swept_, change_;  // of the last sweeps: s(r), s(r) - r
};

}  // namespace pliant
