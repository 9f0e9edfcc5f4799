// SPDX-License-Identifier: Apache-2.0
// What a mesh costs before it moves: from the polygons of a file to a body that is ready to step, beside
// Embree's build of the same surface.
#include <fmt/format.h>

#include <stdexcept>

#include "bench/cases/embree_build.hpp"
#include "bench/cases/solid.hpp"
#include "bench/harness/case.hpp"
#include "pliant/geometry/blobs.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/methods/geometric/options.hpp"

namespace pliant::bench {
namespace {

constexpr int node_budget = 5000;
constexpr int wild_setups = 5;    // the fastest counts
constexpr int embree_builds = 2;  // after each of them

/// A trunk with four limbs and a tail, about 75 000 triangles.
PolygonMesh animal_75k() {
  Blobs blobs{.parts = {{{-0.4, 0, 0}, {0.4, 0, 0}, 0.22}, {{0.4, 0.1, 0}, {0.7, 0.4, 0}, 0.14, 0.16}},
              .blend = 0.03,
              .resolution = 174};
  for (const double side : {-1.0, 1.0}) {
    blobs.parts.push_back({{0.35, -0.1, 0.12 * side}, {0.4, -0.55, 0.18 * side}, 0.11, 0.09});
    blobs.parts.push_back({{-0.35, -0.1, 0.12 * side}, {-0.4, -0.55, 0.18 * side}, 0.11, 0.09});
  }
  blobs.parts.push_back({{-0.55, 0.1, 0}, {-0.9, 0.4, 0.05}, 0.06, 0.04});
  Result<PolygonMesh> mesh = blob_surface(blobs);
  if (!mesh) throw std::runtime_error(mesh.error().text());
  return std::move(*mesh);
}

/// The least processor time of every stage over the repetitions.
struct StageTable {
  nlohmann::ordered_json least = nlohmann::ordered_json::object();
  void add(const std::vector<Laps::Lap>& laps) {
    for (const Laps::Lap& lap : laps)
      least[lap.name] =
          least.contains(lap.name) ? std::min(least[lap.name].get<double>(), lap.cpu_ms) : lap.cpu_ms;
  }
};

MeshShapeOptions options_for(int nodes) {
  MeshShapeOptions options;
  options.nodes = nodes;
  return options;
}

/// Everything from polygons to the end of the first step, which factors.
Time set_up_once(const PolygonMesh& mesh, Pool& pool, MeshShapeReport& report) {
  const Stopwatch watch;
  const CpuStopwatch cpu;
  Result<MeshShape> made = make_mesh_shape(mesh, options_for(node_budget), pool);
  if (!made) throw std::runtime_error(made.error().text());
  Result<std::unique_ptr<Method>> method = build_method(made->shape, density, {.mass = 0, .stiffness = 0},
                                                        geometric::Options{.stiffness = stiffness});
  if (!method) throw std::runtime_error(method.error().text());
  Laps laps;
  StepInput input;
  input.h = time_step;
  input.gravity = {0, -9.81, 0};
  input.pool = &pool;
  const StepReport step = (*method)->advance(input);
  if (!step.ok()) throw std::runtime_error(step.trouble);
  laps.end("factor and step");
  const Time time{watch.ms(), cpu.ms()};
  report = made->report;
  report.stages.insert(report.stages.end(), laps.all().begin(), laps.all().end());
  return time;
}

Row set_up(const Context& context, const std::string& name) {
  const PolygonMesh mesh = animal_75k();
  const Result<Repaired> repaired = repair(mesh);
  if (!repaired) throw std::runtime_error(repaired.error().text());
  reset_peak_memory();
  const int threads = context.pool.threads();
  std::vector<double> ours, embree, ours_cpu, embree_cpu;
  MeshShapeReport report;
  StageTable stages;
  for (int i = 0; i < wild_setups; ++i) {
    const Time mine = set_up_once(mesh, context.pool, report);
    ours.push_back(mine.ms), ours_cpu.push_back(mine.cpu_ms);
    stages.add(report.stages);
    for (int k = 0; k < embree_builds; ++k) {
      const Time theirs = embree_build(repaired->mesh, threads);
      embree.push_back(theirs.ms), embree_cpu.push_back(theirs.cpu_ms);
    }
  }
  Row row{.name = name, .nodes = report.nodes, .threads = threads};
  row.ms_min = minimum(ours);
  row.ms_median = median(ours);
  row.peak_bytes = peak_memory();
  row.more["triangles"] = repaired->mesh.triangles.size();
  row.more["vertices"] = mesh.vertices.size();
  row.more["embree_ms_min"] = minimum(embree);
  row.more["over_embree"] = minimum(ours) / minimum(embree);
  row.more["cpu_ms_min"] = minimum(ours_cpu);
  row.more["embree_cpu_ms_min"] = minimum(embree_cpu);
  row.more["over_embree_cpu"] = minimum(ours_cpu) / minimum(embree_cpu);
  row.more["set_up_stages_cpu_ms"] = stages.least;
  return row;
}

}  // namespace

std::vector<Case> wild_cases() {
  const std::string name = "wild/set-up-75k";
  return {{name, [=](const Context& context) { return set_up(context, name); }}};
}

}  // namespace pliant::bench
