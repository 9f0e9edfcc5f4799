// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/validate.hpp"

#include "pliant/scene/build_bonds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "pliant/base/layout.hpp"
#include "pliant/sim/recorder.hpp"

namespace pliant {
namespace {

constexpr double most_nodes = 2e7;  // what fits in the memory of a workstation, with room

bool usable_name(const std::string& name, std::string_view extra) {
  return !name.empty() && name.front() != '.' && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [&](unsigned char c) {
           return (c < 128 && std::isalnum(c)) || extra.find(char(c)) != std::string_view::npos;
         });
}

/// "bar_0001" beside "bar": a file of one would be taken for a frame of the other.
bool looks_like_a_frame(const std::string& name, const std::string& of) {
  return name.size() > of.size() + 1 && name.rfind(of + "_", 0) == 0 &&
         name.find_first_not_of("0123456789", of.size() + 1) == std::string::npos;
}

std::string shown_name(const std::string& name) {
  return name.size() > 60 ? fmt::format("\"{}...\"", name.substr(0, 57)) : fmt::format("\"{}\"", name);
}

std::vector<std::string> body_names(const SceneSpec& scene) {
  std::vector<std::string> names;
  for (const BodySpec& body : scene.bodies) names.push_back(body.name);
  return names;
}

struct ShapeCheck {
  const std::string& place;
  Problems& problems;

