// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sheet/energy.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/math/rotation.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant::geometric {
namespace {

constexpr double untold = 1e-5;  // of the largest eigenvalue of G: turning about this axis is not told

/// sqrt(lambda) s_k x, by differences.
Vec3 apply(const SheetElements::View& e, Index row, std::span<const Vec3> x) {
  Vec3 sum = Vec3::Zero();
  for (Index v = 1; v < e.members(); ++v) sum += e.at(row, v) * (x[e.node[v]] - x[e.node[0]]);
  return sum;
}

}  // namespace

Mat3 covariance(const SheetElements::View& e, std::span<const Vec3> x) {
  Mat3 a = Mat3::Zero();
  for (Index v = 1; v < e.turning; ++v) a += (x[e.node[v]] - x[e.node[0]]) * e.arm[v].transpose();
  return a;
}

/// A triangle at flat rest in closed form: with F the deformation of its plane, C = F^T F and J = sqrt(det C),
/// U = sqrt(C) = (C + J I)/sqrt(tr C + 2 J) and [r1 r2] = F U^-1.
void update_rotations(const SheetElements& sheet, std::span<const Vec3> x,
                      std::span<Eigen::Quaterniond> rotations) {
  constexpr double line = 1e-6;  // area over stretches of a triangle that has become a line
  for (Index i = 0; i < sheet.count(); ++i) {
    const SheetElements::View e = sheet[i];
    const Mat3 a = covariance(e, x);
    if (sheet.flat[i]) {
      const double weight = e.rest[0].norm() * e.rest[0].squaredNorm();
      const Vec3 f1 = a * e.rest[0] / weight, f2 = a * e.rest[1] / weight, normal = f1.cross(f2);
      const double c11 = f1.squaredNorm(), c12 = f1.dot(f2), c22 = f2.squaredNorm(), area = normal.norm();
      if (area > line * (c11 + c22)) {
        const double scale = 1 / (std::sqrt(c11 + c22 + 2 * area) * area);
        Mat3 now, rest;
        now << scale * ((c22 + area) * f1 - c12 * f2), scale * ((c11 + area) * f2 - c12 * f1), normal / area;
        rest << e.rest[0].normalized(), e.rest[1].normalized(), e.rest[0].cross(e.rest[1]).normalized();
        rotations[i] = Eigen::Quaterniond(now * rest.transpose());
        continue;
      }
    }
    rotations[i] = nearest_rotation(a, rotations[i]).q;
  }
}

Mat3 slew_under_tension(const Mat3& inertia, const Mat3& s) {
  Mat3 g = s.trace() * Mat3::Identity() - 0.5 * (s + s.transpose()) - inertia;
  const Spectrum3 more = spectrum_in_closed_form(g);
  g = inertia + more.with(more.values.cwiseMax(0));
  const double mean = g.trace() / 3;  // no eigenvalue is near zero: no need to find them
  return g.determinant() > 0.01 * mean * mean * mean ? Mat3(g.inverse()) : pseudo_inverse(g, untold);
}

double energy(const SheetElements& sheet, std::span<const Vec3> x,
              std::span<const Eigen::Quaterniond> rotations) {
  double sum = 0;
  for (Index i = 0; i < sheet.count(); ++i) {
    const SheetElements::View e = sheet[i];
    const Mat3 r = rotations[i].toRotationMatrix();
    for (Index k = 0; k < e.rows(); ++k) sum += 0.5 * (apply(e, k, x) - r * e.rest[k]).squaredNorm();
  }
  return sum;
}

void gradient(const SheetElements& sheet, std::span<const Vec3> x,
              std::span<const Eigen::Quaterniond> rotations, std::span<Vec3> out) {
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (Index i = 0; i < sheet.count(); ++i) {
    const SheetElements::View e = sheet[i];
    const Mat3 r = rotations[i].toRotationMatrix();
    for (Index k = 0; k < e.rows(); ++k) {
      const Vec3 strain = apply(e, k, x) - r * e.rest[k];
      for (Index v = 0; v < e.members(); ++v) out[e.node[v]] += e.at(k, v) * strain;
    }
  }
}

void hessian_product(const SheetElements& sheet, std::span<const Vec3> x,
                     std::span<const Eigen::Quaterniond> rotations, std::span<const Vec3> p,
                     std::span<Vec3> out) {
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (Index i = 0; i < sheet.count(); ++i) {
    const SheetElements::View e = sheet[i];
    const Mat3 r = rotations[i].toRotationMatrix();
    Vec3 a = Vec3::Zero();
    for (Index v = 0; v < e.turning; ++v) a += e.arm[v].cross(r.transpose() * p[e.node[v]]);
    const Vec3 w = slew_under_tension(sheet.inertia[i], r.transpose() * covariance(e, x)) * a;
    for (Index v = 0; v < e.turning; ++v) out[e.node[v]] -= r * w.cross(e.arm[v]);
    for (Index k = 0; k < e.rows(); ++k) {
      const Vec3 row = apply(e, k, p);
      for (Index v = 0; v < e.members(); ++v) out[e.node[v]] += e.at(k, v) * row;
    }
  }
}

SymmetricMatrix stiffness_matrix(const SheetElements& sheet, Index nodes) {
  // The elements of every node.
  std::vector<Index> begin(std::size_t(nodes) + 1, 0), element(sheet.node.size());
  for (const Index n : sheet.node) ++begin[std::size_t(n) + 1];
  for (Index n = 0; n < nodes; ++n) begin[n + 1] += begin[n];
  std::vector<Index> next(begin.begin(), begin.end() - 1), member(sheet.node.size());
  for (Index e = 0; e < sheet.count(); ++e)
    for (Index v = sheet.begin[e]; v < sheet.begin[e + 1]; ++v) {
      const Index at = next[sheet.node[v]]++;
      element[at] = e;
      member[at] = v - sheet.begin[e];
    }
  SymmetricMatrix out;
  std::vector<double> sum(std::size_t(nodes), 0.0);
  std::vector<char> present(std::size_t(nodes), 0);
  std::vector<Index> row;
  const auto add = [&](Index i, Index j, double value) {
    if (j > i) return;
    if (!present[j]) present[j] = 1, row.push_back(j);
    sum[j] += value;
  };
  for (Index i = 0; i < nodes; ++i) {
    add(i, i, 0);
    for (Index at = begin[i]; at < begin[i + 1]; ++at) {
      const SheetElements::View e = sheet[element[at]];
      for (Index v = 0; v < e.members(); ++v) {
        double value = 0;
        for (Index k = 0; k < e.rows(); ++k) value += e.at(k, member[at]) * e.at(k, v);
        add(i, e.node[v], value);
      }
    }
    std::sort(row.begin(), row.end());
    for (const Index j : row) {
      out.column.push_back(j);
      out.value.push_back(sum[j]);
      sum[j] = 0;
      present[j] = 0;
    }
    row.clear();
    out.begin.push_back(Index(out.column.size()));
  }
  return out;
}

}  // namespace pliant::geometric
