// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/base/refuse.hpp"

namespace pliant::fem {
namespace {

using Cell = std::array<Index, 8>;

/// Of all soft holds together, in Young's modulus times the longest side [Martin09; measured: 20 keeps a base
/// patch within 0.2 % of the size].
constexpr double hold_stiffness = 20;
constexpr int tets_per_cell = 10, points_per_cell = 8;
/// Of the full eighth: so much stiffness has a Gauss point without material, or its corner would be loose.
constexpr double least_fill = 1e-3;

/// Corners of a cell in the order that makes each volume positive.
constexpr std::array<std::array<int, 4>, tets_per_cell> split() {
  std::array<std::array<int, 4>, tets_per_cell> out{};
  int count = 0;
  out[count++] = {0, 5, 3, 6};
  out[count++] = {1, 2, 4, 7};
  for (int c = 0; c < 8; ++c) {
    // Each axis whose bit is set is walked backwards; an odd number of them mirrors the corner.
    const bool mirrored = ((c ^ c >> 1 ^ c >> 2) & 1) != 0;
    out[count++] =
        mirrored ? std::array<int, 4>{c, c ^ 2, c ^ 1, c ^ 4} : std::array<int, 4>{c, c ^ 1, c ^ 2, c ^ 4};
  }
  return out;
}

/// Appends elements to a model.
class ElementMaker {
 public:
  ElementMaker(Model& model, const Points& X) : model_(model), X_(X) {}

  /// With half its volume, for the two splits.
  bool add_tet(const Cell& cell, const std::array<int, 4>& corners) {
    std::array<Index, 4> node;
    for (int a = 0; a < 4; ++a) node[a] = cell[corners[a]];
    Mat3 edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = X_[node[a + 1]] - X_[node[0]];
    return add_tet(node, edges.determinant() / 12);
  }

  /// material: in it, m^3.
  bool add_tet(const std::array<Index, 4>& node, double material) {
    Mat3 edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = X_[node[a + 1]] - X_[node[0]];
    // Column b of the inverse transposed is the gradient of corner b + 1; the four sum to zero.
    const Mat3 inverse = edges.inverse();
    std::array<Vec3, 4> gradient{Vec3::Zero(), inverse.row(0), inverse.row(1), inverse.row(2)};
    for (int b = 1; b < 4; ++b) gradient[0] -= gradient[b];
    return add(node, gradient, material);
  }

  /// The Gauss point near corner `at`; material: of its eighth, m^3, < 0: full.
  bool add_gauss_point(const Cell& cell, int at, double material) {
    const double near = 0.5 + 0.5 / std::sqrt(3.0);
    Vec3 s;  // 0 .. 1 in the cell
    for (int c = 0; c < 3; ++c) s[c] = at >> c & 1 ? near : 1 - near;
    std::array<Vec3, 8> slope;  // of the trilinear functions in s
    Mat3 jacobian = Mat3::Zero();
    for (int a = 0; a < 8; ++a) {
      Vec3 value;
      for (int c = 0; c < 3; ++c) value[c] = a >> c & 1 ? s[c] : 1 - s[c];
      for (int c = 0; c < 3; ++c)
        slope[a][c] = (a >> c & 1 ? 1 : -1) * value[(c + 1) % 3] * value[(c + 2) % 3];
      jacobian += (X_[cell[a]] - X_[cell[0]]) * slope[a].transpose();
    }
    const Mat3 back = jacobian.inverse().transpose();
    std::array<Vec3, 8> gradient;
    for (int a = 0; a < 8; ++a) gradient[a] = back * slope[a];
    const double full = jacobian.determinant() / 8;
    if (!(full > 0)) return false;
    return add(cell, gradient, material < 0 ? full : std::max(material, least_fill * full));
  }

 private:
  template <std::size_t N>
  bool add(const std::array<Index, N>& node, const std::array<Vec3, N>& gradient, double weight) {
    model_.node.insert(model_.node.end(), node.begin(), node.end());
    model_.gradient.insert(model_.gradient.end(), gradient.begin(), gradient.end());
    model_.weight.push_back(weight);
    return weight > 0 && std::isfinite(weight) && gradient[0].allFinite();
  }

