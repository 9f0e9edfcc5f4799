// SPDX-License-Identifier: Apache-2.0
// The V-cycle of graph_multigrid.hpp.
//
//   set-up: level 0 = the given graph; graph_aggregation.hpp makes level l + 1 from level l with boxes of
//   2^(l+1) mean shortest edges, until mean_i K_ii/m_i < .7 (mass-dominated: three Jacobi sweeps solve it) or
//   600 nodes are left (dense inverse, double).
//   smoother: Chebyshev polynomial of degree 2 on [hi/5, hi], hi = 1.02 lmax, lmax = max_i sum_j |A_ij|/A_ii,
//   as two Jacobi sweeps of weights w1 = 1/(t + d/sqrt 2), w2 = 1/(t - d/sqrt 2), t, d = (hi +- lo)/2.
//   cycle: sweeps w1, w2 from zero | r_c = P^T (r - A z), z_c = cycle(r_c), z += P z_c | sweeps w2, w1.
//   Mass-dominated last level: weight 2/(lmin + lmax) with the Gershgorin bounds, the best single weight.
// The sweeps after the correction mirror those before it, so B is symmetric and plain CG may use it.
//
// Storage order: the children of a coarse node are neighbours in memory, on every level (the depth-first
// order of the tree of boxes). Restriction and prolongation then stream, and sweeps find neighbours in cache.
#include "pliant/math/graph_multigrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/aligned.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/base/simd.hpp"
#include "pliant/math/graph_aggregation.hpp"
#include "pliant/math/graph_multigrid_kernels.hpp"

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace pliant {
namespace {

using Edge = GraphOperator::Edge;

constexpr Index dense_nodes = 600;
constexpr std::size_t most_nodes = std::size_t(1) << 28;  // four 31-bit places each
constexpr double mass_dominated = 0.7;
constexpr int rows_per_block = 1024, coarse_rows_per_block = 128, dense_rows_per_block = 64;

const GraphKernels& kernels() {
  static constexpr const GraphKernels* by_level[] = {&graph_kernels_portable, &graph_kernels_avx2,
                                                     &graph_kernels_avx512};
  return *by_level[int(simd_level())];
}

float* floats(AlignedVector<Float4>& v) { return reinterpret_cast<float*>(v.data()); }

struct Level {
  std::vector<int> begin;
  AlignedVector<GraphRows::Entry> entries;
  AlignedVector<float> mass, inverse;
  std::vector<int>
      first;  ///< children of coarse node I: first[I] .. first[I + 1] - 1; empty on the last level
  AlignedVector<Float4> r, z, other;
  float w1 = 0, w2 = 0;

  Index nodes() const { return Index(mass.size()); }
  Index coarse_nodes() const { return first.empty() ? 0 : Index(first.size()) - 1; }
  GraphRows rows() const { return {begin.data(), entries.data(), mass.data(), inverse.data()}; }
};

/// Empty, or what is wrong with the input.
std::string trouble_with(const GraphOperator& fine) {
  const std::size_t n = fine.mass.size();
  if (n > most_nodes) return fmt::format("{} nodes: at most {} are supported", n, most_nodes);
  if (fine.positions.size() != n || fine.anchor.size() != n)
    return fmt::format("{} masses, {} positions and {} anchors: expected one of each per node", n,
                       fine.positions.size(), fine.anchor.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (!(fine.mass[i] > 0) || !std::isfinite(fine.mass[i]))
      return fmt::format("node {}: mass {}, expected a finite number > 0", i, fine.mass[i]);
    if (!(fine.anchor[i] >= 0) || !std::isfinite(fine.anchor[i]))
      return fmt::format("node {}: anchor {}, expected a finite number >= 0", i, fine.anchor[i]);
    // The square of a distance must still be a number.
    if (!(fine.positions[i].cwiseAbs().sum() < 1e100))
      return fmt::format("node {}: its rest position is not finite", i);
  }
  for (std::size_t k = 0; k < fine.edges.size(); ++k) {
    const Edge& edge = fine.edges[k];
    if (edge.a < 0 || edge.b < 0 || std::size_t(edge.a) >= n || std::size_t(edge.b) >= n || edge.a == edge.b)
      return fmt::format("edge {}: joins nodes {} and {}, expected two different ones of {}", k, edge.a,
                         edge.b, n);
    if (!(edge.weight > 0) || !std::isfinite(edge.weight))
      return fmt::format("edge {} of nodes {} and {}: weight {}, expected a finite number > 0", k, edge.a,
                         edge.b, edge.weight);
  }
  return {};
}

LevelGraph finest(const GraphOperator& fine) {
  return {fine.positions,
          {fine.mass.begin(), fine.mass.end()},
          {fine.anchor.begin(), fine.anchor.end()},
          fine.edges};
}

/// A_ii - (mass + anchor): the weights of the edges of each node.
std::vector<double> edge_sums(const LevelGraph& graph) {
  std::vector<double> sums(graph.nodes(), 0);
  for (const Edge& edge : graph.edges) {
    sums[edge.a] += edge.weight;
    sums[edge.b] += edge.weight;
  }
  return sums;
}

bool smoothing_solves(const LevelGraph& graph) {
  if (graph.edges.empty()) return true;
  const std::vector<double> sums = edge_sums(graph);
  double ratio = 0;
  for (Index i = 0; i < graph.nodes(); ++i) ratio += (sums[i] + graph.anchor[i]) / graph.mass[i];
  return ratio < mass_dominated * graph.nodes();
}

/// The levels, finest first, and between them who belongs to whom.
struct Hierarchy {
  std::vector<LevelGraph> graphs;
  std::vector<Aggregates> aggregates;
};

Hierarchy make_hierarchy(const GraphOperator& fine) {
  Hierarchy result;
  result.graphs.push_back(finest(fine));
  Vec3 low = fine.positions[0], high = low;
  for (const Vec3& p : fine.positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double extent = (high - low).maxCoeff();
  // Box numbers have 20 bits in each direction; a graph without any length is one box.
  double cell = std::max(mean_shortest_edge(result.graphs[0]), extent / (1 << 20));
  if (cell == 0) cell = 1;
  for (;;) {
    const LevelGraph& graph = result.graphs.back();
    if (smoothing_solves(graph) || graph.nodes() <= dense_nodes) return result;
    // A very uneven graph may hardly shrink with the next size of box: then the one after is used.
    Aggregates aggregates;
    do {
      cell *= 2;
      aggregates = box_aggregates(graph, low, cell);
    } while (aggregates.count > 0.7 * graph.nodes() && cell <= 2 * extent);
    LevelGraph coarse = coarsen(graph, aggregates);
    result.aggregates.push_back(std::move(aggregates));
    result.graphs.push_back(std::move(coarse));
  }
}

/// Nodes along a curve through nested boxes (Morton order).
std::vector<Index> spatial_order(const Points& positions) {
  Vec3 low = positions[0], high = low;
  for (const Vec3& p : positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double extent = (high - low).maxCoeff(), scale = extent > 0 ? 1023 / extent : 0;
  std::vector<std::pair<std::uint32_t, Index>> keys(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::uint32_t key = 0;
    for (int k = 0; k < 3; ++k) {
      const auto place = std::uint32_t((positions[i][k] - low[k]) * scale);
      for (int bit = 0; bit < 10; ++bit) key |= (place >> bit & 1) << (3 * bit + k);
    }
    keys[i] = {key, Index(i)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Index> order(positions.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].second;
  return order;
}

/// The order of a level that puts the children of each coarse node together, given the places of the coarse
/// nodes; nodes without a coarse one come last. Fills `first`.
std::vector<Index> order_by_parent(const Aggregates& aggregates, const std::vector<Index>& coarse_place,
                                   std::vector<int>& first) {
  const auto key = [&](Index i) {
    return aggregates.of[i] < 0 ? aggregates.count : coarse_place[aggregates.of[i]];
  };
  const Index n = Index(aggregates.of.size());
  std::vector<int> next(aggregates.count + 2, 0);
  for (Index i = 0; i < n; ++i) ++next[key(i) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  first.assign(next.begin(), next.end() - 1);
  std::vector<Index> order(n);
  for (Index i = 0; i < n; ++i) order[next[key(i)]++] = i;
  return order;
}

std::vector<Index> places(const std::vector<Index>& order) {
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = Index(k);
  return place;
}

/// Rows of the level in its final order.
void fill_rows(const LevelGraph& graph, const std::vector<Index>& order, const std::vector<Index>& place,
               Level& level) {
  const Index n = graph.nodes();
  level.begin.assign(n + 1, 0);
  for (const Edge& edge : graph.edges) {
    ++level.begin[place[edge.a] + 1];
    ++level.begin[place[edge.b] + 1];
  }
  std::partial_sum(level.begin.begin(), level.begin.end(), level.begin.begin());
  level.entries.resize(2 * graph.edges.size());
  std::vector<int> next(level.begin.begin(), level.begin.end() - 1);
  for (const Edge& edge : graph.edges) {
    const Index a = place[edge.a], b = place[edge.b];
    level.entries[next[a]++] = {4 * b, edge.weight};
    level.entries[next[b]++] = {4 * a, edge.weight};
  }
  level.mass.resize(n);
  level.inverse.resize(n);
  const std::vector<double> sums = edge_sums(graph);
  for (Index k = 0; k < n; ++k) {
    const double own = graph.mass[order[k]] + graph.anchor[order[k]];
    level.mass[k] = float(own);
    level.inverse[k] = float(1 / (own + sums[order[k]]));
  }
  for (AlignedVector<Float4>* v : {&level.r, &level.z, &level.other}) v->assign(n, Float4());
}

/// The place of a row whose diagonal, or its inverse, is beyond single precision; -1 when there is none.
Index row_out_of_range(const Level& level) {
  for (Index k = 0; k < level.nodes(); ++k)
    if (!std::isnormal(level.mass[k]) || !std::isnormal(level.inverse[k])) return k;
  return -1;
}

/// The Gershgorin bounds of D^-1 A.
struct Bounds {
  double low = 1, high = 1;
};

Bounds bounds(const LevelGraph& graph) {
  Bounds result;
  const std::vector<double> sums = edge_sums(graph);
  for (Index i = 0; i < graph.nodes(); ++i) {
    const double off = sums[i] / (graph.mass[i] + graph.anchor[i] + sums[i]);
    result.high = std::max(result.high, 1 + off);
    result.low = std::min(result.low, 1 - off);
  }
  return result;
}

void set_weights(const LevelGraph& graph, bool last, Level& level) {
  const Bounds b = bounds(graph);
  if (last) {
    level.w1 = level.w2 = float(2 / (b.low + b.high));
    return;
  }
  const double hi = 1.02 * b.high, lo = hi / 5, t = (hi + lo) / 2, d = (hi - lo) / 2;
  level.w1 = float(1 / (t + d / std::sqrt(2.0)));
  level.w2 = float(1 / (t - d / std::sqrt(2.0)));
}

/// A^-1 of a small level in the level's order, rows padded with zeros; empty when A is not positive definite.
std::vector<double> dense_inverse(const LevelGraph& graph, const std::vector<Index>& place, int stride) {
  const int n = graph.nodes();
  std::vector<double> a(std::size_t(n) * stride, 0);
  const auto at = [&](Index i, Index j) -> double& { return a[std::size_t(i) * stride + j]; };
  for (Index i = 0; i < n; ++i) at(place[i], place[i]) = graph.mass[i] + graph.anchor[i];
  for (const Edge& edge : graph.edges) {
    const Index i = place[edge.a], j = place[edge.b];
    at(i, i) += edge.weight;
    at(j, j) += edge.weight;
    at(i, j) -= edge.weight;
    at(j, i) -= edge.weight;
  }
  int info = 0;
  dpotrf_("L", &n, a.data(), &stride, &info);
  if (info == 0) dpotri_("L", &n, a.data(), &stride, &info);
  if (info != 0) return {};
  // Column-major lower = row-major upper.
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) at(i, j) = at(j, i);
  return a;
}

}  // namespace

struct GraphMultigrid::Impl {
  std::vector<Level> levels;
  std::vector<Index> order;     ///< of level 0
  std::vector<double> inverse;  ///< of the last level; empty when smoothing solves it
  std::vector<double> dense_r;
  int stride = 0;

  void finish(const Hierarchy& hierarchy, Report& report);
  void take_in(const float* given, Pool& pool);
  void give_out(float* wanted, Pool& pool);
  void smooth_from_zero(Level& level, Pool& pool);
  void smooth(Level& level, float omega, Pool& pool);
  void solve_last(Pool& pool);
  void descend(std::size_t l, Pool& pool);
  void ascend(std::size_t l, Pool& pool);
};

GraphMultigrid::GraphMultigrid() : impl_(std::make_unique<Impl>()) {}
GraphMultigrid::~GraphMultigrid() = default;
GraphMultigrid::GraphMultigrid(GraphMultigrid&&) noexcept = default;
GraphMultigrid& GraphMultigrid::operator=(GraphMultigrid&&) noexcept = default;

void GraphMultigrid::Impl::finish(const Hierarchy& hierarchy, Report& report) {
  const std::size_t count = hierarchy.graphs.size();
  levels.resize(count);
  const LevelGraph& last = hierarchy.graphs.back();
  const bool dense = !smoothing_solves(last);
  std::vector<Index> place;
  for (std::size_t l = count; l-- > 0;) {
    order = l + 1 == count ? spatial_order(hierarchy.graphs[l].positions)
                           : order_by_parent(hierarchy.aggregates[l], place, levels[l].first);
    place = places(order);
    fill_rows(hierarchy.graphs[l], order, place, levels[l]);
    const Index bad = row_out_of_range(levels[l]);
    if (bad >= 0)
      report.trouble =
          fmt::format("node {} of level {}: the sum of its mass and weights is out of range", order[bad], l);
    set_weights(hierarchy.graphs[l], l + 1 == count, levels[l]);
    if (l + 1 < count || !dense) continue;
    stride = (last.nodes() + 7) / 8 * 8;
    inverse = dense_inverse(last, place, stride);
    dense_r.assign(3 * std::size_t(stride), 0);
    if (inverse.empty()) report.trouble = "the coarsest matrix is not positive definite";
  }
  double entries = 0;
  for (const Level& level : levels) entries += double(level.entries.size() + level.mass.size());
  report.complexity = entries / double(levels[0].entries.size() + levels[0].mass.size());
  report.levels = int(count);
}

GraphMultigrid::Report GraphMultigrid::build(const GraphOperator& fine) {
  const auto start = Clock::now();
  *impl_ = Impl();
  Report report;
  report.trouble = trouble_with(fine);
  if (report.ok() && !fine.mass.empty()) impl_->finish(make_hierarchy(fine), report);
  if (!report.ok()) *impl_ = Impl();
  report.setup_ms = milliseconds_since(start);
  return report;
}

void GraphMultigrid::Impl::take_in(const float* given, Pool& pool) {
  Level& fine = levels[0];
  for_blocks(pool, fine.nodes(), rows_per_block,
             [&](int begin, int end) { kernels().take_in(begin, end, order.data(), given, floats(fine.r)); });
}

/// The last sweep of the finest level, or its dense answer, in the caller's order.
void GraphMultigrid::Impl::give_out(float* wanted, Pool& pool) {
  Level& fine = levels[0];
  const float omega = levels.size() == 1 && !inverse.empty() ? 0 : fine.w1;
  for_blocks(pool, fine.nodes(), rows_per_block, [&](int begin, int end) {
    kernels().smooth_out(fine.rows(), begin, end, omega, floats(fine.r), floats(fine.z), order.data(),
                         wanted);
  });
}

/// One Jacobi sweep of z.
void GraphMultigrid::Impl::smooth(Level& level, float omega, Pool& pool) {
  for_blocks(pool, level.nodes(), rows_per_block, [&](int begin, int end) {
    kernels().smooth(level.rows(), begin, end, omega, floats(level.r), floats(level.z), floats(level.other));
  });
  std::swap(level.z, level.other);
}

/// z = two sweeps from zero, of weights w1 and w2.
void GraphMultigrid::Impl::smooth_from_zero(Level& level, Pool& pool) {
  for_blocks(pool, level.nodes(), rows_per_block, [&](int begin, int end) {
    kernels().smooth_from_zero(level.rows(), begin, end, level.w1, level.w2, floats(level.r),
                               floats(level.z));
  });
}

/// The answer of the last level in its z; of the sweeps of a single level the last is left to give_out.
void GraphMultigrid::Impl::solve_last(Pool& pool) {
  Level& level = levels.back();
  if (inverse.empty()) {
    smooth_from_zero(level, pool);
    if (levels.size() > 1) smooth(level, level.w1, pool);
    return;
  }
  for (Index i = 0; i < level.nodes(); ++i) {
    dense_r[i] = level.r[i].x;
    dense_r[stride + i] = level.r[i].y;
    dense_r[2 * stride + i] = level.r[i].z;
  }
  for_blocks(pool, level.nodes(), dense_rows_per_block, [&](int begin, int end) {
    kernels().dense_rows(inverse.data(), stride, begin, end, dense_r.data(), floats(level.z));
  });
}

/// From r to r of the next level.
void GraphMultigrid::Impl::descend(std::size_t l, Pool& pool) {
  Level &level = levels[l], &coarse = levels[l + 1];
  smooth_from_zero(level, pool);
  for_blocks(pool, level.coarse_nodes(), coarse_rows_per_block, [&](int begin, int end) {
    kernels().restrict_residual(level.rows(), level.first.data(), begin, end, floats(level.r),
                                floats(level.z), floats(coarse.r));
  });
}

/// Adds the correction of the next level and the first sweep after it; that of weight w1 is still to come.
void GraphMultigrid::Impl::ascend(std::size_t l, Pool& pool) {
  Level &level = levels[l], &coarse = levels[l + 1];
  for_blocks(pool, level.coarse_nodes(), coarse_rows_per_block, [&](int begin, int end) {
    kernels().prolong(level.first.data(), begin, end, floats(coarse.z), floats(level.z));
  });
  smooth(level, level.w2, pool);
}

void GraphMultigrid::apply(const Float4* r, Float4* z, Pool& pool) {
  if (impl_->levels.empty()) return;
  const std::size_t last = impl_->levels.size() - 1;
  impl_->take_in(reinterpret_cast<const float*>(r), pool);
  for (std::size_t l = 0; l < last; ++l) impl_->descend(l, pool);
  impl_->solve_last(pool);
  for (std::size_t l = last; l-- > 0;) {
    impl_->ascend(l, pool);
    if (l > 0) impl_->smooth(impl_->levels[l], impl_->levels[l].w1, pool);
  }
  impl_->give_out(reinterpret_cast<float*>(z), pool);
}

std::span<const Index> GraphMultigrid::order() const { return impl_->order; }

std::size_t GraphMultigrid::bytes_per_apply() const {
  std::size_t bytes = impl_->inverse.size() * sizeof(double);
  const std::size_t levels = impl_->levels.size();
  for (std::size_t l = 0; l < levels; ++l) {
    const Level& level = impl_->levels[l];
    const std::size_t n = level.mass.size(), matrix = level.entries.size() * 8 + n * 12;
    const bool last = l + 1 == levels;
    if (last && !impl_->inverse.empty()) continue;
    // A sweep reads the matrix, r and z and writes z (48 a node); that from zero does not read z, and the
    // restriction writes next to nothing (32 each).
    bytes += last ? 2 * matrix + (32 + 48) * n : 4 * matrix + (2 * 32 + 2 * 48) * n;
  }
  return bytes;
}

std::size_t GraphMultigrid::memory_bytes() const {
  std::size_t bytes = (impl_->inverse.size() + impl_->dense_r.size()) * sizeof(double);
  bytes += impl_->order.size() * sizeof(Index);
  for (const Level& level : impl_->levels)
    bytes += level.entries.size() * 8 + level.mass.size() * (4 + 8 + 3 * sizeof(Float4)) +
             level.first.size() * sizeof(int);
  return bytes;
}

}  // namespace pliant
