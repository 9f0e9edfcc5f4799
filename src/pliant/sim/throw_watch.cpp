// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/throw_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/physics/metrics.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant {
namespace {

constexpr double too_far = 10;
constexpr double goes_on = 0.01;  // of the leap

Vec3 middle_of(const Points& x) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : x) sum += p;
  return sum / double(std::max<std::size_t>(1, x.size()));
}

}  // namespace

std::optional<std::string> ThrowWatch::look(const Simulation& simulation) {
  const std::vector<Body>& bodies = simulation.bodies();
  const bool begins = known_.size() != bodies.size();
  if (begins) known_.resize(bodies.size());
  std::optional<std::string> out;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const NodeState& nodes = bodies[b].method().nodes();
    const Known before = known_[b];
    const double h = simulation.options().h;
    known_[b] = {middle_of(nodes.x), max_speed(nodes), 0};
    if (begins || !bodies[b].holds().empty()) continue;
    const Bounds rest = bounds_of(bodies[b].rest_surface());
    const double way = (known_[b].middle - before.middle).norm(), size = (rest.max - rest.min).norm();
    if (way > too_far * (size + h * before.speed)) known_[b].leap = way;
    if (!out && h * known_[b].speed < goes_on * before.leap)
      out = fmt::format(
          "body {}, step {}: thrown {:.2g} m in one step, and slow again: it is pressed between colliders "
          "that leave it no "
          "room. Leave them apart, or let one end before",
          bodies[b].name(), simulation.steps() - 1, before.leap);
  }
  return out;
}

}  // namespace pliant
