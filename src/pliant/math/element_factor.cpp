// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/element_factor.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/base/simd.hpp"

namespace pliant {
namespace {

const FrontKernels& front_kernels() {
  return choose_kernels(front_kernels_portable, front_kernels_avx2, front_kernels_avx512);
}

/// Of the elimination of a front: sum over its columns of the squares of what is below, halved.
double multiply_adds_of(Index width, Index height) {
  const double w = width, h = height;
  return w * (h * h - h * w + w * w / 3) / 2;
}

/// In nodes, see SupernodeCost; tuned on the plant. What is below is cleared, made and added up.
double factor_cost(Index width, Index height) {
  const double w = 3.0 * width, h = 3.0 * height;
  return (multiply_adds_of(3 * width, 3 * height) / 3 + (h - w) * (h - w) + w * h + 30) / 1.5;
}

double factor_cost(const SupernodalPattern& pattern) {
  double sum = 0;
  for (Index s = 0; s < pattern.supernodes(); ++s) sum += factor_cost(pattern.width(s), pattern.height(s));
  return sum;
}

/// Nested dissection is better on sheets, minimum degree on what branches: of both the cheaper.
SupernodalPattern cheaper_pattern(const MatrixGraph& graph) {
  SupernodalPattern cut = pliant::analyse(graph, nested_dissection(graph), factor_cost);
  SupernodalPattern grown = pliant::analyse(graph, minimum_degree(graph), factor_cost);
  return factor_cost(grown) < factor_cost(cut) ? std::move(grown) : std::move(cut);
}

/// Who shares an element with whom.
MatrixGraph graph_of(Index nodes, const ElementFactor::Elements& elements) {
  std::vector<std::vector<Index>> near(nodes);
  for (Index e = 0; e < elements.count(); ++e)
    for (Index a = elements.begin[e]; a < elements.begin[e + 1]; ++a)
      for (Index b = elements.begin[e]; b < elements.begin[e + 1]; ++b)
        if (a != b) near[elements.node[a]].push_back(elements.node[b]);
  MatrixGraph graph;
  for (std::vector<Index>& row : near) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    graph.neighbor.insert(graph.neighbor.end(), row.begin(), row.end());
    graph.begin.push_back(Index(graph.neighbor.size()));
  }
  return graph;
}

std::size_t numbers(Index columns, Index rows) { return std::size_t(columns) * front_stride(rows); }

/// Pieces of an array that are taken and given back, the lowest free one first.
class Pieces {
 public:
  std::size_t take(std::size_t size) {
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second < size) continue;
      const auto [at, length] = *gap;
      gaps_.erase(gap);
      if (length > size) gaps_[at + size] = length - size;
      return at;
    }
    end_ += size;
    return end_ - size;
  }
  void give_back(std::size_t at, std::size_t size) {
    if (size == 0) return;
    auto gap = gaps_.emplace(at, size).first;
    if (const auto next = std::next(gap); next != gaps_.end() && at + size == next->first) {
      gap->second += next->second;
      gaps_.erase(next);
    }
    if (gap != gaps_.begin())
      if (const auto last = std::prev(gap); last->first + last->second == at) {
        last->second += gap->second;
        gaps_.erase(gap);
      }
  }
  std::size_t end() const { return end_; }

 private:
  std::map<std::size_t, std::size_t> gaps_;  // by place
  std::size_t end_ = 0;
};

}  // namespace

void ElementFactor::analyse(Index nodes, Elements elements) {
  *this = {};
  elements_ = std::move(elements);
  if (nodes == 0) return;
  pattern_ = cheaper_pattern(graph_of(nodes, elements_));
  std::vector<Index> position(nodes);
  for (Index k = 0; k < nodes; ++k) position[pattern_.order[k]] = k;
  fronts_.resize(pattern_.supernodes());
  for (Index s = 0; s < pattern_.supernodes(); ++s) {
    fronts_[s].width = 3 * pattern_.width(s);
    fronts_[s].height = 3 * pattern_.height(s);
    multiply_adds_ += multiply_adds_of(fronts_[s].width, fronts_[s].height);
  }
  sort_elements(position);
  find_runs();
}

/// The members of every element by elimination, the elements by the front of their first member.
void ElementFactor::sort_elements(const std::vector<Index>& position) {
  std::vector<Index> front_of(position.size());
  for (Index s = 0; s < pattern_.supernodes(); ++s)
    for (Index k = pattern_.first[s]; k < pattern_.first[s + 1]; ++k) front_of[k] = s;
  const Index count = elements_.count();
  std::vector<Index> goes_to(count, -1);
  place_.resize(elements_.node.size());
  for (Index e = 0; e < count; ++e) {
    const Index begin = elements_.begin[e], end = elements_.begin[e + 1];
    if (begin == end) continue;
    std::sort(elements_.node.begin() + begin, elements_.node.begin() + end,
              [&](Index a, Index b) { return position[a] < position[b]; });
    const Index s = goes_to[e] = front_of[position[elements_.node[begin]]];
    const std::span<const Index> rows = pattern_.rows(s);
    for (Index k = begin; k < end; ++k)
      place_[k] =
          Index(std::lower_bound(rows.begin(), rows.end(), position[elements_.node[k]]) - rows.begin());
  }
  for (Index e = 0; e < count; ++e)
    if (goes_to[e] >= 0) own_elements_.push_back(e);
  std::stable_sort(own_elements_.begin(), own_elements_.end(),
                   [&](Index a, Index b) { return goes_to[a] < goes_to[b]; });
  Index next = 0;
  for (Index s = 0; s < pattern_.supernodes(); ++s) {
    fronts_[s].first_element = next;
    while (next < Index(own_elements_.size()) && goes_to[own_elements_[next]] == s) ++next;
    fronts_[s].end_element = next;
  }
}

