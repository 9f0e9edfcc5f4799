// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/point_response.hpp"

#include "pliant/contact/sweep_kernels.hpp"

namespace pliant {

void PointResponse::reset(Index points) {
  contacts_.clear();
  if (points == points_) return;
  points_ = points;
  stride_ = std::size_t((points + sweep_lanes - 1) / sweep_lanes) * sweep_lanes;
  // Contacts come and go: so seldom is there too little room.
  const std::size_t entries = stride_ * std::size_t(points);
  if (entries > e_.capacity()) e_.reserve(2 * entries);
  e_.assign(entries, 0);
  u_.assign(3 * stride_, 0);
  r_.assign(3 * stride_, 0);
}

double PointResponse::entry(Index c, Index d) const {
  const Terms &a = contacts_[std::size_t(c)], &b = contacts_[std::size_t(d)];
  double sum = 0;
  for (std::size_t k = 0; k < a.count; ++k) {
    const float* e = row(a.point[k]);
    double along = 0;
    for (std::size_t l = 0; l < b.count; ++l) along += b.weight[l] * double(e[b.point[l]]);
    sum += a.weight[k] * along;
  }
  return sum;
}

void PointResponse::add(Index c, const Vec3& change) {
  const Terms& terms = contacts_[std::size_t(c)];
  const float* columns[most_points] = {};
  for (std::size_t k = 0; k < terms.count; ++k) columns[k] = row(terms.point[k]);
  sweep_kernels().spread(columns, terms.weight.data(), int(terms.count), change.data(), u_.data(),
                         u_.data() + stride_, u_.data() + 2 * stride_, int(stride_));
}

void PointResponse::answer_points() {
  for (Index p = 0; p < points_; ++p) {
    double u[3];
    sweep_kernels().row(row(p), r_.data(), r_.data() + stride_, r_.data() + 2 * stride_, int(stride_), u);
    for (std::size_t axis = 0; axis < 3; ++axis) u_[axis * stride_ + std::size_t(p)] = u[axis];
  }
}

}  // namespace pliant
