// SPDX-License-Identifier: Apache-2.0
// What is true of bodies that move, seen from outside.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/island/meeting_surface.hpp"
#include "pliant/proximity/self_search.hpp"
#include "pliant/scene/build.hpp"

namespace pliant::soak {

/// Edges through triangles of bodies that meet each other, or themselves, asked with exact signs.
class Crossings {
 public:
  explicit Crossings(Scene& scene);
  /// What crosses that is not being led apart; nothing: nobody does.
  std::optional<std::string> look(const Simulation& simulation);

 private:
  struct Meeting {
    int body = 0;
    ContactBody* contact = nullptr;
    std::unique_ptr<MovingSurface> surface;
    std::unique_ptr<SelfSearch> self;
    Points nodes_to_points, x;
  };
  void place(Meeting& meeting);
  bool excused(const Simulation& simulation, int a, int b) const;

  std::vector<Meeting> bodies_;
  CrossingSearch search_;
  std::vector<EdgeCrossing> found_;
};

/// The energy of all bodies, of which nothing may grow without a cause.
class Energies {
 public:
  explicit Energies(const Scene& scene);
  /// Something drives the bodies: keys of handles, colliders and bones, forces, hands; or they are moved out of what
  /// they are in. Then nothing is asked.
  bool driven(const Simulation& simulation);
  /// After an edit, or while something drives: what was known is forgotten.
  void forget() { least_.reset(); }
  /// The gain over the least so far, share of what there was to move.
  double gain(const Simulation& simulation);
  /// A step takes no body farther than a tenth of its size: it resolves how the body turns, and what it hits.
  bool resolved(const Simulation& simulation) const;

 private:
  const SceneSpec& spec_;
  double last_cause_ = 0;               ///< s
  bool always_ = false;                 ///< driven by what does not end, or torn out of a collider
  std::vector<double> sizes_, floors_;  ///< m; J, below which it is rounding that moves
  std::optional<double> least_;
  double most_ = 0;
};

/// A body whose centre is deeper in a still plane than its own size.
std::optional<std::string> fallen(const Simulation& simulation);

bool finite(const Simulation& simulation);

}  // namespace pliant::soak