  void count(double nodes) const {
    if (nodes > most_nodes)
      problems.push_back({place + ".nodes",
                          fmt::format("{:g} nodes in all", nodes),
                          fmt::format("at most {:g}", most_nodes),
                          {}});
  }
  void across(int nodes) const {
    if (nodes < 4)
      problems.push_back({place + ".nodes", std::to_string(nodes) + " across", "at least 4 across", {}});
  }
  /// Far from the origin, nodes that are close together would round to one place.
  void apart(double length, int nodes, double reach) const {
    const double spacing = length / nodes, least = 1e-12 * reach;
    if (spacing < least)
      problems.push_back({place,
                          fmt::format("nodes {:.2g} m apart, {:.2g} m from the origin", spacing, reach),
                          fmt::format("at least {:.2g} m there", least),
                          "move the shape towards the origin, or use fewer nodes"});
  }
  void operator()(const BoxShape& s) const {
    count(double(s.nodes[0]) * s.nodes[1] * s.nodes[2]);
    for (int c = 0; c < 3; ++c) apart(s.size[c], s.nodes[c], std::abs(s.corner[c]) + s.size[c]);
  }
  void operator()(const SphereShape& s) const {
    (*this)(EllipsoidShape{Vec3::Constant(s.radius), s.nodes, s.center});
  }
  void operator()(const EllipsoidShape& s) const {
    count(double(s.nodes) * s.nodes * s.nodes);
    for (int c = 0; c < 3; ++c) apart(s.radii[c], s.nodes, std::abs(s.center[c]) + s.radii[c]);
  }
  void operator()(const CylinderShape& s) const {
    across(s.nodes[0]);
    count(double(s.nodes[0]) * s.nodes[0] * s.nodes[1]);
    apart(s.radius, s.nodes[0], s.center.cwiseAbs().maxCoeff() + s.radius);
    apart(s.height, s.nodes[1], std::abs(s.center.y()) + s.height);
  }
  void operator()(const TorusShape& s) const {
    across(s.nodes[0]);
    count(double(s.nodes[0]) * s.nodes[0] * s.nodes[1]);
    apart(s.tube_radius, s.nodes[0], s.center.cwiseAbs().maxCoeff() + s.ring_radius);
    if (s.tube_radius >= s.ring_radius)
      problems.push_back({place + ".tube_radius",
                          fmt::format("{:g}", s.tube_radius),
                          fmt::format("less than ring_radius, {:g} m", s.ring_radius),
                          {}});
  }
  void operator()(const BlobsShape& s) const {
    if (s.parts.empty()) problems.push_back({place + ".parts", "none", "at least one part", {}});
    cells(s.cells);
  }
  void operator()(const BumpyBarShape& s) const {
    if (s.bump >= s.radius)
      problems.push_back({place + ".bump",
                          fmt::format("{:g}", s.bump),
                          fmt::format("less than radius, {:g} m", s.radius),
                          {}});
    for (int c = 0; c < 2; ++c)
      if (s.resolution[c] < 4 * s.waves[c])
        problems.push_back({place + ".resolution",
                            fmt::format("[{}, {}]", s.resolution[0], s.resolution[1]),
                            "at least 4 quads a wave",
                            {}});
    cells(s.cells);
  }
  /// All of the three or none.
  void cells(const std::array<int, 3>& count) const {
    const bool none = count[0] == 0 && count[1] == 0 && count[2] == 0;
    if (!none && (count[0] == 0 || count[1] == 0 || count[2] == 0))
      problems.push_back({place + ".cells",
                          fmt::format("[{}, {}, {}]", count[0], count[1], count[2]),
                          "at least 1 along every axis, or 0 along all",
                          {}});
    if (double(count[0]) * count[1] * count[2] > 50000)
      problems.push_back({place + ".cells",
                          fmt::format("[{}, {}, {}]", count[0], count[1], count[2]),
                          "at most 50000 cells",
                          {}});
  }
  void operator()(const PlantShape& s) const {
    apart(s.height, 1000, s.base.cwiseAbs().maxCoeff() + s.height);
  }
  void operator()(const MeshSpec& s) const {
    if (s.mesh.empty()) problems.push_back({place, "no file", "the name of a mesh file", {}});
    cells(s.cells);
    if (s.rotate.axis.norm() == 0)
      problems.push_back(
          {fmt::format("{}.rotate.axis", place.substr(0, place.rfind('.'))), "[0, 0, 0]", "a direction", {}});
  }
  void operator()(const SheetShape& s) const {
    apart(s.size[0], s.nodes[0], std::abs(s.center.x()) + s.size[0]);
    apart(s.size[1], s.nodes[1], std::abs(s.center.z()) + s.size[1]);
  }
};

const char* shape_name(const ShapeSpec& shape) {
  constexpr const char* names[] = {"box",   "sphere", "ellipsoid", "cylinder",  "torus",
                                   "sheet", "blobs",  "plant",     "bumpy_bar", "mesh"};
  return names[shape.is.index()];
}

void check_axis(const Turn& turn, const std::string& place, Problems& problems) {
  if (turn.axis.norm() == 0) problems.push_back({place + ".axis", "[0, 0, 0]", "a direction", {}});
}

void check_selector(const Selector& selector, const std::string& place, Problems& problems) {
  const auto* half = std::get_if<SelectHalfspace>(&selector.is);
  if (half && half->normal.norm() == 0)
    problems.push_back({place + ".halfspace.normal", "[0, 0, 0]", "a direction", {}});
}

void check_motion(const std::vector<MotionKey>& keys, const std::string& place, Problems& problems) {
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::string at = fmt::format("{}.{}", place, k);
    check_axis(keys[k].rotate, at + ".rotate", problems);
    if (k > 0 && keys[k].time <= keys[k - 1].time)
      problems.push_back({at + ".time",
                          fmt::format("{:g}", keys[k].time),
                          fmt::format("a number > {:g} s, the time of the key before", keys[k - 1].time),
                          {}});
  }
}

/// What the method of the body says to its settings, and to colliders.
void check_method(const BodySpec& body, const std::string& place, bool colliders, Problems& problems) {
  std::vector<Problem> found = body.entry().check(body.options());
  if (colliders)
    if (const auto lack = body.entry().lacks(body.options(), Ability::contact)) found.push_back(*lack);
  for (Problem& problem : found) {
    problem.place = place + "." + problem.place;
    problems.push_back(std::move(problem));
  }
}

