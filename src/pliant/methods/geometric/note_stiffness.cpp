// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/note_stiffness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/build.hpp"

namespace pliant::geometric {
namespace {

// h'^2 K_ii/(12 m), beyond which contact steps lose the body's turning: by the direct solver, by V-cycles.
constexpr double told_direct = 1e6, told_multigrid = 1e5;

/// max_i K_ii/(12 m_i) of the edge rows, or of a sheet's, 1/s^2.
double stiffness_over_mass(const Rows& rows) {
  std::vector<double> diagonal(rows.mass.size(), 0);
  for (std::size_t e = 0; e < rows.edges.size(); ++e)
    for (const Index i : {rows.edges[e].a, rows.edges[e].b}) diagonal[i] += 2 * rows.edge_weight[e];
  if (rows.sheet)
    for (Index i = 0; i < rows.sheet->count(); ++i) {
      const SheetElements::View e = (*rows.sheet)[i];
      for (Index k = 0; k < e.rows(); ++k)
        for (Index v = 0; v < e.members(); ++v) diagonal[e.node[v]] += e.at(k, v) * e.at(k, v);
    }
  double most = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) most = std::max(most, diagonal[i] / (12 * rows.mass[i]));
  return most;
}

}  // namespace

std::optional<std::string> note_stiffness(const Options& options, const BodyPlan& plan,
                                          const StepPlan& steps) {
  const Result<Rows> rows = make_rows(plan.shape, plan.density, options);
  if (!rows) return std::nullopt;  // said when the body is built
  const double step = ImplicitScheme(options.integrator, steps.h, plan.damping).h;
  const double ratio = step * step * stiffness_over_mass(*rows);
  const bool by_cycles = !rows->sheet && (options.linear_solver == LinearSolver::multigrid ||
                                          Index(rows->rest.size()) > direct_limit_of(options));
  const double told = by_cycles ? told_multigrid : told_direct;
  if (!(ratio > told)) return std::nullopt;
  return fmt::format(
      "too stiff for its size and time step to tell contacts well in single precision (h^2 k/m = {:.1g}, "
      "at most {:g}): it may tremble or swell. At least {:.0f} substeps, a lower stiffness or fewer nodes.",
      ratio, told, std::ceil(steps.substeps * std::sqrt(ratio / told)));
}

}  // namespace pliant::geometric
