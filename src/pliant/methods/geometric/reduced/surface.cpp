// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/surface.hpp"

#include "pliant/base/check.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"

namespace pliant::geometric {

ReducedSurface::ReducedSurface(Skin shape_skin, const ReducedModel& model) : skin(std::move(shape_skin)) {
  const Gather& w = skin.embedding;
  columns = Basis::Columns::Zero(w.rows(), model.columns());
  for (Index r = 0; r < w.rows(); ++r)
    for (Index k = w.begin[r]; k < w.begin[r + 1]; ++k)
      columns.row(r) += w.weight[k] * model.basis.columns.row(w.column[k]);
  rest.resize(std::size_t(w.rows()));
  gather(w, model.full.rest, rest);
}

void ReducedBody::surface(std::span<Vec3> vertices) const {
  PLIANT_CHECK(vertices.size() == surface_.rest.size());
  for (std::size_t r = 0; r < vertices.size(); ++r) {
    const auto row = surface_.columns.row(Eigen::Index(r));
    Vec3 x = surface_.rest[r];
    for (Eigen::Index a = 0; a < row.size(); ++a) x += row[a] * state_.z.row(a).transpose();
    vertices[r] = x;
  }
}

bool ReducedBody::activity(std::span<float> vertices) const {
  if (!model_.sweeps_all_nodes()) return false;
  const Gather& w = surface_.skin.embedding;
  PLIANT_CHECK(Index(vertices.size()) == w.rows());
  for (Index v = 0; v < w.rows(); ++v) {
    double active = 0, all = 0;
    for (Index k = w.begin[v]; k < w.begin[v + 1]; ++k) {
      all += std::abs(w.weight[k]);
      if (cache_.sweeps.is_active(w.column[k])) active += std::abs(w.weight[k]);
    }
    vertices[std::size_t(v)] = all > 0 ? float(active / all) : 0.0f;
  }
  return true;
}

void ReducedBody::pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const {
  PLIANT_CHECK(node_forces.size() == nodes().x.size());
  scatter_add(surface_.skin.embedding, surface_forces, node_forces);
}

std::optional<int> ReducedBody::inverted_cells() const {
  if (surface_.skin.cells.empty()) return std::nullopt;
  return geometric::inverted_cells(surface_.skin, nodes().x);
}

}  // namespace pliant::geometric
