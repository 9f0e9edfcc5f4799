// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sheet/hessian.hpp"

#include <algorithm>

namespace pliant::geometric {

void SheetHessian::arrange(const Model& model, const Arrangement& arrangement, const SheetSweeps& sweeps) {
  const SheetElements& sheet = *model.sheet;
  free_ = arrangement.free;
  slots_ = sweeps.elements();
  ElementFactor::Elements elements;
  std::vector<char> covered(std::size_t(free_), 0);
  for (Index s = 0; s < slots_; ++s) {
    for (const Index node : sheet[sweeps.element(s)].node)
      if (const Index place = arrangement.place[node]; place < free_)
        elements.node.push_back(place), covered[place] = 1;
    elements.begin.push_back(Index(elements.node.size()));
  }
  for (Index place = 0; place < free_; ++place)
    if (!covered[place]) {
      elements.node.push_back(place);
      elements.begin.push_back(Index(elements.node.size()));
    }
  const Index count = elements.count();
  factor_.analyse(free_, std::move(elements));

  pull_.clear(), pull_begin_.assign(1, 0), member_.clear(), member_begin_.assign(1, 0);
  owned_.clear(), owned_begin_.assign(1, 0);
  std::vector<char> owned(std::size_t(free_), 0);
  for (Index e = 0; e < count; ++e) {
    const std::span<const Index> members = factor_.members(e);
    for (Index m = 0; m < Index(members.size()); ++m)
      if (!owned[members[m]]) owned[members[m]] = 1, owned_.push_back(m);
    owned_begin_.push_back(Index(owned_.size()));
    if (e >= slots_) continue;
    const SheetElements::View view = sheet[sweeps.element(e)];
    std::vector<Index> column(members.size());  // of the element's rows
    for (Index v = 0; v < view.members(); ++v) {
      const auto at = std::find(members.begin(), members.end(), arrangement.place[view.node[v]]);
      const Index m = at == members.end() ? -1 : Index(at - members.begin());
      if (m >= 0) column[m] = v;
      if (v < view.turning) member_.push_back(m);
    }
    member_begin_.push_back(Index(member_.size()));
    for (std::size_t b = 0; b < members.size(); ++b)
      for (std::size_t a = b; a < members.size(); ++a) {
        double sum = 0;
        for (Index k = 0; k < view.rows(); ++k) sum += view.at(k, column[a]) * view.at(k, column[b]);
        pull_.push_back(sum);
      }
    pull_begin_.push_back(pull_.size());
  }
  mass_.resize(std::size_t(free_));
  for (Index place = 0; place < free_; ++place) mass_[place] = model.mass[arrangement.node[place]];
  spring_.assign(std::size_t(free_), 0);
  work_.assign(3 * std::size_t(free_), 0);
}

/// k K_T + m M - t sum_ab [q_a]x^T W [q_b]x; the lower triangle, by columns.
void SheetHessian::fill(const SheetSweeps& sweeps, const Coefficients& c, Index e, double* matrix) const {
  const std::span<const Index> members = factor_.members(e);
  const int count = int(members.size()), stride = front_stride(3 * count);
  std::fill_n(matrix, std::size_t(3 * count) * stride, 0.0);
  const auto block = [&](Index a, Index b) {
    return matrix + 3 * std::size_t(b) * std::size_t(stride) + 3 * std::size_t(a);
  };
  if (e < slots_) {
    const double* pull = pull_.data() + pull_begin_[e];
    for (Index b = 0; b < count; ++b)
      for (Index a = b; a < count; ++a, ++pull) {
        double* to = block(a, b);
        for (int x = 0; x < 3; ++x) to[x * (stride + 1)] = c.stiffness * *pull;
      }
    const Mat3 slew = sweeps.slew(e);
    const Index* member = member_.data() + member_begin_[e];
    const Index turning = member_begin_[e + 1] - member_begin_[e];
    const auto cross = [](const Vec3& v) {
      Mat3 m;
      m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
      return m;
    };
    for (Index w = 0; w < turning; ++w) {
      if (member[w] < 0) continue;
      const Mat3 right = c.turning * slew * cross(sweeps.lever(e, w));
      for (Index v = 0; v < turning; ++v) {
        if (member[v] < member[w]) continue;  // -1, or above the diagonal
        const Mat3 both = cross(sweeps.lever(e, v)) * right;
        double* to = block(member[v], member[w]);
        for (int y = 0; y < 3; ++y)
          for (int x = 0; x < 3; ++x) to[y * stride + x] += both(x, y);
      }
    }
  }
  for (Index n = owned_begin_[e]; n < owned_begin_[e + 1]; ++n) {
    double* to = block(owned_[n], owned_[n]);
    const Index place = members[owned_[n]];
    for (int x = 0; x < 3; ++x) to[x * (stride + 1)] += c.mass * mass_[place] + spring_[place];
  }
}

bool SheetHessian::factor(const SheetSweeps& sweeps, const Coefficients& c,
                          std::span<const LinearSystem::Spring> springs, Pool& pool) {
  for (const LinearSystem::Spring& spring : springs) spring_[spring.place] = spring.stiffness;
  const bool factored = factor_.factor([&](Index e, double* matrix) { fill(sweeps, c, e, matrix); }, pool);
  for (const LinearSystem::Spring& spring : springs) spring_[spring.place] = 0;
  return factored;
}

void SheetHessian::solve(const float* g, float* z) {
  for (std::size_t k = 0; k < std::size_t(free_); ++k)
    for (int x = 0; x < 3; ++x) work_[3 * k + x] = g[4 * k + x];
  factor_.solve(work_);
  for (std::size_t k = 0; k < std::size_t(free_); ++k)
    for (int x = 0; x < 3; ++x) z[4 * k + x] = float(work_[3 * k + x]);
}

}  // namespace pliant::geometric
