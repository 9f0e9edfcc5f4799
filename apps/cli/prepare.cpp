// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "mesh_argument.hpp"
#include "pliant/geometry/auto_skeleton.hpp"
#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/mean_curvature.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/io/float_frame.hpp"
#include "pliant/io/graph_file.hpp"
#include "pliant/io/skeleton_file.hpp"
#include "pliant/io/write_mesh.hpp"

namespace pliant::cli {
namespace {

struct Request {
  MeshArgument mesh;
  std::string graph, cage, skeleton;
  double detail = AutoSkeletonOptions{}.detail;
  std::string skeletonizer = "graph";
  MeshShapeOptions options;
  CageOptions cage_options;
  bool solid = false, shell = false;
};

void print_report(const MeshShapeReport& r) {
  fmt::print("{}: defect {:.3f}; repaired: {}\n",
             r.solid ? (r.solidity.any_shell ? "solid and shell parts" : "solid") : "shell",
             r.solidity.defect, r.repair.text());
  fmt::print("volume {:.6g} m^3, spacing {:.4g} m\n", r.volume, r.spacing);
  fmt::print(
      "{} nodes ({} even, {} in thin parts, {} to fix rotations), {} to {} edges a node, {:.1f} on average\n",
      r.nodes, r.lattice_nodes, r.cover_nodes, r.frame_nodes, r.least_degree, r.most_degree, r.mean_degree);
  fmt::print("{} {}{}, stiffness {:.2f} times the least along the stiffest axis, made in {:.0f} ms\n",
             r.parts, r.parts == 1 ? "part" : "parts",
             r.bridges > 0 ? fmt::format(", {} bridges along the surface", r.bridges) : "", r.anisotropy,
             r.setup_ms);
  std::vector<std::string> stages;
  for (const Laps::Lap& stage : r.stages) stages.push_back(fmt::format("{} {:.0f}", stage.name, stage.ms));
  fmt::print("ms: {}\n", fmt::join(stages, ", "));
  for (const std::string& warning : r.warnings) fmt::print("warning: {}\n", warning);
}

/// The error of a piece of work on the mesh, which knows no file.
[[noreturn]] void refuse_mesh(const Request& request, Error error) {
  error.file = request.mesh.file;
  throw InputError(error.text());
}

void print_report(const CageReport& r, const CageOptions& options) {
  fmt::print("cage: {} degrees of freedom of {}, {} {}, volume {:.6g} m^3{}\n", r.freedoms, options.budget,
             r.handles, r.handles == 1 ? "handle" : "handles", r.volume,
             r.box ? ", a box: nothing found is tighter" : "");
  std::vector<std::string> stages;
  for (const Laps::Lap& stage : r.stages) stages.push_back(fmt::format("{} {:.0f}", stage.name, stage.ms));
  fmt::print("nearest vertex {:.4g} m from it, made in {:.0f} ms: {}\n", r.clearance, r.ms,
             fmt::join(stages, ", "));
  for (const std::string& warning : r.warnings) fmt::print("warning: {}\n", warning);
}

/// Files have single precision: what is left of a cage there, far from the origin?
void check_as_written(const Request& request, const PolygonMesh& mesh, TriMesh cage) {
  const FloatFrame written = to_floats(cage.vertices);
  for (std::size_t v = 0; v < cage.vertices.size(); ++v)
    cage.vertices[v] = Vec3(written[3 * v], written[3 * v + 1], written[3 * v + 2]);
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const Index v : mesh.corner)
    if (v >= 0 && v < Index(used.size())) used[std::size_t(v)] = mesh.vertices[std::size_t(v)].allFinite();
  Points inside;
  for (std::size_t v = 0; v < used.size(); ++v)
    if (used[v]) inside.push_back(mesh.vertices[v]);
  if (const auto problem = check_cage(cage, inside))
    refuse_mesh(request,
                Error{{},
                      {{"", "in single precision, as files have it, the cage is unfit: " + problem->found,
                        problem->expected, "move the mesh to the origin"}}});
}

void prepare_cage(const Request& request, const PolygonMesh& mesh, Pool& pool) {
  CageOptions options = request.cage_options;
  options.progress = [](const std::string& stage) { fmt::print(stderr, "cage: {}\n", stage); };
  Result<Cage> made = automatic_cage(mesh, options, pool);
  if (!made) refuse_mesh(request, made.error());
  check_as_written(request, mesh, made->mesh);
  const SurfaceInfo surface{"cage", made->mesh.triangles, made->mesh.vertices, {}};
  if (const auto error = write_mesh(request.cage, surface, made->mesh.vertices))
    throw InputError(error->text());
  print_report(made->report, request.cage_options);
  fmt::print("wrote {}\n", request.cage);
}

void prepare_graph(const Request& request, const PolygonMesh& mesh, Pool& pool) {
  Result<MeshShape> made = make_mesh_shape(mesh, request.options, pool);
  if (!made) refuse_mesh(request, made.error());
  if (const auto error = write_graph(request.graph, made->shape.graph)) throw InputError(error->text());
  print_report(made->report);
  fmt::print("wrote {}\n", request.graph);
}

void prepare_skeleton(const Request& request, const PolygonMesh& mesh, Pool& pool) {
  const Skeletonizer by = request.skeletonizer == "cgal" ? Skeletonizer::cgal : Skeletonizer::graph;
  const Result<AutoSkeleton> found =
      find_skeleton(mesh, {request.detail, request.options.nodes, request.options.solid, by}, pool);
  if (!found) refuse_mesh(request, found.error());
  if (const auto error = write_skeleton(request.skeleton, found->skeleton)) throw InputError(error->text());
  const AutoSkeletonReport& r = found->report;
  fmt::print("skeleton: {} joints, {} bones, {} ends{}, made in {:.0f} + {:.0f} ms (graph, skeleton)\n",
             found->skeleton.joints.size(), r.bones, r.limbs,
             r.parts > 1 ? fmt::format(", {} parts", r.parts) : "", r.graph_ms, r.skeleton_ms);
  if (r.bones_leaving > 0)
    fmt::print("warning: {} of the bones leave the solid; a larger --nodes may help.\n", r.bones_leaving);
  fmt::print("wrote {}\n", request.skeleton);
}

/// Wrong wishes are refused before the mesh is read.
void check_wishes(const Request& request) {
  if (request.graph.empty() && request.cage.empty() && request.skeleton.empty())
    throw InputError(
        "prepare: found nothing to make, expected one or more of --graph FILE, --cage FILE, --skeleton FILE");
  if (request.solid && request.shell) throw InputError("--solid, --shell: found both, expected one of them");
  if (!request.graph.empty())
    if (const auto error = check_graph_name(request.graph)) throw InputError("--graph: " + error->text());
  if (!request.cage.empty() && !can_write_mesh(request.cage))
    throw InputError(
        fmt::format("--cage: found \"{}\", expected a file name ending in {}", request.cage, mesh_formats()));
  if (!request.skeleton.empty() && !request.skeleton.ends_with(".json"))
    throw InputError(fmt::format("--skeleton: found \"{}\", expected a .json file", request.skeleton));
  if (!request.skeleton.empty() && request.shell)
    throw InputError("--skeleton, --shell: no skeleton can be found in a shell");
  if (request.skeletonizer == "cgal" && !has_mean_curvature()) {
    Error error = mean_curvature_curves({}).error();
    error.file = "--skeletonizer";
    throw InputError(error.text());
  }
}

void prepare(Request request) {
  check_wishes(request);
  if (request.solid || request.shell) request.options.solid = request.cage_options.solid = request.solid;
  const PolygonMesh mesh = read_argument(request.mesh);
  Pool pool(0);
  if (!request.graph.empty()) prepare_graph(request, mesh, pool);
  if (!request.cage.empty()) prepare_cage(request, mesh, pool);
  if (!request.skeleton.empty()) prepare_skeleton(request, mesh, pool);
}

}  // namespace

