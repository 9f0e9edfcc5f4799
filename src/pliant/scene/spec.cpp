// SPDX-License-Identifier: Apache-2.0
// Every key of a scene: name, unit, range, help, said here and nowhere else. Defaults are the initial values
// of scene/spec.hpp.
// g++ 12 takes the empty `reduction` of a body's initial value for uninitialised; it looks at the pragma
// where std::optional is, so that it stands before all includes.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "pliant/scene/spec.hpp"

#include "pliant/physics/motion_layout.hpp"
#include "pliant/scene/material.hpp"
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
OptionFacts budget_facts() {
  return {.unit = "1",
          .min = 4,
          .max = 2e6,
          .scale = Scale::logarithmic,
          .help = "about how many nodes carry the surface: more is finer and slower"};
}
OptionFacts shell_facts() {
  return {.unit = "m",
          .min = 1e-9,
          .max = far_away,
          .help = "thickness of a sheet or shell; none = 0.01 of the diagonal of the bounding box"};
}
OptionFacts cell_facts() {
  return {.unit = "1",
          .min = 0,
          .max = 1000,
          .help =
              "number of hexahedra along x, y and z of the bounding box; the surface moves with them. For "
              "method " +
              methods_with(NodePlacement::cells) +
              "; pins and handles then pull at surface points softly; 0 = none"};
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
const Layout<BlobPart>& layout_of() {
  using S = BlobPart;
  static const auto layout = make_layout<S>(
      "part", "a ball swept from one point to another",
      {option("from", &S::from, place_facts("centre of the ball at the beginning")),
       option("to", &S::to, place_facts("and at the end; the same point makes a ball")),
       option("radius", &S::radius, length_facts("at the beginning")),
       option("end_radius", &S::end_radius,
              {.unit = "m", .min = 0, .max = far_away, .help = "at the end; 0 = as at the beginning"})});
  return layout;
}

template <>
const Layout<BlobsShape>& layout_of() {
  using S = BlobsShape;
  static const auto layout = make_layout<S>(
      "blobs", "round parts that melt into one another: animals, plants, toys without a mesh file",
      {option("blend", static_cast<double S::*>(&S::blend),
              {.unit = "m", .min = 0, .max = far_away, .help = "how far parts melt into one another"}),
       option("resolution", static_cast<int S::*>(&S::resolution),
              {.unit = "1", .min = 4, .max = 400, .help = "cells of the surface along its longest side"}),
       option("nodes", &S::nodes, budget_facts()), option("thickness", &S::thickness, shell_facts()),
       option("cells", &S::cells, cell_facts())},
      {list_field("parts", static_cast<std::vector<BlobPart> S::*>(&S::parts), "at least one")});
  return layout;
}

template <>
const Layout<PlantShape>& layout_of() {
  using S = PlantShape;
  static const auto layout = make_layout<S>(
      "plant", "a stem with leaves, each of three sheets that meet in the midrib; its vertices are the nodes",
      {option("seed", &S::seed, {.unit = "1", .min = 0, .help = "same seed, same plant"}),
       option("leaves", &S::leaves, count_facts(1, "366 nodes for the stem and 112 for each")),
       option("height", &S::height, length_facts("of the stem")),
       option("thickness", &S::thickness, length_facts("of the stem's wall and the leaves")),
       option("base", &S::base, place_facts("foot of the stem"))});
  return layout;
}

template <>
const Layout<BumpyBarShape>& layout_of() {
  using S = BumpyBarShape;
  static const auto layout = make_layout<S>(
      "bumpy_bar", "a round bar along z with fine bumps",
      {option("length", static_cast<double S::*>(&S::length), length_facts("along z")),
       option("radius", static_cast<double S::*>(&S::radius), length_facts("without bumps")),
       option(
           "bump", static_cast<double S::*>(&S::bump),
           {.unit = "m", .min = 0, .max = far_away, .help = "height of the bumps over and under the radius"}),
       option("waves", static_cast<std::array<int, 2> S::*>(&S::waves),
              {.unit = "1", .min = 0, .max = 1000, .help = "bumps around and along"}),
       option("resolution", static_cast<std::array<int, 2> S::*>(&S::resolution),
              {.unit = "1", .min = 3, .max = 10000, .help = "quads around and along, at least 4 a wave"}),
       option("center", static_cast<Vec3 S::*>(&S::center), place_facts("centre")),
       option("nodes", &S::nodes, budget_facts()), option("cells", &S::cells, cell_facts())});
  return layout;
}

template <>
const Layout<MeshSpec>& layout_of() {
  using S = MeshSpec;
  static const auto layout = make_layout<S>(
      "mesh",
      "any surface from a file, clean or dirty: obj, ply, stl, off or glb. It is repaired, filled with "
      "nodes, and keeps its own vertices and texture coordinates in every export. Or a cloud of points with "
      "normals and without faces (ply, obj)",
      {option("mesh", &S::mesh, {.help = "the file, from the scene's folder or from where the command runs"}),
       option("scale", &S::scale,
              {.unit = "1", .min = 0, .max = 1e12, .above_min = true, .help = "factor on top of the unit"}),
       option("unit", &S::unit,
              {.choices = {"m", "cm", "mm", "in", "ft"}, .help = "what a length of 1 in the file means"}),
       option("up", &S::up, {.choices = {"y", "z"}, .help = "the file's upward axis; z is turned into y"}),
       option("translate", &S::translate, place_facts("shift, after everything else")),
       option("nodes", &S::nodes, budget_facts()),
       option("solid", &S::solid,
              {.help = "true: the skin of a solid; false: a sheet; none: tested by rays from just inside "
                       "(few leave through holes: a solid); the result is printed; no effect on points"}),
       option("thickness", &S::thickness, shell_facts()),
       option("join", &S::join, {.help = "link separate parts, so that they do not fall apart"}),
       option("cells", &S::cells, cell_facts())},
      {object_field("rotate", &S::rotate, "turn about the origin, after scale and up, before translate")});
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
       alternative<S, TorusShape>("torus", "a ring"), alternative<S, SheetShape>("sheet", "a flat sheet"),
       alternative<S, BlobsShape>("blobs", "round parts melted together"),
       alternative<S, PlantShape>("plant", "a stem with leaves"),
       alternative<S, BumpyBarShape>("bumpy_bar", "a round bar with fine bumps"),
       flat_alternative<S, MeshSpec>("mesh", "any surface from a file")});
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
       option("release", &S::release, time_facts("when they are let go; none = never")),
       option("scale", &S::scale,
              {.unit = "1",
               .min = 0.01,
               .max = 100,
               .help = "along x, y and z about the centre of the selected nodes, before they turn"})},
      {object_field("select", &S::select, "which nodes"),
       list_field("motion", &S::motion,
                  "keys; turns about one axis may exceed a full turn, others take the shortest way")});
  return layout;
}

