// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/supernodes.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "pliant/math/elimination_tree.hpp"

namespace pliant {
namespace {

/// Supernodes before they are numbered: children have smaller indices than parents, subtrees are contiguous.
struct AssemblyTree {
  std::vector<Index> first{0};  ///< columns of the elimination order
  std::vector<Index> width, height, parent;
  std::vector<Index> group;  ///< the supernode that s was merged into, s itself when it lives

  Index size() const { return Index(parent.size()); }
  bool lives(Index s) const { return group[s] == s; }
};

// Cost of one solve (both passes) in units of about 1.5 processor cycles, tuned on lattices of 3 and 14
// thousand nodes: one stored line of 16 floats with its six multiply-adds, one row gathered and scattered,
// one visit.
constexpr double cost_of_line = 4, cost_of_row = 1.5, cost_of_visit = 40;

/// Column j + 1 continues the supernode of j when its pattern is that of j without the diagonal.
AssemblyTree find_supernodes(std::span<const Index> parent, std::span<const Index> count) {
  const Index n = Index(parent.size());
  AssemblyTree tree;
  std::vector<Index> supernode_of(n);
  for (Index j = 0; j < n; ++j) {
    supernode_of[j] = Index(tree.width.size());
    if (j + 1 < n && parent[j] == j + 1 && count[j + 1] == count[j] - 1) continue;
    const Index first = tree.first.back();
    tree.width.push_back(j + 1 - first);
    tree.height.push_back(count[first]);
    tree.first.push_back(j + 1);
  }
  tree.group.resize(tree.width.size());
  std::iota(tree.group.begin(), tree.group.end(), 0);
  for (Index s = 0; s < Index(tree.width.size()); ++s) {
    const Index above = parent[tree.first[s + 1] - 1];
    tree.parent.push_back(above < 0 ? -1 : supernode_of[above]);
  }
  return tree;
}

std::vector<std::vector<Index>> children_of(const AssemblyTree& tree) {
  std::vector<std::vector<Index>> children(tree.size());
  for (Index s = 0; s < tree.size(); ++s)
    if (tree.lives(s) && tree.parent[s] >= 0) children[tree.parent[s]].push_back(s);
  return children;
}

/// Cost saved by merging child into parent. All rows of the child are rows of the parent, so the merged
/// panel has the parent's rows and the child's columns.
double gain_of_merging(const AssemblyTree& tree, Index child, Index parent, SupernodeCost cost) {
  const Index width = tree.width[child] + tree.width[parent];
  const Index height = tree.width[child] + tree.height[parent];
  return cost(tree.width[child], tree.height[child]) + cost(tree.width[parent], tree.height[parent]) -
         cost(width, height);
}

void merge_small_supernodes(AssemblyTree& tree, SupernodeCost cost) {
  std::vector<std::vector<Index>> children = children_of(tree);
  std::vector<std::pair<double, Index>> candidates;
  for (Index p = 0; p < tree.size(); ++p) {
    candidates.clear();
    for (Index c : children[p]) candidates.emplace_back(-gain_of_merging(tree, c, p, cost), c);
    std::sort(candidates.begin(), candidates.end());
    for (const auto& [loss, c] : candidates) {
      if (gain_of_merging(tree, c, p, cost) <= 0) continue;
      tree.width[p] += tree.width[c];
      tree.height[p] += tree.width[c];
      tree.group[c] = p;
    }
  }
  // Parents come after children: from the top down every group is final when it is copied.
  for (Index s = tree.size() - 1; s >= 0; --s) {
    tree.group[s] = tree.lives(s) ? s : tree.group[tree.group[s]];
    if (tree.parent[s] >= 0) tree.parent[s] = tree.group[tree.parent[s]];
  }
}

/// 0 or 1 for the two parts, 2 for the top.
std::vector<int> cut_into_parts(const AssemblyTree& tree, SupernodeCost cost) {
  const std::vector<std::vector<Index>> children = children_of(tree);
  std::vector<double> work(tree.size(), 0);  // of the subtree
  std::vector<Index> subtrees;
  double total = 0;
  for (Index s = 0; s < tree.size(); ++s) {
    if (!tree.lives(s)) continue;
    work[s] += cost(tree.width[s], tree.height[s]);
    if (tree.parent[s] >= 0) work[tree.parent[s]] += work[s];
    if (tree.parent[s] < 0) subtrees.push_back(s), total += work[s];
  }
  // Below this two threads do not pay for their meeting. The cut follows from the matrix alone: the result of
  // a solve must not depend on the number of threads.
  constexpr double least_cost = 40e3, good_balance = 1.02;
  std::vector<int> best(tree.size(), 2), trial(tree.size(), 2);
  if (total < least_cost) return best;

  double top = 0, best_path = total;
  const auto heavier = [&](Index a, Index b) { return work[a] != work[b] ? work[a] > work[b] : a < b; };
  std::sort(subtrees.begin(), subtrees.end(), heavier);
  for (int round = 0; round < 64 && !subtrees.empty(); ++round) {
    std::array<double, 2> load{0, 0};
    std::fill(trial.begin(), trial.end(), 2);
    for (Index root : subtrees) {
      const int part = load[1] < load[0];
      load[part] += work[root];
      trial[root] = part;
    }
    const double path = top + std::max(load[0], load[1]);
    if (path < best_path) best_path = path, best = trial;
    if (path < good_balance * total / 2 || top > best_path) break;
    const Index opened = subtrees.front();
    subtrees.erase(subtrees.begin());
    double below = 0;
    for (Index c : children[opened]) {
      below += work[c];
      subtrees.insert(std::upper_bound(subtrees.begin(), subtrees.end(), c, heavier), c);
    }
    top += work[opened] - below;
  }
  // A subtree inherits the part of its root. `best` marks the roots only.
  for (Index s = tree.size() - 1; s >= 0; --s)
    if (tree.lives(s) && best[s] == 2 && tree.parent[s] >= 0) best[s] = best[tree.parent[s]];
  return best;
}

/// Part by part, in a part by level (leaves first), in a level by shape: neighbours in this sequence do not
/// wait for each other, and the processor meets the same loop counts again and again.
std::vector<Index> solve_sequence(const AssemblyTree& tree, const std::vector<int>& part_of) {
  std::vector<Index> level(tree.size(), 0), sequence;
  for (Index s = 0; s < tree.size(); ++s) {
    if (!tree.lives(s)) continue;
    sequence.push_back(s);
    if (tree.parent[s] >= 0) level[tree.parent[s]] = std::max(level[tree.parent[s]], level[s] + 1);
  }
  const auto key = [&](Index s) {
    return std::tuple(part_of[s], level[s], tree.width[s], tree.height[s], s);
  };
  std::sort(sequence.begin(), sequence.end(), [&](Index a, Index b) { return key(a) < key(b); });
  return sequence;
}

/// Numbers the living supernodes part by part and lists their columns in the new elimination order.
SupernodalPattern number_supernodes(const AssemblyTree& tree, std::span<const Index> order,
                                    SupernodeCost cost) {
  const std::vector<int> part_of = cut_into_parts(tree, cost);
  SupernodalPattern pattern;
  std::vector<Index> number(tree.size(), -1);
  Index next = 0;
  for (Index s : solve_sequence(tree, part_of)) {
    number[s] = next++;
    for (int part = part_of[s]; part < 2; ++part) pattern.part[part] = next;
  }
  pattern.parent.assign(next, -1);
  pattern.first.assign(next + 1, 0);
  for (Index s = 0; s < tree.size(); ++s) {
    if (!tree.lives(s)) continue;
    pattern.postorder.push_back(number[s]);
    pattern.first[number[s] + 1] = tree.width[s];
    if (tree.parent[s] >= 0) pattern.parent[number[s]] = number[tree.parent[s]];
  }
  std::partial_sum(pattern.first.begin(), pattern.first.end(), pattern.first.begin());
  std::vector<Index> fill(pattern.first.begin(), pattern.first.end() - 1);
  pattern.order.resize(order.size());
  for (Index s = 0; s < tree.size(); ++s)
    for (Index j = tree.first[s]; j < tree.first[s + 1]; ++j)
      pattern.order[fill[number[tree.group[s]]]++] = order[j];
  return pattern;
}

/// Rows of a supernode: its columns, then what its columns or its children touch below them.
void find_rows(const MatrixGraph& graph, SupernodalPattern& pattern) {
  const std::vector<Index> position = invert(pattern.order);
  const Index count = pattern.supernodes();
  std::vector<std::vector<Index>> below(count);
  std::vector<std::vector<Index>> children(count);
  std::vector<Index> seen(graph.rows(), -1);
  for (Index s = 0; s < count; ++s)
    if (pattern.parent[s] >= 0) children[pattern.parent[s]].push_back(s);
  for (Index s = 0; s < count; ++s) {
    const Index end = pattern.first[s + 1];
    auto add = [&](Index row) {
      if (row < end || seen[row] == s) return;
      seen[row] = s;
      below[s].push_back(row);
    };
    for (Index j = pattern.first[s]; j < end; ++j) {
      const Index original = pattern.order[j];
      for (Index k = graph.begin[original]; k < graph.begin[original + 1]; ++k)
        add(position[graph.neighbor[k]]);
    }
    for (Index c : children[s])
      for (Index row : below[c]) add(row);
    std::sort(below[s].begin(), below[s].end());
    for (Index j = pattern.first[s]; j < end; ++j) pattern.row.push_back(j);
    pattern.row.insert(pattern.row.end(), below[s].begin(), below[s].end());
    pattern.row_begin.push_back(pattern.row.size());
  }
}

}  // namespace

std::size_t panel_lines(Index width, Index height) {
  const std::size_t blocks = std::size_t(height + panel_block - 1) / panel_block;
  std::size_t lines = 0;
  for (Index j = 0; j < width; j += panel_group)
    lines += std::size_t(std::min(panel_group, width - j)) * (blocks - std::size_t(j / panel_block));
  return lines;
}

double solve_cost(Index width, Index height) {
  return cost_of_line * double(panel_lines(width, height)) + cost_of_row * height + cost_of_visit;
}

SupernodalPattern analyse(const MatrixGraph& graph) {
  return analyse(graph, nested_dissection(graph), solve_cost);
}

SupernodalPattern analyse(const MatrixGraph& graph, std::vector<Index> order, SupernodeCost cost) {
  {
    const std::vector<Index> post = postorder(elimination_tree(graph, order));
    std::vector<Index> sorted(order.size());
    for (std::size_t k = 0; k < post.size(); ++k) sorted[k] = order[post[k]];
    order = std::move(sorted);
  }
  const std::vector<Index> parent = elimination_tree(graph, order);
  const std::vector<Index> count = column_counts(graph, order, parent);
  AssemblyTree tree = find_supernodes(parent, count);
  merge_small_supernodes(tree, cost);
  SupernodalPattern pattern = number_supernodes(tree, order, cost);
  find_rows(graph, pattern);
  for (Index c : count) {
    pattern.factor_entries += std::size_t(c);
    pattern.multiply_adds += 0.5 * double(c) * double(c);
  }
  return pattern;
}

}  // namespace pliant
