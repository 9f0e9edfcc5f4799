// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/check_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace pliant {
namespace {

/// Problems of one array: the first, and how many more of its kind.
class Finder {
 public:
  explicit Finder(std::vector<Problem>& out) : out_(out) {}

  /// wrong(i): entry i is; found(i): what is there.
  template <class Wrong, class Found>
  bool each(const char* place, std::size_t count, Wrong&& wrong, Found&& found, const std::string& expected) {
    std::size_t many = 0, first = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (wrong(i) && many++ == 0) first = i;
    if (many == 0) return true;
    std::string text = found(first);
    if (many > 1) text += fmt::format(", and {} more", many - 1);
    tell(fmt::format("{}.{}", place, first), std::move(text), expected);
    return false;
  }
  bool points(const char* place, std::span<const Vec3> points) {
    return each(
        place, points.size(), [&](std::size_t i) { return !points[i].allFinite(); },
        [&](std::size_t i) {
          return fmt::format("[{:g}, {:g}, {:g}]", points[i].x(), points[i].y(), points[i].z());
        },
        "finite coordinates, m");
  }
  /// Indices of `size` things.
  bool indices(const char* place, std::span<const Index> list, std::size_t size, const char* things) {
    return each(
        place, list.size(), [&](std::size_t i) { return !exists(list[i], size); },
        [&](std::size_t i) { return std::to_string(list[i]); }, below(size, things));
  }
  template <std::size_t N>
  bool tuples(const char* place, const std::vector<std::array<Index, N>>& list, std::size_t size,
              const char* things) {
    return each(
        place, list.size(),
        [&](std::size_t i) {
          return std::any_of(list[i].begin(), list[i].end(), [&](Index v) { return !exists(v, size); });
        },
        [&](std::size_t i) {
          const auto bad =
              std::find_if(list[i].begin(), list[i].end(), [&](Index v) { return !exists(v, size); });
          return fmt::format("index {}", *bad);
        },
        below(size, things));
  }
  bool count(const char* place, std::size_t found, std::size_t expected, const char* of) {
    if (found == expected) return true;
    tell(place, fmt::format("{} entries", found), fmt::format("{}, one a {}", expected, of));
    return false;
  }
  void tell(std::string place, std::string found, std::string expected) {
    out_.push_back({std::move(place), std::move(found), std::move(expected), {}});
  }
  /// begin[0] = 0, ascending, the last is the size.
  bool rows(const char* place, const std::vector<Index>& begin, std::size_t size) {
    const bool well = !begin.empty() && begin.front() == 0 && std::is_sorted(begin.begin(), begin.end()) &&
                      std::size_t(begin.back()) == size;
    if (!well)
      tell(place, begin.empty() ? "no entries" : "offsets that do not cut the list into rows",
           fmt::format("0 first, then ascending, {} last", size));
    return well;
  }

