// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"

namespace pliant::fem {
namespace {

using Cell = std::array<Index, 8>;

Error refuse(std::string place, std::string found, std::string expected, std::string hint) {
  return Error{{}, {{std::move(place), std::move(found), std::move(expected), std::move(hint)}}};
}

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

Tet make_tet(const Points& X, const Cell& cell, const std::array<int, 4>& corners) {
  Tet tet;
  for (int a = 0; a < 4; ++a) tet.node[a] = cell[corners[a]];
  Mat3 edges;
  for (int a = 0; a < 3; ++a) edges.col(a) = X[tet.node[a + 1]] - X[tet.node[0]];
  tet.weight = edges.determinant() / 12;
  // Column b of the inverse transposed is the gradient of corner b + 1; the four sum to zero.
  const Mat3 inverse = edges.inverse();
  tet.gradient[0].setZero();
  for (int b = 0; b < 3; ++b) {
    tet.gradient[b + 1] = inverse.row(b).transpose();
    tet.gradient[0] -= tet.gradient[b + 1];
  }
  return tet;
}

void list_corners(Model& model) {
  model.begin.assign(model.rest.size() + 1, 0);
  for (const Tet& tet : model.tets)
    for (Index i : tet.node) ++model.begin[i + 1];
  std::partial_sum(model.begin.begin(), model.begin.end(), model.begin.begin());
  model.corner.resize(model.begin.back());
  std::vector<Index> next(model.begin.begin(), model.begin.end() - 1);
  for (std::size_t e = 0; e < model.tets.size(); ++e)
    for (Index a = 0; a < 4; ++a) model.corner[next[model.tets[e].node[a]]++] = 4 * Index(e) + a;
}

}  // namespace

Result<Model> make_model(const NodeGraph& graph, double density, const Options& options) {
  PLIANT_CHECK(graph.volumes.size() == graph.positions.size());
  if (graph.cells.empty())
    return refuse("method", "fem on a shape without hexahedral cells",
                  "a shape made of cells: box, sphere, ellipsoid, cylinder or torus",
                  "set method to geometric, which needs no cells");
  Model model;
  model.rest = graph.positions;
  model.corotational = options.model == Material::corotational;
  const double e = options.stiffness, nu = options.poisson;
  model.lambda = e * nu / ((1 + nu) * (1 - 2 * nu));
  model.mu = e / (2 * (1 + nu));
  Vec3 low = graph.positions[0], high = low;
  for (const Vec3& X : graph.positions) low = low.cwiseMin(X), high = high.cwiseMax(X);
  model.size = (high - low).norm();

  for (std::size_t k = 0; k < graph.cells.size(); ++k)
    for (const auto& corners : split()) {
      const Tet tet = make_tet(graph.positions, graph.cells[k], corners);
      if (!(tet.weight > 0) || !std::isfinite(tet.weight) || !tet.gradient[0].allFinite())
        return refuse("shape", fmt::format("cell {} is flat or inside out at node {}", k, tet.node[0]),
                      "cells whose corners are all convex", "give the shape more even nodes");
      model.tets.push_back(tet);
    }
  list_corners(model);
  for (std::size_t i = 0; i < graph.volumes.size(); ++i) {
    model.mass.push_back(density * graph.volumes[i]);
    if (!(model.mass[i] > 0) || model.begin[i] == model.begin[i + 1])
      return refuse("shape", fmt::format("node {} belongs to no cell", i), "nodes that carry mass",
                    "set method to geometric");
  }
  return model;
}

}  // namespace pliant::fem
