// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/adaptive_rotations.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/math/rotation.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/step_kernels.hpp"

namespace pliant::geometric {
namespace {

constexpr int visits_at_once = 512;
constexpr int newton_steps = 2;     // as in the sweep over all rotations
constexpr double flat_star = 1e-4;  // eigenvalues of A0 below this share of the largest count as none

/// Entry k of the 3x3 of a place.
inline float entry(const float* array, int place, int k) {
  return array[9 * lanes * static_cast<long>(place / lanes) + lanes * k + place % lanes];
}
/// Part k of the quaternion of a place.
inline float part(const float* array, int place, int k) {
  return array[4 * lanes * static_cast<long>(place / lanes) + lanes * k + place % lanes];
}
inline void put_entry(float* array, int numbers, int place, int k, float value) {
  array[numbers * lanes * static_cast<long>(place / lanes) + lanes * k + place % lanes] = value;
}

/// Breadth first from the seeds, over nodes of their parts.
void flood(const Adjacency& adj, std::vector<Index> front, std::vector<int>& depth,
           std::vector<Index>& before) {
  for (const Index seed : front) depth[std::size_t(seed)] = 0;
  for (std::size_t next = 0; next < front.size(); ++next) {
    const Index i = front[next];
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
      const Index j = adj.target[k];
      if (depth[std::size_t(j)] >= 0) continue;
      depth[std::size_t(j)] = depth[std::size_t(i)] + 1;
      before[std::size_t(j)] = i;
      front.push_back(j);
    }
  }
}

Index nearest_to_centre(const Model& model, const std::vector<Index>& part) {
  Vec3 centre = Vec3::Zero();
  for (const Index i : part) centre += model.rest[i] / double(part.size());
  return *std::min_element(part.begin(), part.end(), [&](Index a, Index b) {
    return (model.rest[a] - centre).squaredNorm() < (model.rest[b] - centre).squaredNorm();
  });
}

/// Nodes that no neighbour lies farther from the middle than (in steps); of neighbours at the same distance
/// the first counts.
std::vector<Index> tips_of(const Model& model) {
  std::vector<Index> middles, before(model.rest.size(), -1), tips;
  std::vector<int> depth(model.rest.size(), -1);
  for (const std::vector<Index>& part : model.parts) middles.push_back(nearest_to_centre(model, part));
  flood(model.adjacency, middles, depth, before);
  const Adjacency& adj = model.adjacency;
  for (Index i = 0; i < model.nodes(); ++i) {
    bool tip = true;
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
      const Index j = adj.target[k];
      tip &= depth[j] < depth[i] || (depth[j] == depth[i] && i < j);
    }
    if (tip) tips.push_back(i);
  }
  return tips;
}

std::vector<Index> seeds_of(const Model& model, RotationSeeds which) {
  if (which == RotationSeeds::tips) return tips_of(model);
  std::vector<Index> seeds;
  if (which == RotationSeeds::first) {
    for (const std::vector<Index>& part : model.parts) seeds.push_back(part.front());
    return seeds;
  }
  // The step's own order starts at an end of every part.
  std::vector<char> seen(model.parts.size(), 0);
  for (const Index i : breadth_first_order(model.adjacency))
    if (!std::exchange(seen[std::size_t(model.part_of[i])], 1)) seeds.push_back(i);
  return seeds;
}

}  // namespace

void AdaptiveRotations::choose(const Model& model, const Adaptive& options) {
  options_ = options;
  before_.assign(model.rest.size(), -1);
  depth_.assign(model.rest.size(), -1);
  flood(model.adjacency, seeds_of(model, options.seeds), depth_, before_);
}

void AdaptiveRotations::arrange(const Model& model, const Arrangement& arrangement) {
  const std::size_t n = model.rest.size();
  const int deepest = *std::max_element(depth_.begin(), depth_.end());
  level_.assign(std::size_t(deepest) + 2, 0);
  for (const int d : depth_) ++level_[std::size_t(d) + 1];
  std::partial_sum(level_.begin(), level_.end(), level_.begin());
  visits_.resize(n);
  std::vector<int> next(level_.begin(), level_.end() - 1);
  // By place within a level: near in memory.
  for (const Index i : arrangement.node) {
    const Index before = before_[std::size_t(i)];
    visits_[std::size_t(next[std::size_t(depth_[std::size_t(i)])]++)] = {
        arrangement.place[i], before < 0 ? -1 : arrangement.place[before]};
  }
  rest_norm_.assign(n, 0);
  rest_trace_.assign(n, 0);
  slew_.assign(options_.correct ? 9 * n : 0, 0);
  rest_inverse_.assign(options_.criterion == RotationCriterion::naive_2 ? 9 * n : 0, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const Mat3 a = covariance(model, model.rest, Index(i));
    const std::size_t place = std::size_t(arrangement.place[i]);
    rest_norm_[place] = float(a.norm());
    rest_trace_[place] = float(a.trace());
    if (options_.correct) {
      const Mat3 slew = pseudo_inverse(a.trace() * Mat3::Identity() - a, flat_star);
      for (int k = 0; k < 9; ++k) slew_[9 * place + k] = float(slew(k / 3, k % 3));
    }
    if (rest_inverse_.empty()) continue;
    const Mat3 inverse = pseudo_inverse(a, flat_star);
    for (int k = 0; k < 9; ++k) rest_inverse_[9 * place + k] = float(inverse(k / 3, k % 3));
  }
  is_active_.assign(n, 1);
  active_ = int(n);
}

