// SPDX-License-Identifier: Apache-2.0
// What a mesh is, what was wrong with it, and what can be done with it. docs/inspect.md documents the output.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "libraries.hpp"
#include "mesh_argument.hpp"
#include "pliant/geometry/inside.hpp"
#include "pliant/geometry/point_cloud.hpp"
#include "pliant/geometry/point_shape.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/scene/library.hpp"

namespace pliant::cli {
namespace {

struct InspectOptions {
  MeshArgument mesh;
  bool json = false;
};

/// Beyond so many pairs the rest is not counted.
constexpr std::size_t most_intersections = 10'000;
constexpr int volume_points = 40'000;

struct Facts {
  Repaired surface;
  Solidity solidity;
  Vec3 size{0, 0, 0}, min{0, 0, 0}, max{0, 0, 0};  ///< m
  double area = 0;                                 ///< m^2
  double volume = 0;                               ///< m^3; of a shell none
  bool volume_counted = false;
  std::size_t self_intersections = 0;
  std::vector<std::pair<std::string, Verdict>> methods;
  std::vector<std::string> warnings;

  const RepairReport& report() const { return surface.report; }
  const char* kind() const { return !solidity.any_shell ? "solid" : solidity.any_solid ? "mixed" : "shell"; }
};

template <class T>
T value_or_refuse(Result<T> result, const std::string& file) {
  if (result) return std::move(*result);
  Error error = result.error();
  if (error.file.empty()) error.file = file;
  throw InputError(error.text());
}

double area_of(const TriMesh& mesh) {
  double area = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.vertices[t[0]];
    area += 0.5 * (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm();
  }
  return area;
}

/// Sheets around a solid part have no volume of their own, but bend its winding number: without them.
double counted_volume_of_solids(const Facts& facts) {
  TriMesh solids{facts.surface.mesh.vertices, {}};
  for (std::size_t t = 0; t < facts.surface.mesh.triangles.size(); ++t)
    if (facts.solidity.component_solid[facts.surface.component[t]])
      solids.triangles.push_back(facts.surface.mesh.triangles[t]);
  return counted_volume(solids, TriangleTree(solids.vertices, solids.triangles), volume_points);
}

void find_volume(Facts& facts) {
  if (!facts.solidity.any_solid) return;
  const TriMesh& mesh = facts.surface.mesh;
  facts.volume_counted = !facts.report().closed || facts.report().components > 1;
  facts.volume =
      facts.volume_counted ? counted_volume_of_solids(facts) : enclosed_volume(mesh.vertices, mesh.triangles);
}

std::string close_call(const Solidity& s) {
  const auto doubtful = std::count_if(s.component_defect.begin(), s.component_defect.end(), is_doubtful);
  const std::string where = s.component_defect.size() == 1
                                ? fmt::format("(defect {:.3f})", s.defect)
                                : fmt::format("for {} of {} parts", doubtful, s.component_defect.size());
  return "solid or shell is a close call " + where +
         ": check the choice, \"solid\": true or false in the shape overrides it.";
}

std::vector<std::string> find_warnings(const Facts& facts) {
  std::vector<std::string> warnings;
  const RepairReport& r = facts.report();
  if (r.components > 1)
    warnings.push_back(fmt::format(
        "{} separate parts: those that do not overlap will fall apart. \"join\": true holds them together.",
        r.components));
  if (facts.solidity.doubtful) warnings.push_back(close_call(facts.solidity));
  if (r.moebius_edges > 0)
    warnings.push_back(
        fmt::format("no consistent orientation exists at {} edges (a Moebius strip): inside "
                    "and outside are uncertain there.",
                    r.moebius_edges));
  if (r.not_finite_vertices > 0)
    warnings.push_back(
        fmt::format("{} vertices have coordinates that are not finite; their faces were dropped.",
                    r.not_finite_vertices));
  return warnings;
}

Facts find_facts(const PolygonMesh& mesh, const std::string& file) {
  Facts facts;
  facts.surface = value_or_refuse(repair(mesh), file);
  const TriMesh& surface = facts.surface.mesh;
  const TriangleTree tree(surface.vertices, surface.triangles);
  facts.solidity = solidity(facts.surface, tree);
  Eigen::AlignedBox3d box;
  for (const Vec3& x : surface.vertices) box.extend(x);
  facts.size = box.sizes();
  facts.min = box.min();
  facts.max = box.max();
  facts.area = area_of(surface);
  find_volume(facts);
  facts.self_intersections = tree.self_intersections(most_intersections);
  for (const MethodEntry* entry : catalogue())
    facts.methods.emplace_back(entry->name, entry->verdict(entry->defaults, facts.solidity));
  facts.warnings = find_warnings(facts);
  facts.warnings.insert(facts.warnings.begin(), mesh.remarks.begin(), mesh.remarks.end());
  return facts;
}

// --- text -----------------------------------------------------------------------------------------------

std::string borders_text(const RepairReport& r) {
  if (r.border_edges == 0) return "none";
  return fmt::format("{} edges in {} loop{}", r.border_edges, r.border_loops, r.border_loops == 1 ? "" : "s");
}

std::string edges_text(Index count) {
  return count == 0 ? "none" : fmt::format("{} edge{}", count, count == 1 ? "" : "s");
}

std::string intersections_text(std::size_t count) {
  if (count == 0) return "none";
  return fmt::format("{}{} pair{} of triangles pass through each other",
                     count >= most_intersections ? "at least " : "", count, count == 1 ? "" : "s");
}

std::string volume_text(const Facts& facts) {
  if (!facts.solidity.any_solid) return "none (a shell)";
  return fmt::format("{:.4g} m^3{}", facts.volume,
                     facts.volume_counted ? " (counted: about)" : " (enclosed by the surface)");
}

std::string kind_text(const Facts& facts) {
  const Solidity& s = facts.solidity;
  if (s.any_solid && s.any_shell) {
    const auto solids = std::count(s.component_solid.begin(), s.component_solid.end(), char(1));
    return fmt::format(
        "mixed: {} of {} parts are solid (defect up to {}), the others shells; "
        "\"solid\": true or false in the shape makes all of them one kind",
        solids, s.component_solid.size(), solid_defect);
  }
  return fmt::format("{} (defect {:.3f}, solid up to {}); \"solid\": {} in the shape makes it a {}",
                     facts.kind(), s.defect, solid_defect, s.any_shell, s.any_shell ? "solid" : "shell");
}

void print_text(const Facts& facts, const InspectOptions& options) {
  const auto line = [](const char* name, const std::string& text) { fmt::print("  {:<14}{}\n", name, text); };
  const RepairReport& r = facts.report();
  const Vec3& size = facts.size;
  fmt::print("{}\n", options.mesh.file);
  line("size", fmt::format("{:.4g} x {:.4g} x {:.4g} m (x, y up, z), diagonal {:.4g} m", size.x(), size.y(),
                           size.z(), size.norm()));
  line("vertices", fmt::format("{} ({} in the file{})", facts.surface.mesh.vertices.size(), r.input_vertices,
                               r.unused_vertices > 0 ? fmt::format(", {} unused", r.unused_vertices) : ""));
  line("triangles",
       fmt::format("{} (from {} faces{})", facts.surface.mesh.triangles.size(), r.input_faces,
                   r.zero_area_triangles > 0 ? fmt::format(", {} without area", r.zero_area_triangles) : ""));
  line("parts", fmt::format("{}", r.components));
  line("borders", borders_text(r));
  line("non-manifold", edges_text(r.non_manifold_edges));
  line("crossing", intersections_text(facts.self_intersections));
  line("closed", r.closed ? "yes" : "no");
  line("volume", volume_text(facts));
  line("area", fmt::format("{:.4g} m^2", facts.area));
  line("repaired", r.text());
  line("kind", kind_text(facts));
  for (const auto& [name, verdict] : facts.methods) line("method", fmt::format("{}: {}", name, verdict.text));
  for (const std::string& warning : facts.warnings) line("warning", warning);
}

// --- JSON -----------------------------------------------------------------------------------------------

using Json = nlohmann::ordered_json;

Json repaired_json(const RepairReport& r) {
  return {{"welded_vertices", r.welded_vertices},
          {"crack", r.crack},
          {"crack_edges", r.crack_edges},
          {"unused_vertices", r.unused_vertices},
          {"not_finite_vertices", r.not_finite_vertices},
          {"faces_dropped_not_finite", r.faces_dropped_not_finite},
          {"faces_dropped_bad_index", r.faces_dropped_bad_index},
          {"degenerate_faces", r.degenerate_faces},
          {"duplicate_faces", r.duplicate_faces},
          {"zero_area_triangles", r.zero_area_triangles},
          {"faces_turned", r.faces_turned},
          {"parts_turned", r.patches_turned},
          {"text", r.text()}};
}

Json methods_json(const Facts& facts) {
  Json methods = Json::object();
  for (const auto& [name, verdict] : facts.methods)
    methods[name] = {{"usable", verdict.usable}, {"verdict", verdict.text}};
  return methods;
}

Json to_json(const Facts& facts, const InspectOptions& options) {
  const RepairReport& r = facts.report();
  std::vector<bool> part_solid(facts.solidity.component_solid.begin(), facts.solidity.component_solid.end());
  const Json volume = facts.solidity.any_solid ? Json(facts.volume) : Json();
  return {{"file", options.mesh.file},
          {"unit", options.mesh.unit},
          {"up", options.mesh.up},
          {"min", {facts.min.x(), facts.min.y(), facts.min.z()}},
          {"max", {facts.max.x(), facts.max.y(), facts.max.z()}},
          {"size", {facts.size.x(), facts.size.y(), facts.size.z()}},
          {"diagonal", facts.size.norm()},
          {"input_vertices", r.input_vertices},
          {"input_faces", r.input_faces},
          {"vertices", facts.surface.mesh.vertices.size()},
          {"triangles", facts.surface.mesh.triangles.size()},
          {"components", r.components},
          {"border_edges", r.border_edges},
          {"border_loops", r.border_loops},
          {"non_manifold_edges", r.non_manifold_edges},
          {"moebius_edges", r.moebius_edges},
          {"self_intersections", facts.self_intersections},
          {"self_intersections_capped", facts.self_intersections >= most_intersections},
          {"closed", r.closed},
          {"volume", volume},
          {"volume_counted", facts.volume_counted},
          {"area", facts.area},
          {"repaired", repaired_json(r)},
          {"kind", facts.kind()},
          {"defect", facts.solidity.defect},
          {"defect_limit", solid_defect},
          {"component_defect", facts.solidity.component_defect},
          {"component_solid", part_solid},
          {"doubtful", facts.solidity.doubtful},
          {"methods", methods_json(facts)},
          {"warnings", facts.warnings}};
}

/// A cloud of points has no faces to repair: what its discs enclose.
void inspect_cloud(const PolygonMesh& cloud, const InspectOptions& options) {
  Pool pool(0);
  const CloudSolid solid = cloud_solid(cloud.vertices, cloud.normals, pool);
  const CloudFacts& facts = solid.facts;
  Eigen::AlignedBox3d box;
  for (const Vec3& x : cloud.vertices) box.extend(x);
  const Vec3 size = box.sizes();
  const std::string open = open_text(facts);
  const bool closed = facts.area > 0 && open.empty();
  std::vector<std::string> warnings;
  if (solid.wrong)
    warnings.push_back(reason(*solid.wrong));
  else if (!open.empty())
    warnings.push_back(open);
  if (options.json) {
    const Json json = {{"file", options.mesh.file},
                       {"kind", "points"},
                       {"size", {size.x(), size.y(), size.z()}},
                       {"points", cloud.vertices.size()},
                       {"spacing", facts.spacing},
                       {"area", facts.area},
                       {"volume", facts.volume},
                       {"defect", facts.defect},
                       {"opening_area", facts.opening},
                       {"closed", closed},
                       {"opposed", facts.opposed},
                       {"usable", !solid.wrong},
                       {"warnings", warnings}};
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  const auto line = [](const char* name, const std::string& text) { fmt::print("  {:<14}{}\n", name, text); };
  fmt::print("{}\n", options.mesh.file);
  line("size", fmt::format("{:.4g} x {:.4g} x {:.4g} m (x, y up, z)", size.x(), size.y(), size.z()));
  line("points", fmt::format("{}, {:.3g} m apart, with normals", cloud.vertices.size(), facts.spacing));
  line("volume", fmt::format("{:.4g} m^3 (by the divergence theorem)", facts.volume));
  line("area", fmt::format("{:.4g} m^2", facts.area));
  line("closed", closed ? "yes" : "no");
  line("kind", fmt::format("points (defect {:.3f}, solid up to {})", facts.defect, solid_defect));
  for (const MethodEntry* entry : catalogue())
    line("method",
         fmt::format(
             "{}: {}", entry->name,
             entry->can(entry->defaults, Ability::points) && !solid.wrong ? "yes, filled with nodes" : "no"));
  for (const std::string& warning : warnings) line("warning", warning);
}

/// A scene: its bodies, and which of them overlap at the start.
void inspect_scene(const InspectOptions& options) {
  const auto scene = load_scene(options.mesh.file, {{}, 0, scene_libraries()});
  if (!scene) throw InputError("the scene has problems\n" + scene.error().text());
  const std::vector<Body>& bodies = scene->simulation.bodies();
  if (options.json) {
    Json list = Json::array(), overlaps = Json::array();
    for (const Body& body : bodies)
      list.push_back({{"name", body.name()},
                      {"method", body.method().describe().name},
                      {"nodes", body.method().nodes().x.size()},
                      {"meets_bodies", scene->simulation.met_others(int(&body - bodies.data()))}});
    for (const Overlap& overlap : scene->overlaps)
      overlaps.push_back(
          {{"bodies",
            {bodies[std::size_t(overlap.first)].name(), bodies[std::size_t(overlap.second)].name()}},
           {"crossings", overlap.crossings},
           {"inside", overlap.inside},
           {"depth", overlap.depth},
           {"place", {overlap.place.x(), overlap.place.y(), overlap.place.z()}}});
    const Json json{{"file", options.mesh.file},
                    {"kind", "scene"},
                    {"bodies", list},
                    {"overlaps", overlaps},
                    {"notes", scene->notes}};
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  const auto line = [](const char* name, const std::string& text) { fmt::print("  {:<14}{}\n", name, text); };
  fmt::print("{}\n", options.mesh.file);
  for (const Body& body : bodies)
    line("body", fmt::format("{}: {}, {} nodes", body.name(), body.method().describe().name,
                             body.method().nodes().x.size()));
  line("overlaps",
       scene->overlaps.empty() ? "none" : fmt::format("{} pairs of bodies", scene->overlaps.size()));
  for (const std::string& note : scene->notes) line("note", note);
}

void inspect(const InspectOptions& options) {
  if (options.mesh.file.ends_with(".json")) return inspect_scene(options);
  const PolygonMesh mesh = read_argument(options.mesh);
  if (is_cloud(mesh)) return inspect_cloud(mesh, options);
  const Facts facts = find_facts(mesh, options.mesh.file);
  if (options.json)
    fmt::print("{}\n", to_json(facts, options).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    print_text(facts, options);
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "inspect",
      "what a mesh is: size, holes, volume, what was repaired, solid or shell, usable methods; of a scene "
      "(.json) its bodies, and which of them overlap");
  command->footer("Example: pliant inspect bunny.obj --unit cm --up z");
  auto options = std::make_shared<InspectOptions>();
  add_mesh_argument(*command, options->mesh);
  command->add_flag("--json", options->json, "the same facts for programs (docs/inspect.md)");
  command->callback([options] { inspect(*options); });
}

}  // namespace pliant::cli
