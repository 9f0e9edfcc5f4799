// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "pliant/base/clock.hpp"
#include "pliant/base/layout.hpp"
#include "pliant/geometry/cell_shape.hpp"
#include "pliant/geometry/lattice_shape.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/stray_parts.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/geometry/tetrahedral_shape.hpp"
#include "pliant/methods/check_settings.hpp"
#include "pliant/scene/body_files.hpp"
#include "pliant/scene/build_bonds.hpp"
#include "pliant/scene/build_colliders.hpp"
#include "pliant/scene/fast_colliders.hpp"
#include "pliant/scene/force_notes.hpp"
#include "pliant/scene/material.hpp"
#include "pliant/scene/mesh_fingerprint.hpp"
#include "pliant/scene/validate.hpp"

namespace pliant {
namespace {

/// What else decides a scene, and what is worth saying of it.
struct Surroundings {
  std::filesystem::path folder;  ///< of the scene file
  Pool& pool;
  const OwnMeshes& meshes;
  std::uint64_t fingerprint = 0;                         ///< mesh files are added to it
  std::function<void(const char* stage)> progress = {};  ///< of the body made now
  std::vector<std::string> notes = {};
};

std::string solidity_text(const MeshShapeReport& report) {
  if (report.points > 0) return fmt::format("a cloud of {} points, filled as a solid", report.points);
  return fmt::format("{:.2g} % of rays from inside leave through holes: treated as a {}",
                     100 * report.solidity.defect, report.solid ? "solid" : "sheet");
}

/// What was decided and repaired, so that nothing is silent.
void note_mesh(const std::string& name, const MeshShapeReport& report, bool on_surface,
               std::vector<std::string>& notes) {
  std::string repaired = report.points > 0 ? "" : "; repaired: " + report.repair.text();
  const char* closed = report.repair.closed ? "a closed surface" : "an open surface";
  notes.push_back(fmt::format("{}: {}; {} nodes, {:.3g} m apart{}", name,
                              on_surface ? closed : solidity_text(report), report.nodes, report.spacing,
                              repaired));
  for (const std::string& warning : report.warnings) notes.push_back(fmt::format("{}: {}", name, warning));
}

/// Nodes are the vertices of the surface: said for every shape that could have been filled.
void note_surface(const std::string& name, const Shape& shape, std::vector<std::string>& notes) {
  notes.push_back(
      fmt::format("{}: its {} nodes are the vertices of its surface, {:.3g} m thick where it is a sheet",
                  name, shape.graph.positions.size(), shape.graph.thickness));
}

/// The shipped scenes of wild meshes name files that have to be fetched.
Error with_hint(Error error, const std::string& file) {
  if (file.find("models/meshes/") != std::string::npos)
    for (Problem& problem : error.problems)
      if (problem.hint.empty()) problem.hint = "`make models` fetches the wild meshes";
  return error;
}

/// Builds the shape of a body; the error names the file of a mesh.
struct MakeShape {
  const std::string& name;
  const std::string& method;
  NodePlacement nodes;
  std::string for_sheets;  ///< MeshShapeOptions
  Surroundings& around;