void check_body(const BodySpec& body, const std::string& place, Problems& problems) {
  if (!usable_name(body.name, "_-."))
    problems.push_back({place + ".name",
                        shown_name(body.name),
                        "letters, digits, '_', '-' and '.', not starting with '.', at most 100",
                        {}});
  const std::string shape = fmt::format("{}.shape.{}", place, shape_name(body.shape));
  std::visit(ShapeCheck{shape, problems}, body.shape.is);
  check_axis(body.initial.rotate, place + ".initial.rotate", problems);
  check_axis(body.repeat.rotate, place + ".repeat.rotate", problems);
  for (std::size_t i = 0; i < body.pins.size(); ++i)
    check_selector(body.pins[i].select, fmt::format("{}.pins.{}.select", place, i), problems);
  for (std::size_t i = 0; i < body.handles.size(); ++i) {
    check_selector(body.handles[i].select, fmt::format("{}.handles.{}.select", place, i), problems);
    check_motion(body.handles[i].motion, fmt::format("{}.handles.{}.motion", place, i), problems);
  }
}

struct ColliderCheck {
  const std::string& place;
  Problems& problems;

  void direction(const char* key, const Vec3& v) const {
    if (v.norm() == 0) problems.push_back({place + "." + key, "[0, 0, 0]", "a direction", {}});
  }
  void operator()(const PlaneColliderSpec& s) const { direction("normal", s.normal); }
  void operator()(const SphereColliderSpec&) const {}
  void operator()(const BoxColliderSpec& s) const { check_axis(s.rotate, place + ".rotate", problems); }
  void operator()(const CapsuleColliderSpec&) const {}
  void operator()(const MeshColliderSpec& s) const {
    if (s.file.empty()) problems.push_back({place + ".file", "no file", "the name of a mesh file", {}});
    check_axis(s.rotate, place + ".rotate", problems);
  }
};

void check_colliders(const SceneSpec& scene, Problems& problems) {
  constexpr const char* kinds[] = {"plane", "sphere", "box", "capsule", "mesh"};
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const auto& collider = scene.colliders[i].is;
    const std::string place = fmt::format("colliders.{}.{}", i, kinds[collider.index()]);
    std::visit(ColliderCheck{place, problems}, collider);
    std::visit(
        [&](const ColliderTraits& traits) { check_motion(traits.motion, place + ".motion", problems); },
        collider);
  }
}

void tell_unknown_body(const SceneSpec& scene, const std::string& name, const std::string& place,
                       Problems& problems) {
  const std::vector<std::string> names = body_names(scene);
  problems.push_back({place, fmt::format("\"{}\"", name),
                      fmt::format("the name of a body: {}", fmt::join(names, ", ")),
                      did_you_mean(name, names)});
}

/// Empty: the first body.
void check_body_name(const SceneSpec& scene, const std::string& name, const std::string& place,
                     Problems& problems) {
  if (find_body(scene, name) >= 0 || scene.bodies.empty()) return;  // a scene without bodies is told once
  tell_unknown_body(scene, name, place, problems);
}

void check_listed_body(const SceneSpec& scene, const std::string& name, const std::string& place,
                       Problems& problems) {
  if (name.empty())
    tell_unknown_body(scene, name, place, problems);
  else
    check_body_name(scene, name, place, problems);
}

/// Keys of a force: times ascend, axes are directions.
template <class Key>
void check_force_keys(const std::vector<Key>& keys, const std::string& place, Problems& problems) {
  std::vector<MotionKey> motion;
  for (const Key& key : keys) motion.push_back({key.time, Vec3::Zero(), key.rotate});
  check_motion(motion, place, problems);
}

