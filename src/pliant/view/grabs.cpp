// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/grabs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/physics/metrics.hpp"

namespace pliant::view {
namespace {

constexpr double follow_rate = 2 * std::numbers::pi * 2;  // rad/s, of a free body behind a grab
constexpr double elastic_share = 0.25;

}  // namespace

Vec3 SurfacePoint::on(const Points& surface) const {
  Vec3 p = Vec3::Zero();
  for (int c = 0; c < 3; ++c) p += weights[c] * surface[std::size_t(corners[std::size_t(c)])];
  return p;
}

Vec3 UserGrab::spring_target(std::size_t k) const {
  if (kind == Kind::control) return offset[k];
  return kind == Kind::dent ? Vec3(offset[k] + depth * depth_share[k] * inward) : Vec3(target + offset[k]);
}

Vec3 UserGrab::force(const Points& nodes_now) const {
  Vec3 sum = Vec3::Zero();
  if (kind == Kind::control) return sum;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    sum += stiffness * share[k] * (spring_target(k) - nodes_now[std::size_t(nodes[k])]);
  return sum;
}

UserGrab* Grabs::find(int client, int id, UserGrab::Kind kind) {
  for (UserGrab& grab : all_)
    if (grab.client == client && grab.id == id && grab.kind == kind) return &grab;
  return nullptr;
}

bool Grabs::add(UserGrab grab) {
  if (all_.size() >= std::size_t(max_grabs)) return false;
  all_.push_back(std::move(grab));
  return true;
}

void Grabs::end(int client, int id, UserGrab::Kind kind) {
  std::erase_if(all_, [&](const UserGrab& grab) {
    return grab.client == client && grab.id == id && grab.kind == kind;
  });
}

void Grabs::end_controls(int client, int body) {
  std::erase_if(all_, [&](const UserGrab& grab) {
    return grab.client == client && grab.body == body && grab.kind == UserGrab::Kind::control;
  });
}

std::size_t Grabs::leave(int client) {
  return std::erase_if(all_, [&](const UserGrab& grab) { return grab.client == client; });
}

void Grabs::end_posed() {
  std::erase_if(all_, [](const UserGrab& grab) { return grab.handle >= 0; });
}

std::size_t Grabs::free_springs(int body) const {
  std::size_t used = 0;
  for (const UserGrab& grab : all_)
    if (grab.body == body && grab.handle < 0) used += grab.nodes.size();
  return std::size_t(max_grabs) - std::min<std::size_t>(used, max_grabs);
}

std::vector<Grab> Grabs::springs(int body) const {
  std::vector<Grab> out;
  for (const UserGrab& grab : all_)
    if (grab.body == body && grab.handle < 0)
      for (std::size_t k = 0; k < grab.nodes.size(); ++k)
        out.push_back({grab.nodes[k], grab.spring_target(k), grab.stiffness * grab.share[k]});
  return out;
}

void Grabs::follow(const std::vector<Held>& before, const std::vector<Held>& now) {
  std::erase_if(all_, [&](UserGrab& grab) {
    const Held& was = before[std::size_t(grab.body)];
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i].name != was.name) continue;
      const bool moved = int(i) != grab.body && grab.handle >= 0;  // handles are numbered by body
      grab.body = int(i);
      if (moved) return true;
      if (now[i].shape == was.shape) return false;
      return grab.kind == UserGrab::Kind::control || grab.handle >= 0 ||
             !same_nodes(*now[i].shape, *was.shape);
    }
    return true;
  });
}

double grab_stiffness(const Body& body, double modulus, double size, double softness) {
  const double mass = total_mass(body.method().nodes());
  const double middle = elastic_share * modulus * size + mass * follow_rate * follow_rate;
  return middle * std::pow(100.0, 0.5 - softness);
}

bool same_nodes(const Shape& a, const Shape& b) {
  const Points &x = a.graph.positions, &y = b.graph.positions;
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
}

}  // namespace pliant::view
