// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/note_bending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/methods/slender_box.hpp"

namespace pliant::cage {
namespace {

constexpr double worth_telling = 0.1;  // of the stiffness of beam theory
constexpr double edges_differ = 0.4;   // from which Poisson's ratio on, by more than 0.02
constexpr const char* edges_contract =
    " Pulled, its edges contract less: Poisson's ratio is up to 0.06 lower there.";

}  // namespace

double harmonic_bending_bias(double width, double poisson) {
  return 1 + width * width / ((2 * width * width + width + 2) * (1 + poisson));
}

double bending_bias(int cells, double aspect, double width, double poisson) {
  return harmonic_bending_bias(width, poisson) + (0.25 + 0.34 * aspect * aspect) * std::pow(cells, -2.8);
}

std::optional<std::string> note_bending(const Options& options, const BodyPlan& plan) {
  const std::optional<SlenderBox> box = slender_box(plan.shape.graph.positions);
  if (!box) return std::nullopt;
  const double width = box->width() / box->thickness(), least = harmonic_bending_bias(width, options.poisson);
  const char* of_edges = options.poisson < edges_differ ? "" : edges_contract;
  if (options.cells[0] == 0) {
    if (!(least > 1 + worth_telling)) return std::nullopt;
    return fmt::format(
        "bends at least {:.0f} % too stiffly, however fine its cage (docs/methods/cage.md, Limits).{}",
        100 * (least - 1), of_edges);
  }
  const int cells = options.cells[std::size_t(box->thin)];
  const double along = box->length() / options.cells[std::size_t(box->along)],
               beside = box->width() / options.cells[std::size_t(box->wide)],
               across = box->thickness() / cells, longest = std::max(along, beside);
  const double bias = bending_bias(cells, longest / across, width, options.poisson);
  if (!(bias > 1 + worth_telling)) return std::nullopt;
  return fmt::format(
      "bends about {:.0f} % too stiffly ({:.0f} % however fine its cage: docs/methods/cage.md, Limits): {} "
      "cell{} of {:.3g} m through its thickness, {:.3g} m long or wide. More cells through the "
      "thickness{}.{}",
      100 * (bias - 1), 100 * (least - 1), cells, cells == 1 ? "" : "s", across, longest,
      longest > 1.5 * across ? ", and along it: cells as long and as wide as high" : "", of_edges);
}

}  // namespace pliant::cage
