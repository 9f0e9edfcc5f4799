// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/world_force.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

struct Placed {
  const Pose& pose;
  double factor;

  ForceKind operator()(ConstantForce force) const {
    force.acceleration = factor * (pose.rotation * force.acceleration);
    return force;
  }
  ForceKind operator()(WindForce force) const {
    force.velocity = factor * (pose.rotation * force.velocity);
    return force;
  }
  ForceKind operator()(PointForce force) const {
    force.strength *= factor;
    force.center += pose.translation;
    return force;
  }
  ForceKind operator()(VortexForce force) const {
    force.strength *= factor;
    force.center += pose.translation;
    force.axis = pose.rotation * force.axis;
    return force;
  }
};

}  // namespace

double RadialLaw::at(double r) const {
  if (r > reach) return 0;
  return r <= radius ? strength * r / radius : strength * std::pow(radius / r, falloff);
}

bool WorldForce::acts_on(const std::string& body) const {
  return bodies.empty() || std::find(bodies.begin(), bodies.end(), body) != bodies.end();
}

ForceKind WorldForce::at(double t) const {
  if (motion.keys.empty()) return is;
  const BetweenKeys keys = motion.between(t);
  const Pose pose = motion.at(t);
  const double factor = factors[keys.a] + keys.s * (factors[keys.b] - factors[keys.a]);
  return std::visit(Placed{pose, factor}, is);
}

Vec3 with_constant_forces(const Vec3& gravity, std::span<const WorldForce> forces, const std::string& body,
                          double t) {
  Vec3 sum = gravity;
  for (const WorldForce& force : forces)
    if (std::holds_alternative<ConstantForce>(force.is) && force.acts_on(body))
      sum += std::get<ConstantForce>(force.at(t)).acceleration;
  return sum;
}

Vec3 acceleration_at(const PointForce& force, const Vec3& x) {
  const Vec3 way = force.center - x;
  const double r = way.norm();
  return r > 0 ? Vec3(force.at(r) / r * way) : Vec3(Vec3::Zero());
}

Vec3 acceleration_at(const VortexForce& force, const Vec3& x) {
  const Vec3 axis = force.axis.normalized(), arm = x - force.center;
  const Vec3 around = axis.cross(arm);  // as long as the distance to the axis
  const double r = around.norm();
  return r > 0 ? Vec3(force.at(r) / r * around) : Vec3(Vec3::Zero());
}

}  // namespace pliant
