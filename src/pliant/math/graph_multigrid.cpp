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
// Storage order: the finest level in the caller's order, every coarse node in the order of its first child.
// What is near in the caller's order is near on all levels. The two sweeps before the correction and the
// restriction are one pass through memory, prolongation and the two sweeps after it another one: a block goes
// through all of them while it is in the cache (base/trailing.hpp). Empty entries of groups (kernels) do not
// count as bytes that must move.
#include "pliant/math/graph_multigrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/aligned.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/base/simd.hpp"
#include "pliant/base/trailing.hpp"
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
constexpr int rows_per_block = 512, coarse_rows_per_block = 64, dense_rows_per_block = 64;

const GraphKernels& graph_kernels() {
  static constexpr const GraphKernels* by_level[] = {&graph_kernels_portable, &graph_kernels_avx2,
                                                     &graph_kernels_avx512};
  return *by_level[int(simd_level())];
}

float* floats(AlignedVector<Float4>& v) { return reinterpret_cast<float*>(v.data()); }

struct Level {
  std::vector<int> begin;  ///< of the groups of rows, graph_multigrid_kernels.hpp
  AlignedVector<GraphRows::Entry> entries;
  AlignedVector<float> mass, inverse;  ///< whole groups
  Index count = 0;                     ///< nodes
  std::size_t links = 0;               ///< entries that are not empty
  // Of coarse node I: child[first[I]] .. child[first[I + 1] - 1]. Nothing of these on the last level.
  std::vector<int> first, child;
  std::vector<int> parent;            ///< coarse_nodes() for a node without one: its z stays zero
  AlignedVector<Float4> r, z, other;  ///< one place more than nodes, always zero
  AlignedVector<Float4> scaled;       ///< D^-1 r
  TrailingPasses down, up;
  float w1 = 0, w2 = 0;

