// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/scalar_system.hpp"

#include <algorithm>

namespace pliant::meshless {
namespace {

/// The V-cycle wants a graph: couplings of the wrong sign are left out, with their share of the diagonal, and
/// held points pull on the diagonal alone.
GraphOperator graph_of(const Model& model, const SymmetricMatrix& laplacian, double stiffness,
                       const std::vector<double>& diagonal, const Gather& rows, double hold) {
  GraphOperator out;
  out.positions = model.rest;
  for (const double m : diagonal) out.mass.push_back(float(m));
  out.anchor.assign(model.rest.size(), 0.0f);
  for (std::size_t k = 0; k < rows.column.size(); ++k)
    out.anchor[std::size_t(rows.column[k])] += float(hold * std::max(0.0, rows.weight[k]));
  for (Index i = 0; i < laplacian.rows(); ++i)
    for (Index k = laplacian.begin[std::size_t(i)]; k < laplacian.begin[std::size_t(i) + 1]; ++k) {
      const double weight = -stiffness * laplacian.value[std::size_t(k)];
      if (laplacian.column[std::size_t(k)] < i && weight > 0)
        out.edges.push_back({laplacian.column[std::size_t(k)], i, float(weight)});
    }
  return out;
}

}  // namespace

std::string ScalarSystem::prepare(const Model& model, double mass, double stiffness, const Gather& rows,
                                  double hold, LinearSolver solver, Pool& pool) {
  std::vector<double> diagonal;
  for (const double m : model.mass) diagonal.push_back(mass * m);
  if (laplacian_.rows() == 0) {
    const bool even =
        std::all_of(model.relative.begin(), model.relative.end(), [](double r) { return r == 1; });
    laplacian_ = even ? model.laplacian : cell_laplacian(model.cells, model.relative, model.nodes(), pool);
  }
  const double scale = stiffness * model.scalar_stiffness();
  // A V-cycle wants a mass on every node; statics have none.
  multigrid_in_force_ = solver == LinearSolver::multigrid && mass > 0;
  if (multigrid_in_force_) {
    const auto report = multigrid_.build(graph_of(model, laplacian_, scale, diagonal, rows, hold));
    return report.trouble;
  }
  return direct_.factor(with_rows(laplacian_, scale, diagonal, rows, hold)).trouble;
}

void ScalarSystem::solve(const Float4* r, Float4* z, Pool& pool) {
  if (multigrid_in_force_)
    multigrid_.apply(r, z, pool);
  else
    direct_.solve(r, z, pool);
}

std::size_t ScalarSystem::bytes_per_solve() const {
  return multigrid_in_force_ ? multigrid_.bytes_per_apply() : direct_.bytes_per_solve();
}

std::size_t ScalarSystem::memory_bytes() const {
  return direct_.memory_bytes() + multigrid_.memory_bytes() +
         laplacian_.value.size() * (sizeof(double) + sizeof(Index));
}

}  // namespace pliant::meshless
