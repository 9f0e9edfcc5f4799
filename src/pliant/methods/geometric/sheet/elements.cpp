// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sheet/elements.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/sheet/bending.hpp"

namespace pliant::geometric {
namespace {

// No triangle adds more than this to a diagonal entry of K, in units of E t: by its membrane (one of 1 : 2000),
// by its bending (a spacing of 1/30 of the thickness). Beyond, single precision could not solve with K.
constexpr double most_stretch = 1e3, most_bend = 1e4;
constexpr double flat_rest = 1e-6;     // curvature times spacing below which a triangle rests flat
constexpr double no_modulus = 1e-12;   // of the largest: a direction that borders took
constexpr double weak_wire = 0.01;     // of E t: the side of a triangle without area
constexpr std::size_t most_ends = 12;  // edges at an end of a wire that it is welded to

/// Rows of one element, dense over its members.
struct Draft {
  std::vector<Index> node;
  std::vector<std::vector<double>> rows;  ///< one number a member
  bool is_triangle = false;
  std::size_t stretching = 0;  ///< rows that are not of bending, the first ones

  Index member(Index n) {
    const auto at = std::find(node.begin(), node.end(), n);
    if (at != node.end()) return Index(at - node.begin());
    node.push_back(n);
    for (auto& row : rows) row.push_back(0);
    return Index(node.size()) - 1;
  }
  std::vector<double>& add_row() { return rows.emplace_back(node.size(), 0.0); }
};

double largest_diagonal(const std::vector<std::vector<double>>& rows, std::size_t first) {
  double most = 0;
  for (std::size_t v = 0; first < rows.size() && v < rows[first].size(); ++v) {
    double sum = 0;
    for (std::size_t k = first; k < rows.size(); ++k) sum += rows[k][v] * rows[k][v];
    most = std::max(most, sum);
  }
  return most;
}

void cap(std::vector<std::vector<double>>& rows, std::size_t first, double most) {
  const double largest = largest_diagonal(rows, first);
  if (!(largest > most)) return;
  const double scale = std::sqrt(most / largest);
  for (std::size_t k = first; k < rows.size(); ++k)
    for (double& c : rows[k]) c *= scale;
}

Draft triangle_draft(const Triangle& corners, const FlatTriangle& flat, const CurvatureForm& form,
                     const SheetMaterial& material) {
  Draft out;
  out.node.assign(corners.begin(), corners.end());
  out.is_triangle = true;
  const double root = std::sqrt(material.stretch * flat.area);
  for (int k = 0; k < 2; ++k) {
    auto& row = out.add_row();
    for (int v = 0; v < 3; ++v) row[v] = root * flat.gradient[v][k];
  }
  out.stretching = out.rows.size();
  cap(out.rows, 0, most_stretch * material.stretch);
  if (!(material.bend > 0) || form.terms.empty()) return out;

  // kappa . C kappa as a sum of squares, along the eigenvectors of C.
  const Spectrum3 spectrum = pliant::spectrum(form.modulus);
  for (const auto& term : form.terms) out.member(term.node);
  for (int n = 0; n < 3; ++n) {
    if (!(spectrum.values[n] > no_modulus * spectrum.values[2])) continue;
    const double scale = std::sqrt(material.bend * flat.area * spectrum.values[n]);
    auto& row = out.add_row();
    for (const auto& term : form.terms)
      row[std::size_t(out.member(term.node))] += scale * spectrum.vectors.col(n).dot(term.weight);
  }
  cap(out.rows, out.stretching, most_bend * material.stretch);
  return out;
}

/// The row of an edge, weight a.
void add_edge(Draft& draft, Index i, Index j, double a) {
  const Index from = draft.member(i), to = draft.member(j);
  auto& row = draft.add_row();
  row[from] = -std::sqrt(a);
  row[to] = std::sqrt(a);
}

/// An edge without a triangle, welded to the edges at its ends.
Draft wire_draft(const NodeGraph& graph, const Adjacency& adj, Index edge, double weight) {
  const NodeGraph::Edge& wire = graph.edges[edge];
  Draft out;
  add_edge(out, wire.a, wire.b, weight);
  for (const Index end : {wire.a, wire.b}) {
    std::size_t count = 0;
    for (Index k = adj.begin[end]; k < adj.begin[end + 1] && count < most_ends; ++k)
      if (adj.edge[k] != edge) add_edge(out, end, adj.target[k], weight / 2), ++count;
  }
  out.stretching = out.rows.size();
  return out;
}

/// s X, by differences: coefficients sum to zero.
Vec3 apply(const std::vector<double>& row, const std::vector<Index>& node, const Points& x) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t v = 1; v < node.size(); ++v) sum += row[v] * (x[node[v]] - x[node[0]]);
  return sum;
}

