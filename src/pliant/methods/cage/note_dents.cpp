// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/note_dents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::cage {

double dent_bias(double poisson) { return 4 * (1 - poisson) / (3 - 4 * poisson); }

// Hertz: a round body sinks by the load over E/(1 - nu^2) to the power 2/3.
std::string note_dents(double poisson) {
  const double bias = dent_bias(poisson);
  return fmt::format(
      "dents too little where it touches a collider, however fine its cage: a load sinks in by {:.2f} of "
      "what its stiffness says, a ball under its weight by {:.2f} (poisson {:g}; docs/methods/cage.md, "
      "Limits). Methods meshless and geometric dent as they should.",
      1 / bias, std::pow(bias, -2.0 / 3), poisson);
}

std::optional<std::string> note_coarse_surface(const TriMesh& surface, const TriMesh& cage) {
  const auto edges = [](const TriMesh& mesh, auto&& visit) {
    for (const Triangle& t : mesh.triangles)
      for (int k = 0; k < 3; ++k)
        visit((mesh.vertices[std::size_t(t[std::size_t(k)])] -
               mesh.vertices[std::size_t(t[std::size_t(k + 1) % 3])])
                  .norm());
  };
  double longest = 0, sum = 0;
  edges(surface, [&](double length) { longest = std::max(longest, length); });
  edges(cage, [&](double length) { sum += length; });
  const double mean = sum / std::max<double>(1, 3 * double(cage.triangles.size()));
  if (!(longest > 2 * mean)) return std::nullopt;
  return fmt::format(
      "meets colliders at the {} vertices of its surface only, and its edges are up to {:.2g} m long: the "
      "few vertices "
      "that touch are dented by its whole weight, and its volume shrinks by that. Split its faces until no "
      "edge is "
      "longer than {:.2g} m, or take method geometric, which does that itself.",
      surface.vertices.size(), longest, mean);
}

}  // namespace pliant::cage
