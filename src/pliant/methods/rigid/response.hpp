// SPDX-License-Identifier: Apache-2.0
// How the body answers impulses r (N s) at places x, within a step. Its motion is that of a point o, the centre of mass
// or the place where it is held, and a turning w; with arms a = x - o the answer
//   (dv_o, dw) = C (sum r, sum a x r)
// is exact: nothing of the body gives way.
//   free            C = diag(1/m, J^-1), J about the centre
//   ball joint      C = diag(0, J_o^-1),  J_o about the joint
//   hinge           C = diag(0, a a^T/(a . J_o a)), a its axis
//   fixed           C = 0
//   with grabs      C = (diag(m, J) + h^2 K)^-1, K the stiffness of their springs: dense
#pragma once

#include <Eigen/Core>

#include "pliant/contact/contact_stage.hpp"
#include "pliant/methods/rigid/state.hpp"

namespace pliant::rigid {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

struct Twist {
  Vec3 velocity{0, 0, 0};  ///< of the point o, m/s
  Vec3 turning{0, 0, 0};   ///< rad/s

  Vec3 at(const Vec3& arm) const { return velocity + turning.cross(arm); }
};

/// C, and whether it has the form diag(light 1, turn).
struct Mobility {
  Mat6 matrix = Mat6::Zero();
  bool split = true;

  double light() const { return matrix(0, 0); }
  Mat3 turn() const { return matrix.bottomRightCorner<3, 3>(); }
  Twist answer(const Vec3& force, const Vec3& torque) const;
};

class Response final : public NodeResponse {
 public:
  /// Both outlive this object.
  void attach(const Model& model, const ContactRows& rows);
  /// The point o of rest arm `about`, of a body that is turned by `rotation`.
  void set(const Mobility& mobility, const Vec3& about, const Mat3& rotation);

  /// The sum of the weights of a row: 1, or -1 of the second of two bodies.
  static double weight(const Contact& contact);
  /// From o to the point of a contact, times the weight.
  Vec3 lever(const Contact& contact) const;
  /// C (sum r, sum a x r + torques).
  Twist answer(std::span<const Contact> contacts, std::span<const Vec3> r,
               std::span<const Vec3> torques = {}) const;
  /// sum a x r + torques.
  Vec3 moment(std::span<const Contact> contacts, std::span<const Vec3> r,
              std::span<const Vec3> torques) const;

  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;
  /// Moves `moved`, and x with it.
  void displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                Pool& pool) override;
  Motion* moved = nullptr;

 private:
  void fill_dense(std::span<const Contact> contacts, ContactProblem& problem) const;

  const Model* model_ = nullptr;
  const ContactRows* rows_ = nullptr;
  Mobility mobility_;
  Vec3 about_{0, 0, 0};
  Mat3 rotation_ = Mat3::Identity();
};

/// The body is moved by `way` and turned by `turn` about its point of rest arm `about`; its motion stays as seen from it.
void displace(Motion& motion, const Vec3& about, const Vec3& way, const Vec3& turn);

}  // namespace pliant::rigid
