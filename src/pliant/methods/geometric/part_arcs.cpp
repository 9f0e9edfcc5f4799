// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/part_arcs.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "pliant/physics/momentum.hpp"

namespace pliant::geometric {
namespace {

constexpr double straight = 1e-4;  // rad: an arc that differs by 1e-8 of the part

/// The step of a part as a rigid motion.
struct Motion {
  Vec3 center{0, 0, 0}, turn{0, 0, 0};
};

Motion motion_of(const std::vector<Index>& part, const Model& model, const Arrangement& arrangement,
                 const double* x, const float* step) {
  const auto at = [&](Index i) { return 4 * std::size_t(arrangement.place[i]); };
  const auto place = [&](Index i) { return Eigen::Map<const Vec3>(x + at(i)); };
  const auto moved = [&](Index i) { return Eigen::Map<const Eigen::Vector3f>(step + at(i)).cast<double>(); };
  double mass = 0;
  Vec3 first = Vec3::Zero(), momentum = Vec3::Zero();
  for (Index i : part) {
    mass += model.mass[i];
    first += model.mass[i] * place(i);
    momentum += model.mass[i] * moved(i);
  }
  Motion out;
  out.center = first / mass;
  const Vec3 shift = momentum / mass;
  Mat3 second = Mat3::Zero();
  Vec3 spin = Vec3::Zero();
  for (Index i : part) {
    const Vec3 r = place(i) - out.center;
    second += model.mass[i] * r * r.transpose();
    spin += model.mass[i] * r.cross(moved(i) - shift);
  }
  out.turn = rotation_rate(second, spin);
  return out;
}

}  // namespace

void add_arcs(const Model& model, const Arrangement& arrangement, const std::vector<char>& turns,
              const double* x, const float* step, float* to) {
  for (std::size_t p = 0; p < model.parts.size(); ++p) {
    if (!turns.empty() && !turns[p]) continue;
    const Motion motion = motion_of(model.parts[p], model, arrangement, x, step);
    const double angle = motion.turn.norm();
    if (!(angle > straight) || !std::isfinite(angle)) continue;
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(angle, motion.turn / angle));
    for (Index i : model.parts[p]) {
      const std::size_t at = 4 * std::size_t(arrangement.place[i]);
      const Vec3 r = Eigen::Map<const Vec3>(x + at) - motion.center;
      const Vec3 arc = turn * r - r - motion.turn.cross(r);
      for (int c = 0; c < 3; ++c) to[at + c] += float(arc[c]);
    }
  }
}

}  // namespace pliant::geometric