// ---- bodies ----------------------------------------------------------------------------------------------

template <>
const Layout<Damping>& layout_of() {
  using S = Damping;
  static const auto layout =
      make_layout<S>("damping", "how motion dies away",
                     {option("mass", &S::mass,
                             {.unit = "1/s",
                              .min = 0,
                              .max = 1e4,
                              .change = Change::live,
                              .help = "a viscous medium: slows everything"}),
                      option("stiffness", &S::stiffness,
                             {.unit = "s",
                              .min = 0,
                              .max = 1e3,
                              .change = Change::live,
                              .help = "slows deformation; rigid motion is left alone"})});
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
                      option("stretch", &S::stretch,
                             {.unit = "1",
                              .min = 0.001,
                              .max = 1000,
                              .help = "factors along x, y, z, before the turn: a squashed or pulled start"}),
                      option("velocity", &S::velocity, rate_facts("m/s", "velocity of the centre of mass")),
                      option("spin", &S::spin, rate_facts("rad/s", "angular velocity"))},
                     {object_field("rotate", &S::rotate, "turn of the whole body"),
                      optional_field("scramble", &S::scramble, "random node positions")});
  return layout;
}

template <>
const Layout<RepeatSpec>& layout_of() {
  using S = RepeatSpec;
  static const auto layout = make_layout<S>(
      "repeat",
      "a row of equal bodies NAME-1, NAME-2, ...; each starts where the one before does, turned about the "
      "origin and "
      "then shifted. Motions of handles are not turned. --set reaches the whole row, by NAME",
      {option("count", &S::count, {.unit = "1", .min = 1, .max = double(most_repeated), .help = "how many"}),
       option("translate", &S::translate, place_facts("shift from one to the next")),
       option("first", &S::first,
              {.unit = "1",
               .min = 0,
               .max = double(most_repeated),
               .help = "how often the first one is turned and shifted already"})},
      {object_field("rotate", &S::rotate, "turn from one to the next, about the origin")});
  return layout;
}