/// The same of a bending row, at rest; zero where only rounding makes it differ from that.
Vec3 rest_curvature(const std::vector<double>& row, const std::vector<Index>& node, const Points& x) {
  const Vec3 sum = apply(row, node, x);
  double size = 0;
  for (std::size_t v = 1; v < node.size(); ++v) size += std::abs(row[v]) * (x[node[v]] - x[node[0]]).norm();
  return sum.norm() > flat_rest * size ? sum : Vec3(Vec3::Zero());
}

void append(const Draft& draft, const Points& x, SheetElements& out) {
  const std::size_t members = draft.node.size();
  Mat3 b = Mat3::Zero();
  Points arm(members, Vec3::Zero());
  for (std::size_t k = 0; k < draft.rows.size(); ++k) {
    const auto& row = draft.rows[k];
    const Vec3 d = k < draft.stretching ? apply(row, draft.node, x) : rest_curvature(row, draft.node, x);
    b += d * d.transpose();
    for (std::size_t v = 0; v < members; ++v) arm[v] += row[v] * d;
    out.rest.push_back(d);
    out.coefficient.insert(out.coefficient.end(), row.begin(), row.end());
  }
  bool flat = draft.is_triangle;
  for (std::size_t k = draft.stretching; k < draft.rows.size(); ++k)
    flat &= out.rest[out.row_begin.back() + k].isZero(0);
  out.flat.push_back(flat);
  out.turning.push_back(flat ? 3 : Index(members));
  out.node.insert(out.node.end(), draft.node.begin(), draft.node.end());
  out.arm.insert(out.arm.end(), arm.begin(), arm.end());
  out.inertia.push_back(b.trace() * Mat3::Identity() - b);
  out.begin.push_back(Index(out.node.size()));
  out.row_begin.push_back(out.rest.size());
  out.coefficient_begin.push_back(out.coefficient.size());
}

}  // namespace

SheetElements::View SheetElements::operator[](Index e) const {
  const auto members = [&](const auto& all) {
    return std::span(all).subspan(std::size_t(begin[e]), std::size_t(begin[e + 1] - begin[e]));
  };
  return {
      members(node), turning[e], std::span(rest).subspan(row_begin[e], row_begin[e + 1] - row_begin[e]),
      std::span(coefficient).subspan(coefficient_begin[e], coefficient_begin[e + 1] - coefficient_begin[e]),
      members(arm)};
}

SheetElements make_sheet_elements(const NodeGraph& graph, const SheetMaterial& material) {
  const Points& x = graph.positions;
  const std::vector<CurvatureForm> forms = curvature_forms(x, graph.triangles, material.poisson);
  const Adjacency adj = adjacency(Index(x.size()), graph.edges);
  enum class Kind : char { wire, weak, covered };
  std::vector<Kind> kind(graph.edges.size(), Kind::wire);
  const auto edge_of = [&](Index a, Index b) {
    const auto first = adj.target.begin() + adj.begin[a], last = adj.target.begin() + adj.begin[a + 1];
    return adj.edge[std::size_t(std::lower_bound(first, last, b) - adj.target.begin())];
  };
  SheetElements out;
  for (std::size_t t = 0; t < graph.triangles.size(); ++t) {
    const Triangle& corners = graph.triangles[t];
    const FlatTriangle flat = flatten(x, corners);
    for (int k = 0; k < 3; ++k) {
      Kind& side = kind[std::size_t(edge_of(corners[k], corners[(k + 1) % 3]))];
      side = flat.area > 0 ? Kind::covered : std::max(side, Kind::weak);
    }
    if (flat.area > 0) append(triangle_draft(corners, flat, forms[t], material), x, out);
  }
  for (Index e = 0; e < Index(graph.edges.size()); ++e)
    if (kind[e] != Kind::covered)
      append(wire_draft(graph, adj, e, (kind[e] == Kind::weak ? weak_wire : 1) * material.stretch), x, out);
  return out;
}

}  // namespace pliant::geometric
