// SPDX-License-Identifier: Apache-2.0
// What it costs to see which pairs of two surfaces, or of one with itself, come near each other in a step:
// boxes anew, search, and the time of impact of every pair found.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "bench/harness/case.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/proximity/crossing.hpp"
#include "pliant/proximity/pair_search.hpp"
#include "pliant/proximity/self_clearance.hpp"
#include "pliant/proximity/time_of_impact.hpp"

namespace pliant::bench {
namespace {

constexpr int cells = 100;  // along each side: 20 000 triangles

/// A grid of cells over (0, 0) .. (1, 1), cut in triangles.
TriMesh grid_surface(const std::function<Vec3(double, double)>& place) {
  TriMesh mesh;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j) mesh.vertices.push_back(place(double(i) / cells, double(j) / cells));
  for (Index i = 0; i < cells; ++i)
    for (Index j = 0; j < cells; ++j) {
      const Index a = i * (cells + 1) + j, b = a + 1, c = a + cells + 1, d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  return mesh;
}

/// A bumpy square of edge 1 at the height y, no vertex over one of another phase.
TriMesh sheet(double y, double phase) {
  return grid_surface([=](double u, double v) {
    return Vec3(u + 0.3 * phase / cells, y + 0.02 * std::sin(9 * u) * std::cos(7 * v),
                v + 0.2 * phase / cells);
  });
}

/// Most of a sphere of diameter 1, open at the seam and the poles.
TriMesh ball(const Vec3& centre) {
  return grid_surface([=](double u, double v) {
    const double theta = 0.1 + 2.9 * u, phi = 6.2 * v;
    return Vec3(centre + 0.5 * Vec3(std::sin(theta) * std::cos(phi), std::cos(theta),
                                    std::sin(theta) * std::sin(phi)));
  });
}

/// A surface on its way through a step.
struct Passing {
  TriMesh mesh;
  Points end;
  MovingSurface surface;

  Passing(TriMesh m, const Vec3& way) : mesh(std::move(m)), surface(mesh.vertices, mesh.triangles) {
    for (const Vec3& x : mesh.vertices)
      end.push_back(x + way + 0.1 * way.norm() * Vec3(std::sin(40 * x.z()), 0, 0));
  }
  void refit(double grow) { surface.refit(mesh.vertices, end, grow); }
};

struct PassingTimes {
  std::vector<double> refit, search, impact, crossing, all;
  std::size_t pairs = 0, hits = 0;
};

std::size_t count_hits(const Passing& a, const Passing& b, const PairCandidates& found, double delta) {
  std::size_t hits = 0;
  const ImpactMargin margin{.delta = delta};
  const auto vertex = [&](const Passing& of, Index v, const Passing& on, Index t) {
    const Triangle& triangle = on.mesh.triangles[t];
    hits += time_of_impact(PairKind::vertex_triangle,
                           vertex_triangle_points(of.mesh.vertices, v, on.mesh.vertices, triangle),
                           vertex_triangle_points(of.end, v, on.end, triangle), margin)
                .hit();
  };
  for (const auto [v, t] : found.vertex_triangle) vertex(a, v, b, t);
  for (const auto [t, v] : found.triangle_vertex) vertex(b, v, a, t);
  for (const auto [i, j] : found.edge_edge) {
    const SurfaceEdge &e = a.surface.edges()[i], &f = b.surface.edges()[j];
    hits += time_of_impact(PairKind::edge_edge, edge_edge_points(a.mesh.vertices, e, b.mesh.vertices, f),
                           edge_edge_points(a.end, e, b.end, f), margin)
                .hit();
  }
  return hits;
}

/// Of the test that spares a surface the search within itself.
std::vector<double> skip_times(const Context& context, const Passing& surface, const PairCandidates& within) {
  SelfClearance clearance;
  clearance.remember(surface.mesh.vertices,
                     least_self_distance(surface.surface, surface.mesh.vertices, within, 1));
  volatile double bound = 0;  // so that it is computed
  return time_calls(0.1 * context.seconds, 3, 10,
                    [&] { bound = clearance.bound(surface.mesh.vertices, surface.end); });
}

/// `other` is null for a surface with itself.
Row measure_pairs(const Context& context, const std::string& name, Passing surface, Passing* other,
                  double delta) {
  PairSearch search;
  CrossingSearch crossing;
  PairCandidates found;
  std::vector<EdgeCrossing> crossings;
  PassingTimes times;
  const auto lap = [](Stopwatch& watch, std::vector<double>& samples) {
    samples.push_back(watch.ms());
    watch = Stopwatch();
  };
  time_calls(context.seconds, 3, 10, [&] {
    Stopwatch watch;
    const Stopwatch whole;
    surface.refit(delta);
    if (other) other->refit(delta);
    lap(watch, times.refit);
    if (other)
      search.find(surface.surface, other->surface, found);
    else
      search.find_within(surface.surface, found);
    lap(watch, times.search);
    times.hits = count_hits(surface, other ? *other : surface, found, delta);
    lap(watch, times.impact);
    times.all.push_back(whole.ms());
    if (other)
      crossing.find(surface.surface, surface.mesh.vertices, other->surface, other->mesh.vertices, crossings);
    else
      crossing.find_within(surface.surface, surface.mesh.vertices, crossings);
    lap(watch, times.crossing);
  });
  Row row{.name = name, .nodes = Index(surface.mesh.vertices.size()) * (other ? 2 : 1)};
  row.ms_min = minimum(times.all);
  row.ms_median = median(times.all);
  row.more["pairs"] = found.size();
  row.more["hits"] = times.hits;
  row.more["refit_ms_min"] = minimum(times.refit);
  row.more["search_ms_min"] = minimum(times.search);
  row.more["impact_ms_min"] = minimum(times.impact);
  row.more["crossing_ms_min"] = minimum(times.crossing);
  row.more["crossings"] = crossings.size();
  if (!other) row.more["skip_ms_min"] = minimum(skip_times(context, surface, found));
  return row;
}

}  // namespace

std::vector<Case> proximity_cases() {
  constexpr double delta = 1e-3;
  return {
      {"proximity/sheets-20k",
       [](const Context& c) {
         Passing below(sheet(0, 0), {0, 0, 0});
         return measure_pairs(c, "proximity/sheets-20k", Passing(sheet(1.5 * delta, 1), {0, -delta, 0}),
                              &below, delta);
       }},
      {"proximity/balls-20k",
       [](const Context& c) {
         Passing below(ball({0, 0, 0}), {0, 0, 0});
         return measure_pairs(c, "proximity/balls-20k", Passing(ball({1 + delta, 0, 0}), {-delta, 0, 0}),
                              &below, delta);
       }},
      {"proximity/self-20k", [](const Context& c) {
         return measure_pairs(c, "proximity/self-20k", Passing(sheet(0, 0), {0, -delta, 0}), nullptr, delta);
       }}};
}

}  // namespace pliant::bench