template <>
const Layout<ContactOptions>& layout_of() {
  using S = ContactOptions;
  static const auto layout = make_layout<S>(
      "contact", "how the body meets colliders and other bodies",
      {option("sweeps", &S::sweeps,
              {.unit = "1",
               .min = 1,
               .max = 1e6,
               .change = Change::live,
               .help = "of the contact solver in a step, at most"}),
       option("tolerance", &S::tolerance,
              {.unit = "m/s",
               .min = 0,
               .max = 1,
               .scale = Scale::logarithmic,
               .change = Change::live,
               .help = "sweeps end when no velocity changes by more"}),
       option("slop", &S::slop,
              {.unit = "1",
               .min = 0,
               .max = 0.1,
               .change = Change::live,
               .help = "penetration that is left alone, share of the body's size"}),
       option("offset", &S::offset,
              {.unit = "m",
               .min = 0,
               .max = far_away,
               .change = Change::live,
               .help = "distance kept from colliders"}),
       option("most", &S::most,
              {.unit = "1",
               .min = 1,
               .max = 1e6,
               .change = Change::live,
               .help = "contacts at a time; of more the deepest and outermost are kept"}),
       option("bodies", &S::bodies,
              {.help = "the body meets others that do, too, and itself; false: they pass through it"}),
       option("self", &S::self,
              {.help = "a body that meets others meets itself, too; false: it passes through itself"}),
       option("thickness", &S::thickness,
              {.unit = "m",
               .min = 0,
               .max = far_away,
               .help = "two bodies keep half the sum of theirs; 0 = of a solid 0.005 of its size, or the "
                       "offset if that is more; of a sheet its thickness, or of any other open mesh a "
                       "tenth of its mean edge"}),
       option(
           "start", &S::start,
           {.choices = {"allow", "refuse"},
            .help = "where it overlaps another body that it meets: allow leads the two apart slowly, refuse "
                    "ends in a message"})});
  return layout;
}

namespace {

/// The settings of all methods, and the other objects of a body.
Fields<BodySpec> body_objects() {
  using S = BodySpec;
  Fields<S> fields{object_field("shape", &S::shape, "the body at rest")};
  for (std::size_t i = 0; i < catalogue().size(); ++i) {
    const MethodEntry& entry = *catalogue()[i];
    fields.push_back(
        {{{entry.name, Description::Kind::object, {.help = entry.help}, 0.0, entry.layout->description},
          [i, &entry](const Json& json, const std::string& place, void* to, Problems& problems) {
            entry.layout->read(json, place, static_cast<S*>(to)->settings[i].value(), problems);
          }}});
  }
  fields.push_back(object_field("damping", &S::damping, "how motion dies away"));
  fields.push_back(object_field("contact", &S::contact, "how the body meets colliders and other bodies"));
  fields.push_back(list_field("pins", &S::pins, "nodes held where they start"));
  fields.push_back(list_field("handles", &S::handles, "nodes that are moved"));
  fields.push_back(object_field("initial", &S::initial, "where and how the body starts"));
  fields.push_back(object_field("repeat", &S::repeat, "a row of such bodies"));
  return fields;
}

}  // namespace

template <>
const Layout<BodySpec>& layout_of() {
  using S = BodySpec;
  static const auto layout = make_layout<S>(
      "body", "one body",
      {option("name", &S::name, {.help = "names its rows and files: letters, digits, '_', '-' and '.'"}),
       option("method", &S::method, {.choices = method_names(), .help = "how it deforms"}),
       option(
           "material", &S::material,
           {.choices = material_names(),
            .help = "sets density, friction, damping.stiffness and the method's stiffness and poisson where "
                    "the scene does not; numbers and sources: docs/materials.md"}),
       option("density", &S::density,
              {.unit = "kg/m^3",
               .min = 0,
               .max = 1e6,
               .above_min = true,
               .scale = Scale::logarithmic,
               .help = "mass per volume of the shape; water 1000"}),
       option("friction", &S::friction,
              {.unit = "1",
               .min = 0,
               .max = 1e3,
               .change = Change::live,
               .help = "friction of the body: with a collider's f the coefficient is sqrt(this * f); none = "
                       "the collider's alone"})},
      body_objects(),
      {{"skeleton", "it belongs to a method: " + methods_with(Ability::skeleton) + ".skeleton"},
       {"samples", "samples are not available in this version"}});
  return layout;
}

