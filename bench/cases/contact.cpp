// SPDX-License-Identifier: Apache-2.0
// What contact costs: the bar of geometric/bar lying on the ground, or on a wall under its length, beside
// the same bar hanging free. Frames alternate, so that both see the same machine.
#include <fmt/format.h>

#include <stdexcept>

#include "bench/cases/solid.hpp"
#include "bench/harness/case.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/contact/collider.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/scene/library.hpp"

namespace pliant::bench {
namespace {

constexpr int settling = 120;  // steps until the bar lies still
constexpr double node_distance = 0.05;

Simulation lying_bar(const Context& context, Collider ground) {
  const Shape shape =
      make_shape(BoxShape{.size = {0.4, 0.4, 2}, .nodes = {9, 9, 41}, .corner = {-0.2, 0, -1}});
  Result<std::unique_ptr<Method>> method =
      build_method(shape, density, {.mass = 2, .stiffness = 0}, geometric::Options{.stiffness = 1e6});
  if (!method) throw std::runtime_error(method.error().text());
  std::vector<Body> bodies;
  bodies.emplace_back("bar", shape, std::move(*method), std::vector<Hold>{});
  return Simulation(std::move(bodies),
                    {.h = time_step, .gravity = {0, -9.81, 0}, .threads = context.pool.threads()},
                    {std::move(ground)});
}

double frame_ms(Simulation& simulation) {
  const Stopwatch watch;
  if (const auto failure = simulation.step()) throw std::runtime_error(failure->text());
  return watch.ms();
}

Row measure_contact(const Context& context, const std::string& name, Collider ground) {
  Simulation lying = lying_bar(context, std::move(ground));
  Result<Scene> scene = load_scene(
      "geometric/bar", {.sets = {}, .threads = context.pool.threads(), .libraries = context.libraries});
  if (!scene) throw std::runtime_error(scene.error().text());
  Simulation& free = scene->simulation;
  const Stopwatch first;
  frame_ms(lying);
  const double setup_ms = first.ms();
  for (int i = 0; i < settling; ++i) frame_ms(lying), frame_ms(free);
  std::vector<double> with, without;
  double sweeps = 0, contact_ms = 0;
  const Stopwatch whole;
  while (with.size() < 60 || whole.seconds() < context.seconds) {
    without.push_back(frame_ms(free));
    with.push_back(frame_ms(lying));
    sweeps += lying.bodies()[0].report().contact_sweeps;
    contact_ms += lying.bodies()[0].report().ms.contact;
  }
  const StepReport& report = lying.bodies()[0].report();
  Row row{.name = name, .nodes = 3321, .threads = lying.threads()};
  row.ms_min = minimum(with);
  row.ms_median = median(with);
  row.setup_ms = setup_ms;
  row.iterations = report.iterations;
  row.more["contacts"] = report.contacts;
  row.more["sweeps"] = sweeps / double(with.size());
  row.more["contact_ms_mean"] = contact_ms / double(with.size());
  row.more["free_ms_min"] = minimum(without);
  row.more["times_free"] = minimum(with) / minimum(without);
  return row;
}

}  // namespace

std::vector<Case> contact_cases() {
  const auto plane = [] { return Collider(PlaneCollider{}, {}, 0.5, 0); };
  // Three rows of 41 nodes lie on it.
  const auto block = [] {
    BoxCollider box;
    box.center = Vec3(0, -0.5, 0);
    box.size = Vec3(2.5 * node_distance, 1, 4);
    return Collider(box, {}, 0.5, 0);
  };
  return {
      {"wild/contact-100", [=](const Context& c) { return measure_contact(c, "wild/contact-100", block()); }},
      {"wild/contact-369",
       [=](const Context& c) { return measure_contact(c, "wild/contact-369", plane()); }}};
}

}  // namespace pliant::bench
