// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/note_bending.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pliant/methods/slender_box.hpp"

namespace pliant::cage {
namespace {

constexpr double told = 0.1;  // of the stiffness of beam theory

}  // namespace

double bending_bias(int cells, double along, double across) {
  const double aspect = along / across;
  return 1 + 0.4 * std::pow(cells, -0.8) + 0.35 * aspect * aspect * std::pow(cells, -3.5);
}

std::optional<std::string> note_bending(const Options& options, const BodyPlan& plan) {
  const std::optional<SlenderBox> box = slender_box(plan.shape.graph.positions);
  if (!box || options.cells[0] == 0) return std::nullopt;
  const int cells = options.cells[std::size_t(box->thin)];
  const double along = box->length() / options.cells[std::size_t(box->along)],
               across = box->thickness() / cells;
  const double bias = bending_bias(cells, along, across);
  if (!(bias > 1 + told)) return std::nullopt;
  return fmt::format(
      "bends about {:.0f} % too stiffly: {} cell{} of {:.3g} m through its thickness, {:.3g} m long "
      "(measured on square bars, docs/methods/cage/measured.md). More cells through the thickness{}.",
      100 * (bias - 1), cells, cells == 1 ? "" : "s", across, along,
      along > 1.5 * across ? ", and along it: cells as long as high" : "");
}

}  // namespace pliant::cage