std::vector<MethodOptions> BodySpec::default_settings() {
  std::vector<MethodOptions> out;
  for (const MethodEntry* entry : catalogue()) out.push_back(entry->defaults);
  return out;
}

const MethodOptions& BodySpec::options() const {
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (catalogue()[i]->name == method) return settings[i];
  check_failed("a method of the catalogue", __FILE__, __LINE__);
}

// ---- colliders -------------------------------------------------------------------------------------------

namespace {

/// The options of one kind of collider, and those that all have.
template <class S>
Layout<S> collider_layout(std::string title, std::string help, OptionTable<S> options,
                          Fields<S> objects = {}) {
  options.push_back(option("friction", static_cast<double S::*>(&S::friction),
                           {.unit = "1",
                            .min = 0,
                            .max = 1e3,
                            .change = Change::live,
                            .help = "Coulomb's coefficient: sideways over normal force, at most"}));
  options.push_back(option(
      "restitution", static_cast<double S::*>(&S::restitution),
      {.unit = "1",
       .min = 0,
       .max = 1,
       .change = Change::live,
       .help = "speed of a body after over before an impact, at least; its own elasticity may give more"}));
  options.push_back(option("ease", static_cast<Ease S::*>(&S::ease),
                           {.choices = {"smooth", "linear"},
                            .help = "smooth stops at every key (s^2 (3 - 2 s)); linear keeps constant speed "
                                    "between keys"}));
  objects.push_back(list_field(
      "motion", static_cast<std::vector<MotionKey> S::*>(&S::motion),
      "keys; none = still. A move of more than half its size in one step counts as a jump: it pushes "
      "nothing on the way"));
  return make_layout<S>(std::move(title), std::move(help), options, std::move(objects));
}

}  // namespace

template <>
const Layout<PlaneColliderSpec>& layout_of() {
  using S = PlaneColliderSpec;
  static const auto layout = collider_layout<S>(
      "plane collider", "everything behind a plane is solid",
      {option("point", static_cast<Vec3 S::*>(&S::point), place_facts("a point of the plane")),
       option("normal", static_cast<Vec3 S::*>(&S::normal),
              {.unit = "1", .help = "direction to the free side, any length but zero"})});
  return layout;
}

template <>
const Layout<SphereColliderSpec>& layout_of() {
  using S = SphereColliderSpec;
  static const auto layout =
      collider_layout<S>("sphere collider", "a solid ball",
                         {option("center", static_cast<Vec3 S::*>(&S::center), place_facts("centre")),
                          option("radius", static_cast<double S::*>(&S::radius), length_facts("radius"))});
  return layout;
}

template <>
const Layout<BoxColliderSpec>& layout_of() {
  using S = BoxColliderSpec;
  static const auto layout =
      collider_layout<S>("box collider", "a solid block",
                         {option("center", static_cast<Vec3 S::*>(&S::center), place_facts("centre")),
                          option("size", static_cast<Vec3 S::*>(&S::size), length_facts("edge lengths"))},
                         {object_field("rotate", &S::rotate, "turn about its centre")});
  return layout;
}

template <>
const Layout<CapsuleColliderSpec>& layout_of() {
  using S = CapsuleColliderSpec;
  static const auto layout = collider_layout<S>(
      "capsule collider", "a solid rod with round ends",
      {option("from", static_cast<Vec3 S::*>(&S::from), place_facts("one end of its axis")),
       option("to", static_cast<Vec3 S::*>(&S::to), place_facts("the other end")),
       option("radius", static_cast<double S::*>(&S::radius), length_facts("around the axis"))});
  return layout;
}

template <>
const Layout<MeshColliderSpec>& layout_of() {
  using S = MeshColliderSpec;
  static const auto layout = collider_layout<S>(
      "mesh collider",
      "any surface from a file, clean or dirty: obj, ply, stl, off or glb. It is repaired. A point is inside "
      "where the surface winds around it",
      {option("file", &S::file, {.help = "from the scene's folder or from where the command runs"}),
       option("scale", &S::scale,
              {.unit = "1", .min = 0, .max = 1e12, .above_min = true, .help = "factor on top of the unit"}),
       option("unit", &S::unit,
              {.choices = {"m", "cm", "mm", "in", "ft"}, .help = "what a length of 1 in the file means"}),
       option("up", &S::up, {.choices = {"y", "z"}, .help = "the file's upward axis; z is turned into y"}),
       option("translate", &S::translate, place_facts("shift, after everything else")),
       option("thin", &S::thin, {.help = "true: a sheet, solid from both sides"})},
      {object_field("rotate", &S::rotate, "turn about the origin, after scale and up, before translate")});
  return layout;
}

