// SPDX-License-Identifier: Apache-2.0
// Hands on a body: soft grabs and dents as springs at nodes, of which a step takes max_grabs.
//
// A grab of the surface point p pulls at the nodes that carry p, weights w_j >= 0 scaled to sum 1:
//   f_j = k w_j (t + (x_j - p)_begin - x_j),   so that   sum f_j = k (t - p)   while they move alike.
// k: a free body of mass m follows with the frequency of sqrt(k/m), a held one as far as its own stiffness E
// L lets it. So k = E L / 4 + m (2 pi 2 Hz)^2 for softness 1/2; softness 0 .. 1 is a factor 10 .. 1/10.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/view/world.hpp"

namespace pliant::view {
namespace {

constexpr double follow = 2 * std::numbers::pi * 2;  // rad/s, of a free body behind a grab
constexpr double elastic_share = 0.25;

}  // namespace

double World::grab_stiffness(int body, double softness) const {
  double mass = 0;
  for (const double m : simulation_->bodies()[std::size_t(body)].method().nodes().mass) mass += m;
  const double size = pieces_[std::size_t(body)].size;
  const BodySpec& spec = spec_.bodies[std::size_t(body)];
  const double middle =
      elastic_share * spec.entry().stiffness(spec.options()) * size + mass * follow * follow;
  return middle * std::pow(100.0, 0.5 - softness);
}

Vec3 World::point_of(const Hand& hand) const {
  const Points& surface = simulation_->bodies()[std::size_t(hand.body)].surface();
  Vec3 p = Vec3::Zero();
  for (int c = 0; c < 3; ++c) p += hand.weights[c] * surface[std::size_t(hand.corners[std::size_t(c)])];
  return p;
}

namespace {

Vec3 spring_target(const Hand& hand, std::size_t k) {
  if (hand.cage) return hand.offset[k];
  return hand.dent ? Vec3(hand.offset[k] + hand.depth * hand.depth_share[k] * hand.inward)
                   : Vec3(hand.target + hand.offset[k]);
}

}  // namespace

Vec3 World::force_of(const Hand& hand) const {
  const Points& x = simulation_->bodies()[std::size_t(hand.body)].method().nodes().x;
  Vec3 force = Vec3::Zero();
  if (hand.cage) return force;
  for (std::size_t k = 0; k < hand.nodes.size(); ++k)
    force += hand.stiffness * hand.share[k] * (spring_target(hand, k) - x[std::size_t(hand.nodes[k])]);
  return force;
}

void World::set_springs() {
  std::vector<Grab> grabs;
  for (int i = 0; i < int(pieces_.size()); ++i) {
    grabs.clear();
    for (const Hand& hand : hands_)
      if (hand.body == i && hand.handle < 0)
        for (std::size_t k = 0; k < hand.nodes.size(); ++k)
          grabs.push_back({hand.nodes[k], spring_target(hand, k), hand.stiffness * hand.share[k]});
    simulation_->body(i).set_grabs(grabs);
  }
}

}  // namespace pliant::view
