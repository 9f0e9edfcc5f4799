// SPDX-License-Identifier: Apache-2.0
// Contact of meshless flesh. Impulses on the surface answer through the constant scalar matrix S: with j_c
// the row of shape functions of contact c, an impulse r (N s) changes velocities by
//   u_c = sum_d s_cd r_d,   s_cd = j_c S^-1 j_d^T / h^2
// Columns S^-1 j^T are kept while S stands; three are found by one back-substitution.
#pragma once

#include "pliant/contact/contact_problem.hpp"
#include "pliant/contact/detection.hpp"
#include "pliant/methods/meshless/free_turning.hpp"

namespace pliant::meshless {

class ContactStage {
 public:
  /// The rows are the points that may meet colliders, from the nodes.
  void attach(Gather rows, const Points& rest, double spacing);
  const Gather& rows() const { return rows_; }
  /// S has changed: what is known of its inverse is forgotten.
  void flush();

  Detection& detection() { return detection_; }
  const Detection& detection() const { return detection_; }

  /// The problem of these contacts: matrix and normals; velocities and biases are the caller's.
  /// `turning`: of a body that nothing holds; else null.
  void fill(std::span<const Contact> contacts, double h, ScalarSystem& system, const FreeTurning* turning,
            ContactProblem& problem, Pool& pool);

  Vec3 observe(const Contact& contact, std::span<const Vec3> v) const;
  /// out = factor J^T r.
  void collect(std::span<const Contact> contacts, std::span<const Vec3> r, double factor,
               std::span<Vec3> out) const;

  std::size_t memory_bytes() const;

 private:
  struct Column {
    Index vertex = -1;
    std::uint64_t used = 0;
    std::vector<float> value;
  };
  Index slot();

  Gather rows_;
  Detection detection_;
  std::size_t nodes_ = 0;
  std::vector<Column> columns_;  // the least recently used give way
  std::vector<Index> slot_of_;   // of a vertex, -1 = none
  std::uint64_t uses_ = 0;
  std::vector<Index> wanted_;
  AlignedVector<Float4> load_, answer_;
};

}  // namespace pliant::meshless