  Result<Shape> operator()(const SphereShape& sphere) const {
    return (*this)(EllipsoidShape{Vec3::Constant(sphere.radius), sphere.nodes, sphere.center});
  }
  Result<Shape> operator()(const EllipsoidShape& e) const {
    if (nodes != NodePlacement::lattice) return solid(e);
    const double spacing = 2 * e.radii.maxCoeff() / (e.nodes - 1);
    return filled(make_shape(EllipsoidShape{e.radii, finer(e.nodes), e.center}), spacing);
  }
  Result<Shape> operator()(const CylinderShape& c) const {
    if (nodes != NodePlacement::lattice) return solid(c);
    const double spacing = 2 * c.radius / (c.nodes[0] - 1);
    return filled(
        make_shape(CylinderShape{c.radius, c.height, {finer(c.nodes[0]), finer(c.nodes[1])}, c.center}),
        spacing);
  }
  Result<Shape> operator()(const TorusShape& t) const {
    if (nodes != NodePlacement::lattice) return solid(t);
    const double spacing = 2 * t.tube_radius / (t.nodes[0] - 1);
    return filled(make_shape(TorusShape{
                      t.ring_radius, t.tube_radius, {finer(t.nodes[0]), finer(t.nodes[1])}, t.center}),
                  spacing);
  }
  Result<Shape> operator()(const PlantShape& plant) const { return make_shape(plant); }
  Result<Shape> operator()(const BlobsShape& blobs) const {
    const Result<PolygonMesh> surface = blob_surface(blobs);
    if (!surface) return surface.error();
    if (blobs.cells[0] > 0) return in_cells(*surface, blobs.cells);
    return from_mesh(*surface, {.nodes = blobs.nodes,
                                .solid = true,
                                .thickness = blobs.thickness == not_given ? 0 : blobs.thickness});
  }
  Result<Shape> operator()(const BumpyBarShape& bar) const {
    const PolygonMesh surface = bumpy_bar_surface(bar);
    return bar.cells[0] > 0 ? in_cells(surface, bar.cells)
                            : from_mesh(surface, {.nodes = bar.nodes, .solid = true});
  }
  Result<Shape> operator()(const MeshSpec& spec) const {
    if (around.progress) around.progress("read");
    Result<PolygonMesh> surface = read_surface(spec.mesh, around.folder, around.meshes);
    if (!surface) return with_hint(surface.error(), spec.mesh);
    leave_out_stray_parts(*surface);
    for (const std::string& remark : surface->remarks)
      around.notes.push_back(fmt::format("{}: {}: {}", name, spec.mesh, remark));
    around.fingerprint = mesh_fingerprint(*surface, around.fingerprint);
    convert(*surface, spec.scale * metres(spec.unit), spec.up);
    move(*surface, rotation_matrix(spec.rotate), spec.translate);
    Result<Shape> shape =
        spec.cells[0] > 0
            ? in_cells(*surface, spec.cells)
            : from_mesh(*surface, {.nodes = spec.nodes,
                                   .solid = spec.solid,
                                   .thickness = spec.thickness == not_given ? 0 : spec.thickness,
                                   .join = spec.join});
    if (shape) return shape;
    Error error = shape.error();
    error.file = around.meshes.contains(spec.mesh) ? spec.mesh : find_file(spec.mesh, around.folder).string();
    return error;
  }
  Result<Shape> operator()(const BoxShape& box) const { return solid(box); }
  Result<Shape> operator()(const SheetShape& sheet) const { return solid(sheet); }

