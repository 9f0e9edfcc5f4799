// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/body_pairs.hpp"

#include <algorithm>

namespace pliant {
namespace {

/// The axis with the largest variance of centres.
int sweep_axis(std::span<const MotionBox> boxes, std::span<const Index> order) {
  Vec3 sum = Vec3::Zero(), squares = Vec3::Zero();
  for (const Index i : order) {
    const Vec3 centre = boxes[i].low + boxes[i].high;
    sum += centre;
    squares += centre.cwiseAbs2();
  }
  int axis = 0;
  (squares - sum.cwiseAbs2() / double(order.size())).maxCoeff(&axis);
  return axis;
}

}  // namespace

void BodyPairs::find(std::span<const MotionBox> boxes, std::vector<IndexPair>& out) {
  out.clear();
  order_.clear();
  for (Index i = 0; i < Index(boxes.size()); ++i)
    if ((boxes[i].low.array() <= boxes[i].high.array()).all()) order_.push_back(i);
  if (order_.size() < 2) return;
  const int axis = sweep_axis(boxes, order_);
  std::sort(order_.begin(), order_.end(), [&](Index i, Index j) {
    const double a = boxes[i].low[axis], b = boxes[j].low[axis];
    return a != b ? a < b : i < j;
  });
  for (auto i = order_.begin(); i != order_.end(); ++i)
    for (auto j = i + 1; j != order_.end() && boxes[*j].low[axis] <= boxes[*i].high[axis]; ++j)
      if (boxes[*i].overlaps(boxes[*j])) out.push_back({std::min(*i, *j), std::max(*i, *j)});
  std::sort(out.begin(), out.end());
}

}  // namespace pliant
