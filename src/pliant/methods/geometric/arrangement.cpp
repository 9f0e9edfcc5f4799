// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/arrangement.hpp"

namespace pliant::geometric {
namespace {

/// Appends everything reachable from start to order, marking it with the given stamp.
void visit(const Adjacency& adj, Index start, int stamp, std::vector<int>& seen, std::vector<Index>& order) {
  std::size_t next = order.size();
  order.push_back(start);
  seen[start] = stamp;
  for (; next < order.size(); ++next)
    for (Index k = adj.begin[order[next]]; k < adj.begin[order[next] + 1]; ++k)
      if (const Index j = adj.target[k]; seen[j] != stamp) seen[j] = stamp, order.push_back(j);
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