 private:
  template <class S>
  Result<Shape> solid(const S& shape) const {
    Shape made = make_shape(shape);
    if (nodes != NodePlacement::surface || !made.problems.empty()) return made;
    Shape sheet = on_surface(std::move(made), thickness_of(shape));
    note_surface(name, sheet, around.notes);
    return sheet;
  }
  /// A lattice has no nodes on a round surface; the surface may be finer than it.
  static int finer(int nodes) { return std::max(24, 3 * nodes / 2); }
  Result<Shape> filled(const Shape& shape, double spacing) const {
    if (!shape.problems.empty()) return Error{{}, shape.problems};
    const Moments solid = moments_of(shape.graph.positions, shape.graph.volumes);
    Shape out = on_lattice(shape.surface, solid, spacing, around.pool);
    around.notes.push_back(
        fmt::format("{}: a lattice of {} nodes, {:.3g} m apart", name, out.graph.positions.size(), spacing));
    return out;
  }
  static double thickness_of(const SheetShape& sheet) { return sheet.thickness; }
  template <class S>
  static double thickness_of(const S&) {
    return 0;
  }
  Result<Shape> in_cells(const PolygonMesh& surface, const std::array<int, 3>& cells) const {
    if (nodes != NodePlacement::cells)
      return Error{{},
                   {{"cells", fmt::format("cells with method {}", method),
                     "method " + methods_with(NodePlacement::cells),
                     "leave cells out: other methods fill a mesh with nodes"}}};
    Result<Shape> made = make_cell_shape(surface, cells, around.pool);
    if (made)
      around.notes.push_back(fmt::format("{}: {} vertices ride on {} hexahedra with {} nodes", name,
                                         made->followers.rows(), made->graph.cells.size(),
                                         made->graph.positions.size() - std::size_t(made->followers.rows())));
    return made;
  }
  Result<Shape> from_mesh(const PolygonMesh& surface, MeshShapeOptions options) const {
    options.for_sheets = for_sheets;
    options.progress = around.progress;
    const bool on_surface = nodes == NodePlacement::surface;
    Result<MeshShape> made =
        on_surface                        ? make_surface_shape(surface, options, around.pool)
        : nodes == NodePlacement::lattice ? make_lattice_shape(surface, options, around.pool)
        : nodes == NodePlacement::cells   ? make_tetrahedral_shape(surface, options, around.pool)
                                          : make_mesh_shape(surface, options, around.pool);
    if (!made) return made.error();
    if (on_surface) note_surface(name, made->shape, around.notes);
    note_mesh(name, made->report, on_surface, around.notes);
    return std::move(made->shape);
  }
};

bool any_within(const Problems& problems, const std::string& place) {
  for (const Problem& problem : problems)
    if (problem.place == place || problem.place.rfind(place + ".", 0) == 0) return true;
  return false;
}

std::string corner_text(const Vec3& p) { return fmt::format("[{:g}, {:g}, {:g}]", p.x(), p.y(), p.z()); }

Problem selects_nothing(const Shape& shape, const std::string& place) {
  const Bounds bounds = bounds_of(shape.graph.positions);
  return {place, "a selection without nodes", "at least one node of the body",
          fmt::format("the body reaches from {} to {}, with {} nodes and {} surface vertices",
                      corner_text(bounds.min), corner_text(bounds.max), shape.graph.positions.size(),
                      shape.surface.vertices.size())};
}

/// Selected nodes; reports an empty selection and vertices that do not exist.
std::vector<Index> selected(const Selector& selector, const Shape& shape, const std::string& place,
                            Problems& problems) {
  if (const auto* vertices = std::get_if<SelectVertices>(&selector.is))
    for (std::size_t k = 0; k < vertices->indices.size(); ++k)
      if (vertices->indices[k] >= int(shape.surface.vertices.size()))
        problems.push_back(
            {fmt::format("{}.vertices.{}", place, k),
             std::to_string(vertices->indices[k]),
             fmt::format("an index below {}, the vertices of the surface", shape.surface.vertices.size()),
             {}});
  std::vector<Index> nodes = select_nodes(selector, shape);
  if (nodes.empty()) problems.push_back(selects_nothing(shape, place));
  return nodes;
}

/// The holds of a body: pins, then handles. A node belongs to one of them at most.
class HoldBuilder {
 public:
  HoldBuilder(const Shape& shape, std::string place, Problems& problems)
      : shape_(shape), place_(std::move(place)), problems_(problems), owner_(shape.graph.positions.size()) {}

  void add(const std::string& what, const Selector& select, Motion motion, double release) {
    const std::string at = place_ + "." + what;
    if (any_within(problems_, at)) return;
    Hold hold{selected(select, shape_, at + ".select", problems_), std::move(motion), release};
    for (const Index node : hold.nodes) {
      std::string& owner = owner_[std::size_t(node)];
      if (!owner.empty()) {
        problems_.push_back({at + ".select",
                             fmt::format("a node at {} that {} holds already",
                                         corner_text(shape_.graph.positions[node]), owner),
                             "nodes that nothing else holds",
                             {}});
        break;
      }
      owner = what;
    }
    holds_.push_back(std::move(hold));
  }
  std::vector<Hold> take() { return std::move(holds_); }

