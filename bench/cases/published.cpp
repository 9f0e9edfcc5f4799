// SPDX-License-Identifier: Apache-2.0
// Scenes of contact for which others published times, at sizes that one core takes: whole runs, every step counted.
//   chain-100      a hundred rings [Li20: videoExamples/chain]: 1e7 Pa, 500 kg/m^3, h = 0.04 s
//   cards          a house of cards [ppf-contact-solver: 9400 vertices, on a GPU]: scenes/together/cards
//   squishy-balls  [ppf-contact-solver#117]: dt = 0.01 s, 100 kg/m^3, 1e4 Pa, nu = 0.4, pressed between two plates
//   animal-well    [ppf-contact-solver#117]: 1000 kg/m^3, 5e5 Pa, 300 frames of 0.01 s
// Dominoes are a row of their own (together.cpp).
#include <fmt/format.h>

#include <stdexcept>

#include "bench/harness/case.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/scene/library.hpp"

namespace pliant::bench {
namespace {

const std::string meeting = R"("contact": {"bodies": true})";

std::string chain(int links) {
  std::string bodies;
  for (int k = 0; k < links; ++k)
    bodies += fmt::format(
        R"({}{{"name": "link{}", "density": 500, "shape": {{"torus": {{"ring_radius": 0.36, "tube_radius": 0.1, "nodes": [5, 16],
        "center": [0, {}, 0]}}}}, "initial": {{"rotate": {{"axis": {}, "degrees": 90}}}},
        "geometric": {{"stiffness": 1e7}}, "damping": {{"mass": 1, "stiffness": 0.01}}, {}{}}})",
        k ? ", " : "", k, -0.5 * k, k % 2 ? "[1, 0, 0]" : "[0, 0, 1]", meeting,
        k ? "" : R"(, "pins": [{"select": {"halfspace": {"point": [0.36, 0, 0], "normal": [1, 0, 0]}}}])");
  return fmt::format(R"({{"timestep": 0.04, "frames": 50, "bodies": [{}]}})", bodies);
}

/// Twenty-seven balls of 10 cm in a box without a lid, under a plate that comes down to a third of their height.
std::string squishy_balls() {
  const std::string ball =
      R"("density": 100, "friction": 0.3, "shape": {"sphere": {"radius": 0.05, "nodes": 7,
    "center": [-0.105, 0.052, -0.105]}}, "geometric": {"stiffness": 1e4, "poisson": 0.4}, "damping": {"mass": 0.5, "stiffness": 0.01}, )";
  std::string bodies;
  for (int k = 0; k < 9; ++k)
    bodies += fmt::format(
        R"({{"name": "ball{}", {}{}, "initial": {{"translate": [{}, {}, 0]}},
        "repeat": {{"count": 3, "translate": [0, 0, 0.105]}}}}, )",
        k, ball, meeting, 0.105 * (k % 3), 0.105 * (k / 3));
  return fmt::format(
      R"({{"timestep": 0.01, "frames": 200, "bodies": [{}{{"name": "plate", "shape": {{"box": {{"size": [0.33, 0.02, 0.33],
      "nodes": [7, 2, 7], "corner": [-0.165, 0.36, -0.165]}}}}, {},
      "handles": [{{"select": {{"all": true}}, "motion": [{{"time": 0}}, {{"time": 2, "translate": [0, -0.25, 0]}}]}}]}}],
      "colliders": [{{"plane": {{"friction": 0.3}}}}, {{"plane": {{"point": [-0.17, 0, 0], "normal": [1, 0, 0]}}}},
      {{"plane": {{"point": [0.17, 0, 0], "normal": [-1, 0, 0]}}}}, {{"plane": {{"point": [0, 0, -0.17], "normal": [0, 0, 1]}}}},
      {{"plane": {{"point": [0, 0, 0.17], "normal": [0, 0, -1]}}}}]}})",
      bodies, meeting);
}

