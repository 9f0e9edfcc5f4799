// SPDX-License-Identifier: Apache-2.0
// The scalar response s of contacts that lie on few points of a body, s_cd = sum_kl a_k a_l E_kl: E is that of the
// points to each other. Where many contacts share the same vertices, face on face, E is far smaller than s. The
// velocities E J^T r of the points are kept and follow each change of an impulse: contacts that change nothing cost
// nothing.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "pliant/base/aligned.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

class PointResponse {
 public:
  static constexpr std::size_t most_points = 4;  ///< of a contact

  /// No contacts yet, over so many points. E stays what it is where there are as many as before.
  void reset(Index points);
  Index points() const { return points_; }
  /// E of a point to all, 1/kg. Symmetric.
  float* row(Index point) { return e_.data() + std::size_t(point) * stride_; }
  const float* row(Index point) const { return e_.data() + std::size_t(point) * stride_; }

  /// Another contact; its points follow.
  void begin_contact() { contacts_.emplace_back(); }
  void add_point(Index point, double weight) {
    Terms& terms = contacts_.back();
    terms.point[terms.count] = point;
    terms.weight[terms.count++] = weight;
  }

  double entry(Index c, Index d) const;
  /// u of a contact.
  std::array<double, 3> operator()(Index c) const {
    const Terms& terms = contacts_[std::size_t(c)];
    std::array<double, 3> u{};
    for (std::size_t k = 0; k < terms.count; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis)
        u[axis] += terms.weight[k] * u_[axis * stride_ + std::size_t(terms.point[k])];
    return u;
  }
  /// u += W (a change of the impulse of contact c).
  void add(Index c, const Vec3& change);
  /// u = W r; impulse(c): r of a contact.
  template <class Impulse>
  void start_from(Impulse&& impulse) {
    std::fill(r_.begin(), r_.end(), 0.0);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const Vec3 r = impulse(Index(c));
      const Terms& terms = contacts_[c];
      for (std::size_t k = 0; k < terms.count; ++k)
        for (std::size_t axis = 0; axis < 3; ++axis)
          r_[axis * stride_ + std::size_t(terms.point[k])] += terms.weight[k] * r[Eigen::Index(axis)];
    }
    answer_points();
  }

 private:
  struct Terms {
    std::array<Index, most_points> point{};
    std::array<double, most_points> weight{};
    std::size_t count = 0;
  };
  /// u = E r.
  void answer_points();

  Index points_ = 0;
  std::size_t stride_ = 0;
  AlignedVector<float> e_;
  AlignedVector<double> u_, r_;  // of the points: all x, all y, all z
  std::vector<Terms> contacts_;
};

}  // namespace pliant
