// SPDX-License-Identifier: Apache-2.0
// Every key of a scene: name, unit, range, help, said here and nowhere else. Defaults are the initial values
// of scene/spec.hpp.
#include "pliant/scene/spec.hpp"

#include "pliant/scene/spec_layout.hpp"

namespace pliant {
namespace {

constexpr double far_away = 1e6;  // m; beyond it single precision frames lose the millimetre

OptionFacts place_facts(std::string help) {
  return {.unit = "m", .min = -far_away, .max = far_away, .help = std::move(help)};
}
OptionFacts length_facts(std::string help) {
  return {.unit = "m", .min = 1e-9, .max = far_away, .help = std::move(help)};
}
OptionFacts count_facts(int min, std::string help) {
  return {.unit = "1", .min = double(min), .max = 2000, .help = std::move(help)};
}
OptionFacts time_facts(std::string help) {
  return {.unit = "s", .min = 0, .max = 1e9, .help = std::move(help)};
}
OptionFacts rate_facts(std::string unit, std::string help) {
  return {.unit = std::move(unit), .min = -1e5, .max = 1e5, .change = Change::live, .help = std::move(help)};
}

}  // namespace

// ---- shapes ----------------------------------------------------------------------------------------------

template <>
const Layout<BoxShape>& layout_of() {
  using S = BoxShape;
  static const auto layout = make_layout<S>(
      "box", "a block on a lattice of nodes",
      {option("size", &S::size, length_facts("edge lengths along x, y, z")),
       option("nodes", &S::nodes, count_facts(2, "nodes along x, y, z")),
       option("corner", &S::corner, place_facts("lowest corner")),
       option("neighbourhood", &S::neighbourhood,
              {.choices = {"edges", "all_pairs"},
               .help = "which corners of a lattice cell are linked: 6 or 26 neighbours a node"})});
  return layout;
}

template <>
const Layout<SphereShape>& layout_of() {
  using S = SphereShape;
  static const auto layout = make_layout<S>("sphere", "a ball",
                                            {option("radius", &S::radius, length_facts("radius")),
                                             option("nodes", &S::nodes, count_facts(4, "nodes across")),
                                             option("center", &S::center, place_facts("centre"))});
  return layout;
}

template <>
const Layout<EllipsoidShape>& layout_of() {
  using S = EllipsoidShape;
  static const auto layout =
      make_layout<S>("ellipsoid", "a ball stretched along the axes",
                     {option("radii", &S::radii, length_facts("half axes along x, y, z")),
                      option("nodes", &S::nodes, count_facts(4, "nodes across")),
                      option("center", &S::center, place_facts("centre"))});
  return layout;
}

template <>
const Layout<CylinderShape>& layout_of() {
  using S = CylinderShape;
  static const auto layout =
      make_layout<S>("cylinder", "a round column, axis along y",
                     {option("radius", &S::radius, length_facts("radius")),
                      option("height", &S::height, length_facts("length along y")),
                      option("nodes", &S::nodes, count_facts(2, "nodes across (at least 4) and along")),
                      option("center", &S::center, place_facts("centre"))});
  return layout;
}

template <>
const Layout<TorusShape>& layout_of() {
  using S = TorusShape;
  static const auto layout = make_layout<S>(
      "torus", "a ring, axis along y",
      {option("ring_radius", &S::ring_radius, length_facts("centre to the middle of the tube")),
       option("tube_radius", &S::tube_radius, length_facts("radius of the tube, below ring_radius")),
       option("nodes", &S::nodes, count_facts(3, "nodes across the tube (at least 4) and around the ring")),
       option("center", &S::center, place_facts("centre"))});
  return layout;
}

template <>
const Layout<SheetShape>& layout_of() {
  using S = SheetShape;
  static const auto layout = make_layout<S>(
      "sheet", "a flat sheet in the x-z plane, normal +y; its surface is open, so it has no volume_ratio",
      {option("size", &S::size, length_facts("edge lengths along x, z")),
       option("nodes", &S::nodes, count_facts(2, "nodes along x, z")),
       option("thickness", &S::thickness, length_facts("gives mass and stiffness")),
       option("center", &S::center, place_facts("centre"))});
  return layout;
}

template <>
const Layout<ShapeSpec>& layout_of() {
  using S = ShapeSpec;
  static const auto layout = make_choice<S>(
      "shape", "the body at rest",
      {alternative<S, BoxShape>("box", "a block"), alternative<S, SphereShape>("sphere", "a ball"),
       alternative<S, EllipsoidShape>("ellipsoid", "a stretched ball"),
       alternative<S, CylinderShape>("cylinder", "a round column"),
       alternative<S, TorusShape>("torus", "a ring"), alternative<S, SheetShape>("sheet", "a flat sheet")},
      {{"mesh", "meshes from files are not available in this version"}});
  return layout;
}

// ---- selectors and motion --------------------------------------------------------------------------------

template <>
const Layout<SelectSphere>& layout_of() {
  using S = SelectSphere;
  static const auto layout = make_layout<S>("sphere selector", "nodes within a ball",
                                            {option("center", &S::center, place_facts("centre")),
                                             option("radius", &S::radius, length_facts("radius"))});
  return layout;
}

template <>
const Layout<SelectHalfspace>& layout_of() {
  using S = SelectHalfspace;
  static const auto layout = make_layout<S>(
      "halfspace selector", "nodes on the side of a plane that the normal points to, and on the plane",
      {option("point", &S::point, place_facts("a point of the plane")),
       option("normal", &S::normal, {.unit = "1", .help = "direction, any length but zero"})});
  return layout;
}

template <>
const Layout<Selector>& layout_of() {
  using S = Selector;
  static const auto layout = make_choice<S>(
      "selector", "which nodes, told on the shape at rest, before `initial` moves it",
      {value_alternative<S>(option("all", &SelectAll::yes, {.help = "every node"})),
       value_alternative<S>(option("box", &SelectBox::corners,
                                   place_facts("nodes between two opposite corners, faces included"))),
       alternative<S, SelectSphere>("sphere", "nodes within a ball"),
       alternative<S, SelectHalfspace>("halfspace", "nodes on one side of a plane"),
       value_alternative<S>(
           option("vertices", &SelectVertices::indices,
                  {.unit = "1", .min = 0, .help = "the nodes that carry these vertices of the surface"}))});
  return layout;
}

template <>
const Layout<Turn>& layout_of() {
  using S = Turn;
  static const auto layout = make_layout<S>(
      "rotate", "a turn about an axis",
      {option("axis", &S::axis, {.unit = "1", .help = "direction, any length but zero; right-hand rule"}),
       option(
           "degrees", &S::degrees,
           {.unit = "degrees", .min = -1e6, .max = 1e6, .help = "angle; more than a full turn is allowed"})});
  return layout;
}

template <>
const Layout<MotionKey>& layout_of() {
  using S = MotionKey;
  static const auto layout =
      make_layout<S>("key", "where the handle is at a time, relative to where it started",
                     {option("time", &S::time, time_facts("keys are in ascending order")),
                      option("translate", &S::translate, place_facts("shift"))},
                     {object_field("rotate", &S::rotate, "turn about the centre of the selected nodes")});
  return layout;
}

template <>
const Layout<PinSpec>& layout_of() {
  using S = PinSpec;
  static const auto layout =
      make_layout<S>("pin", "nodes held where they start",
                     {option("release", &S::release, time_facts("when they are let go; none = never"))},
                     {object_field("select", &S::select, "which nodes")});
  return layout;
}

template <>
const Layout<HandleSpec>& layout_of() {
  using S = HandleSpec;
  static const auto layout = make_layout<S>(
      "handle", "nodes that are moved as one rigid piece",
      {option(
           "ease", &S::ease,
           {.choices = {"smooth", "linear"},
            .help = "smooth stops at every key (s^2 (3 - 2 s)); linear keeps constant speed between keys"}),
       option("release", &S::release, time_facts("when they are let go; none = never"))},
      {object_field("select", &S::select, "which nodes"),
       list_field("motion", &S::motion,
                  "keys; turns about one axis interpolate the angle, others go the shortest way")});
  return layout;
}

// ---- bodies ----------------------------------------------------------------------------------------------

template <>
const Layout<Damping>& layout_of() {
  using S = Damping;
  static const auto layout = make_layout<S>(
      "damping", "how motion dies away",
      {option("mass", &S::mass,
              {.unit = "1/s", .min = 0, .max = 1e4, .help = "a viscous medium: slows everything"}),
       option("stiffness", &S::stiffness,
              {.unit = "s", .min = 0, .max = 1e3, .help = "slows deformation; rigid motion is left alone"})});
  return layout;
}

template <>
const Layout<geometric::Options>& layout_of() {
  static const auto layout = make_layout<geometric::Options>("geometric", "settings of the geometric method",
                                                             geometric::option_table());
  return layout;
}

template <>
const Layout<fem::Options>& layout_of() {
  static const auto layout =
      make_layout<fem::Options>("fem", "settings of the finite-element baseline", fem::option_table());
  return layout;
}

template <>
const Layout<ScrambleSpec>& layout_of() {
  using S = ScrambleSpec;
  static const auto layout = make_layout<S>(
      "scramble", "every free node at a random place of the bounding box, at rest: the recovery test",
      {option("seed", &S::seed, {.unit = "1", .min = 0, .help = "same seed, same places"})});
  return layout;
}

template <>
const Layout<InitialSpec>& layout_of() {
  using S = InitialSpec;
  static const auto layout =
      make_layout<S>("initial", "where and how the body starts; turns and spin are about its centre of mass",
                     {option("translate", &S::translate, place_facts("shift from the shape's own place")),
                      option("velocity", &S::velocity, rate_facts("m/s", "velocity of the centre of mass")),
                      option("spin", &S::spin, rate_facts("rad/s", "angular velocity"))},
                     {object_field("rotate", &S::rotate, "turn of the whole body"),
                      optional_field("scramble", &S::scramble, "random node positions")});
  return layout;
}

template <>
const Layout<BodySpec>& layout_of() {
  using S = BodySpec;
  static const auto layout = make_layout<S>(
      "body", "one soft body",
      {option("name", &S::name, {.help = "names its rows and files: letters, digits, '_', '-' and '.'"}),
       option("method", &S::method, {.choices = method_names(), .help = "how it deforms"}),
       option("density", &S::density,
              {.unit = "kg/m^3",
               .min = 0,
               .max = 1e6,
               .above_min = true,
               .scale = Scale::logarithmic,
               .help = "mass per volume; water 1000"})},
      {object_field("shape", &S::shape, "the body at rest"),
       object_field("geometric", static_cast<geometric::Options S::*>(&S::geometric),
                    "settings of the geometric method"),
       object_field("fem", static_cast<fem::Options S::*>(&S::fem),
                    "settings of the finite-element baseline"),
       object_field("damping", &S::damping, "how motion dies away"),
       list_field("pins", &S::pins, "nodes held where they start"),
       list_field("handles", &S::handles, "nodes that are moved"),
       object_field("initial", &S::initial, "where and how the body starts")},
      {{"metric", "this method is not available in this version"},
       {"cage", "cages are not available in this version"},
       {"meshless", "this method is not available in this version"},
       {"skeleton", "skeletons are not available in this version"},
       {"samples", "samples are not available in this version"}});
  return layout;
}

template <>
const Layout<ProbeSpec>& layout_of() {
  using S = ProbeSpec;
  static const auto layout = make_layout<S>(
      "probe",
      "the mean place of some nodes as metrics: NAME_x, NAME_y, NAME_z (m) and NAME_dx, NAME_dy, NAME_dz (m, "
      "from frame 0)",
      {option("name", &S::name, {.help = "letters, digits and '_'"}),
       option("body", &S::body, {.help = "name of the body; empty = the first"})},
      {object_field("select", &S::select, "which nodes")});
  return layout;
}

template <>
const Layout<ExpectSpec>& layout_of() {
  using S = ExpectSpec;
  static const auto layout = make_layout<S>(
      "expectation", "what the scene must show; checked by `pliant run --check`",
      {option("metric", &S::metric, {.help = "a column of metrics.csv, a probe's too"}),
       option("body", &S::body, {.help = "name of the body; empty = the first"}),
       option(
           "at", &S::at,
           {.unit = "s",
            .choices = {"end", "always", "min", "max", "period"},
            .min = 0,
            .max = 1e9,
            .help = "the last value, every value, the smallest, the largest, the time between the first two "
                    "crossings of the middle in one direction, or the value at a time"}),
       option("from", &S::from, time_facts("frames before this time do not count")),
       option("to", &S::to, time_facts("frames after this time do not count; none = all")),
       option("min", &S::min, {.help = "in the metric's unit (period: s); none = no limit"}),
       option("max", &S::max, {.help = "in the metric's unit (period: s); none = no limit"})});
  return layout;
}

template <>
const Layout<SceneSpec>& layout_of() {
  using S = SceneSpec;
  static const auto layout = make_layout<S>(
      "scene", "SI units, y up, right-handed",
      {option("description", &S::description, {.help = "one line for `pliant scenes`"}),
       option("timestep", &S::timestep,
              {.unit = "s",
               .min = 0,
               .max = 1,
               .above_min = true,
               .scale = Scale::logarithmic,
               .help = "time between frames"}),
       option("substeps", &S::substeps,
              {.unit = "1", .min = 1, .max = 10000, .help = "steps a frame: h = timestep / substeps"}),
       option("frames", &S::frames,
              {.unit = "1",
               .min = 0,
               .max = 1e8,
               .change = Change::live,
               .help = "how many to simulate; frame 0 is the start and comes on top"}),
       option("gravity", &S::gravity, rate_facts("m/s^2", "acceleration of every body"))},
      {list_field("bodies", &S::bodies, "the soft bodies, at least one"),
       list_field("probes", &S::probes, "extra metrics"),
       list_field("expect", &S::expect, "what the scene must show")},
      {{"colliders", "contact is not available in this version"}});
  return layout;
}

}  // namespace pliant
