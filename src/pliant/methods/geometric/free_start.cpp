// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/free_start.hpp"

#include <algorithm>

#include "pliant/methods/geometric/part_arcs.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::geometric {
namespace {

// Of what the motion of the parts about their centres is in the same measure, m |h' v|^2: negligible, and too much
// whatever the residual was at the start. Figures: docs/methods/geometric/decisions.md.
constexpr double calm = 1e-6, lively = 1e-5;
constexpr double rounding = 1.5e-8;  // of the edges in a sum of forces
constexpr double stiff = 1e4;  // h'^2 K_ii/(12 m): what is left of the swelling costs more than the spin

/// h'^2 times twice the kinetic energy of the parts about their centres, kg m^2.
double inner_motion(const Equation& e) {
  const Points& v = e.state.nodes.v;
  double sum = 0;
  for (const std::vector<Index>& part : e.model.parts) {
    double mass = 0;
    Vec3 momentum = Vec3::Zero();
    for (Index i : part) {
      mass += e.model.mass[i];
      momentum += e.model.mass[i] * v[i];
    }
    const Vec3 mean = momentum / mass;
    for (Index i : part) sum += e.model.mass[i] * (v[i] - mean).squaredNorm();
  }
  return e.scheme.elastic * sum;
}

/// Inner forces have neither resultant nor moment, but their rounding has, and nothing but inertia resists a turn of
/// the whole: taken out of g = G(D), for x = X0 + D.
void balance_inner_forces(Equation& e, const Floats& d, Floats& g) {
  const std::vector<Index>& place = e.cache.arrangement.place;
  const auto at = [](const auto& array, std::size_t k) { return Vec3(array[k], array[k + 1], array[k + 2]); };
  for (const std::vector<Index>& part : e.model.parts) {
    const Vec3 origin = at(e.scratch.trial, 4 * std::size_t(place[part[0]]));
    RigidBalance balance;
    for (Index i : part) {
      const std::size_t k = 4 * std::size_t(place[i]);
      const Vec3 outer = at(e.scratch.base, k) + double(e.cache.diagonal[place[i]]) * at(d, k);
      balance.add(e.model.mass[i], at(e.scratch.trial, k) - origin, at(g, k) - outer);
    }
    Vec3 u, w;
    balance.solve(RigidFreedom(1), u, w);
    for (Index i : part) {
      const std::size_t k = 4 * std::size_t(place[i]);
      const Vec3 change = e.model.mass[i] * (u + w.cross(at(e.scratch.trial, k) - origin));
      for (int c = 0; c < 3; ++c) g[k + c] += float(change[c]);
    }
  }
}

}  // namespace

bool starts_on_arcs(const Equation& e) {
  const bool needed = e.model.has_volume() || e.scheme.elastic * e.model.stiffness_ratio > stiff;
  return needed && !e.model.has_laplacian() && e.input.held.empty() && e.scratch.grabs.empty() &&
         e.kept.empty();
}

double start_on_arcs(Equation& e, SolverVectors& v) {
  const Arrangement& arrangement = e.cache.arrangement;
  Doubles& from = e.scratch.contact.from;
  Floats& way = e.scratch.contact.way;
  for (Index i = 0; i < e.model.nodes(); ++i)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(arrangement.place[i]) + c;
      from[at] = e.state.nodes.x[i][c];
      way[at] = float(e.scratch.start[at] - from[at]);
    }
  std::fill(v.d.begin(), v.d.end(), 0.0f);
  add_arcs(e.model, arrangement, {}, from.data(), way.data(), v.d.data());
  const bool history = e.past == Past::known || e.past == Past::curved;
  if (history)
    for (float& d : v.d) d *= 8.0f / 9;
  return residual_on_arcs(e, v);
}

double residual_on_arcs(Equation& e, SolverVectors& v) {
  e.residual(&v.d, true, v.g);
  balance_inner_forces(e, v.d, v.g);
  return e.precondition(v.g, v.z);
}

StopBounds bounds_on_arcs(const Equation& e) {
  const double motion = inner_motion(e), noise = rounding * rounding * e.scheme.elastic * e.model.edge_energy;
  return {.enough = std::max(noise, calm * motion), .most = std::max(noise, lively * motion)};
}

}  // namespace pliant::geometric