  Model& model_;
  const Points& X_;
};

/// All elements of cell k; false: it is flat or inside out.
bool add_cell(Model& model, const NodeGraph& graph, std::size_t k, ElementKind kind) {
  ElementMaker maker(model, graph.positions);
  if (kind == ElementKind::hexahedron) {
    const bool full = graph.cell_material.empty();
    for (int c = 0; c < points_per_cell; ++c)
      if (!maker.add_gauss_point(graph.cells[k], c, full ? -1 : graph.cell_material[k][std::size_t(c)]))
        return false;
    return true;
  }
  for (const auto& corners : split())
    if (!maker.add_tet(graph.cells[k], corners)) return false;
  return true;
}

/// All elements of the graph; empty, or what is wrong with one of them.
std::string add_elements(Model& model, const NodeGraph& graph, ElementKind kind) {
  const bool hexahedra = kind == ElementKind::hexahedron, cut = !graph.tetrahedra.empty();
  model.corners = hexahedra ? 8 : 4;
  model.elements_per_cell = hexahedra ? points_per_cell : cut ? 1 : tets_per_cell;
  ElementMaker maker(model, graph.positions);
  for (std::size_t k = 0; k < graph.tetrahedra.size(); ++k)
    if (!maker.add_tet(graph.tetrahedra[k].node, graph.tetrahedra[k].material))
      return fmt::format("tetrahedron {} is flat at node {}", k, graph.tetrahedra[k].node[0]);
  for (std::size_t k = 0; k < graph.cells.size(); ++k)
    if (!add_cell(model, graph, k, kind))
      return fmt::format("cell {} is flat or inside out at node {}", k, graph.cells[k][0]);
  return {};
}

void list_corners(Model& model) {
  model.begin.assign(model.rest.size() + 1, 0);
  for (const Index i : model.node) ++model.begin[i + 1];
  std::partial_sum(model.begin.begin(), model.begin.end(), model.begin.begin());
  model.corner.resize(model.begin.back());
  std::vector<Index> next(model.begin.begin(), model.begin.end() - 1);
  for (Index k = 0; k < Index(model.node.size()); ++k) model.corner[next[model.node[k]]++] = k;
}

void find_parts(Model& model) {
  std::vector<NodeGraph::Edge> joined;
  for (Index e = 0; e < model.elements(); ++e) {
    const std::span<const Index> node = model.element(e).node;
    for (const Index i : node)
      if (i != node[0]) joined.push_back({.a = std::min(i, node[0]), .b = std::max(i, node[0])});
  }
  const std::vector<Index> part = components(model.carriers(), joined);
  model.parts.resize(std::size_t(*std::max_element(part.begin(), part.end())) + 1);
  for (Index i = 0; i < model.carriers(); ++i) model.parts[std::size_t(part[std::size_t(i)])].push_back(i);
}

/// Cells in a round solid stand for what lies beyond their outer faces, too.
void fill_volume(Model& model, const std::vector<double>& volumes) {
  const double elements = std::accumulate(model.weight.begin(), model.weight.end(), 0.0);
  const double scale = std::accumulate(volumes.begin(), volumes.end(), 0.0) / elements;
  for (double& weight : model.weight) weight *= scale;
}

}  // namespace

Result<Model> make_model(const Shape& shape, double density, const Options& options) {
  const NodeGraph& graph = shape.graph;
  PLIANT_CHECK(graph.volumes.size() == graph.positions.size());
  if (graph.cells.empty() && graph.tetrahedra.empty())
    return refuse("method", "fem on a shape without cells",
                  "a solid: box, sphere, ellipsoid, cylinder, torus, or the mesh of one",
                  "set method to geometric, which needs no cells");
  const bool hexahedra = options.element == ElementKind::hexahedron;
  if (shape.followers.rows() > 0 && !hexahedra)
    return refuse("fem.element", "tetrahedron for a surface that rides on cells", "hexahedron", "");
  if (!graph.tetrahedra.empty() && hexahedra)
    return refuse("fem.element", "hexahedron for a mesh that tetrahedra fill", "tetrahedron",
                  "or give the shape `cells`: then hexahedra carry its surface");
  Model model;
  model.rest = graph.positions;
  model.followers = shape.followers;
  model.corotational = options.model == Material::corotational;
  const double e = options.stiffness, nu = options.poisson;
  model.lambda = e * nu / ((1 + nu) * (1 - 2 * nu));
  model.mu = e / (2 * (1 + nu));
  Vec3 low = graph.positions[0], high = low;
  for (const Vec3& X : graph.positions) low = low.cwiseMin(X), high = high.cwiseMax(X);
  model.size = (high - low).norm();
  model.hold = hold_stiffness * e * (high - low).maxCoeff();

  if (const std::string wrong = add_elements(model, graph, options.element); !wrong.empty())
    return refuse("shape", wrong, "cells whose corners are all convex", "give the shape more even nodes");
  fill_volume(model, graph.volumes);
  list_corners(model);
  find_parts(model);
  for (Index i = 0; i < model.nodes(); ++i) {
    model.mass.push_back(density * graph.volumes[i]);
    if (i < model.carriers() && (!(model.mass[i] > 0) || model.begin[i] == model.begin[i + 1]))
      return refuse("shape", fmt::format("node {} belongs to no cell", i), "nodes that carry mass",
                    "set method to geometric");
  }
  return model;
}

}  // namespace pliant::fem