template <>
const Layout<ColliderSpec>& layout_of() {
  using S = ColliderSpec;
  static const auto layout =
      make_choice<S>("collider", "what bodies meet and cannot move",
                     {alternative<S, PlaneColliderSpec>("plane", "solid ground behind a plane"),
                      alternative<S, SphereColliderSpec>("sphere", "a solid ball"),
                      alternative<S, BoxColliderSpec>("box", "a solid block"),
                      alternative<S, CapsuleColliderSpec>("capsule", "a solid rod with round ends"),
                      alternative<S, MeshColliderSpec>("mesh", "any surface from a file")});
  return layout;
}

template <>
const Layout<BondSpec>& layout_of() {
  using S = BondSpec;
  static const auto layout = make_layout<S>(
      "bond",
      "ties points of a body to the surface of another, or to a collider, where they are at the start, until "
      "it "
      "breaks",
      {option("body", &S::body, {.help = "name of the body; empty = the first"}),
       option("to", &S::to, {.help = "name of another body, or \"colliders.N\": N counts from 0"}),
       option("within", &S::within,
              {.unit = "m",
               .min = 0,
               .max = far_away,
               .help = "points no farther than this from the other; 0 = 0.05 of the body's size"}),
       option("strength", &S::strength,
              {.unit = "N",
               .min = 0,
               .max = 1e12,
               .help = "the whole bond breaks when its forces sum up to more; none = it does not"}),
       option("pressure", &S::pressure,
              {.unit = "Pa",
               .min = 0,
               .max = 1e15,
               .help = "a point breaks when its force over its area is more; none = it does not"})},
      {object_field("select", &S::select,
                    "which points of the body's surface, by where they are at the start; not by vertices")});
  return layout;
}

// ---- the scene -------------------------------------------------------------------------------------------

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
            .help =
                "end: last value; always: every value; min, max; period: time between the first two upward "
                "or downward crossings of the middle between min and max; a number: value at that time"}),
       option("from", &S::from, time_facts("frames before this time do not count")),
       option("to", &S::to, time_facts("frames after this time do not count; none = all")),
       option("min", &S::min, {.help = "in the metric's unit (period: s); none = no limit"}),
       option("max", &S::max, {.help = "in the metric's unit (period: s); none = no limit"})});
  return layout;
}

template <>
const Layout<SceneSpec>& layout_of() {
  using S = SceneSpec;
  static const auto layout =
      make_layout<S>("scene", "SI units, y up, right-handed",
                     {option("description", &S::description, {.help = "one line for `pliant scenes`"}),
                      option("timestep", &S::timestep,
                             {.unit = "s",
                              .min = 0,
                              .max = 1,
                              .above_min = true,
                              .scale = Scale::logarithmic,
                              .change = Change::live,
                              .help = "time between frames"}),
                      option("substeps", &S::substeps,
                             {.unit = "1",
                              .min = 1,
                              .max = 10000,
                              .change = Change::live,
                              .help = "steps a frame: h = timestep / substeps"}),
                      option("frames", &S::frames,
                             {.unit = "1",
                              .min = 0,
                              .max = 1e8,
                              .change = Change::live,
                              .help = "how many to simulate; frame 0 is the start and comes on top"}),
                      option("gravity", &S::gravity, rate_facts("m/s^2", "acceleration of every body")),
                      option("sleeping", &S::sleeping,
                             {.choices = {"in_view", "always", "never"},
                              .help = "bodies that meet others and have come to rest are not stepped until "
                                      "something wakes them; in_view: under `pliant view` alone"}),
                      option("expect_warnings", &S::expect_warnings,
                             {.help = "texts, a part of each warning that the run is meant to give; with "
                                      "`--check` it fails at any other, and where one is missing"})},
                     {list_field("bodies", &S::bodies, "the soft bodies, at least one"),
                      list_field("colliders", &S::colliders, "what they meet and cannot move"),
                      list_field("forces", &S::forces, "what pulls at bodies besides gravity"),
                      list_field("bonds", &S::bonds, "what ties bodies to each other and to colliders"),
                      list_field("probes", &S::probes, "extra metrics"),
                      list_field("expect", &S::expect, "what the scene must show")});
  return layout;
}

}  // namespace pliant
