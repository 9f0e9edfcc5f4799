// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/world_force.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"

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
  PLIANT_CHECK(factors.size() >= motion.keys.size());
  const double factor = factors[keys.a] + keys.s * (factors[keys.b] - factors[keys.a]);
  return std::visit(Placed{pose, factor}, is);
}

namespace {

struct ForceCheck {
  std::string place;
  std::vector<Problem>& problems;

  void wrong(const char* what, std::string found, const char* expected) const {
    problems.push_back({place + (place.empty() ? "" : ".") + what, std::move(found), expected, {}});
  }
  void finite(const char* what, const Vec3& v) const {
    if (!v.allFinite()) wrong(what, "a number that is not finite", "three finite numbers");
  }
  void at_least_0(const char* what, double value) const {
    if (!(value >= 0) || !std::isfinite(value))
      wrong(what, fmt::format("{:g}", value), "a finite number >= 0");
  }
  void law(const RadialLaw& law) const {
    if (!std::isfinite(law.strength)) wrong("strength", fmt::format("{:g}", law.strength), "a finite number");
    if (!(law.radius > 0) || !std::isfinite(law.radius))
      wrong("radius", fmt::format("{:g}", law.radius), "a finite number > 0, m");
    at_least_0("falloff", law.falloff);
    if (!(law.reach >= 0)) wrong("reach", fmt::format("{:g}", law.reach), "a number >= 0, m");
  }
  void operator()(const ConstantForce& force) const { finite("acceleration", force.acceleration); }
  void operator()(const WindForce& force) const {
    finite("velocity", force.velocity);
    at_least_0("density", force.density);
    at_least_0("drag", force.drag);
    at_least_0("lift", force.lift);
  }
  void operator()(const PointForce& force) const {
    law(force);
    finite("center", force.center);
  }
  void operator()(const VortexForce& force) const {
    law(force);
    finite("center", force.center);
    if (!force.axis.allFinite() || !(force.axis.squaredNorm() > 0))
      wrong("axis", "an axis without a direction", "an axis of any length but zero");
  }
};

}  // namespace

std::vector<Problem> check_force(const WorldForce& force, const std::string& place) {
  std::vector<Problem> problems = check_motion(force.motion, place);
  const ForceCheck check{place, problems};
  std::visit(check, force.is);
  if (!force.motion.keys.empty() && force.factors.size() != force.motion.keys.size())
    check.wrong("factors", fmt::format("{} for {} keys", force.factors.size(), force.motion.keys.size()),
                "one a key");
  for (const double factor : force.factors)
    if (!std::isfinite(factor)) check.wrong("factors", fmt::format("{:g}", factor), "finite numbers");
  return problems;
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