 private:
  const Shape& shape_;
  std::string place_;
  Problems& problems_;
  std::vector<std::string> owner_;
  std::vector<Hold> holds_;
};

std::vector<Hold> make_holds(const BodySpec& body, const Shape& shape, const std::string& place,
                             Problems& problems) {
  HoldBuilder builder(shape, place, problems);
  for (std::size_t i = 0; i < body.pins.size(); ++i)
    builder.add(fmt::format("pins.{}", i), body.pins[i].select, {}, body.pins[i].release);
  for (std::size_t i = 0; i < body.handles.size(); ++i) {
    const HandleSpec& handle = body.handles[i];
    builder.add(fmt::format("handles.{}", i), handle.select, {handle.motion, handle.ease}, handle.release);
  }
  return builder.take();
}

/// Handles that are scaled, among holds that are in their place.
void scale_handles(const BodySpec& spec, Body& body) {
  const auto scaled = [](const HandleSpec& handle) { return handle.scale != Vec3(1, 1, 1); };
  if (std::none_of(spec.handles.begin(), spec.handles.end(), scaled)) return;
  std::vector<PlacedHold> holds = body.holds();
  for (std::size_t i = 0; i < spec.handles.size(); ++i)
    holds[spec.pins.size() + i].scale = spec.handles[i].scale;
  body.set_holds(std::move(holds));
}

Vec3 rest_centre(const NodeGraph& graph) {
  Vec3 sum = Vec3::Zero();
  double volume = 0;
  for (std::size_t i = 0; i < graph.positions.size(); ++i) {
    sum += graph.volumes[i] * graph.positions[i];
    volume += graph.volumes[i];
  }
  return sum / volume;
}

/// Every node that nothing holds goes to a uniformly random place of the bounding box, at rest. The numbers
/// come straight from the generator's bits, so that they are the same with every standard library.
void scramble(Start& start, const std::vector<Hold>& holds, int seed) {
  const Bounds box = bounds_of(start.x);
  std::vector<char> held(start.x.size(), 0);
  for (const Hold& hold : holds)
    for (const Index node : hold.nodes) held[std::size_t(node)] = 1;
  std::mt19937_64 bits{std::uint64_t(seed)};
  const auto unit = [&] { return double(bits() >> 11) * 0x1.0p-53; };
  for (std::size_t i = 0; i < start.x.size(); ++i) {
    if (held[i]) continue;
    for (int c = 0; c < 3; ++c) start.x[i][c] = box.min[c] + unit() * (box.max[c] - box.min[c]);
    start.v[i].setZero();
  }
}

Start make_start(const BodySpec& body, const NodeGraph& graph, const std::vector<Hold>& holds) {
  const InitialSpec& initial = body.initial;
  const Vec3 centre = rest_centre(graph);
  const Mat3 turn = initial.rotate.degrees == 0 ? Mat3(Mat3::Identity()) : rotation_matrix(initial.rotate);
  const bool moved = initial.rotate.degrees != 0 || initial.stretch != Vec3(1, 1, 1);
  Start start;
  for (const Vec3& X : graph.positions) {
    const Vec3 arm = turn * (X - centre).cwiseProduct(initial.stretch);
    start.x.push_back((moved ? Vec3(centre + arm) : X) + initial.translate);
    start.v.push_back(initial.velocity + initial.spin.cross(arm));
  }
  const RowPlace row = place_in_row(body.repeat);
  for (Vec3& x : start.x) x = row.turn * x + row.shift;
  for (Vec3& v : start.v) v = row.turn * v;
  if (initial.scramble) scramble(start, holds, initial.scramble->seed);
  return start;
}

/// Problems of a shape, told at the scene's key; those of a mesh file name the file as well.
Problems shape_problems(const Error& error, const std::string& place) {
  Problems out;
  for (Problem problem : error.problems) {
    if (error.file.empty())
      problem.place = place + (problem.place.empty() ? "" : "." + problem.place);
    else
      problem.place =
          fmt::format("{}: {}{}{}", place, error.file, problem.place.empty() ? "" : ": ", problem.place);
    out.push_back(std::move(problem));
  }
  return out;
}

/// What is known of a body before its method is built.
struct Draft {
  std::optional<Shape> shape;            ///< none when its description is wrong
  std::optional<MethodOptions> options;  ///< with what the method prepared
  std::vector<Hold> holds;
};

std::vector<Probe> make_probes(const SceneSpec& spec, const std::vector<Draft>& drafts, Problems& problems) {
  std::vector<Probe> probes;
  for (std::size_t i = 0; i < spec.probes.size(); ++i) {
    const ProbeSpec& probe = spec.probes[i];
    const int body = find_body(spec, probe.body);
    const std::string place = fmt::format("probes.{}", i);
    if (body < 0 || !drafts[std::size_t(body)].shape || any_within(problems, place)) continue;
    probes.push_back({probe.name, body,
                      selected(probe.select, *drafts[std::size_t(body)].shape, place + ".select", problems)});
  }
  return probes;
}

}  // namespace

namespace {

Result<Shape> make_body_shape(const BodySpec& body, std::size_t index, Surroundings& around,
                              const BuildOptions& build) {
  const NodePlacement nodes = body.entry().placement(body.options());
  std::string key;
  if (build.cache) {
    key = fmt::format("{} {}", int(nodes), build.cache_keys.at(index));
    if (const auto known = build.cache->find(key)) return *known;
  }
  Result<Shape> shape = std::visit(
      MakeShape{body.name, body.method, nodes, body.entry().remedies(body.options()).sheets, around},
      body.shape.is);
  if (shape && !shape->problems.empty()) return Error{{}, shape->problems};
  if (shape && build.cache) build.cache->keep(key, std::make_shared<const Shape>(*shape));
  return shape;
}

std::optional<MeshPlacement> placement_of(const ShapeSpec& shape) {
  const auto* mesh = std::get_if<MeshSpec>(&shape.is);
  if (!mesh) return std::nullopt;
  return MeshPlacement{mesh->scale * metres(mesh->unit), mesh->up, rotation_matrix(mesh->rotate),
                       mesh->translate};
}

/// A pin that rests for ever where the shape has it does not move.
std::vector<HeldNodes> held_nodes(const BodySpec& body, const std::vector<Hold>& holds) {
  const InitialSpec& start = body.initial;
  const bool placed = start.rotate.degrees != 0 || start.translate != Vec3::Zero() || body.repeat.first > 0;
  std::vector<HeldNodes> out;
  for (const Hold& hold : holds)
    out.push_back({hold.nodes, placed || !hold.motion.keys.empty() || hold.release < not_given});
  return out;
}

void add_notes(const std::string& name, const std::vector<std::string>& from,
               std::vector<std::string>& notes) {
  for (const std::string& note : from) notes.push_back(fmt::format("{}: {}", name, note));
}

/// Problems that are placed relative to a body.
void add_problems(const std::string& place, const std::vector<Problem>& from, Problems& problems) {
  for (Problem problem : from) {
    problem.place = place + (problem.place.empty() ? "" : "." + problem.place);
    problems.push_back(std::move(problem));
  }
}

bool told(const BuildOptions& build, const std::string& stage, double fraction) {
  return !build.progress || build.progress(stage, fraction);
}

/// What no file can say, but a program that fills or changes a spec.
Problems check_spec(const SceneSpec& spec, const BuildOptions& build) {
  Problems problems;
  const auto& methods = catalogue();
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const BodySpec& body = spec.bodies[i];
    const std::string place = fmt::format("bodies.{}", i);
    const auto entry = std::find(methods.begin(), methods.end(), find_method(body.method));
    if (entry == methods.end()) {
      problems.push_back({place + ".method", fmt::format("\"{}\"", body.method),
                          fmt::format("one of {}", fmt::join(method_names(), ", ")),
                          did_you_mean(body.method, method_names())});
      continue;
    }
    const std::size_t index = std::size_t(entry - methods.begin());
    if (body.settings.size() != methods.size() || body.settings[index].type() != (*entry)->defaults.type())
      problems.push_back({place + ".settings",
                          "settings of another method",
                          "settings of every method, as the catalogue lists them",
                          {}});
    else
      add_problems(place, check_settings(**entry, body.settings[index], true), problems);
    if (!(body.density > 0) || !std::isfinite(body.density))
      problems.push_back({place + ".density", fmt::format("{:g}", body.density), "a number > 0 kg/m^3", {}});
    add_problems(place, check_contact(body.contact, "contact"), problems);
  }
  if (!(spec.timestep > 0) || !std::isfinite(spec.timestep))
    problems.push_back({"timestep", fmt::format("{:g}", spec.timestep), "a number > 0 s", {}});
  if (spec.substeps < 1) problems.push_back({"substeps", std::to_string(spec.substeps), "at least 1", {}});
  if (build.cache && build.cache_keys.size() != spec.bodies.size())
    problems.push_back({"cache_keys", std::to_string(build.cache_keys.size()), "one a body", {}});
  return problems;
}

Error stopped(const ParsedScene& parsed) { return {parsed.file, {{"", "the build was stopped", "", ""}}}; }

/// Shape, prepared settings and holds of body i; what is wrong with them is added to the problems.
Draft draft_body(const BodySpec& body, std::size_t i, Surroundings& around, BodyFiles& files,
                 const BuildOptions& build, Problems& problems) {
  const std::string place = fmt::format("bodies.{}", i);
  Result<Shape> shape = make_body_shape(body, i, around, build);
  if (!shape) {
    for (Problem& problem : shape_problems(shape.error(), place + ".shape"))
      problems.push_back(std::move(problem));
    return {};
  }
  if (any_within(problems, place + "." + body.method)) return {};
  if (const auto lacks = body.entry().lacks(body.options(), Ability::points);
      lacks && !shape->discs.triangles.empty()) {
    add_problems(place, {*lacks}, problems);
    return {};
  }
  if (around.progress) around.progress("preparation");
  Making making{files, around.pool, placement_of(body.shape)};
  MethodOptions options = body.options();
  const std::vector<Problem> unprepared = body.entry().prepare(options, *shape, making);
  add_notes(body.name, making.notes, around.notes);
  add_problems(place, unprepared, problems);
  if (!unprepared.empty()) return {};
  Draft draft{std::move(*shape), std::move(options), {}};
  draft.holds = make_holds(body, *draft.shape, place, problems);
  return draft;
}

/// Body i from its draft, whose holds it takes; none: the problems tell why.
std::optional<Body> build_body(const BodySpec& body, std::size_t i, Draft& draft, const StepPlan& steps,
                               Surroundings& around, BodyFiles& files, Problems& problems) {
  const Shape& shape = *draft.shape;
  Making making{files, around.pool, placement_of(body.shape)};
  const BodyPlan plan{shape, body.density, body.damping, held_nodes(body, draft.holds), &making};
  auto method = body.entry().build(*draft.options, plan);
  add_notes(body.name, making.notes, around.notes);
  if (!method) {
    add_problems(fmt::format("bodies.{}", i), method.error().problems, problems);
    return std::nullopt;
  }
  add_notes(body.name, material_notes(body), around.notes);
  add_notes(body.name, body.entry().notes(*draft.options, plan, **method, steps), around.notes);
  const Start start = make_start(body, shape.graph, draft.holds);
  Body out(body.name, shape, std::move(*method), std::move(draft.holds), start, contact_of(body, shape));
  scale_handles(body, out);
  return out;
}

}  // namespace

