// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/arrangement.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace pliant::geometric {
namespace {

constexpr std::size_t batch_nodes = 16, stretch_nodes = 256;
constexpr double worth_sorting = 0.95;  // a lattice keeps its order for the few nodes on its faces

/// Appends everything reachable from start to order, marking it with the given stamp.
void visit(const Adjacency& adj, Index start, int stamp, std::vector<int>& seen, std::vector<Index>& order) {
  std::size_t next = order.size();
  order.push_back(start);
  seen[start] = stamp;
  for (; next < order.size(); ++next)
    for (Index k = adj.begin[order[next]]; k < adj.begin[order[next] + 1]; ++k)
      if (const Index j = adj.target[k]; seen[j] != stamp) seen[j] = stamp, order.push_back(j);
}

/// Sum over the directed edges of how far apart their ends are in the order.
double spread(const Adjacency& adj, const std::vector<Index>& place) {
  double sum = 0;
  for (Index i = 0; i + 1 < Index(adj.begin.size()); ++i)
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) sum += std::abs(place[i] - place[adj.target[k]]);
  return sum;
}

Index degree(const Adjacency& adj, Index node) { return adj.begin[node + 1] - adj.begin[node]; }

/// Directed edges when every batch of 16 nodes has as many as its largest star (step_kernels.hpp).
double padded_edges(const Adjacency& adj, const std::vector<Index>& order) {
  double sum = 0;
  for (std::size_t begin = 0; begin < order.size(); begin += batch_nodes) {
    Index most = 0;
    for (std::size_t k = begin; k < std::min(order.size(), begin + batch_nodes); ++k)
      most = std::max(most, degree(adj, order[k]));
    sum += double(batch_nodes) * most;
  }
  return sum;
}

/// The connected part of every node, by its place breadth first: only the first node of a part has no
/// neighbour before it.
std::vector<Index> parts_of(const Adjacency& adj, const std::vector<Index>& by_front,
                            const std::vector<Index>& place) {
  std::vector<Index> part(by_front.size(), -1);
  Index count = 0;
  for (const Index i : by_front) {
    for (Index k = adj.begin[i]; k < adj.begin[i + 1] && part[i] < 0; ++k)
      if (place[adj.target[k]] < place[i]) part[i] = part[adj.target[k]];
    if (part[i] < 0) part[i] = count++;
  }
  return part;
}

/// No part begins before the last one has ended.
bool whole_parts(const std::vector<Index>& order, const std::vector<Index>& part) {
  std::vector<char> seen(order.size(), 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && part[order[k]] == part[order[k - 1]]) continue;
    if (seen[part[order[k]]]) return false;
    seen[part[order[k]]] = 1;
  }
  return true;
}

/// Stars of one size beside each other, in stretches of one part, short enough to stay in the nearest cache.
std::vector<Index> sorted_stars(const Adjacency& adj, const std::vector<Index>& part,
                                std::vector<Index> order) {
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < std::min(order.size(), begin + stretch_nodes) && part[order[end]] == part[order[begin]])
      ++end;
    std::stable_sort(order.begin() + std::ptrdiff_t(begin), order.begin() + std::ptrdiff_t(end),
                     [&](Index a, Index b) { return degree(adj, a) < degree(adj, b); });
  }
  return order;
}

}  // namespace

std::vector<Index> breadth_first_order(const Adjacency& adj) {
  const Index nodes = Index(adj.begin.size()) - 1;
  std::vector<int> seen(nodes, 0);
  std::vector<Index> order, probe;
  order.reserve(nodes);
  for (Index i = 0; i < nodes; ++i) {
    if (seen[i] == 2) continue;
    // The last node reached from anywhere is at an end of the part: fronts from there are narrow.
    probe.clear();
    visit(adj, i, 1, seen, probe);
    visit(adj, probe.back(), 2, seen, order);
  }
  return order;
}

std::vector<Index> streaming_order(const Adjacency& adj) {
  std::vector<Index> by_front = breadth_first_order(adj), given(by_front.size()), place(by_front.size());
  std::iota(given.begin(), given.end(), 0);
  for (std::size_t k = 0; k < by_front.size(); ++k) place[by_front[k]] = Index(k);
  const std::vector<Index> part = parts_of(adj, by_front, place);
  const bool as_given = whole_parts(given, part) && spread(adj, given) <= spread(adj, place);
  const std::vector<Index>& near = as_given ? given : by_front;
  std::vector<Index> sorted = sorted_stars(adj, part, near);
  return padded_edges(adj, sorted) < worth_sorting * padded_edges(adj, near) ? sorted : near;
}

Arrangement arrange(const std::vector<Index>& order, const std::vector<unsigned char>& held) {
  Arrangement out;
  out.node.reserve(order.size());
  for (Index i : order)
    if (!held[i]) out.node.push_back(i);
  out.free = Index(out.node.size());
  for (Index i : order)
    if (held[i]) out.node.push_back(i);
  out.place.resize(order.size());
  for (std::size_t k = 0; k < out.node.size(); ++k) out.place[out.node[k]] = Index(k);
  return out;
}

}  // namespace pliant::geometric