 private:
  static bool exists(Index i, std::size_t size) { return i >= 0 && std::size_t(i) < size; }
  static std::string below(std::size_t size, const char* things) {
    return size == 0 ? fmt::format("none: there are no {}", things)
                     : fmt::format("0 to {}, the {}", size - 1, things);
  }
  std::vector<Problem>& out_;
};

void check_gather(Finder& find, const char* place, const Gather& w, std::size_t columns) {
  const std::string at = place;
  if (!find.rows((at + ".begin").c_str(), w.begin, w.column.size())) return;
  find.count((at + ".weight").c_str(), w.weight.size(), w.column.size(), "column");
  find.indices((at + ".column").c_str(), w.column, columns, "nodes");
  find.each((at + ".weight").c_str(), w.weight.size(),
            [&](std::size_t k) { return !std::isfinite(w.weight[k]); },
            [&](std::size_t k) { return fmt::format("{:g}", w.weight[k]); }, "finite weights");
}

void check_positive(Finder& find, const char* place, const std::vector<double>& values) {
  find.each(
      place, values.size(), [&](std::size_t i) { return !(values[i] >= 0) || !std::isfinite(values[i]); },
      [&](std::size_t i) { return fmt::format("{:g}", values[i]); }, "finite numbers >= 0");
}

void check_graph(Finder& find, const NodeGraph& graph) {
  const std::size_t n = graph.positions.size();
  if (n == 0) find.tell("graph.positions", "no nodes", "at least one node");
  find.points("graph.positions", graph.positions);
  find.count("graph.volumes", graph.volumes.size(), n, "node");
  check_positive(find, "graph.volumes", graph.volumes);
  const double volume = [&] {
    double sum = 0;
    for (const double v : graph.volumes) sum += v;
    return sum;
  }();
  if (n > 0 && !(volume > 0)) find.tell("graph.volumes", "no volume at all", "a body with a volume, m^3");
  find.each(
      "graph.edges", graph.edges.size(),
      [&](std::size_t k) {
        const NodeGraph::Edge& e = graph.edges[k];
        const bool after = k == 0 || graph.edges[k - 1].a < e.a ||
                           (graph.edges[k - 1].a == e.a && graph.edges[k - 1].b < e.b);
        return e.a < 0 || e.a >= e.b || std::size_t(e.b) >= n || !after;
      },
      [&](std::size_t k) { return fmt::format("nodes {} and {}", graph.edges[k].a, graph.edges[k].b); },
      fmt::format("two of the {} nodes, a < b, sorted, each pair once", n));
  find.each(
      "graph.edges", graph.edges.size(),
      [&](std::size_t k) { return !(graph.edges[k].share >= 0) || !std::isfinite(graph.edges[k].share); },
      [&](std::size_t k) { return fmt::format("share {:g}", graph.edges[k].share); },
      "shares that are finite and >= 0, m");
  find.tuples("graph.cells", graph.cells, n, "nodes");
  if (!graph.cell_material.empty())
    find.count("graph.cell_material", graph.cell_material.size(), graph.cells.size(), "cell");
  find.each(
      "graph.tetrahedra", graph.tetrahedra.size(),
      [&](std::size_t k) {
        const NodeGraph::Tetrahedron& t = graph.tetrahedra[k];
        return !(t.material >= 0) || !std::isfinite(t.material) ||
               std::any_of(t.node.begin(), t.node.end(),
                           [&](Index v) { return v < 0 || std::size_t(v) >= n; });
      },
      [&](std::size_t) { return std::string("a node that does not exist, or no material"); },
      fmt::format("four of the {} nodes and a volume", n));
  find.tuples("graph.triangles", graph.triangles, n, "nodes");
  for (const auto& [place, value] :
       {std::pair{"graph.thickness", graph.thickness}, {"graph.enclosed", graph.enclosed}})
    if (!(value >= 0) || !std::isfinite(value))
      find.tell(place, fmt::format("{:g}", value), "a finite number >= 0");
}

void check_surface(Finder& find, const char* place, const TriMesh& mesh) {
  const std::string at = place;
  find.points((at + "vertices").c_str(), mesh.vertices);
  find.tuples((at + "triangles").c_str(), mesh.triangles, mesh.vertices.size(), "vertices");
}

/// vertices: how many there are; none: its own.
void check_polygons(Finder& find, const PolygonMesh& mesh, std::size_t vertices) {
  if (!find.rows("face_begin", mesh.face_begin, mesh.corner.size())) return;
  find.indices("corner", mesh.corner, vertices, "vertices");
  if (mesh.corner_texcoord.empty()) return;
  find.count("corner_texcoord", mesh.corner_texcoord.size(), mesh.corner.size(), "corner");
  find.each(
      "corner_texcoord", mesh.corner_texcoord.size(),
      [&](std::size_t k) {
        const Index t = mesh.corner_texcoord[k];
        return t < -1 || (t >= 0 && std::size_t(t) >= mesh.texcoords.size());
      },
      [&](std::size_t k) { return std::to_string(mesh.corner_texcoord[k]); },
      fmt::format("-1, or one of the {} texture coordinates", mesh.texcoords.size()));
}

template <class Keys, class Value>
void check_keys(Finder& find, const std::string& at, const Keys& keys, const std::vector<Value>& values,
                const char* name) {
  const auto finite = [&](const auto& list, const std::string& place) {
    find.each(
        place.c_str(), list.size(), [&](std::size_t k) { return !list[k].allFinite(); },
        [](std::size_t) { return std::string("a number that is not finite"); }, "finite numbers");
  };
  find.count((at + name).c_str(), values.size(), keys.times.size(), "time");
  find.each((at + "times").c_str(), keys.times.size(),
            [&](std::size_t k) {
              return !std::isfinite(keys.times[k]) || (k > 0 && !(keys.times[k] >= keys.times[k - 1]));
            },
            [&](std::size_t k) { return fmt::format("{:g} s", keys.times[k]); }, "finite times that ascend");
  finite(values, at + name);
  if (keys.interpolation != Interpolation::cubic) return;
  find.count((at + "in").c_str(), keys.in.size(), keys.times.size(), "time");
  find.count((at + "out").c_str(), keys.out.size(), keys.times.size(), "time");
  finite(keys.in, at + "in");
  finite(keys.out, at + "out");
}

}  // namespace

