// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/nodes.hpp"

namespace pliant::geometric {

ReducedNodes::ReducedNodes(const Model& full)
    : nodes_{full.rest, Points(full.rest.size(), Vec3::Zero()), full.mass} {}

const NodeState& ReducedNodes::at(const ReducedModel& model, const ReducedState& state) {
  if (!current_) show(model, state, 0, model.nodes());
  current_ = true;
  return nodes_;
}

const NodeState& ReducedNodes::at(const ReducedModel& model, const ReducedState& state, Pool& pool) {
  if (!current_)
    for_blocks(pool, model.nodes(), 512, [&](int begin, int end) { show(model, state, begin, end); });
  current_ = true;
  return nodes_;
}

void ReducedNodes::show(const ReducedModel& model, const ReducedState& state, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) {
    const auto row = model.basis.columns.row(i);
    Vec3 x = model.full.rest[i], v = Vec3::Zero();
    for (Eigen::Index a = 0; a < row.size(); ++a) {
      x += row[a] * state.z.row(a).transpose();
      v += row[a] * state.v.row(a).transpose();
    }
    nodes_.x[i] = x;
    nodes_.v[i] = v;
  }
}

}  // namespace pliant::geometric