ContactOptions contact_of(const BodySpec& body, const Shape& shape) {
  ContactOptions contact = body.contact;
  if (contact.thickness == 0 && !shape.closed && shape.graph.thickness > 0)
    contact.thickness = shape.graph.thickness;
  if (body.friction < not_given) contact.friction = body.friction;
  return contact;
}

namespace {

std::string overlap_text(const std::vector<Body>& bodies, const Overlap& overlap) {
  std::string how;
  if (overlap.crossings > 0)
    how = fmt::format("{} edge{} pass{} through faces of the other", overlap.crossings,
                      overlap.crossings == 1 ? "" : "s", overlap.crossings == 1 ? "es" : "");
  if (overlap.inside > 0)
    how += fmt::format("{}{} {} inside the other, up to {:.3g} m deep", how.empty() ? "" : ", ",
                       overlap.inside, overlap.inside == 1 ? "vertex is" : "vertices are", overlap.depth);
  return fmt::format("{} and {} overlap around [{:.4g}, {:.4g}, {:.4g}] m: {}",
                     bodies[std::size_t(overlap.first)].name(), bodies[std::size_t(overlap.second)].name(),
                     overlap.place.x(), overlap.place.y(), overlap.place.z(), how);
}

}  // namespace

Problems refused_overlaps(Simulation& simulation) {
  Problems out;
  const std::vector<Body>& bodies = simulation.bodies();
  for (const Overlap& overlap : simulation.overlaps())
    for (const Index body : {overlap.first, overlap.second})
      if (bodies[std::size_t(body)].contact().start == OverlapStart::refuse) {
        out.push_back({fmt::format("bodies.{}.contact.start", body), overlap_text(bodies, overlap),
                       "bodies that do not overlap",
                       "move them apart (initial.translate), or take \"allow\": they are led apart slowly"});
        break;
      }
  return out;
}