void ElementFactor::find_runs() {
  const Index count = pattern_.supernodes();
  child_begin_.assign(count + 1, 0);
  for (Index s = 0; s < count; ++s)
    if (pattern_.parent[s] >= 0) ++child_begin_[pattern_.parent[s] + 1];
  std::partial_sum(child_begin_.begin(), child_begin_.end(), child_begin_.begin());
  children_.resize(child_begin_.back());
  std::vector<Index> next(child_begin_.begin(), child_begin_.end() - 1);
  for (Index s : pattern_.postorder) {
    fronts_[s].first_run = Index(runs_.size());
    if (const Index parent = pattern_.parent[s]; parent >= 0) {
      children_[next[parent]++] = s;
      const std::span<const Index> rows = pattern_.rows(parent);
      const std::span<const Index> below = pattern_.rows(s).subspan(pattern_.width(s));
      for (Index i = 0; i < Index(below.size()); ++i) {
        const Index to = Index(std::lower_bound(rows.begin(), rows.end(), below[i]) - rows.begin());
        if (Index(runs_.size()) > fronts_[s].first_run && runs_.back().to + runs_.back().length == to)
          ++runs_.back().length;
        else
          runs_.push_back({i, to, 1});
      }
    }
    fronts_[s].end_run = Index(runs_.size());
  }
}

/// Updates live from their elimination to that of their parent; those of the two parts may be made at once,
/// and what their roots leave must be there for the top.
void ElementFactor::place_numbers() {
  const auto part_of = [&](Index s) { return s < pattern_.part[0] ? 0 : s < pattern_.part[1] ? 1 : 2; };
  for (Index s : pattern_.postorder) sequence_[part_of(s)].push_back(s);
  Index tallest = 0, largest = 0;
  for (const Front& front : fronts_) tallest = std::max(tallest, front.height);
  std::size_t panel = 0, update = std::size_t(tallest);  // column() points up to a width before its numbers
  for (int part = 0; part < 3; ++part) {
    Pieces pieces;
    for (Index s : sequence_[part]) {
      Front& front = fronts_[s];
      const Index below = front.height - front.width;
      front.panel = panel;
      panel += numbers(front.width, front.height);
      front.update = update + pieces.take(numbers(below, below));
      for (Index c = child_begin_[s]; c < child_begin_[s + 1]; ++c) {
        const Front& child = fronts_[children_[c]];
        const Index size = child.height - child.width;
        if (part_of(children_[c]) == part) pieces.give_back(child.update - update, numbers(size, size));
      }
    }
    // A part reads a little behind its end, where the other one, at work at the same time, must not begin.
    panel += front_margin;
    update += pieces.end() + front_margin;
  }
  for (Index e = 0; e < elements_.count(); ++e)
    largest = std::max(largest, 3 * (elements_.begin[e + 1] - elements_.begin[e]));
  panels_.assign(panel, 0);
  updates_.assign(update, 0);
  inverse_.assign(3 * pattern_.order.size(), 0);
  work_.assign(3 * pattern_.order.size(), 0);
  for (Scratch& scratch : scratch_) {
    scratch.element.assign(numbers(largest, largest), 0);
    scratch.below.assign(std::size_t(front_stride(tallest)), 0);
  }
}

bool ElementFactor::factor_all(Call call, void* fill, Pool& pool) {
  if (panels_.empty() && !fronts_.empty()) place_numbers();
  std::array<bool, 2> fine{true, true};
  if (sequence_[1].empty())
    fine[0] = factor_part(0, call, fill);
  else
    pool.run(2, [&](int part) { fine[part] = factor_part(part, call, fill); });
  return fine[0] && fine[1] && factor_part(2, call, fill);
}

bool ElementFactor::factor_part(int part, Call call, void* fill) {
  for (Index s : sequence_[part])
    if (!eliminate(s, call, fill, scratch_[part].element.data())) return false;
  return true;
}

