// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/energy.hpp"

#include <algorithm>
#include <limits>

#include "pliant/math/polar.hpp"

namespace pliant::meshless {
namespace {

std::size_t lane_of(Index cell) { return std::size_t(cell) / lanes * 4 * lanes + std::size_t(cell) % lanes; }

Mat3 plastic(const AlignedVector<double>& flow, Index cell) {
  if (flow.empty()) return Mat3::Zero();
  const double* e = flow.data() + std::size_t(cell) / lanes * 6 * lanes + std::size_t(cell) % lanes;
  Mat3 out;
  out << e[0], e[5 * lanes], e[4 * lanes], e[5 * lanes], e[lanes], e[3 * lanes], e[4 * lanes], e[3 * lanes],
      e[2 * lanes];
  return out;
}

double density(const Model& model, const Mat3& g, const Mat3& plastic_strain) {
  const Mat3 sym = 0.5 * (g + g.transpose()) - plastic_strain, skew = 0.5 * (g - g.transpose());
  return model.mu * sym.squaredNorm() + model.kappa * skew.squaredNorm() +
         0.5 * model.lambda * sym.trace() * sym.trace();
}

}  // namespace

Mat3 deformation_gradient(const Cells& cells, Index cell, std::span<const Vec3> x) {
  const std::size_t begin = std::size_t(cells.begin[std::size_t(cell)]),
                    end = std::size_t(cells.begin[std::size_t(cell) + 1]);
  // The gradients sum to zero: differences keep the digits far from the origin.
  const Vec3& origin = x[std::size_t(cells.node[begin])];
  Mat3 f = Mat3::Zero();
  for (std::size_t k = begin; k < end; ++k)
    f.noalias() += (x[std::size_t(cells.node[k])] - origin) * cells.gradient[k].transpose();
  return f;
}

Eigen::Quaterniond quaternion(const PackedCells::Quaternions& q, Index cell) {
  const float* at = q.data() + lane_of(cell);
  return Eigen::Quaterniond(at[0], at[lanes], at[2 * lanes], at[3 * lanes]).normalized();
}

void set_quaternion(PackedCells::Quaternions& q, Index cell, const Eigen::Quaterniond& value) {
  float* at = q.data() + lane_of(cell);
  at[0] = float(value.w()), at[lanes] = float(value.x());
  at[2 * lanes] = float(value.y()), at[3 * lanes] = float(value.z());
}

double energy(const Model& model, const PackedCells::Quaternions& q, const AlignedVector<double>& flow,
              std::span<const Vec3> x) {
  double sum = 0;
  for (Index c = 0; c < model.cells.count(); ++c) {
    const Mat3 r = quaternion(q, c).toRotationMatrix();
    const Mat3 g = r.transpose() * deformation_gradient(model.cells, c, x) - Mat3::Identity();
    sum += model.cells.weight[std::size_t(c)] * model.relative[std::size_t(c)] *
           density(model, g, plastic(flow, c));
  }
  return sum;
}

double polar_energy(const Model& model, const PackedCells::Quaternions& q, const AlignedVector<double>& flow,
                    std::span<const Vec3> x) {
  double sum = 0;
  for (Index c = 0; c < model.cells.count(); ++c) {
    const Mat3 f = deformation_gradient(model.cells, c, x);
    const Mat3 r = polar_rotation(f, quaternion(q, c)).toRotationMatrix();
    sum += model.cells.weight[std::size_t(c)] * model.relative[std::size_t(c)] *
           density(model, r.transpose() * f - Mat3::Identity(), plastic(flow, c));
  }
  return sum;
}

void gradient(const Model& model, const PackedCells::Quaternions& q, const AlignedVector<double>& flow,
              bool polar, std::span<const Vec3> x, std::span<Vec3> out) {
  std::fill(out.begin(), out.end(), Vec3::Zero());
  const Cells& cells = model.cells;
  for (Index c = 0; c < cells.count(); ++c) {
    const Mat3 f = deformation_gradient(cells, c, x);
    const Mat3 r = (polar ? polar_rotation(f, quaternion(q, c)) : quaternion(q, c)).toRotationMatrix();
    const Mat3 g = r.transpose() * f - Mat3::Identity();
    const Mat3 sym = 0.5 * (g + g.transpose()) - plastic(flow, c), skew = 0.5 * (g - g.transpose());
    const Mat3 p =
        cells.weight[std::size_t(c)] * model.relative[std::size_t(c)] * r *
        (2 * model.mu * sym + 2 * model.kappa * skew + model.lambda * sym.trace() * Mat3::Identity());
    for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k)
      out[std::size_t(cells.node[std::size_t(k)])] += p * cells.gradient[std::size_t(k)];
  }
}

double corotational_energy(const Model& model, std::span<const Vec3> x) {
  double sum = 0;
  for (Index c = 0; c < model.cells.count(); ++c) {
    const Mat3 f = deformation_gradient(model.cells, c, x);
    const Mat3 r = polar_rotation(f, Eigen::Quaterniond::Identity()).toRotationMatrix();
    sum += model.cells.weight[std::size_t(c)] * model.relative[std::size_t(c)] *
           density(model, r.transpose() * f - Mat3::Identity(), Mat3::Zero());
  }
  return sum;
}

double least_jacobian(const Model& model, std::span<const Vec3> x) {
  double least = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < model.cells.count(); ++c)
    least = std::min(least, deformation_gradient(model.cells, c, x).determinant());
  return least;
}

void row_forces(const Model& model, std::span<const Mat3> turned, const AlignedVector<double>& flow,
                bool rest, std::span<const Vec3> x, std::span<Vec3> out) {
  std::fill(out.begin(), out.end(), Vec3::Zero());
  const Cells& cells = model.cells;
  const double offset = rest ? 2 * model.mu + 3 * model.lambda : 0;
  for (Index c = 0; c < cells.count(); ++c) {
    const Mat3 f = deformation_gradient(cells, c, x);
    const double w = cells.weight[std::size_t(c)] * model.relative[std::size_t(c)];
    const Mat3 kept = rest ? plastic(flow, c) : Mat3(Mat3::Zero());
    const Mat3 flown = 2 * model.mu * kept + model.lambda * kept.trace() * Mat3::Identity();
    for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k) {
      const std::size_t i = std::size_t(cells.node[std::size_t(k)]);
      const Mat3& r = turned[i];
      const Vec3& g = cells.gradient[std::size_t(k)];
      const Vec3 rg = r * g;
      out[i] +=
          w * ((model.mu + model.kappa) * (f * g) + (model.mu - model.kappa) * (r * (f.transpose() * rg)) +
               (model.lambda * (r.transpose() * f).trace() - offset) * rg - r * (flown * g));
    }
  }
}

void plastic_stress(const Model& model, const AlignedVector<double>& flow, AlignedVector<double>& stress) {
  stress.resize(flow.size());
  for (std::size_t b = 0; b < flow.size(); b += 6 * lanes)
    for (std::size_t c = b; c < b + lanes; ++c) {
      const double trace = model.lambda * (flow[c] + flow[c + lanes] + flow[c + 2 * lanes]);
      for (std::size_t e = 0; e < 6; ++e)
        stress[c + e * lanes] = 2 * model.mu * flow[c + e * lanes] + (e < 3 ? trace : 0);
    }
}

}  // namespace pliant::meshless
