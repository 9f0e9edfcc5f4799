// SPDX-License-Identifier: Apache-2.0
// One V-cycle over ever coarser lattices as z = P^-1 r, for matrices of scalar weights, or of weights that
// bound those of the accurate matrix: c dr dr^T <= c |dr|^2. A coarse point is the
// centre of a block of 2 x 2 x 2 points, down to a single one, and exists where one of them counts:
//   interpolation   3/4 of the own block, 1/4 of the next, along every axis; blocks that do not exist are
//   left
//                   out and the rest is scaled up, so that constants stay constants on any mask
//   restriction     its transpose
//   coarse weights  sums of the fine weights between two blocks, times 1/2: with the unit offsets that come
//   in
//                   pairs of opposite signs the energy of a linear field is then the same on both lattices.
//                   Offsets of two cells reach the next block exactly: times 1
//   coarse mass     sums of the mass and of the weights towards held nodes
//   smoothing       Jacobi, damped by 0.8, once before and once after
// Every part is symmetric. D^-1 A has no eigenvalue above 2 (a Laplacian of weights >= 0 and a mass), so that
// smoothing shrinks every error; then any definite coarse matrix gives a definite P^-1: with the smoother S
// and the coarse correction C >= 0, 1 - P^-1 A = S (1 - C A) S <= S S < 1 in the inner product of A.
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/methods/metric/preconditioner.hpp"
#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {
namespace {

constexpr float damping = 0.8f;
constexpr int block = 4096;  // points a part of a sweep, about

// The inverse diagonal needs about sqrt(diagonal/mass) iterations, no more than a multiple of the nodes
// across, a cycle a handful, each of the price of several: measured, metric/stiff and soft of the bench.
constexpr double worth_diagonal_over_mass = 30;

using Cells = std::array<int, 3>;

/// The half of the 26 neighbours that is ahead.
std::vector<Cells> forward_neighbours() {
  std::vector<Cells> out;
  for (int z = 0; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (z > 0 || y > 0 || (y == 0 && x > 0)) out.push_back({x, y, z});
  return out;
}

int half_down(int n) { return n >= 0 ? n / 2 : -((1 - n) / 2); }

struct Level {
  Cells nodes{1, 1, 1}, step{1, 1, 1};
  int begin = 0, end = 0, points = 0;
  std::vector<Cells> cells;      ///< offsets of the sets
  std::vector<StencilSet> sets;  ///< of the operator on the finest level
  const float *mass = nullptr, *free = nullptr;
  Floats weights, own_mass, own_free;
  Floats ground;                ///< finest level: sums of rows
  Floats smoothing;             ///< damped inverse diagonal
  Floats share;                 ///< of interpolation (TransferSweep)
  Floats right, before, after;  ///< three arrays each; of the finest level the caller has the first and last
  std::vector<CoarseTerm> terms;   ///< of the weights, from the next finer level
  std::vector<std::size_t> first;  ///< term of every set, and the number of all

  int offset(const Cells& d) const { return d[0] * step[0] + d[1] * step[1] + d[2] * step[2]; }
  bool has_row(int y, int z) const { return y >= 0 && z >= 0 && y < nodes[1] && z < nodes[2]; }
  int row(int y, int z) const { return begin + y * step[1] + z * step[2]; }

  template <class Part>
  void sweep(Pool& pool, Part&& part) const {
    for_blocks(pool, end - begin, block, [&](int from, int to) { part(begin + from, begin + to); });
  }
  /// Rows in parts of about a block.
  template <class Row>
  void rows(Pool& pool, Row&& each) const {
    const int count = nodes[1] * nodes[2], some = std::max(1, block / step[1]);
    for_blocks(pool, count, some, [&](int from, int to) {
      for (int k = from; k < to; ++k) each(k % nodes[1], k / nodes[1]);
    });
  }
};

Level finest(Operator& matrix) {
  const PaddedGrid& grid = matrix.model().grid;
  Level l;
  l.nodes = grid.nodes, l.step = grid.step;
  l.begin = grid.begin, l.end = grid.end, l.points = grid.points;
  for (const ConstraintSet& set : matrix.model().sets) l.cells.push_back(set.cells);
  l.ground.assign(std::size_t(l.points), 0.0f);
  l.before.assign(3 * std::size_t(l.points), 0.0f);
  return l;
}

/// With two empty points after every row and two empty rows after every plane, which interpolation reads as
/// 0.
Level coarser(const Level& fine) {
  Level l;
  for (int c = 0; c < 3; ++c) l.nodes[c] = (fine.nodes[c] + 1) / 2;
  l.step = {1, l.nodes[0] + 2, (l.nodes[0] + 2) * (l.nodes[1] + 2)};
  const int reach = 2 * (l.step[0] + l.step[1] + l.step[2]);
  l.begin = rounded_up(reach + stencil_block);
  l.end = rounded_up(l.begin + l.nodes[2] * l.step[2]);
  l.points = rounded_up(l.end + reach + stencil_block);
  l.cells = forward_neighbours();
  const std::size_t n = std::size_t(l.points);
  l.weights.assign(l.cells.size() * n, 0.0f);
  l.own_mass.assign(n, 0.0f);
  l.own_free.assign(n, 0.0f);
  for (Floats* f : {&l.right, &l.before, &l.after}) f->assign(3 * n, 0.0f);
  l.sets.resize(l.cells.size());
  for (std::size_t k = 0; k < l.sets.size(); ++k) {
    l.sets[k].offset = l.offset(l.cells[k]);
    l.sets[k].a = l.weights.data() + k * n;
  }
  l.mass = l.own_mass.data(), l.free = l.own_free.data();
  return l;
}

/// Every fine constraint between two blocks, from its own or from the far end's block.
void list_terms(const Level& fine, Level& coarse) {
  for (const Cells& ahead : coarse.cells) {
    coarse.first.push_back(coarse.terms.size());
    for (std::size_t k = 0; k < fine.cells.size(); ++k) {
      const Cells& d = fine.cells[k];
      const bool two = std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])}) == 2;
      for (int corner = 0; corner < 8; ++corner) {
        Cells base{corner & 1, corner >> 1 & 1, corner >> 2 & 1}, to;
        for (int c = 0; c < 3; ++c) to[c] = half_down(base[c] + d[c]);
        const bool forth = to == ahead, back = to == Cells{-ahead[0], -ahead[1], -ahead[2]};
        if (!forth && !back) continue;
        if (back)
          for (int c = 0; c < 3; ++c) base[c] += 2 * ahead[c];
        CoarseTerm term;
        term.a = fine.sets[k].a;
        for (int c = 0; c < 3; ++c) term.cell[c] = base[c];
        term.at = fine.offset(base);
        term.end = term.at + fine.offset(d);
        term.factor = two ? 1.0f : 0.5f;
        coarse.terms.push_back(term);
      }
    }
  }
  coarse.first.push_back(coarse.terms.size());
}

