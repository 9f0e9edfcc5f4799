// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/scalar_system.hpp"

#include <algorithm>

namespace pliant::meshless {

std::string ScalarSystem::prepare(const Model& model, double mass, double stiffness, const Gather& rows,
                                  double hold, Pool& pool) {
  std::vector<double> diagonal;
  for (const double m : model.mass) diagonal.push_back(mass * m);
  if (laplacian_.rows() == 0) {
    const bool even =
        std::all_of(model.relative.begin(), model.relative.end(), [](double r) { return r == 1; });
    laplacian_ = even ? model.laplacian : cell_laplacian(model.cells, model.relative, model.nodes(), pool);
  }
  const double scale = stiffness * model.scalar_stiffness();
  direct_.use_16_bits(true);  // it preconditions: bytes count for more than digits
  return direct_.factor(with_rows(laplacian_, scale, diagonal, rows, hold)).trouble;
}

void ScalarSystem::solve(const Float4* r, Float4* z, Pool& pool) { direct_.solve(r, z, pool); }

std::size_t ScalarSystem::bytes_per_solve() const { return direct_.bytes_per_solve(); }

std::size_t ScalarSystem::memory_bytes() const {
  return direct_.memory_bytes() + laplacian_.value.size() * (sizeof(double) + sizeof(Index));
}

}  // namespace pliant::meshless
