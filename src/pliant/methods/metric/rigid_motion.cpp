// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/rigid_motion.hpp"

#include <algorithm>

namespace pliant::metric {

Vec3 turned_by(const Mat3& inertia, const Vec3& a) {
  Mat3 some = inertia;
  some.diagonal().array() += 1e-12 * inertia.trace() + 1e-300;
  return some.inverse() * a;
}

void measure(std::span<const Index> part, std::span<const double> mass, std::span<const Vec3> x,
             std::span<const Vec3> v, std::span<RigidMotion> out) {
  std::fill(out.begin(), out.end(), RigidMotion{});
  for (std::size_t i = 0; i < x.size(); ++i) {
    RigidMotion& m = out[std::size_t(part[i])];
    m.mass += mass[i];
    m.centre += mass[i] * x[i];
    m.velocity += mass[i] * v[i];
  }
  for (RigidMotion& m : out) m.centre /= m.mass, m.velocity /= m.mass;
  for (std::size_t i = 0; i < x.size(); ++i) {
    RigidMotion& m = out[std::size_t(part[i])];
    const Vec3 arm = x[i] - m.centre;
    m.angular += mass[i] * arm.cross(v[i] - m.velocity);
    m.inertia.noalias() -= mass[i] * arm * arm.transpose();
    m.inertia.diagonal().array() += mass[i] * arm.squaredNorm();
  }
  for (RigidMotion& m : out) m.spin = turned_by(m.inertia, m.angular);
}

}  // namespace pliant::metric
