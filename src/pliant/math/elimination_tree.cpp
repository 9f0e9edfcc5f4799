// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/elimination_tree.hpp"

#include <algorithm>

namespace pliant {
namespace {

/// The root of i in a forest of shortcuts; shortens the path on the way.
Index find_root(std::vector<Index>& shortcut, Index i) {
  Index root = i;
  while (shortcut[root] != root) root = shortcut[root];
  while (i != root) {
    const Index next = shortcut[i];
    shortcut[i] = root;
    i = next;
  }
  return root;
}

}  // namespace

std::vector<Index> invert(std::span<const Index> order) {
  std::vector<Index> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = Index(k);
  return position;
}

std::vector<Index> elimination_tree(const MatrixGraph& graph, std::span<const Index> order) {
  const std::vector<Index> position = invert(order);
  const Index n = graph.rows();
  std::vector<Index> parent(n, -1), ancestor(n, -1);
  for (Index i = 0; i < n; ++i) {
    for (Index k = graph.begin[order[i]]; k < graph.begin[order[i] + 1]; ++k) {
      Index j = position[graph.neighbor[k]];
      while (j >= 0 && j < i) {
        const Index next = ancestor[j];
        ancestor[j] = i;
        if (next < 0) parent[j] = i;
        j = next;
      }
    }
  }
  return parent;
}

std::vector<Index> postorder(std::span<const Index> parent) {
  const Index n = Index(parent.size());
  std::vector<Index> first_child(n, -1), next_sibling(n, -1), stack, result;
  Index first_root = -1;
  for (Index j = n - 1; j >= 0; --j) {
    Index& head = parent[j] < 0 ? first_root : first_child[parent[j]];
    next_sibling[j] = head;
    head = j;
  }
  result.reserve(n);
  for (Index root = first_root; root >= 0; root = next_sibling[root]) {
    stack.push_back(root);
    while (!stack.empty()) {
      const Index j = stack.back(), child = first_child[j];
      if (child >= 0) {
        first_child[j] = next_sibling[child];
        stack.push_back(child);
      } else {
        result.push_back(j);
        stack.pop_back();
      }
    }
  }
  return result;
}

std::vector<Index> column_counts(const MatrixGraph& graph, std::span<const Index> order,
                                 std::span<const Index> parent) {
  const std::vector<Index> position = invert(order);
  const Index n = graph.rows();
  // first[j]: smallest descendant of j. The row subtree of i is the set of columns with a nonzero in row i;
  // its leaves are found in postorder as the neighbours whose first descendant was not covered before.
  std::vector<Index> first(n), count(n, 0), covered(n, -1), last_leaf(n, -1), shortcut(n);
  for (Index j = 0; j < n; ++j) first[j] = shortcut[j] = j;
  for (Index j = 0; j < n; ++j)
    if (parent[j] >= 0) first[parent[j]] = std::min(first[parent[j]], first[j]);
  for (Index j = 0; j < n; ++j) {
    if (first[j] == j) ++count[j];
    if (parent[j] >= 0) --count[parent[j]];
    for (Index k = graph.begin[order[j]]; k < graph.begin[order[j] + 1]; ++k) {
      const Index i = position[graph.neighbor[k]];
      if (i < j || first[j] <= covered[i]) continue;
      ++count[j];
      if (last_leaf[i] >= 0) --count[find_root(shortcut, last_leaf[i])];
      last_leaf[i] = j;
      covered[i] = j;
    }
    if (parent[j] >= 0) shortcut[j] = parent[j];
  }
  for (Index j = 0; j < n; ++j)
    if (parent[j] >= 0) count[parent[j]] += count[j];
  return count;
}

}  // namespace pliant
