// SPDX-License-Identifier: Apache-2.0
// Contact within a step. Points of the surface that would touch get impulses r; the matrix A of the step is
// factored already, so that their answer is u = free + W r with W = B A^-1 B^T, B the phi of the points: no
// stiffness of contact has to be chosen, and any Young's modulus is as safe as the step itself. What is still
// inside after that is moved out in a second problem that leaves velocities alone.
#pragma once

#include <span>

#include "pliant/contact/detection.hpp"
#include "pliant/methods/cage/contact_points.hpp"
#include "pliant/methods/cage/dense_contacts.hpp"
#include "pliant/methods/cage/momentum.hpp"
#include "pliant/methods/cage/step.hpp"

namespace pliant::cage {

class ContactStep {
 public:
  explicit ContactStep(const Model& model);
  ContactStep(const ContactStep&) = delete;  // detection refers to the points
  ContactStep& operator=(const ContactStep&) = delete;

  const ContactPoints& points() const { return points_; }

  /// Nothing touches.
  void clear();
  /// Finds contacts of the motion without impulses: Scratch::z is Z at the beginning and `rate` its velocity,
  /// of which the first `used` rows count. A later iteration of a step keeps where the points began.
  bool meet(const Step& step, const Flight& flight, const Columns& rate, Index used, bool first);
  /// Impulses and what they change: Scratch::solved, velocities of the vertices, and Scratch::shift, which
  /// moves them out. Work::system is the factor of a matrix A of any unit: an impulse r changes velocities by
  /// unit A^-1 B^T r. consistent: normals follow.
  template <class T>
  void respond(const Step& step, const Flight& flight, double unit, bool consistent);
  /// The forces are the warm start of the next step.
  void remember(State& state);
  /// How deep the surface of the new state is, and which of its vertices the next step asks besides.
  void measure(const Step& step);

  bool touches() const { return !found_.empty(); }
  /// energy -= work of the forces since the beginning of the step, J; z: Z in the world.
  void subtract_work(const Columns& z, double& energy) const;
  /// Forces of the contacts on Z, seen from a frame.
  void add_forces(const Mat3& frame, Columns& on_z) const;

 private:
  /// How the contacts move with the vertices of the cage, three rows each of Work::response (in panels):
  /// their phi, and with normals that follow also psi_j dy_j/dx.
  template <class T>
  void fill_response(const Step& step, bool consistent) const;
  /// W from the response.
  template <class T>
  void fill_w(const Step& step, double unit);
  /// The row of a contact: free velocity, bias with restitution, warm start.
  void fill_row(const Step& step, const Flight& flight, Index c);
  /// The velocity that moves a contact out of its collider, m/s.
  double lift(const Step& step, Index c) const;
  /// change += A^-1 B^T r; the rows of the response hold L^-1 B^T.
  template <class T>
  void apply(const Step& step, const Eigen::VectorXd& impulses, Columns& change) const;
  /// Depth of the contacts over their own planes: one that crossed a thin collider is deep though it is
  /// outside again.
  double depth(const Step& step) const;

  ContactPoints points_;
  Detection detection_;

  // Of one step.
  Points begin_, end_;  // of the points, without impulses
  std::vector<Contact> found_;
  std::vector<SideMemory> sides_;
  std::vector<ContactMemory> memory_;
  DenseContacts contacts_;
  std::vector<double> lift_;
};

}  // namespace pliant::cage