bool ElementFactor::eliminate(Index s, Call call, void* fill, double* element) {
  const Front& front = fronts_[s];
  const Index below = front.height - front.width;
  double *panel = panels_.data() + front.panel, *update = updates_.data() + front.update;
  std::fill_n(panel, numbers(front.width, front.height), 0.0);
  std::fill_n(update, numbers(below, below), 0.0);
  for (Index k = front.first_element; k < front.end_element; ++k) {
    call(fill, own_elements_[k], element);
    add_element(front, own_elements_[k], element);
  }
  for (Index c = child_begin_[s]; c < child_begin_[s + 1]; ++c) add_update(front, fronts_[children_[c]]);
  double* inverse = inverse_.data() + 3 * std::size_t(pattern_.first[s]);
  if (front_kernels().eliminate(panel, front.width, front.height, inverse) >= 0) return false;
  front_kernels().update(panel, front.width, front.height, update);
  return true;
}

/// Column c of a front, such that its row r is at [r] for r >= c.
double* ElementFactor::column(const Front& front, Index c) {
  if (c < front.width) return panels_.data() + front.panel + numbers(c, front.height);
  return updates_.data() + front.update + numbers(c - front.width, front.height - front.width) - front.width;
}

void ElementFactor::add_element(const Front& front, Index e, const double* matrix) {
  const Index *place = place_.data() + elements_.begin[e],
              count = elements_.begin[e + 1] - elements_.begin[e];
  const int from_stride = front_stride(3 * count);
  for (Index j = 0; j < count; ++j, matrix += 3 * from_stride) {
    const Index own = 3 * place[j];  // three columns of a node are all in the panel, or all below it
    double* to = column(front, own);
    const int stride = front_stride(own < front.width ? front.height : front.height - front.width);
    for (Index i = j; i < count; ++i) {
      const double* from = matrix + 3 * i;
      double* at = to + 3 * place[i];
      for (int c = 0; c < 3; ++c, from += from_stride, at += stride) {
        at[0] += from[0];
        at[1] += from[1];
        at[2] += from[2];
      }
    }
  }
}

void ElementFactor::add_update(const Front& parent, const Front& child) {
  const int from_stride = front_stride(child.height - child.width);
  const double* from = updates_.data() + child.update;
  for (Index run = child.first_run; run < child.end_run; ++run)
    for (Index node = 0; node < runs_[run].length; ++node) {
      const Index own = 3 * (runs_[run].to + node), first = 3 * (runs_[run].from + node);
      double* to = column(parent, own);
      const int stride = front_stride(own < parent.width ? parent.height : parent.height - parent.width);
      for (int c = 0; c < 3; ++c, from += from_stride, to += stride)
        for (Index other = run; other < child.end_run; ++other) {
          const Run& rows = runs_[other];
          const Index begin = std::max(3 * rows.from, first), end = 3 * (rows.from + rows.length);
          front_kernels().add(from + begin, end - begin, to + 3 * (rows.to - rows.from) + begin);
        }
    }
}

void ElementFactor::solve(std::span<double> x) {
  PLIANT_CHECK(x.size() == work_.size());
  const Index count = pattern_.supernodes();
  double* below = scratch_[0].below.data();
  for (std::size_t k = 0; k < pattern_.order.size(); ++k)
    std::copy_n(x.data() + 3 * std::size_t(pattern_.order[k]), 3, work_.data() + 3 * k);
  const auto each_below = [&](Index s, auto&& visit) {
    const std::span<const Index> rows = pattern_.rows(s).subspan(pattern_.width(s));
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (int c = 0; c < 3; ++c) visit(below[3 * i + c], work_[3 * std::size_t(rows[i]) + c]);
  };
  const auto visit = [&](Index s, auto kernel) {
    const std::size_t first = 3 * std::size_t(pattern_.first[s]);
    kernel(panels_.data() + fronts_[s].panel, inverse_.data() + first, fronts_[s].width, fronts_[s].height,
           work_.data() + first, below);
  };
  for (Index s = 0; s < count; ++s) {
    each_below(s, [](double& b, double w) { b = w; });
    visit(s, front_kernels().forward);
    each_below(s, [](double b, double& w) { w = b; });
  }
  for (Index s = count - 1; s >= 0; --s) {
    each_below(s, [](double& b, double w) { b = w; });
    visit(s, front_kernels().backward);
  }
  for (std::size_t k = 0; k < pattern_.order.size(); ++k)
    std::copy_n(work_.data() + 3 * k, 3, x.data() + 3 * std::size_t(pattern_.order[k]));
}

/// Panels are read twice, as are the right-hand side and the answer.
std::size_t ElementFactor::solve_bytes() const {
  std::size_t panels = 0;
  for (const Front& front : fronts_) panels += numbers(front.width, front.height);
  return 2 * (panels + 2 * 3 * pattern_.order.size()) * sizeof(double);
}

std::size_t ElementFactor::memory_bytes() const {
  return (panels_.size() + updates_.size() + inverse_.size() + work_.size()) * sizeof(double) +
         (elements_.node.size() + place_.size() + pattern_.row.size() + own_elements_.size()) *
             sizeof(Index) +
         runs_.size() * sizeof(Run) + fronts_.size() * sizeof(Front);
}

}  // namespace pliant