void add_prepare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("prepare", "build and save what a method needs of a mesh");
  command->footer(
      "Example: pliant prepare bunny.obj --graph bunny.vtu --nodes 5000\n"
      "         pliant prepare bunny.obj --cage cage.obj --budget 168\n"
      "         pliant prepare dino.off --skeleton dino.json");
  auto request = std::make_shared<Request>();
  add_mesh_argument(*command, request->mesh);
  command->add_option("--graph", request->graph, "volumetric graph to write, .json or .vtu (ParaView)");
  command->add_option("--skeleton", request->skeleton, "skeleton to find in the mesh and write, .json");
  command
      ->add_option("--detail", request->detail, "smallest limb of a skeleton, as a share of the mesh's size")
      ->check(CLI::Range(0.005, 0.5))
      ->capture_default_str();
  command
      ->add_option("--skeletonizer", request->skeletonizer,
                   "graph: limbs of the nodes inside; cgal: mean curvature flow, in builds with PLIANT_GPL")
      ->check(CLI::IsMember({"graph", "cgal"}))
      ->capture_default_str();
  command->add_option("--nodes", request->options.nodes, "node budget")
      ->check(CLI::Range(4, 10000000))
      ->capture_default_str();
  command->add_option("--cage", request->cage,
                      "coarse cage around the mesh to write, in metres: " + mesh_formats());
  command
      ->add_option("--budget", request->cage_options.budget,
                   "degrees of freedom of the cage at most, three a vertex")
      ->check(CLI::Range(least_cage_budget, most_cage_budget))
      ->capture_default_str();
  command
      ->add_option("--clearance", request->cage_options.clearance,
                   "least distance of the mesh from the cage, share of its diagonal")
      ->check(CLI::Range(least_clearance_option, most_clearance_option))
      ->capture_default_str();
  command->add_flag("--solid", request->solid, "treat as a solid whatever its holes");
  command->add_flag("--shell", request->shell, "treat as a sheet");
  command
      ->add_option("--thickness", request->options.thickness, "of a shell, m; 0.01 of the size when absent")
      ->check(CLI::PositiveNumber);
  command->add_flag("--join", request->options.join, "link parts that nothing joins");
  command->callback([request] { prepare(*request); });
}

}  // namespace pliant::cli