std::vector<std::string> meeting_notes(Simulation& simulation) {
  std::vector<std::string> out;
  const std::vector<Body>& bodies = simulation.bodies();
  for (const Overlap& overlap : simulation.overlaps())
    out.push_back(overlap_text(bodies, overlap) + ". They are led apart slowly");
  for (const IndexPair& pair : simulation.crossing())
    if (pair.first == pair.second)
      out.push_back(fmt::format("{} starts through itself: it does not meet itself until it has parted",
                                bodies[std::size_t(pair.first)].name()));
  for (int i = 0; i < int(bodies.size()); ++i)
    if (const auto flaws = simulation.flaws(i); flaws && flaws->crossings > 0)
      out.push_back(
          fmt::format("{}: its mesh passes through or touches itself at rest, in {} place{} ({} pair{} of "
                      "edges and triangles): it "
                      "does not meet itself around them",
                      bodies[std::size_t(i)].name(), flaws->places, flaws->places == 1 ? "" : "s",
                      flaws->crossings, flaws->crossings == 1 ? "" : "s"));
  for (int i = 0; bodies.size() > 1 && i < int(bodies.size()); ++i) {
    Body& body = simulation.body(i);
    if (!body.contact().bodies || simulation.meets_others(i)) continue;
    const std::string why = body.method().contact_body()
                                ? "it has no triangles that could meet them"
                                : fmt::format("method {} with these settings does not meet them yet",
                                              body.method().describe().name);
    out.push_back(fmt::format("{}: passes through other bodies: {}", body.name(), why));
  }
  return out;
}

