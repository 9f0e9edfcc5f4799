// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/rigid_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant::metric {
namespace {

constexpr int moment_block = 2048;     // nodes
constexpr std::size_t few_parts = 16;  // more: one block, whose sums need less room

}  // namespace

Vec3 turned_by(const Mat3& inertia, const Vec3& a) { return inverse_inertia(inertia) * a; }

void measure(std::span<const Index> part, std::span<const double> mass, std::span<const Vec3> x,
             std::span<const Vec3> v, std::span<RigidMotion> out, Pool& pool,
             std::vector<RigidMotion>& scratch) {
  // moments about one of the nodes in one pass: sum m, m d, m v, d x m v, m d d^T
  const std::size_t parts = out.size();
  const Vec3 origin = x[0];
  const int block = parts <= few_parts ? moment_block : int(x.size());
  const std::size_t blocks = (x.size() + std::size_t(block) - 1) / std::size_t(block);
  scratch.resize(blocks * parts);
  for_blocks(pool, int(x.size()), block, [&](int begin, int end) {
    RigidMotion* sums = scratch.data() + std::size_t(begin / block) * parts;
    std::fill(sums, sums + parts, RigidMotion{});
    for (Index i = begin; i < end; ++i) {
      RigidMotion& m = sums[part[i]];
      const Vec3 arm = x[i] - origin, push = mass[i] * v[i], lever = mass[i] * arm;
      m.mass += mass[i];
      m.centre += lever;
      m.velocity += push;
      m.angular += arm.cross(push);
      m.inertia.noalias() += lever * arm.transpose();
    }
  });
  for (std::size_t k = 0; k < parts; ++k) {
    RigidMotion& m = out[k] = scratch[k];
    for (std::size_t b = 1; b < blocks; ++b) {
      const RigidMotion& more = scratch[b * parts + k];
      m.mass += more.mass, m.centre += more.centre, m.velocity += more.velocity;
      m.angular += more.angular, m.inertia += more.inertia;
    }
    const Vec3 arm = m.centre / m.mass;
    m.velocity /= m.mass;
    m.angular -= m.mass * arm.cross(m.velocity);
    const Mat3 spread = m.inertia - m.mass * arm * arm.transpose();
    m.inertia = spread.trace() * Mat3::Identity() - spread;
    m.centre = origin + arm;
    m.spin = turned_by(m.inertia, m.angular);
  }
}

}  // namespace pliant::metric
