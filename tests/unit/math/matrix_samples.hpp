// SPDX-License-Identifier: Apache-2.0
// Matrices A = M + s K as bodies make them, for the tests of the solvers.
#pragma once

#include <Eigen/SparseCore>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "pliant/math/symmetric_matrix.hpp"

namespace pliant::samples {

using Links = std::vector<std::pair<Index, Index>>;

struct LinkGraph {
  Index nodes = 0;
  Links links;  ///< each once
};

inline LinkGraph lattice(int nx, int ny, int nz) {
  LinkGraph graph{Index(nx * ny * nz), {}};
  auto at = [&](int x, int y, int z) { return Index((z * ny + y) * nx + x); };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        if (x > 0) graph.links.emplace_back(at(x - 1, y, z), at(x, y, z));
        if (y > 0) graph.links.emplace_back(at(x, y - 1, z), at(x, y, z));
        if (z > 0) graph.links.emplace_back(at(x, y, z - 1), at(x, y, z));
      }
  return graph;
}

/// Points at random in a cube, linked when nearer than `reach`; parts may be disconnected, degrees differ.
inline LinkGraph random_graph(Index nodes, double reach, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<Eigen::Vector3d> place(nodes);
  for (auto& p : place) p = {uniform(random), uniform(random), uniform(random)};
  LinkGraph graph{nodes, {}};
  for (Index i = 0; i < nodes; ++i)
    for (Index j = 0; j < i; ++j)
      if ((place[i] - place[j]).norm() < reach) graph.links.emplace_back(j, i);
  return graph;
}

inline Eigen::SparseMatrix<double> laplacian(const LinkGraph& graph) {
  std::vector<Eigen::Triplet<double>> entries;
  for (auto [i, j] : graph.links) {
    entries.emplace_back(i, j, -1), entries.emplace_back(j, i, -1);
    entries.emplace_back(i, i, 1), entries.emplace_back(j, j, 1);
  }
  Eigen::SparseMatrix<double> k(graph.nodes, graph.nodes);
  k.setFromTriplets(entries.begin(), entries.end());
  return k;
}

/// I + s K without the rows and columns of the pinned nodes.
inline Eigen::SparseMatrix<double> shifted(const Eigen::SparseMatrix<double>& k, double s,
                                           const std::set<Index>& pinned = {}) {
  std::vector<Index> row(k.rows(), -1);
  Index rows = 0;
  for (Index i = 0; i < k.rows(); ++i)
    if (!pinned.count(i)) row[i] = rows++;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < rows; ++i) entries.emplace_back(i, i, 1);
  for (int j = 0; j < k.outerSize(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(k, j); it; ++it)
      if (row[it.row()] >= 0 && row[j] >= 0) entries.emplace_back(row[it.row()], row[j], s * it.value());
  Eigen::SparseMatrix<double> a(rows, rows);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

/// Largest eigenvalue of K (with unit masses), to a few percent.
inline double largest_eigenvalue(const Eigen::SparseMatrix<double>& k) {
  Eigen::VectorXd v(k.rows());
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (auto& x : v) x = normal(random);
  for (int i = 0; i < 60; ++i) v = (k * v).normalized();
  return v.dot(k * v);
}

inline SymmetricMatrix lower_rows(const Eigen::SparseMatrix<double>& a) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> rows = a;
  SymmetricMatrix m;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(rows, i); it && it.col() <= i; ++it)
      m.column.push_back(Index(it.col())), m.value.push_back(it.value());
    m.begin.push_back(Index(m.column.size()));
  }
  return m;
}

}  // namespace pliant::samples