std::shared_ptr<const Shape> ShapeCache::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, shape] : shapes_)
    if (known == key) return shape;
  return nullptr;
}

void ShapeCache::keep(const std::string& key, std::shared_ptr<const Shape> shape) {
  constexpr std::size_t most = 16;
  if (!shape) return;
  const std::lock_guard lock(mutex_);
  if (shapes_.size() == most) shapes_.erase(shapes_.begin());
  shapes_.emplace_back(key, std::move(shape));
}

Result<Scene> build_scene(const ParsedScene& parsed, int threads) {
  return build_scene(parsed, BuildOptions{.threads = threads});
}

Result<Scene> build_scene(const ParsedScene& parsed, const BuildOptions& build) {
  const int threads = build.threads;
  if (!parsed.readable) return parsed.error();
  const SceneSpec& spec = parsed.spec;
  if (const Problems wrong = check_spec(spec, build); !wrong.empty()) return parsed.error(wrong);
  Problems known = parsed.problems;
  const Problems invalid = validate(spec);
  known.insert(known.end(), invalid.begin(), invalid.end());
  const std::size_t before = parsed.problems.size();
  const auto all_problems = [&] { return parsed.error({known.begin() + long(before), known.end()}); };

  Pool pool(threads);
  Surroundings around{std::filesystem::path(parsed.file).parent_path(), pool, build.meshes,
                      parsed.fingerprint};
  BodyFiles files(around.folder, around.fingerprint, build.meshes);
  std::vector<Draft> drafts(spec.bodies.size());
  std::vector<double> build_ms(spec.bodies.size(), 0);
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    if (any_within(known, fmt::format("bodies.{}.shape", i))) continue;
    if (!told(build, fmt::format("shape of {}", spec.bodies[i].name),
              0.5 * double(i) / double(spec.bodies.size())))
      return stopped(parsed);
    around.progress = [&, i](const char* stage) {
      told(build, fmt::format("shape of {}: {}", spec.bodies[i].name, stage),
           0.5 * double(i) / double(spec.bodies.size()));
    };
    const auto begin = Clock::now();
    drafts[i] = draft_body(spec.bodies[i], i, around, files, build, known);
    build_ms[i] += milliseconds_since(begin);
  }
  std::vector<Probe> probes = make_probes(spec, drafts, known);
  BuiltColliders built;
  if (!any_within(known, "colliders"))
    built = build_colliders(spec.colliders, around.folder, around.fingerprint, build.meshes);
  around.fingerprint = built.fingerprint;
  around.notes.insert(around.notes.end(), built.notes.begin(), built.notes.end());
  for (std::string& note : fast_collider_notes(spec)) around.notes.push_back(std::move(note));
  known.insert(known.end(), built.problems.begin(), built.problems.end());
  if (!known.empty()) return all_problems();

  const StepPlan steps{spec.step_length(), spec.substeps, !built.colliders.empty()};
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const BodySpec& body = spec.bodies[i];
    if (!told(build, fmt::format("method {} of {}", body.method, body.name),
              0.5 + 0.5 * double(i) / double(spec.bodies.size())))
      return stopped(parsed);
    const auto begin = Clock::now();
    std::optional<Body> made = build_body(body, i, drafts[i], steps, around, files, known);
    if (made) build_ms[i] += std::max(0.0, milliseconds_since(begin) - made->method().describe().setup_ms);
    if (made) bodies.push_back(std::move(*made));
  }
  for (Problem& problem : force_problems(spec, bodies)) known.push_back(std::move(problem));
  if (!known.empty()) return all_problems();
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (Draft& draft : drafts) shapes.push_back(std::make_shared<const Shape>(std::move(*draft.shape)));
  const SimulationOptions options{spec.step_length(), spec.gravity, threads};
  Simulation simulation(std::move(bodies), options, std::move(built.colliders));
  if (!spec.bonds.empty()) simulation.set_bonds(bonds_of(spec));
  for (Problem& problem : bond_problems(spec, simulation)) known.push_back(std::move(problem));
  for (Problem& problem : refused_overlaps(simulation)) known.push_back(std::move(problem));
  if (!known.empty()) return all_problems();
  std::vector<Overlap> overlaps = simulation.overlaps();
  for (std::string& note : meeting_notes(simulation)) around.notes.push_back(std::move(note));
  simulation.set_forces(world_forces(spec.forces));
  simulation.let_sleep(spec.sleeping == Sleeping::always);
  for (std::string& note : force_notes(spec, simulation)) around.notes.push_back(std::move(note));
  return Scene{std::filesystem::path(parsed.file).stem().string(),
               spec,
               around.fingerprint,
               std::move(simulation),
               std::move(probes),
               std::move(shapes),
               std::move(around.notes),
               std::move(overlaps),
               std::move(build_ms)};
}

}  // namespace pliant
