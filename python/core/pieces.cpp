// SPDX-License-Identifier: Apache-2.0
#include "pieces.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "errors.hpp"
#include "pliant/geometry/auto_skeleton.hpp"
#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/check_geometry.hpp"
#include "pliant/geometry/green_coordinates.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/io/skeleton_file.hpp"

namespace pliant::python {
namespace {

using namespace pybind11::literals;

/// What takes time runs without Python's lock.
template <class Work>
auto unlocked(Work&& work) {
  const py::gil_scoped_release released;
  return work();
}

/// What work on a pool without Python's lock gives.
template <class Work>
auto made(Work&& work) {
  return value_of(unlocked([&] {
    Pool pool(0);
    return work(pool);
  }));
}

void check_range(const char* place, double value, double least, double most) {
  if (!(value >= least && value <= most))
    throw WrongInput(place, fmt::format("{:g}", value), fmt::format("{:g} .. {:g}", least, most));
}

py::tuple repaired(py::handle vertices, py::handle faces) {
  const PolygonMesh mesh = mesh_of(vertices, faces, Dirt::passed);
  const Repaired out = value_of(unlocked([&] { return repair(mesh); }));
  const RepairReport& r = out.report;
  py::dict report("changed"_a = r.text(), "closed"_a = r.closed, "welded_vertices"_a = r.welded_vertices,
                  "unused_vertices"_a = r.unused_vertices, "degenerate_faces"_a = r.degenerate_faces,
                  "duplicate_faces"_a = r.duplicate_faces, "faces_turned"_a = r.faces_turned,
                  "components"_a = r.components, "border_edges"_a = r.border_edges,
                  "non_manifold_edges"_a = r.non_manifold_edges);
  return py::make_tuple(array_of(out.mesh.vertices), array_of(out.mesh.triangles), array_of(out.welded),
                        report);
}

py::array_t<double> winding_numbers(py::handle vertices, py::handle faces, py::handle points) {
  const TriMesh mesh = triangles_of(vertices, faces);
  const Points at = points_of(points, "points");
  std::vector<double> out(at.size(), 0);
  if (!mesh.triangles.empty())
    unlocked([&] {
      const TriangleTree tree(mesh.vertices, mesh.triangles);
      for (std::size_t i = 0; i < at.size(); ++i) out[i] = tree.winding(at[i]);
    });
  return array_of(out);
}

py::tuple green(py::handle vertices, py::handle faces, py::handle points) {
  const TriMesh cage = triangles_of(vertices, faces);
  const Points at = points_of(points, "points");
  const auto wrong = unlocked([&] { return check_cage(cage, at); });
  if (wrong) throw WrongInput(Error{"cage", {*wrong}});
  const GreenCoordinates out = unlocked([&] { return green_coordinates(cage, at, Gradients::no); });
  const auto corners = py::ssize_t(cage.vertices.size()), count = py::ssize_t(at.size()),
             sides = py::ssize_t(cage.triangles.size());
  py::array_t<double> phi({count, corners}), psi({count, sides});
  auto of_vertex = phi.mutable_unchecked<2>();
  auto of_face = psi.mutable_unchecked<2>();
  for (py::ssize_t p = 0; p < count; ++p) {
    for (py::ssize_t i = 0; i < corners; ++i) of_vertex(p, i) = out.value(i, p);
    for (py::ssize_t j = 0; j < sides; ++j) of_face(p, j) = out.value(corners + j, p);
  }
  return py::make_tuple(phi, psi);
}

py::tuple cage(py::handle vertices, py::handle faces, int budget, double clearance,
               std::optional<bool> solid) {
  const PolygonMesh mesh = mesh_of(vertices, faces);
  check_range("budget", budget, least_cage_budget, most_cage_budget);
  check_range("clearance", clearance, least_clearance_option, most_clearance_option);
  const Cage out = made([&](Pool& pool) {
    return automatic_cage(mesh, {.budget = budget, .clearance = clearance, .solid = solid}, pool);
  });
  const CageReport& r = out.report;
  py::dict report("freedoms"_a = r.freedoms, "clearance"_a = r.clearance, "volume"_a = r.volume,
                  "handles"_a = r.handles, "box"_a = r.box, "warnings"_a = r.warnings);
  return py::make_tuple(array_of(out.mesh.vertices), array_of(out.mesh.triangles), report);
}

/// As the text of a skeleton file.
std::string skeleton(py::handle vertices, py::handle faces, double detail, int nodes,
                     std::optional<bool> solid) {
  const PolygonMesh mesh = mesh_of(vertices, faces);
  check_range("detail", detail, 0.005, 0.5);
  check_range("nodes", nodes, 4, 1e7);
  const AutoSkeleton out = made([&](Pool& pool) {
    return find_skeleton(mesh, {.detail = detail, .nodes = nodes, .solid = solid}, pool);
  });
  return skeleton_text(out.skeleton);
}

py::dict embedding(py::handle vertices, py::handle faces, int nodes, std::optional<bool> solid,
                   double thickness) {
  const PolygonMesh mesh = mesh_of(vertices, faces);
  check_range("nodes", nodes, 4, 1e7);
  check_range("thickness", thickness, 0, 1e6);
  const MeshShape out = made([&](Pool& pool) {
    return make_mesh_shape(mesh, {.nodes = nodes, .solid = solid, .thickness = thickness}, pool);
  });
  const NodeGraph& graph = out.shape.graph;
  const auto count = py::ssize_t(graph.edges.size());
  py::array_t<Index> edges({count, py::ssize_t(2)});
  auto edge = edges.mutable_unchecked<2>();
  for (py::ssize_t e = 0; e < count; ++e) {
    edge(e, 0) = graph.edges[std::size_t(e)].a;
    edge(e, 1) = graph.edges[std::size_t(e)].b;
  }
  const Gather& w = out.shape.embedding;
  return py::dict("nodes"_a = array_of(graph.positions), "volumes"_a = array_of(graph.volumes),
                  "edges"_a = edges, "indptr"_a = array_of(w.begin), "indices"_a = array_of(w.column),
                  "weights"_a = array_of(w.weight), "solid"_a = out.report.solid,
                  "warnings"_a = out.report.warnings);
}

}  // namespace

void add_pieces(py::module_& module) {
  module.def("repair", repaired, "vertices"_a, "faces"_a);
  module.def("winding", winding_numbers, "vertices"_a, "faces"_a, "points"_a);
  module.def("green", green, "vertices"_a, "faces"_a, "points"_a);
  module.def("cage", cage, "vertices"_a, "faces"_a, "budget"_a, "clearance"_a, "solid"_a);
  module.def("skeleton", skeleton, "vertices"_a, "faces"_a, "detail"_a, "nodes"_a, "solid"_a);
  module.def("embedding", embedding, "vertices"_a, "faces"_a, "nodes"_a, "solid"_a, "thickness"_a);
}

}  // namespace pliant::python