  Index nodes() const { return count; }
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

/// Parents and children of a level, its nodes given by their places; returns the places of the coarse nodes,
/// each in the order of its first child.
std::vector<Index> set_family(const Aggregates& aggregates, const std::vector<Index>& place, Level& level) {
  const Index n = Index(place.size());
  std::vector<Index> at(n), coarse_place(aggregates.count, -1);
  for (Index i = 0; i < n; ++i) at[place[i]] = i;
  Index next = 0;
  level.parent.resize(n);
  level.first.assign(aggregates.count + 1, 0);
  for (Index k = 0; k < n; ++k) {
    const Index box = aggregates.of[at[k]];
    if (box >= 0 && coarse_place[box] < 0) coarse_place[box] = next++;
    level.parent[k] = box < 0 ? aggregates.count : coarse_place[box];
    if (box >= 0) ++level.first[level.parent[k] + 1];
  }
  std::partial_sum(level.first.begin(), level.first.end(), level.first.begin());
  level.child.resize(level.first.back());
  std::vector<int> free(level.first.begin(), level.first.end() - 1);
  for (Index k = 0; k < n; ++k)
    if (level.parent[k] < aggregates.count) level.child[free[level.parent[k]]++] = k;
  return coarse_place;
}

int blocks_of(Index count, int block) { return (count + block - 1) / block; }

/// Blocks of rows that rows begin .. end - 1 and their neighbours are in.
TrailingPasses::Reach reach_of(const Level& level, int begin, int end) {
  int low = begin, high = end - 1;
  for (int g = begin / graph_group; g < blocks_of(end, graph_group); ++g)
    for (int e = level.begin[g]; e < level.begin[g + 1]; ++e)
      for (const int at : level.entries[std::size_t(e)].at)
        low = std::min(low, at / 4), high = std::max(high, at / 4);
  return {low / rows_per_block, high / rows_per_block};
}

/// Blocks of rows that the children begin .. end - 1 are in.
TrailingPasses::Reach reach_of(const std::vector<int>& child, int begin, int end) {
  if (begin == end) return {};
  const auto [low, high] = std::minmax_element(child.begin() + begin, child.begin() + end);
  return {*low / rows_per_block, *high / rows_per_block};
}

/// The two passes of a level, for rows and family that are set.
void set_passes(Level& level) {
  const int n = level.nodes(), coarse = level.coarse_nodes();
  std::vector<TrailingPasses::Reach> rows, families;
  for (int b = 0; b < n; b += rows_per_block)
    rows.push_back(reach_of(level, b, std::min(n, b + rows_per_block)));
  for (int b = 0; b < coarse; b += coarse_rows_per_block)
    families.push_back(
        reach_of(level.child, level.first[b], level.first[std::min(coarse, b + coarse_rows_per_block)]));
  level.down.add_first(int(rows.size()));
  level.down.add(rows);
  level.down.add(rows);
  level.down.add(std::move(families));
  level.up.add_first(int(rows.size()));
  level.up.add(rows);
  level.up.add(std::move(rows));
}

/// Groups as long as their longest row.
void fill_begins(const LevelGraph& graph, const std::vector<Index>& place, Level& level) {
  std::vector<int> length(level.mass.size(), 0);
  for (const Edge& edge : graph.edges) ++length[place[edge.a]], ++length[place[edge.b]];
  level.begin.assign(1, 0);
  for (auto group = length.begin(); group != length.end(); group += graph_group)
    level.begin.push_back(level.begin.back() + *std::max_element(group, group + graph_group));
}

/// Rows of the level in its final order.
void fill_rows(const LevelGraph& graph, const std::vector<Index>& place, Level& level) {
  const Index n = level.count = graph.nodes();
  const std::size_t padded = std::size_t(blocks_of(n, graph_group)) * graph_group;
  level.mass.assign(padded, 0);
  level.inverse.assign(padded, 0);
  fill_begins(graph, place, level);
  level.links = 2 * graph.edges.size();
  level.entries.resize(std::size_t(level.begin.back()));
  for (std::size_t g = 0; g + 1 < level.begin.size(); ++g) {
    const int own = 4 * graph_group * int(g);  // an empty entry leads to a row that is there
    for (int e = level.begin[g]; e < level.begin[g + 1]; ++e)
      level.entries[std::size_t(e)] = {{own, own, own, own}, {}};
  }
  std::vector<int> next(padded);
  for (std::size_t i = 0; i < padded; ++i) next[i] = level.begin[i / graph_group];
  const auto put = [&](Index row, Index other, float weight) {
    GraphRows::Entry& entry = level.entries[std::size_t(next[row]++)];
    entry.at[row % graph_group] = 4 * other;
    entry.weight[row % graph_group] = weight;
  };
  for (const Edge& edge : graph.edges) {
    put(place[edge.a], place[edge.b], edge.weight);
    put(place[edge.b], place[edge.a], edge.weight);
  }
  const std::vector<double> sums = edge_sums(graph);
  for (Index i = 0; i < n; ++i) {
    const double own = graph.mass[i] + graph.anchor[i];
    level.mass[place[i]] = float(own);
    level.inverse[place[i]] = float(1 / (own + sums[i]));
  }
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
  std::vector<double> inverse;  ///< of the last level; empty when smoothing solves it
  std::vector<double> dense_r;
  std::vector<double> partial;  ///< r . z of the blocks of the finest level
  int stride = 0;

  void finish(const Hierarchy& hierarchy, Report& report);
  void smooth_from_zero(Level& level, const float* r, float* z, Pool& pool);
  void solve_dense(const float* r, float* z, Pool& pool);
  void solve_last(const float* r, Pool& pool);
  double solve_only(const float* r, float* z, Pool& pool);
  void descend(std::size_t l, const float* r, Pool& pool);
  void ascend(std::size_t l, const float* r, float* z, Pool& pool);
  double smooth_last(Level& level, int block, const float* r, const float* z, float* out);
};

GraphMultigrid::GraphMultigrid() : impl_(std::make_unique<Impl>()) {}
GraphMultigrid::~GraphMultigrid() = default;
GraphMultigrid::GraphMultigrid(GraphMultigrid&&) noexcept = default;
GraphMultigrid& GraphMultigrid::operator=(GraphMultigrid&&) noexcept = default;

void GraphMultigrid::Impl::finish(const Hierarchy& hierarchy, Report& report) {
  const std::size_t count = hierarchy.graphs.size();
  levels.resize(count);
  const LevelGraph& last = hierarchy.graphs.back();
  std::vector<Index> place(hierarchy.graphs[0].mass.size());
  std::iota(place.begin(), place.end(), 0);
  for (std::size_t l = 0; l < count; ++l) {
    Level& level = levels[l];
    const LevelGraph& graph = hierarchy.graphs[l];
    fill_rows(graph, place, level);
    const Index bad = row_out_of_range(level);
    if (bad >= 0)
      report.trouble = fmt::format("node {} of level {}: the sum of its mass and weights is out of range",
                                   std::find(place.begin(), place.end(), bad) - place.begin(), l);
    set_weights(graph, l + 1 == count, level);
    const std::size_t places = std::size_t(level.nodes()) + 1;
    if (l > 0) level.r.assign(places, Float4());
    level.z.assign(places, Float4());
    level.scaled.assign(places, Float4());
    if (l + 1 == count) break;
    level.other.assign(places, Float4());
    place = set_family(hierarchy.aggregates[l], place, level);
    set_passes(level);
  }
  partial.assign(std::size_t(blocks_of(levels[0].nodes(), rows_per_block)), 0);
  if (!smoothing_solves(last)) {
    stride = (last.nodes() + 7) / 8 * 8;
    inverse = dense_inverse(last, place, stride);
    dense_r.assign(3 * std::size_t(stride), 0);
    if (inverse.empty()) report.trouble = "the coarsest matrix is not positive definite";
  } else if (count > 1) {
    levels.back().other.assign(std::size_t(levels.back().nodes()) + 1, Float4());
  }
  double entries = 0;
  for (const Level& level : levels) entries += double(level.links) + level.nodes();
  report.complexity = entries / (double(levels[0].links) + levels[0].nodes());
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

/// z = two sweeps from zero, of weights w1 and w2.
void GraphMultigrid::Impl::smooth_from_zero(Level& level, const float* r, float* z, Pool& pool) {
  float* const scaled = floats(level.scaled);
  for_blocks(pool, level.nodes(), rows_per_block,
             [&](int begin, int end) { graph_kernels().scale(level.rows(), begin, end, r, scaled); });
  for_blocks(pool, level.nodes(), rows_per_block, [&](int begin, int end) {
    graph_kernels().smooth_scaled(level.rows(), begin, end, level.w1, level.w2, r, scaled, z);
  });
}

/// The sweep of weight w1 after the correction, a block of the finest level. Returns r . out.
double GraphMultigrid::Impl::smooth_last(Level& level, int block, const float* r, const float* z,
                                         float* out) {
  const int begin = block * rows_per_block, end = std::min(level.nodes(), begin + rows_per_block);
  return graph_kernels().smooth_last(level.rows(), begin, end, level.w1, r, z, out);
}

void GraphMultigrid::Impl::solve_dense(const float* r, float* z, Pool& pool) {
  const Index n = levels.back().nodes();
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) dense_r[c * stride + i] = r[4 * i + c];
  for_blocks(pool, n, dense_rows_per_block, [&](int begin, int end) {
    graph_kernels().dense_rows(inverse.data(), stride, begin, end, dense_r.data(), z);
  });
}

/// The answer of the last of several levels in its z.
void GraphMultigrid::Impl::solve_last(const float* r, Pool& pool) {
  Level& level = levels.back();
  if (!inverse.empty()) return solve_dense(r, floats(level.z), pool);
  smooth_from_zero(level, r, floats(level.other), pool);
  for_blocks(pool, level.nodes(), rows_per_block, [&](int begin, int end) {
    graph_kernels().smooth(level.rows(), begin, end, level.w1, r, floats(level.other), floats(level.z));
  });
}

/// The answer of the only level.
double GraphMultigrid::Impl::solve_only(const float* r, float* z, Pool& pool) {
  Level& level = levels.back();
  if (!inverse.empty()) {
    solve_dense(r, floats(level.z), pool);
    double dot = 0;
    for (std::size_t k = 0; k < 4 * std::size_t(level.nodes()); ++k) {
      const float answer = floats(level.z)[k];
      dot += double(r[k]) * answer;
      z[k] = answer;
    }
    return dot;
  }
  smooth_from_zero(level, r, floats(level.z), pool);
  pool.run(int(partial.size()), [&](int b) { partial[b] = smooth_last(level, b, r, floats(level.z), z); });
  return std::accumulate(partial.begin(), partial.end(), 0.0);
}

/// From r to r of the next level.
void GraphMultigrid::Impl::descend(std::size_t l, const float* r, Pool& pool) {
  Level &level = levels[l], &coarse = levels[l + 1];
  float *const z = floats(level.z), *const scaled = floats(level.scaled), *const left = floats(level.other);
  level.down.run(pool, [&](int pass, int block) {
    const bool families = pass == 3;
    const int size = families ? coarse_rows_per_block : rows_per_block, begin = block * size;
    const int end = std::min(families ? level.coarse_nodes() : level.nodes(), begin + size);
    if (pass == 0)
      graph_kernels().scale(level.rows(), begin, end, r, scaled);
    else if (pass == 1)
      graph_kernels().smooth_scaled(level.rows(), begin, end, level.w1, level.w2, r, scaled, z);
    else if (pass == 2)
      graph_kernels().residuals(level.rows(), begin, end, r, z, left);
    else
      graph_kernels().add_up(level.first.data(), level.child.data(), begin, end, left, floats(coarse.r));
  });
}

/// The correction of the next level and the two sweeps after it. r and out may be the same: a row of r is
/// last read where that of out is written.
void GraphMultigrid::Impl::ascend(std::size_t l, const float* r, float* out, Pool& pool) {
  Level &level = levels[l], &coarse = levels[l + 1];
  float *const z = floats(level.z), *const other = floats(level.other);
  level.up.run(pool, [&](int pass, int block) {
    const int begin = block * rows_per_block, end = std::min(level.nodes(), begin + rows_per_block);
    if (pass == 0)
      graph_kernels().prolong(level.parent.data(), begin, end, floats(coarse.z), z);
    else if (pass == 1)
      graph_kernels().smooth(level.rows(), begin, end, level.w2, r, z, other);
    else if (l > 0)
      graph_kernels().smooth(level.rows(), begin, end, level.w1, r, other, out);
    else
      partial[block] = smooth_last(level, block, r, other, out);
  });
}

double GraphMultigrid::apply(const Float4* right, Float4* answer, Pool& pool) {
  Impl& impl = *impl_;
  std::vector<Level>& levels = impl.levels;
  const float* const r = reinterpret_cast<const float*>(right);
  float* const z = reinterpret_cast<float*>(answer);
  if (levels.empty()) return 0;
  if (levels.size() == 1) return impl.solve_only(r, z, pool);
  const std::size_t last = levels.size() - 1;
  for (std::size_t l = 0; l < last; ++l) impl.descend(l, l == 0 ? r : floats(levels[l].r), pool);
  impl.solve_last(floats(levels[last].r), pool);
  for (std::size_t l = last; l-- > 1;) {
    impl.ascend(l, floats(levels[l].r), floats(levels[l].r), pool);
    std::swap(levels[l].r, levels[l].z);
  }
  impl.ascend(0, r, z, pool);
  return std::accumulate(impl.partial.begin(), impl.partial.end(), 0.0);
}

std::size_t GraphMultigrid::bytes_per_apply() const {
  std::size_t bytes = impl_->inverse.size() * sizeof(double);
  const std::size_t levels = impl_->levels.size();
  for (std::size_t l = 0; l < levels; ++l) {
    const Level& level = impl_->levels[l];
    const std::size_t n = std::size_t(level.nodes());
    const std::size_t matrix = level.links * 8 + n * 8 + level.begin.size() * 4;
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
  for (const Level& level : impl_->levels)
    bytes += level.entries.size() * sizeof(GraphRows::Entry) + level.begin.size() * 4 +
             level.mass.size() * 8 +
             (level.r.size() + level.z.size() + level.other.size() + level.scaled.size()) * sizeof(Float4) +
             (level.first.size() + level.child.size() + level.parent.size()) * sizeof(int);
  return bytes;
}

}  // namespace pliant
