// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/position_pass.hpp"

#include <algorithm>

namespace pliant {
namespace {

constexpr int sweeps = 30;
constexpr double largest_correction = 0.12;  // of the body's size

}  // namespace

std::span<const Vec3> PositionPass::solve(std::span<const Contact> touches, double slop, double size,
                                          ContactProblem& problem) {
  gaps_.resize(touches.size());
  for (std::size_t c = 0; c < touches.size(); ++c)
    gaps_[c] = std::max(touches[c].gap, -largest_correction * size) + slop / 2;
  return solve(touches, gaps_, problem);
}

std::span<const Vec3> PositionPass::solve(std::span<const Contact> contacts,
                                          std::span<const double> velocities, ContactProblem& problem) {
  lifts_.resize(contacts.size());
  impulses_.resize(contacts.size());
  problem.solve_normals(velocities, sweeps, lifts_);
  for (std::size_t c = 0; c < contacts.size(); ++c) impulses_[c] = lifts_[c] * contacts[c].normal;
  return impulses_;
}

}  // namespace pliant
