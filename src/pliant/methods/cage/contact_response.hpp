// SPDX-License-Identifier: Apache-2.0
// How a caged body answers impulses r on its surface. The matrix A = L L^T of the step is factored already; its
// freedoms are the vertices of the cage, seen along the body's axes R:
//   dv = unit A^-1 J^T R^T r,   W = unit R J A^-1 J^T R^T = unit R (L^-1 J^T)^T (L^-1 J^T) R^T
// J has three rows a contact: the phi of its points, and with normals that follow also psi_j dy_j/dx. These
// couple the directions, so that W has full 3x3 blocks (contact/dense_response.hpp): no scalar and no rotation
// of the whole body stand for them. No stiffness of contact has to be chosen, and any Young's modulus is as
// safe as the step itself.
#pragma once

#include "pliant/contact/contact_stage.hpp"
#include "pliant/methods/cage/contact_points.hpp"
#include "pliant/methods/cage/step.hpp"

namespace pliant::cage {

/// A view, of one solve: Work::system is the factor of A.
template <class T>
class ContactResponse final : public SurfaceResponse {
 public:
  /// axes: R. unit: an impulse changes velocities by unit A^-1 J^T. follow: the normals do.
  ContactResponse(const Step& step, const ContactBasis& basis, const Mat3& axes, double unit, bool follow)
      : step_(step), basis_(basis), axes_(axes), unit_(unit), follow_(follow) {}

  /// Writes Work::response and Work::touch.
  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;
  /// change += scale B J^T r of the contacts that fill() has seen: velocities of the vertices along the axes,
  /// m/s.
  void respond(std::span<const Vec3> r, double scale, Columns& change) const;

 private:
  /// J^T in Work::response, three rows a contact, in panels.
  void fill_rows(std::span<const Contact> contacts) const;
  /// Adds the row of one term, weight b(vertex), to the three rows of a contact.
  void add_row(const Eigen::VectorXd& b, T* const rows[3]) const;
  /// W from Work::touch, turned to the world.
  void fill_matrix(Index contacts, Eigen::MatrixXd& w) const;

  const Step& step_;
  const ContactBasis& basis_;
  const Mat3 axes_;
  const double unit_;
  const bool follow_;
};

}  // namespace pliant::cage