/// Eight toys fall into a well of 0.9 m.
std::string animal_well() {
  return R"({"timestep": 0.01, "frames": 300, "bodies": [{"name": "animal", "density": 1000, "friction": 0.4,
    "shape": {"blobs": {"parts": [
      {"from": [0, 0.16, 0], "to": [0, 0.42, 0], "radius": 0.15, "end_radius": 0.13},
      {"from": [0, 0.64, 0.02], "to": [0, 0.66, 0.02], "radius": 0.13},
      {"from": [-0.13, 0.44, 0], "to": [-0.3, 0.3, 0.2], "radius": 0.06}, {"from": [0.13, 0.44, 0], "to": [0.3, 0.3, 0.2], "radius": 0.06},
      {"from": [-0.1, 0.07, 0.02], "to": [-0.13, 0.07, 0.22], "radius": 0.07}, {"from": [0.1, 0.07, 0.02], "to": [0.13, 0.07, 0.22], "radius": 0.07}],
      "blend": 0.025, "resolution": 24, "nodes": 400}},
    "geometric": {"stiffness": 5e5}, "damping": {"mass": 0.5, "stiffness": 0.01}, "contact": {"bodies": true},
    "initial": {"translate": [0, 0.1, 0]}, "repeat": {"count": 8, "translate": [0, 0.85, 0], "rotate": {"axis": [0, 1, 0], "degrees": 70}}}],
    "colliders": [{"plane": {}}, {"plane": {"point": [-0.45, 0, 0], "normal": [1, 0, 0]}}, {"plane": {"point": [0.45, 0, 0], "normal": [-1, 0, 0]}},
      {"plane": {"point": [0, 0, -0.45], "normal": [0, 0, 1]}}, {"plane": {"point": [0, 0, 0.45], "normal": [0, 0, -1]}}]})";
}

Row measure(const Context& context, const std::string& name, ParsedScene parsed) {
  Result<Scene> scene = build_scene(parsed, context.pool.threads());
  if (!scene) throw std::runtime_error(scene.error().text());
  Simulation& simulation = scene->simulation;
  Row row{.name = name};
  std::size_t vertices = 0;
  for (const Body& body : simulation.bodies()) {
    row.nodes += Index(body.method().nodes().x.size());
    vertices += body.surface().size();
  }
  std::vector<double> steps;
  int shortened = 0, contacts = 0;
  for (int step = 0; step < scene->spec.frames * scene->spec.substeps; ++step) {
    const CpuStopwatch watch;
    if (const auto failure = simulation.step()) throw std::runtime_error(failure->text());
    steps.push_back(watch.ms());
    bool missing = false;
    int now = 0;
    for (const Body& body : simulation.bodies()) {
      missing |= body.report().shortened > 0;
      now += body.report().contacts;
    }
    shortened += missing;
    contacts = std::max(contacts, now);
  }
  double sum = 0;
  for (const double ms : steps) sum += ms;
  row.ms_min = minimum(steps);
  row.ms_median = median(steps);
  row.more["bodies"] = simulation.bodies().size();
  row.more["vertices"] = vertices;
  row.more["steps"] = steps.size();
  row.more["shortened"] = shortened;
  row.more["most_contacts"] = contacts;
  row.more["ms_a_frame"] = sum / scene->spec.frames;
  row.more["over_real_time"] = sum / 1e3 / simulation.time();
  return row;
}

Case text_case(const std::string& name, std::string (*text)()) {
  return {name, [=](const Context& context) { return measure(context, name, parse_scene(text(), name, {})); },
          true};
}

}  // namespace

std::vector<Case> published_cases() {
  return {text_case("published/chain-100", [] { return chain(100); }),
          {"published/cards",
           [](const Context& context) {
             Result<ParsedScene> parsed = read_scene("together/cards", context.libraries);
             if (!parsed) throw std::runtime_error(parsed.error().text());
             return measure(context, "published/cards", std::move(*parsed));
           },
           true},
          text_case("published/squishy-balls", squishy_balls),
          text_case("published/animal-well", animal_well)};
}

}  // namespace pliant::bench
