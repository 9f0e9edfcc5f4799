// SPDX-License-Identifier: Apache-2.0
// How a body of nodes answers impulses, by a constant scalar matrix S that bounds the Hessian of its step, the same for
// x, y and z. S resists turning as if every node were tied to its orientation; so parts that nothing holds turn as rigid
// bodies. With r from the centre of mass of a part, its turning modes P w = w x r and their shadows Z = S^-1 M P,
//   B = S^-1 - Z Q^-1 Z^T + P J^-1 P^T,   Q = P^T M Z,   J = P^T M P        M: the masses of S
// is the rigid response on rigid motions and that of S on what is M-orthogonal to them. A shift S answers exactly.
// What gives way beside the nodes (Yield) and is eliminated makes B = S^-1 + S^-1 Y C^-1 Y^T S^-1 instead.
// Everything is in double but the entries of the contact problem.
#pragma once

#include "pliant/contact/contact_stage.hpp"
#include "pliant/contact/response_columns.hpp"
#include "pliant/math/direct_solver.hpp"

namespace pliant {

/// Freedoms p that S holds on to, of which B leaves none: with [S -Y; -Y^T H] of nodes and p, C = H - Y^T S^-1 Y.
class Yield {
 public:
  virtual ~Yield() = default;
  virtual Eigen::Index size() const = 0;
  /// out = Y^T z of a motion of the nodes.
  virtual void pull(std::span<const Vec3> z, Eigen::VectorXd& out) = 0;
  /// f += Y p on the nodes.
  virtual void push(const Eigen::VectorXd& p, std::span<Vec3> f) const = 0;
  /// p = C^-1 p, column by column.
  virtual void solve(Eigen::Ref<Eigen::MatrixXd> p) const = 0;
};

class ScalarResponse final : public SurfaceResponse {
 public:
  /// part: of every node. Rows and part outlive this object.
  void attach(const ContactRows& rows, std::span<const Index> part, Index parts);

  /// S, over all nodes; rows of held nodes are those of the unit matrix. mass: what S has of the masses, kg.
  /// Returns the trouble, empty when all is well.
  std::string factor(const SymmetricMatrix& s, std::span<const double> mass,
                     std::span<const unsigned char> held);
  /// The modes of the parts at x. Without split B is S^-1.
  void turn_about(const Points& x, bool split);

  /// From now on; null: nothing gives way. With it nothing is split.
  void give_way(Yield* yield) { yield_ = yield; }
  /// z = S^-1 f.
  void solve_stiff(std::span<const Vec3> f, std::span<Vec3> z);

  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;
  /// z = B f; held nodes do not move. A split part gets exactly the momentum and the spin of f.
  void solve(std::span<const Vec3> f, std::span<Vec3> z);
  /// How the split parts turn in a motion, as rigid bodies: the fastest, rad/s for velocities.
  double turning(std::span<const Vec3> way);

  std::size_t memory_bytes() const { return direct_.memory_bytes() + columns_.memory_bytes(); }

 private:
  struct Part {
    double mass = 0;
    Vec3 centre{0, 0, 0};
    Mat3 inverse_inertia = Mat3::Zero(), inverse_shadow = Mat3::Zero();
    Vec3 shade{0, 0, 0}, momentum{0, 0, 0}, spin{0, 0, 0};  ///< scratch
  };
  Part& part_at(std::size_t node) { return parts_[std::size_t(part_[node])]; }
  void turn_freely();
  void need_columns(std::span<const Contact> contacts);
  /// z = S^-1 M r of all nodes, and Q.
  void cast_shadows();
  /// column_ of a contact: S^-1 j.
  void weigh_columns(const Contact& contact);
  void fill_dense(std::span<const Contact> contacts, ContactProblem& problem);
  /// sum_k a_k j_k c of a contact's row and a column.
  double product(const Contact& contact, std::span<const float> column) const;

  const ContactRows* rows_ = nullptr;
  std::span<const Index> part_;
  std::vector<Part> parts_;
  std::vector<double> mass_;
  std::vector<unsigned char> held_;
  bool split_ = false;
  DirectSolver direct_;
  ResponseColumns columns_;
  Points arm_, shadow_, load_, answer_;
  std::vector<Index> wanted_;
  std::vector<float> column_;  // of a contact: the weighted columns of its vertices
  Yield* yield_ = nullptr;
  Eigen::VectorXd given_;              // scratch: p
  Eigen::MatrixXd pulled_, answered_;  // of the contacts, three columns each: Y^T S^-1 J^T, C^-1 times it
};

}  // namespace pliant