void check_forces(const SceneSpec& scene, Problems& problems) {
  for (std::size_t i = 0; i < scene.forces.size(); ++i) {
    const std::string place = fmt::format("forces.{}.{}", i, kind_of(scene.forces[i]));
    std::visit(
        [&](const auto& force) {
          check_force_keys(force.motion, place + ".motion", problems);
          for (std::size_t b = 0; b < force.bodies.size(); ++b)
            check_listed_body(scene, force.bodies[b], fmt::format("{}.bodies.{}", place, b), problems);
        },
        scene.forces[i].is);
    const auto* vortex = std::get_if<VortexForceSpec>(&scene.forces[i].is);
    if (vortex && vortex->axis.norm() == 0)
      problems.push_back({place + ".axis", "[0, 0, 0]", "a direction", {}});
  }
}

void check_probes(const SceneSpec& scene, Problems& problems) {
  for (std::size_t i = 0; i < scene.probes.size(); ++i) {
    const ProbeSpec& probe = scene.probes[i];
    const std::string place = fmt::format("probes.{}", i);
    if (!usable_name(probe.name, "_"))
      problems.push_back({place + ".name", shown_name(probe.name), "letters, digits and '_'", {}});
    for (std::size_t j = 0; j < i; ++j)
      if (scene.probes[j].name == probe.name)
        problems.push_back({place + ".name", fmt::format("\"{}\" again", probe.name), "each name once", {}});
    check_body_name(scene, probe.body, place + ".body", problems);
    check_selector(probe.select, place + ".select", problems);
  }
}

void check_expectations(const SceneSpec& scene, Problems& problems) {
  std::vector<std::string> probes;
  for (const ProbeSpec& probe : scene.probes) probes.push_back(probe.name);
  const std::vector<std::string> metrics = metric_columns(probes);
  for (std::size_t i = 0; i < scene.expect.size(); ++i) {
    const ExpectSpec& expect = scene.expect[i];
    const std::string place = fmt::format("expect.{}", i);
    if (std::find(metrics.begin(), metrics.end(), expect.metric) == metrics.end())
      problems.push_back({place + ".metric", fmt::format("\"{}\"", expect.metric),
                          fmt::format("one of {}", fmt::join(metrics, ", ")),
                          did_you_mean(expect.metric, metrics)});
    check_body_name(scene, expect.body, place + ".body", problems);
    if (expect.min > expect.max)
      problems.push_back({place + ".min",
                          fmt::format("{:g}", expect.min),
                          fmt::format("at most max, {:g}", expect.max),
                          {}});
    if (expect.min == -not_given && expect.max == not_given)
      problems.push_back({place, "neither min nor max", "at least one of them", {}});
    if (expect.from > expect.to)
      problems.push_back({place + ".from",
                          fmt::format("{:g}", expect.from),
                          fmt::format("at most to, {:g} s", expect.to),
                          {}});
  }
}

}  // namespace

int find_body(const SceneSpec& scene, const std::string& name) {
  if (name.empty()) return scene.bodies.empty() ? -1 : 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name == name) return int(i);
  return -1;
}

std::vector<Problem> validate(const SceneSpec& scene) {
  Problems problems;
  if (scene.bodies.empty()) problems.push_back({"bodies", "none", "at least one body", {}});
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const std::string place = fmt::format("bodies.{}", i);
    check_body(scene.bodies[i], place, problems);
    check_method(scene.bodies[i], place, !scene.colliders.empty(), problems);
    for (std::size_t j = 0; j < i; ++j)
      if (scene.bodies[j].name == scene.bodies[i].name)
        problems.push_back({place + ".name", fmt::format("\"{}\" again", scene.bodies[i].name),
                            "each name once", "give every body a name of its own"});
    for (const BodySpec& other : scene.bodies)
      if (looks_like_a_frame(scene.bodies[i].name, other.name))
        problems.push_back({place + ".name",
                            fmt::format("\"{}\" beside \"{}\"", scene.bodies[i].name, other.name),
                            "names whose files are not mistaken for each other's frames",
                            {}});
  }
  check_colliders(scene, problems);
  check_forces(scene, problems);
  check_bonds(scene, problems);
  check_probes(scene, problems);
  check_expectations(scene, problems);
  return problems;
}

}  // namespace pliant
