// SPDX-License-Identifier: Apache-2.0
// What the user sees: x = c + R (X - centre + dZ b), dZ = Z - Z at rest in the body's frame. The differences
// are small where the body is hardly deformed, so that b may be in single precision.
#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/methods/cage/body.hpp"

namespace pliant::cage {
namespace {

/// Calls put(point, z b) for 16 points at a time.
template <class Put>
void gather_skin(const Model& model, const AlignedVector<float>& z, int begin, int end, Put&& put) {
  const CageKernels<float>& kernel = kernels<float>();
  const Index rows = model.rows();
  constexpr int most = 4;
  for (int b = begin; b < end; b += most) {
    alignas(64) float out[most * 3 * lanes];
    kernel.gather_many(model.skin_value.data() + std::size_t(b) * std::size_t(rows) * lanes, int(rows),
                       z.data(), std::min(most, end - b), out);
    const int used = std::min(std::min(most, end - b) * lanes, int(model.skin.size()) - b * lanes);
    for (int k = 0; k < used; ++k) {
      const float* at = out + 3 * lanes * (k / lanes) + k % lanes;
      put(Index(b * lanes + k), Vec3(at[0], at[lanes], at[2 * lanes]));
    }
  }
}

AlignedVector<float> as_float(const Columns& z) {
  AlignedVector<float> out(std::size_t(z.size()));
  for (Eigen::Index k = 0; k < z.size(); ++k) out[std::size_t(k)] = float(z.data()[k]);
  return out;
}

}  // namespace

void Body::show() const {
  const Mat3 frame =
      (options_.precision == Precision::single ? state_.single.frame : state_.twice.frame).toRotationMatrix();
  const Vec3 c = state_.x.rowwise().mean();
  Columns dz(3, model_.rows());
  set_local(state_.x, c, frame, dz);
  dz -= model_.rest;
  const auto at = [&](Index node, const Vec3& moved) {
    nodes_.x[std::size_t(node)] = c + frame * (model_.nodes[std::size_t(node)] - model_.centre + moved);
  };
  const Columns moved = dz * model_.value, rate = state_.velocity * model_.value;
  for (Index q = 0; q < model_.count(); ++q) {
    const Index node = model_.points[std::size_t(q)];
    at(node, moved.col(q));
    nodes_.v[std::size_t(node)] = rate.col(q);
  }
  if (model_.skin.empty()) return;
  gather_skin(model_, as_float(dz), 0, model_.skin_batches(),
              [&](Index s, const Vec3& d) { at(model_.skin[std::size_t(s)], d); });
  gather_skin(model_, as_float(state_.velocity), 0, model_.skin_batches(),
              [&](Index s, const Vec3& v) { nodes_.v[std::size_t(model_.skin[std::size_t(s)])] = v; });
}

const NodeState& Body::nodes() const {
  if (!shown_) show();
  shown_ = true;
  return nodes_;
}

void Body::surface(std::span<Vec3> vertices) const {
  PLIANT_CHECK(Index(vertices.size()) == model_.embedding.rows());
  gather(model_.embedding, nodes().x, vertices);
}

void Body::surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const {
  if (shown_) return surface(vertices);
  // Only a surface whose vertices are the nodes that ride along needs nothing else.
  const Gather& w = model_.embedding;
  const bool direct = w.rows() == Index(w.column.size()) && w.rows() == Index(model_.skin.size());
  if (!direct || !std::equal(w.column.begin(), w.column.end(), model_.skin.begin())) return surface(vertices);
  const Mat3 frame =
      (options_.precision == Precision::single ? state_.single.frame : state_.twice.frame).toRotationMatrix();
  const Vec3 c = state_.x.rowwise().mean();
  Columns dz(3, model_.rows());
  set_local(state_.x, c, frame, dz);
  dz -= model_.rest;
  const AlignedVector<float> z = as_float(dz);
  for_blocks(pool, model_.skin_batches(), 32, [&](int begin, int end) {
    gather_skin(model_, z, begin, end, [&](Index s, const Vec3& d) {
      const Vec3& rest = model_.nodes[std::size_t(model_.skin[std::size_t(s)])];
      vertices[std::size_t(s)] = c + frame * (rest - model_.centre + d);
    });
  });
}

void Body::pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const {
  scatter_add(model_.embedding, surface_forces, node_forces);
}

}  // namespace pliant::cage
