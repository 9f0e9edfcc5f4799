// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/shares.hpp"

#include <cstdlib>
#include <optional>

namespace pliant::metric {
namespace {

using Offset = std::array<int, 3>;

constexpr double end_of_lengths = 0.5, end_of_faces = 1;  // q_L, q_D

/// The cells of a lattice by the point of their corner 0, and the runs they form along the axes.
class CellRuns {
 public:
  explicit CellRuns(const Model& model)
      : step_(model.grid.step), at_(std::size_t(model.grid.points), -1), runs_(model.cells.size()) {
    for (std::size_t k = 0; k < model.cells.size(); ++k)
      at_[std::size_t(model.grid.place[model.cells[k][0]])] = Index(k);
    for (const auto& cell : model.cells)
      for (int axis = 0; axis < 3; ++axis) walk(model.grid.place[cell[0]], axis);
  }

  /// -1: none.
  Index at(int point) const { return at_[std::size_t(point)]; }

  /// Of the edges of a cell on one side of an axis: 1 - 2 delta, 1 + 2 delta or 1.
  double factor(Index cell, int axis, int side, double q) const {
    const auto& [first, last, length] = runs_[std::size_t(cell)][std::size_t(axis)];
    if (length < 2 || !(first || last)) return 1;
    const double twice = q * length / (6 * (length - 1));
    return side == (first ? 0 : 1) ? 1 - twice : 1 + twice;
  }

 private:
  struct Run {
    bool first = false, last = false;
    double length = 1;  ///< cells
  };

  /// From the first cell of a run to its last.
  void walk(int point, int axis) {
    const int step = step_[std::size_t(axis)];
    if (at(point - step) >= 0) return;
    int length = 0;
    while (at(point + length * step) >= 0) ++length;
    for (int k = 0; k < length; ++k)
      runs_[std::size_t(at(point + k * step))][std::size_t(axis)] = {k == 0, k + 1 == length, double(length)};
  }

  std::array<int, 3> step_;
  std::vector<Index> at_;
  std::vector<std::array<Run, 3>> runs_;
};

Offset half_of(const Offset& d) {
  const bool two = std::abs(d[0]) == 2 || std::abs(d[1]) == 2 || std::abs(d[2]) == 2;
  return two ? Offset{d[0] / 2, d[1] / 2, d[2] / 2} : d;
}

/// Whether the constraint by d from this corner stays within the cell.
bool inside(int corner, const Offset& d) {
  for (int axis = 0; axis < 3; ++axis) {
    const int end = (corner >> axis & 1) + d[std::size_t(axis)];
    if (end != 0 && end != 1) return false;
  }
  return true;
}

class Sharing {
 public:
  Sharing(Model& model, std::span<const double> filled) : model_(model), filled_(filled), runs_(model) {}

  void single(std::size_t set) {
    const Offset& d = model_.sets[set].cells;
    each(d, [&](Index cell, int corner, Index base) { share(set, base) += owned(cell, corner, d); });
  }
  /// Over two cells; `within` is the set of the halves, if there is one.
  void pair(std::size_t set, std::optional<std::size_t> within) {
    const Offset d = half_of(model_.sets[set].cells);
    const int step = model_.grid.offset(d);
    const double ratio = within ? model_.sets[set].eta / model_.sets[*within].eta : 0;
    each(d, [&](Index cell, int corner, Index base) {
      const int point = model_.grid.place[model_.cells[std::size_t(cell)][0]];
      const Index next = runs_.at(point + step), last = runs_.at(point - step);
      const double own = owned(cell, corner, d);
      if (next >= 0) share(set, base) += 0.5 * (own + owned(next, corner, d));
      if (within) share(*within, base) += 0.5 * ratio * own * ((next < 0) + (last < 0));
    });
  }
  void store() {
    model_.shares.assign(shares_.begin(), shares_.end());
    const std::size_t n = std::size_t(model_.grid.points);
    for (std::size_t k = 0; k < model_.sets.size(); ++k)
      for (std::size_t p = 0; p < n; ++p)
        if (!(model_.shares[k * n + p] > 0)) model_.bits[p] &= ~model_.sets[k].bit;
  }

 private:
  double& share(std::size_t set, Index base) {
    return shares_[set * std::size_t(model_.grid.points) + std::size_t(base)];
  }
  template <class Visit>
  void each(const Offset& d, Visit&& visit) {
    for (std::size_t k = 0; k < model_.cells.size(); ++k)
      for (int corner = 0; corner < 8; ++corner)
        if (inside(corner, d))
          visit(Index(k), corner, model_.grid.place[model_.cells[k][std::size_t(corner)]]);
  }
  /// What a cell owns of the constraint by d from this corner.
  double owned(Index cell, int corner, const Offset& d) const {
    const int normals = (d[0] == 0) + (d[1] == 0) + (d[2] == 0);
    const double q = normals == 2 ? end_of_lengths : end_of_faces;
    double out = filled_.empty() ? 1 : filled_[std::size_t(cell)];
    for (int axis = 0; axis < 3; ++axis)
      if (d[std::size_t(axis)] == 0) out *= 0.5 * runs_.factor(cell, axis, corner >> axis & 1, q);
    return out;
  }

  Model& model_;
  std::span<const double> filled_;
  CellRuns runs_;
  std::vector<double> shares_ =
      std::vector<double>(model_.sets.size() * std::size_t(model_.grid.points), 0.0);
};

}  // namespace

void share_among_cells(Model& model, std::span<const double> filled) {
  Sharing sharing(model, filled);
  for (std::size_t k = 0; k < model.sets.size(); ++k) {
    const Offset half = half_of(model.sets[k].cells);
    if (half == model.sets[k].cells) {
      sharing.single(k);
      continue;
    }
    std::optional<std::size_t> within;
    for (std::size_t j = 0; j < k; ++j)
      if (model.sets[j].cells == half) within = j;
    sharing.pair(k, within);
  }
  sharing.store();
}

}  // namespace pliant::metric
