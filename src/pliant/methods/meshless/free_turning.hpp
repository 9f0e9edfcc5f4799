// SPDX-License-Identifier: Apache-2.0
// How a body that nothing holds shifts and turns as a whole when forces act on it. The constant matrix S of a
// step (scalar_system.hpp) resists turning as if every node were tied to its orientation: flesh on the ground
// would roll late. With r from the centre of mass of a part, the modes P w = w x r and their shadows
// Z = S^-1 M P, the response
//   B = S^-1 - Z Q^-1 Z^T + P J^-1 P^T,   Q = P^T M Z,   J = mass P^T M P
// is that of the rigid body on rigid motions and that of S on what is M-orthogonal to them. Single precision
// gives shift and spin to six digits: complete() sets the rest in double.
#pragma once

#include "pliant/base/aligned.hpp"
#include "pliant/methods/meshless/scalar_system.hpp"

namespace pliant::meshless {

class FreeTurning {
 public:
  void attach(const Model& model);

  /// Modes at x; mass as in S. Without split B is S^-1 but for the shift, and nothing turns.
  void about(const Points& x, double mass, bool split, ScalarSystem& system, Pool& pool);
  bool split() const { return split_; }

  /// z = S^-1 g in, B g out.
  void complete(const Points& g, Points& z) const;

  Index parts() const { return Index(parts_.size()); }
  Index part_of(Index node) const { return model_->part_of[std::size_t(node)]; }
  const Vec3& arm(Index node) const { return arm_[std::size_t(node)]; }        ///< r
  const Vec3& shadow(Index node) const { return shadow_[std::size_t(node)]; }  ///< S^-1 M r
  const Mat3& inverse_inertia(Index part) const { return parts_[std::size_t(part)].inverse_inertia; }
  const Mat3& inverse_shadow(Index part) const { return parts_[std::size_t(part)].inverse_shadow; }

 private:
  struct Part {
    double mass = 0;  ///< times that of S
    Mat3 inverse_inertia = Mat3::Zero(), inverse_shadow = Mat3::Zero();
  };
  const Model* model_ = nullptr;
  bool split_ = false;
  double mass_ = 0;
  std::vector<Part> parts_;
  Points arm_, shadow_;
  AlignedVector<Float4> load_, answer_;
};

}  // namespace pliant::meshless
