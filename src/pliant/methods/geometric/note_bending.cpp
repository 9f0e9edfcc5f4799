// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/note_bending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "pliant/methods/slender_box.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant::geometric {
namespace {

constexpr double told = 0.1;         // of the stiffness of beam theory
constexpr double same_place = 1e-6;  // of the extent

/// Different values, of those that are sorted.
int count_places(std::vector<double> values, double extent) {
  std::sort(values.begin(), values.end());
  int count = values.empty() ? 0 : 1;
  for (std::size_t i = 1; i < values.size(); ++i) count += values[i] - values[i - 1] > same_place * extent;
  return count;
}

}  // namespace

double bending_bias(int cells, double aspect, double kept, double section, double volume) {
  return 1 + (section + 3 * kept * aspect * aspect + 0.06 * volume * aspect) / (double(cells) * cells);
}

double end_bias(int cells_along) { return 5.0 / (double(cells_along) * cells_along); }

std::array<int, 3> lattice_of_box(const NodeGraph& graph) {
  if (graph.cells.empty()) return {0, 0, 0};
  const Bounds box = bounds_of(graph.positions);
  std::array<int, 3> nodes{};
  std::size_t all = 1;
  for (int c = 0; c < 3; ++c) {
    std::vector<double> values;
    for (const Vec3& p : graph.positions) values.push_back(p[c]);
    nodes[std::size_t(c)] = count_places(std::move(values), box.max[c] - box.min[c]);
    all *= std::size_t(nodes[std::size_t(c)]);
  }
  return all == graph.positions.size() ? nodes : std::array<int, 3>{0, 0, 0};
}

std::optional<std::string> note_bending(const Options& options, const BodyPlan& plan) {
  if (operator_of(options) != Operator::volumetric || options.weights != Weights::tributary)
    return std::nullopt;
  const std::array<int, 3> nodes = lattice_of_box(plan.shape.graph);
  if (*std::min_element(nodes.begin(), nodes.end()) < 2) return std::nullopt;
  const std::optional<SlenderBox> box = slender_box(plan.shape.graph.positions);
  if (!box) return std::nullopt;
  const int cells = nodes[std::size_t(box->thin)] - 1, longest = box->along;
  const int count = nodes[std::size_t(longest)] - 1;
  const double along = box->length() / count, across = box->thickness() / cells;
  const Result<Rows> rows = make_rows(plan.shape, plan.density, options);
  if (!rows) return std::nullopt;
  double kept = 1;  // of the edges along the body
  for (std::size_t k = 0; k < rows->relief.size(); ++k)
    if (std::abs(rows->rest[rows->edges[k].b][longest] - rows->rest[rows->edges[k].a][longest]) > 0.5 * along)
      kept = std::min(kept, 1 - rows->relief[k]);
  if (rows->edges.size() > 3 * rows->rest.size())
    return std::nullopt;  // diagonals: the formula is of edges alone
  const double own =
      bending_bias(cells, along / across, kept, cells > 1 ? 0 : 2, row_moduli(options).volume) - 1;
  const double end = plan.held.empty() ? 0 : end_bias(count);
  if (!(own + end > told)) return std::nullopt;
  std::string advice = "More nodes through the thickness";
  if (end > own)
    advice = own > told ? "More nodes along it, and through the thickness" : "More nodes along it";
  else if (along > 3.5 * across)
    advice += ", and along it: cells at most three times as long as high";
  return fmt::format(
      "bends {:.0f} % too stiffly{}: {} cell{} of {:.3g} m through its thickness, {:.3g} m long, hourglass "
      "{:.3g}. {}.",
      100 * (own + end), end > 0 ? fmt::format(" ({:.0f} % by a held end)", 100 * end) : "", cells,
      cells == 1 ? "" : "s", across, along, kept, advice);
}

}  // namespace pliant::geometric
