// SPDX-License-Identifier: Apache-2.0
// How meshless flesh answers impulses on its surface: through the constant scalar matrix S of the step. With
// j_c the row of shape functions of contact c, an impulse r (N s) changes velocities by
//   u_c = sum_d s_cd r_d,   s_cd = j_c S^-1 j_d^T / h^2
// and what nothing holds shifts and turns as a rigid body does (free_turning.hpp).
#pragma once

#include "pliant/contact/contact_stage.hpp"
#include "pliant/methods/meshless/cache.hpp"
#include "pliant/methods/meshless/free_turning.hpp"

namespace pliant::meshless {

class ContactResponse final : public NodeResponse {
 public:
  /// All outlive this object.
  void attach(const Model& model, const ContactRows& rows, Cache& cache);

  /// A step of a body that is held.
  void hold(double h);
  /// A step of a body that nothing holds, whose nodes are about x; mass: that of S. split: it turns.
  void set_free(double h, const Points& x, double mass, bool split, Pool& pool);

  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;
  void displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                Pool& pool) override;
  /// The end x of a step changes with the impulses: x += h B J^T r.
  void push(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x, Pool& pool);

  std::size_t memory_bytes() const;

 private:
  /// Columns S^-1 j^T of the contacts' points.
  void need_columns(std::span<const Contact> contacts, Pool& pool);
  /// x += factor S^-1 J^T r, corrected for what is free.
  void move(double factor, std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
            Pool& pool);

  const ContactRows* rows_ = nullptr;
  Cache* cache_ = nullptr;
  FreeTurning turning_;
  bool free_ = false;
  double h_ = 0;  // s

  // Scratch.
  std::vector<Index> wanted_;
  AlignedVector<Float4> load_, answer_;
  Points on_nodes_, way_;
};

}  // namespace pliant::meshless
