// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/note_bending.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pliant/physics/selection.hpp"

namespace pliant::cage {
namespace {

constexpr double told = 0.1;   // of the stiffness of beam theory
constexpr double slender = 3;  // longest extent over the thickness: shorter bodies hardly bend

}  // namespace

double bending_bias(int cells, double along, double across) {
  const double aspect = along / across;
  return 1 + 0.4 * std::pow(cells, -0.8) + 0.35 * aspect * aspect * std::pow(cells, -3.5);
}

std::optional<std::string> note_bending(const Options& options, const BodyPlan& plan) {
  if (options.cells[0] == 0 || plan.shape.graph.positions.empty()) return std::nullopt;
  const Bounds box = bounds_of(plan.shape.graph.positions);
  const Vec3 size = box.max - box.min;
  int longest = 0, thin = 0;
  size.maxCoeff(&longest);
  size.minCoeff(&thin);
  if (!(size[longest] > slender * size[thin])) return std::nullopt;
  const int cells = options.cells[std::size_t(thin)];
  const double along = size[longest] / options.cells[std::size_t(longest)], across = size[thin] / cells;
  const double bias = bending_bias(cells, along, across);
  if (!(bias > 1 + told)) return std::nullopt;
  return fmt::format(
      "bends about {:.0f} % too stiffly: {} cell{} of {:.3g} m through its thickness, {:.3g} m long "
      "(measured "
      "on "
      "square bars, docs/methods/cage/measured.md). More cells through the thickness{}.",
      100 * (bias - 1), cells, cells == 1 ? "" : "s", across, along,
      along > 1.5 * across ? ", and along it: cells as long as high" : "");
}

}  // namespace pliant::cage
