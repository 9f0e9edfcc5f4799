// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/energy.hpp"

#include <cmath>

namespace pliant::cage {
namespace {

/// The rotations of a batch of the state as a start for a search in double precision.
void start_from(const State& state, int b, PointBatch<double>& batch) {
  for (int lane = 0; lane < lanes; ++lane)
    for (int k = 0; k < 4; ++k)
      batch.q[k][lane] = state.single.batches.empty()
                             ? state.twice.batches[std::size_t(b)].q[k][lane]
                             : double(state.single.batches[std::size_t(b)].q[k][lane]);
}

template <class T>
int inverted(const Model& model, const AlignedVector<PointBatch<T>>& batches) {
  int count = 0;
  for (Index q = 0; q < model.count(); ++q)
    count += !(matrix_of_lane(batches[std::size_t(q / lanes)].a, q % lanes).determinant() > 0);
  return count;
}

}  // namespace

double elastic_energy(const Model& model, const State& state, Columns* force) {
  const Index rows = model.rows();
  const Mat3 axes = state.axes().toRotationMatrix();
  const Vec3 c = mean_of(state.x);
  Columns z(3, rows);
  set_z(model, state.x, c, axes, z);
  AlignedVector<double> dz(std::size_t(3 * rows)), stress(std::size_t(model.batches()) * 9 * lanes);
  for (Index r = 0; r < rows; ++r)
    for (int k = 0; k < 3; ++k) dz[std::size_t(3 * r + k)] = z(k, r) - model.rest(k, r);
  const CageKernels<double>& kernel = kernels<double>();
  const Material<double> material{2 * model.mu, model.lambda};
  AlignedVector<double> plastic(state.plastic.empty() ? 0 : std::size_t(model.batches()) * 6 * lanes, 0.0);
  for (std::size_t q = 0; 6 * q < state.plastic.size(); ++q)
    for (std::size_t k = 0; k < 6; ++k)
      plastic[(q / lanes * 6 + k) * lanes + q % lanes] = state.plastic[6 * q + k];
  double sum = 0;
  for (int b = 0; b < model.batches(); ++b) {
    PointBatch<double> batch;
    start_from(state, b, batch);
    kernel.strain(model.twice.batch(b, rows), int(rows), int(rows), dz.data(), 1, 1, &batch);
    for (int lane = 0; lane < lanes; ++lane) {
      double square = 0;
      for (int k = 0; k < 4; ++k) square += batch.q[k][lane] * batch.q[k][lane];
      for (int k = 0; k < 4; ++k) batch.q[k][lane] /= std::sqrt(square);
    }
    find_rotations(&batch, 1);
    sum += kernel.stress(&batch.a[0][0], model.twice.weight.data() + std::size_t(b) * lanes,
                         plastic.empty() ? nullptr : plastic.data() + std::size_t(b) * 6 * lanes, material,
                         stress.data() + std::size_t(b) * 9 * lanes);
  }
  if (!force) return sum;
  AlignedVector<double> f(std::size_t(3 * rows));
  kernel.forces(model.twice.gradient.data(), model.batches(), long(rows) * 3 * lanes, 0, int(rows),
                stress.data(), f.data());
  force->resize(3, rows);
  for (Index r = 0; r < rows; ++r)
    force->col(r) = axes * Vec3(f[std::size_t(3 * r)], f[std::size_t(3 * r + 1)], f[std::size_t(3 * r + 2)]);
  return sum;
}

double potential(const Model& model, const Holds& holds, const Vec3& gravity, const Columns& x,
                 const Whole& whole, Columns& z) {
  double sum = -model.total_mass * gravity.dot(whole.centre);
  if (!holds.empty()) {
    const Vec3 c = mean_of(x);
    z.leftCols(model.n()) = x.colwise() - c;
    scaled_normals(model.faces, x, z.rightCols(model.t()));
    sum += holds.energy(z, c);
  }
  return sum;
}

int inverted_points(const Model& model, const State& state) {
  return state.single.batches.empty() ? inverted(model, state.twice.batches)
                                      : inverted(model, state.single.batches);
}

}  // namespace pliant::cage
