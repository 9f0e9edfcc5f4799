// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/note_stiffness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/methods/geometric/build.hpp"

namespace pliant {
namespace {

constexpr double told = 1e5;  // h'^2 K_ii/(12 m): beyond it contact steps lose the body's turning, too

/// max_i K_ii/(12 m_i) of the edge rows, 1/s^2.
double stiffness_over_mass(const geometric::Rows& rows) {
  std::vector<double> diagonal(rows.mass.size(), 0);
  for (std::size_t e = 0; e < rows.edges.size(); ++e)
    for (const Index i : {rows.edges[e].a, rows.edges[e].b}) diagonal[i] += 2 * rows.edge_weight[e];
  double most = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) most = std::max(most, diagonal[i] / (12 * rows.mass[i]));
  return most;
}

}  // namespace

void note_stiffness(const BodySpec& body, const NodeGraph& graph, double h, int substeps,
                    std::vector<std::string>& notes) {
  if (body.method != "geometric") return;
  const Result<geometric::Rows> rows = geometric::make_rows(graph, body.density, body.geometric);
  if (!rows) return;  // said when the method is built
  const double step = body.geometric.integrator == geometric::Integrator::bdf2 ? 2 * h / 3 : h;
  const double ratio = step * step * stiffness_over_mass(*rows);
  if (!(ratio > told)) return;
  notes.push_back(fmt::format(
      "{}: too stiff for its size and time step to tell contacts well in single precision (h^2 k/m = {:.1g}, "
      "at most {:g}): it may tremble or swell. At least {:.0f} substeps, a lower stiffness or fewer nodes.",
      body.name, ratio, told, std::ceil(substeps * std::sqrt(ratio / told))));
}

}  // namespace pliant