std::vector<Problem> check_mesh(const PolygonMesh& mesh) {
  std::vector<Problem> problems;
  Finder find(problems);
  find.points("vertices", mesh.vertices);
  check_polygons(find, mesh, mesh.vertices.size());
  if (!mesh.normals.empty()) {
    find.count("normals", mesh.normals.size(), mesh.vertices.size(), "vertex");
    find.points("normals", mesh.normals);
  }
  return problems;
}

std::vector<Problem> check_mesh(const TriMesh& mesh) {
  std::vector<Problem> problems;
  Finder find(problems);
  check_surface(find, "", mesh);
  return problems;
}

std::vector<Problem> check_faces(const std::vector<Triangle>& triangles, const PolygonMesh& faces,
                                 std::size_t vertices) {
  std::vector<Problem> problems;
  Finder find(problems);
  find.tuples("triangles", triangles, vertices, "vertices");
  check_polygons(find, faces, vertices);
  return problems;
}

std::vector<Problem> check_shape(const Shape& shape) {
  if (!shape.problems.empty()) return shape.problems;
  std::vector<Problem> problems;
  Finder find(problems);
  const std::size_t nodes = shape.graph.positions.size(), vertices = shape.surface.vertices.size();
  check_surface(find, "surface.", shape.surface);
  check_graph(find, shape.graph);
  check_gather(find, "embedding", shape.embedding, nodes);
  find.count("embedding", std::size_t(std::max(shape.embedding.rows(), 0)), vertices, "vertex");
  find.indices("touching", shape.touching, vertices, "vertices");
  check_gather(find, "contact", shape.contact, nodes);
  const std::size_t contacts = std::size_t(std::max(shape.contact.rows(), 0));
  if (contacts > 0) find.tuples("contact_triangles", shape.contact_triangles, contacts, "contact points");
  check_gather(find, "followers", shape.followers, nodes);
  if (std::size_t(std::max(shape.followers.rows(), 0)) > nodes)
    find.tell("followers", fmt::format("{} rows", shape.followers.rows()), "at most one a node");
  check_surface(find, "discs.", shape.discs);
  check_polygons(find, shape.faces, vertices);
  return problems;
}

std::vector<Problem> check_skeleton(const Skeleton& skeleton) {
  std::vector<Problem> problems;
  Finder find(problems);
  const std::vector<Joint>& joints = skeleton.joints;
  find.each(
      "joints", joints.size(),
      [&](std::size_t j) { return joints[j].parent < -1 || joints[j].parent >= Index(j); },
      [&](std::size_t j) { return fmt::format("parent {}", joints[j].parent); },
      "-1, or a joint before it in the list");
  find.each(
      "joints", joints.size(),
      [&](std::size_t j) {
        return !joints[j].position.allFinite() || !(joints[j].radius >= 0) ||
               !std::isfinite(joints[j].radius);
      },
      [](std::size_t) { return std::string("a position or a radius that is no number"); },
      "finite coordinates and a radius >= 0, m");
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::string at = fmt::format("joints.{}.", j);
    check_keys(find, at + "turns.", joints[j].turns, joints[j].turns.turns, "turns");
    check_keys(find, at + "moves.", joints[j].moves, joints[j].moves.moves, "moves");
  }
  return problems;
}

}  // namespace pliant
