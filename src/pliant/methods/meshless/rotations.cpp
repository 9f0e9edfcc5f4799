// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/rotations.hpp"

#include "pliant/math/polar.hpp"
#include "pliant/methods/meshless/energy.hpp"

namespace pliant::meshless {
namespace {

constexpr float shortest_blend = 0.05f;  // a blend of quaternions that cancels tells no rotation
constexpr int block = 512;               // cells or nodes that a thread takes at a time

Eigen::Quaterniond quaternion_of(const Float4& q) { return Eigen::Quaterniond(q.x, q.y, q.z, q.w); }

}  // namespace

CellRotations::CellRotations(const Model& model, const Rig& rig, const PackedCells& cells,
                             const Options& options, State& state)
    : model_(model),
      rig_(rig),
      cells_(cells),
      warping_(options.warping),
      state_(state),
      unturned_(cells.unturned()),
      q_nodes_(model.rest.size(), Float4{}) {
  if (at_nodes()) turned_.assign(model.rest.size(), Mat3::Identity());
  if (options.rotations != Rotations::diffused || warping_ == Warping::none || rig.empty()) return;
  // Bones at rest all tell the same rotation: where their blend has no length no bone reaches at all.
  Pool alone(1);
  const std::vector<Float4> upright(std::size_t(rig.samples()), Float4{1, 0, 0, 0});
  unreached_ = diffuse(upright.data(), alone);
}

std::span<const Vec3> CellRotations::pose(double t) {
  if (rig_.empty()) return {};
  rig_.pose(t, posed_);
  return posed_.targets;
}

int CellRotations::diffuse(const Float4* bones, Pool& pool) {
  for_blocks(pool, model_.nodes(), block, [&](int begin, int end) {
    cell_kernels().diffuse(rig_.influence().data(), rig_.samples(), &bones->x, &q_nodes_.data()->x, begin,
                           end);
  });
  return cells_.blend(q_nodes_.data(), shortest_blend, state_.turned, pool);
}

void CellRotations::turn(const Points& x, bool polar, Pool& pool) {
  if (warping_ == Warping::none) return;
  if (polar)
    for_blocks(pool, cells_.cells(), block, [&](int begin, int end) {
      for (Index c = begin; c < end; ++c)
        set_quaternion(
            state_.turned, c,
            polar_rotation(deformation_gradient(model_.cells, c, x), quaternion(state_.turned, c)));
    });
  else
    kept_ = diffuse(posed_.quaternions.data(), pool) - unreached_;
  if (at_nodes()) turn_nodes(x, polar);
}

/// Polar rotations of a node are those of the mean deformation of the cells around it [Mueller02].
void CellRotations::turn_nodes(const Points& x, bool polar) {
  if (polar) {
    std::fill(turned_.begin(), turned_.end(), Mat3::Zero());
    const Cells& cells = model_.cells;
    for (Index c = 0; c < cells.count(); ++c) {
      const Mat3 f = cells.weight[std::size_t(c)] * deformation_gradient(cells, c, x);
      for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k)
        turned_[std::size_t(cells.node[std::size_t(k)])] +=
            std::max(0.0, cells.centre_value[std::size_t(k)]) * f;
    }
  }
  for (std::size_t i = 0; i < turned_.size(); ++i) {
    Eigen::Quaterniond q = quaternion_of(state_.node_turned[i]);
    if (polar) {
      q = polar_rotation(turned_[i], q);
    } else if (const Eigen::Quaterniond blend = quaternion_of(q_nodes_[i]); blend.norm() > shortest_blend) {
      q = blend.normalized();
    }
    state_.node_turned[i] = {float(q.w()), float(q.x()), float(q.y()), float(q.z())};
    turned_[i] = q.normalized().toRotationMatrix();
  }
}

}  // namespace pliant::meshless
