// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/force_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/physics/wind.hpp"

namespace pliant {
namespace {

/// The fastest that it blows.
double top_speed(const WorldForce& force) {
  double most = force.factors.empty() ? 1 : 0;
  for (const double factor : force.factors) most = std::max(most, std::abs(factor));
  return most * std::get<WindForce>(force.is).velocity.norm();
}

template <class Do>
void each_wind(const SceneSpec& spec, const std::vector<Body>& bodies, Do&& use) {
  const std::vector<WorldForce> forces = world_forces(spec.forces);
  for (std::size_t i = 0; i < forces.size(); ++i)
    for (const Body& body : bodies)
      if (std::holds_alternative<WindForce>(forces[i].is) && forces[i].acts_on(body.name()))
        use(fmt::format("forces.{}.wind", i), forces[i], body);
}

}  // namespace

std::vector<std::string> force_notes(const SceneSpec& spec, const Simulation& simulation) {
  std::vector<std::string> notes;
  each_wind(spec, simulation.bodies(),
            [&](const std::string& place, const WorldForce& force, const Body& body) {
              WindSurface surface;
              surface.attach(body.method().embedding(), body.triangles(), body.rest_surface(),
                             body.method().nodes().mass, body.closed(), body.method().nodes().within.sum());
              const double fastest = surface.fastest(std::get<WindForce>(force.is), spec.step_length()),
                           top = top_speed(force);
              if (top > fastest)
                notes.push_back(
                    fmt::format("{}: {} blows with up to {:.3g} m/s; of more than {:.3g} m/s a step of "
                                "{:.3g} s takes only a part at its "
                                "lightest places, so that it stays stable: for all of it take {} substeps",
                                body.name(), place, top, fastest, spec.step_length(),
                                int(std::ceil(spec.substeps * top / fastest))));
            });
  return notes;
}

std::vector<Problem> force_problems(const SceneSpec& spec, const std::vector<Body>& bodies) {
  std::vector<Problem> problems;
  each_wind(spec, bodies, [&](const std::string& place, const WorldForce&, const Body& body) {
    if (body.triangles().empty())
      problems.push_back({place, fmt::format("wind on {}, a cloud of points", body.name()),
                          "bodies with a surface of triangles", "name the others in \"bodies\""});
  });
  return problems;
}

}  // namespace pliant
