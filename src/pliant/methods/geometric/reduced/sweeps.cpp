// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "pliant/math/rotation.hpp"

namespace pliant::geometric {
namespace {

constexpr int batches_per_part = 32;  // 512 nodes

/// Every node at its own place.
Arrangement as_numbered(Index nodes) {
  Arrangement out{std::vector<Index>(std::size_t(nodes)), {}, nodes};
  std::iota(out.node.begin(), out.node.end(), 0);
  out.place = out.node;
  return out;
}

}  // namespace

ReducedArrays swept_arrays(const ReducedModel& model, const ReducedFlow& flow, ReducedState& state) {
  ReducedArrays out{model.columns(),   model.pull.data(),        model.rest.data(), nullptr,
                    model.slew.data(), state.quaternions.data(), finish_rotations};
  if (flow.on())
    out.pull = flow.pull(), out.rest = flow.rest(), out.skew = flow.skew(), out.slew = flow.slew();
  return out;
}

ReducedSweeps::ReducedSweeps(const ReducedModel& model, const std::optional<Adaptive>& adaptive)
    : nodes_(int(model.cubature.nodes.size())),
      batches_(model.batches),
      parts_((model.batches + batches_per_part - 1) / batches_per_part) {
  const std::size_t numbers = 3 * std::size_t(model.columns());
  z_.assign(numbers, 0);
  lanes_.assign(std::size_t(parts_) * numbers * reduced_lanes, 0);
  partial_.assign(std::size_t(parts_) * numbers, 0);
  largest_.assign(std::size_t(parts_), 0);
  sums_ = Coordinates::Zero(model.columns(), 3);
  if (!adaptive) return;
  adaptive_.choose(model.full, *adaptive);
  adaptive_.arrange(model.full, as_numbered(model.nodes()));
  covariance_.assign(9 * std::size_t(batches_) * reduced_lanes, 0);
  rotation_ = covariance_;
}

void ReducedSweeps::to_single(const Coordinates& z) {
  for (Eigen::Index a = 0; a < z.rows(); ++a)
    for (int c = 0; c < 3; ++c) z_[std::size_t(3 * a + c)] = float(z(a, c));
}

template <class Sweep>
void ReducedSweeps::sweep(const Coordinates& z, Pool& pool, Sweep&& over) {
  to_single(z);
  const std::size_t numbers = z_.size();
  const bool backwards = std::exchange(backwards_, !backwards_);
  pool.run(parts_, [&](int turn) {
    const int part = backwards ? parts_ - 1 - turn : turn;
    const int first = part * batches_per_part, last = std::min(first + batches_per_part, batches_);
    over(part, lanes_.data() + part * numbers * reduced_lanes, partial_.data() + part * numbers, first, last);
  });
  const Eigen::Index k = sums_.rows();
  sums_.setZero();
  for (int part = 0; part < parts_; ++part) {
    const double* from = partial_.data() + 3 * k * part;
    for (Eigen::Index a = 0; a < k; ++a)
      for (int c = 0; c < 3; ++c) sums_(a, c) += from[3 * a + c];
  }
}

void ReducedSweeps::renew_rotations(const ReducedArrays& arrays, const Coordinates& z, Pool& pool) {
  if (adaptive_.on())
    spread_rotations(arrays, z, pool);
  else
    rotate(arrays, z, true, pool);
}

void ReducedSweeps::spread_rotations(const ReducedArrays& arrays, const Coordinates& z, Pool& pool) {
  to_single(z);
  for_blocks(pool, batches_, batches_per_part, [&](int first, int last) {
    reduced_kernels().measure(arrays, z_.data(), covariance_.data(), first, last);
  });
  adaptive_.spread(covariance_.data(), arrays.quaternion, rotation_.data(), pool);
}

const Coordinates& ReducedSweeps::rotate(const ReducedArrays& arrays, const Coordinates& z, bool renew,
                                         Pool& pool) {
  if (renew && adaptive_.on()) {
    spread_rotations(arrays, z, pool);
    renew = false;
  }
  sweep(z, pool, [&](int, float* lanes, double* sum, int first, int last) {
    reduced_kernels().rotate(arrays, renew, z_.data(), lanes, sum, first, last);
  });
  return sums_;
}

const Coordinates& ReducedSweeps::turn(const ReducedArrays& arrays, const Coordinates& p, double& largest,
                                       Pool& pool) {
  sweep(p, pool, [&](int part, float* lanes, double* sum, int first, int last) {
    largest_[part] = reduced_kernels().turn(arrays, z_.data(), lanes, sum, first, last);
  });
  largest = std::sqrt(double(*std::max_element(largest_.begin(), largest_.end())));
  return sums_;
}

std::size_t ReducedSweeps::bytes() const {
  return sizeof(float) * (lanes_.size() + covariance_.size() + rotation_.size());
}

}  // namespace pliant::geometric