bool AdaptiveRotations::accepted(const Visit& visit, const float* covariance, const float* rotation,
                                 float w[3]) const {
  const float threshold = float(options_.threshold);
  if (visit.before < 0 || !(threshold > 0)) return false;
  const int j = visit.place, i = visit.before;
  float a[9];
  for (int k = 0; k < 9; ++k) a[k] = entry(covariance, j, k);
  if (options_.criterion == RotationCriterion::naive_1) {
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += (a[k] - entry(covariance, i, k)) * (a[k] - entry(covariance, i, k));
    return std::sqrt(sum) <= threshold * rest_norm_[std::size_t(j)];
  }
  if (options_.criterion == RotationCriterion::naive_2) {
    const float *inverse = &rest_inverse_[9 * std::size_t(j)], *other = &rest_inverse_[9 * std::size_t(i)];
    float sum = 0;
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) {
        float f = 0;
        for (int k = 0; k < 3; ++k)
          f += a[3 * row + k] * inverse[3 * k + column] -
               entry(covariance, i, 3 * row + k) * other[3 * k + column];
        sum += f * f;
      }
    return std::sqrt(sum) <= threshold;
  }
  float r[9];
  for (int k = 0; k < 9; ++k) r[k] = entry(rotation, i, k);
  const auto b = [&](int row, int column) {
    return r[row] * a[column] + r[3 + row] * a[3 + column] + r[6 + row] * a[6 + column];
  };
  const float t0 = b(2, 1) - b(1, 2), t1 = b(0, 2) - b(2, 0), t2 = b(1, 0) - b(0, 1);
  const float length = std::sqrt(t0 * t0 + t1 * t1 + t2 * t2);
  const float trace = b(0, 0) + b(1, 1) + b(2, 2);
  if (!(trace > 0)) return false;
  const bool near = options_.criterion == RotationCriterion::printed
                        ? std::sqrt(2.0f) * length <= threshold * rest_norm_[std::size_t(i)]
                        : 1.5f * length <= threshold * trace;
  if (!near || !options_.correct) return near;
  const float* slew = &slew_[9 * std::size_t(j)];
  const float scale = rest_trace_[std::size_t(j)] / trace;
  for (int k = 0; k < 3; ++k) w[k] = scale * (slew[3 * k] * t0 + slew[3 * k + 1] * t1 + slew[3 * k + 2] * t2);
  return true;
}

/// Visits of one level: what they read of others was settled by an earlier level.
void AdaptiveRotations::visit_range(int begin, int end, const float* covariance, float* quaternion,
                                    float* rotation) {
  RotationBatch batch;
  int waiting[16], count = 0;
  const auto polish = [&] {
    for (int lane = count; lane < 16; ++lane) {
      for (int k = 0; k < 9; ++k) batch.a[k][lane] = 0;
      for (int k = 0; k < 4; ++k) batch.q[k][lane] = k == 0;
    }
    nearest_rotations(&batch, 1, newton_steps);
    for (int lane = 0; lane < count; ++lane) {
      for (int k = 0; k < 4; ++k) put_entry(quaternion, 4, waiting[lane], k, batch.q[k][lane]);
      for (int k = 0; k < 9; ++k) put_entry(rotation, 9, waiting[lane], k, batch.r[k][lane]);
    }
    count = 0;
  };
  for (int n = begin; n < end; ++n) {
    const Visit& visit = visits_[std::size_t(n)];
    float w[3] = {};
    const bool take_over = accepted(visit, covariance, rotation, w);
    is_active_[std::size_t(visit.place)] = !take_over;
    if (take_over) {
      if (w[0] == 0 && w[1] == 0 && w[2] == 0) {
        for (int k = 0; k < 9; ++k) put_entry(rotation, 9, visit.place, k, entry(rotation, visit.before, k));
        for (int k = 0; k < 4; ++k)
          put_entry(quaternion, 4, visit.place, k, part(quaternion, visit.before, k));
        continue;
      }
      const Eigen::Quaternionf before(part(quaternion, visit.before, 0), part(quaternion, visit.before, 1),
                                      part(quaternion, visit.before, 2), part(quaternion, visit.before, 3));
      const Eigen::Quaternionf q =
          (before * Eigen::Quaternionf(1, w[0] / 2, w[1] / 2, w[2] / 2)).normalized();
      const Eigen::Matrix3f r = q.toRotationMatrix();
      const float parts[4] = {q.w(), q.x(), q.y(), q.z()};
      for (int k = 0; k < 9; ++k) put_entry(rotation, 9, visit.place, k, r(k / 3, k % 3));
      for (int k = 0; k < 4; ++k) put_entry(quaternion, 4, visit.place, k, parts[k]);
      continue;
    }
    for (int k = 0; k < 9; ++k) batch.a[k][count] = entry(covariance, visit.place, k);
    for (int k = 0; k < 4; ++k) batch.q[k][count] = part(quaternion, visit.place, k);
    waiting[count++] = visit.place;
    if (count == 16) polish();
  }
  if (count > 0) polish();
}

void AdaptiveRotations::spread(const float* covariance, float* quaternion, float* rotation, Pool& pool) {
  for (std::size_t d = 0; d + 1 < level_.size(); ++d) {
    const int begin = level_[d], count = level_[d + 1] - begin;
    if (count <= visits_at_once) {
      visit_range(begin, begin + count, covariance, quaternion, rotation);
      continue;
    }
    for_blocks(pool, count, visits_at_once, [&](int first, int last) {
      visit_range(begin + first, begin + last, covariance, quaternion, rotation);
    });
  }
  active_ = int(std::accumulate(is_active_.begin(), is_active_.end(), std::int64_t(0)));
}

}  // namespace pliant::geometric