TransferSweep transfer(const Level& fine, const Level& coarse) {
  TransferSweep s{};
  s.share = fine.share.data();
  for (int c = 0; c < 3; ++c)
    s.fine_step[c] = fine.step[c], s.step[c] = coarse.step[c], s.nodes[c] = fine.nodes[c];
  return s;
}

class Multigrid final : public Preconditioner {
 public:
  Multigrid(Operator& matrix, bool always) : always_(always) {
    PLIANT_CHECK(!matrix.stencils().empty());
    levels_.push_back(finest(matrix));
    take(matrix);
    while (std::max({levels_.back().nodes[0], levels_.back().nodes[1], levels_.back().nodes[2]}) > 1) {
      Level next = coarser(levels_.back());
      list_terms(levels_.back(), next);
      levels_.push_back(std::move(next));
    }
    for (Level& l : levels_) {
      l.smoothing.assign(std::size_t(l.points), 0.0f);
      l.share.assign(std::size_t(l.points), 0.0f);
    }
    levels_.front().after.assign(3 * std::size_t(levels_.front().points), 0.0f);
    counted_.assign(matrix.free.size(), -1.0f);
    partial_.assign(std::size_t(matrix.points() / block + 1), 0.0);
    sums_.resize(partial_.size());
  }

  void prepare(Operator& matrix, Pool& pool) override {
    take(matrix);
    matrix.bound_weights(pool);
    const double over_mass = matrix.blocks() ? invert_diagonal(levels_.front(), false, pool)
                                             : matrix.invert_diagonal({&levels_.front().smoothing, 1}, pool);
    cycle_ = always_ || over_mass > worth_diagonal_over_mass;
    if (!cycle_) return;
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      invert_diagonal(levels_[k], k == 0, pool);
      if (k + 1 < levels_.size()) coarsen(levels_[k], levels_[k + 1], pool);
    }
    if (!std::equal(counted_.begin(), counted_.end(), matrix.free.begin())) {
      std::copy(matrix.free.begin(), matrix.free.end(), counted_.begin());
      for (std::size_t k = 0; k + 1 < levels_.size(); ++k) set_shares(levels_[k], levels_[k + 1], pool);
    }
  }

  const float* scales() const override { return cycle_ ? nullptr : levels_.front().smoothing.data(); }

  double apply(const float* r, float* z, Pool& pool) const override {
    PLIANT_CHECK(cycle_);
    return cycle(0, r, z, pool);
  }

  std::string name() const override { return cycle_ ? "multigrid" : "jacobi"; }

  std::size_t applied_bytes() const override {
    if (!cycle_) return 0;
    std::size_t sum = 0;
    for (const Level& l : levels_) {
      // two passes over the weights, mass, counted rows and inverse diagonal, and eight over vectors; shares
      // at both transfers
      const std::size_t fields = 2 * (l.sets.size() + 3) + 8 * 3 + 2;
      sum += fields * sizeof(float) * std::size_t(l.end - l.begin);
    }
    return sum;
  }

  std::size_t memory_bytes() const override {
    std::size_t sum = counted_.size();
    for (const Level& l : levels_)
      for (const Floats* f : {&l.weights, &l.own_mass, &l.own_free, &l.ground, &l.smoothing, &l.share,
                              &l.right, &l.before, &l.after})
        sum += f->size();
    return sum * sizeof(float);
  }

 private:
  void take(Operator& matrix) {
    Level& l = levels_.front();
    const std::span<const StencilSet> sets = matrix.stencils();
    l.sets.assign(sets.begin(), sets.end());
    l.mass = matrix.mass.data(), l.free = matrix.free.data();
  }

  /// Returns the mean diagonal over the mean mass.
  double invert_diagonal(Level& l, bool ground, Pool& pool) {
    DiagonalSweep s{};
    s.mass = l.mass, s.free = l.free;
    s.sets = l.sets.data(), s.set_count = int(l.sets.size());
    s.scalar = l.smoothing.data();
    s.ground = ground ? l.ground.data() : nullptr;
    const StencilKernels& kernels = stencil_kernels();
    l.sweep(pool, [&](int begin, int end) {
      sums_[std::size_t((begin - l.begin) / block)] = kernels.diagonal(s, begin, end);
    });
    DiagonalSums total;
    for (int k = 0; k * block < l.end - l.begin; ++k)
      total.mass += sums_[std::size_t(k)].mass, total.diagonal += sums_[std::size_t(k)].diagonal;
    return total.mass > 0 ? total.diagonal / total.mass : 0;
  }

  static void coarsen(const Level& fine, Level& coarse, Pool& pool) {
    const StencilKernels& kernels = stencil_kernels();
    const TransferSweep s = transfer(fine, coarse);
    const float* ground = fine.ground.empty() ? fine.mass : fine.ground.data();
    coarse.rows(pool, [&](int y, int z) {
      const int to = coarse.row(y, z), from = fine.row(2 * y, 2 * z);
      kernels.gather_row(s, ground, fine.free, from, coarse.own_mass.data() + to, coarse.own_free.data() + to,
                         coarse.nodes[0], y, z);
      for (std::size_t k = 0; k < coarse.sets.size(); ++k)
        if (coarse.has_row(y + coarse.cells[k][1], z + coarse.cells[k][2]))
          kernels.coarsen_row(s, coarse.terms.data() + coarse.first[k],
                              int(coarse.first[k + 1] - coarse.first[k]), fine.free, from,
                              coarse.sets[k].a + to, coarse.nodes[0], y, z);
    });
  }

  /// Interpolates the ones of the coarse points that exist.
  static void set_shares(Level& fine, const Level& coarse, Pool& pool) {
    std::fill(fine.share.begin(), fine.share.end(), 1.0f);
    std::fill(fine.before.begin(), fine.before.end(), 0.0f);
    prolong(fine, coarse, coarse.free, fine.before.data(), pool);
    std::fill(fine.share.begin(), fine.share.end(), 0.0f);
    for (int p = fine.begin; p < fine.end; ++p)
      if (fine.free[p] > 0) fine.share[std::size_t(p)] = 1 / fine.before[std::size_t(p)];
    std::fill(fine.before.begin(), fine.before.end(), 0.0f);
  }

  static void restrict_to(const Level& fine, Level& coarse, const float* from, Pool& pool) {
    const StencilKernels& kernels = stencil_kernels();
    const TransferSweep s = transfer(fine, coarse);
    coarse.rows(pool, [&](int y, int z) {
      for (std::size_t c = 0; c < 3; ++c)
        kernels.restrict_row(s, from + c * std::size_t(fine.points), coarse.free,
                             coarse.right.data() + c * std::size_t(coarse.points), fine.row(2 * y, 2 * z),
                             coarse.row(y, z), coarse.nodes[0], y, z);
    });
  }

  static void prolong(const Level& fine, const Level& coarse, const float* from, float* to, Pool& pool) {
    const StencilKernels& kernels = stencil_kernels();
    const TransferSweep s = transfer(fine, coarse);
    fine.rows(pool, [&](int y, int z) {
      kernels.prolong_row(s, from, to, fine.row(y, z), coarse.row(y / 2, z / 2), y % 2 ? 1 : -1,
                          z % 2 ? 1 : -1, fine.nodes[0]);
    });
  }

  /// to = P^-1 r on this level and those below; returns r . to.
  double cycle(std::size_t k, const float* r, float* to, Pool& pool) const {
    const StencilKernels& kernels = stencil_kernels();
    Level& l = levels_[k];
    const std::size_t n = std::size_t(l.points);
    if (k + 1 == levels_.size()) {  // a single point
      for (std::size_t c = 0; c < 3; ++c)
        kernels.multiply(l.smoothing.data(), r + c * n, to + c * n, l.begin, l.end);
      return 0;
    }
    l.sweep(pool, [&](int begin, int end) {
      for (std::size_t c = 0; c < 3; ++c)
        kernels.scale(damping, l.smoothing.data(), r + c * n, l.before.data() + c * n, begin, end);
    });
    ApplySweep s{};
    for (std::size_t c = 0; c < 3; ++c)
      s.in[c] = l.before.data() + c * n, s.out[c] = to + c * n, s.right[c] = r + c * n;
    s.mass = l.mass, s.free = l.free, s.smoothing = l.smoothing.data(), s.damping = damping;
    s.sets = l.sets.data(), s.set_count = int(l.sets.size());
    l.sweep(pool, [&](int begin, int end) { kernels.residual(s, begin, end); });
    Level& next = levels_[k + 1];
    restrict_to(l, next, to, pool);
    cycle(k + 1, next.right.data(), next.after.data(), pool);
    for (std::size_t c = 0; c < 3; ++c)
      prolong(l, next, next.after.data() + c * std::size_t(next.points), l.before.data() + c * n, pool);
    const int parts = (l.end - l.begin + block - 1) / block;
    pool.run(parts, [&](int part) {
      const int begin = l.begin + part * block;
      partial_[std::size_t(part)] = kernels.smooth(s, begin, std::min(begin + block, l.end));
    });
    double sum = 0;
    for (int part = 0; part < parts; ++part) sum += partial_[std::size_t(part)];
    return sum;
  }

  bool always_ = false, cycle_ = true;
  mutable std::vector<Level> levels_;  // their vectors are scratch of a cycle
  Floats counted_;                     // rows that the shares were made for
  mutable std::vector<double> partial_;
  std::vector<DiagonalSums> sums_;
};

}  // namespace

std::unique_ptr<Preconditioner> make_multigrid(Operator& matrix, bool always) {
  return std::make_unique<Multigrid>(matrix, always);
}

}  // namespace pliant::metric
