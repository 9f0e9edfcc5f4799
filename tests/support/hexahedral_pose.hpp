// SPDX-License-Identifier: Apache-2.0
// The baseline of [Martin09, Fig. 1 and 5]: trilinear hexahedra on a box, with the quadrature points, the
// material and the springs of a caged body, so that the basis is all that differs. Statics by Newton's steps.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pliant/base/types.hpp"
#include "pliant/math/rotation.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "tests/support/linear_algebra.hpp"

namespace pliant {

class HexahedralPose {
 public:
  HexahedralPose(const Vec3& low, const Vec3& high, const std::array<int, 3>& cells, double young,
                 double poisson)
      : low_(low),
        cells_(cells),
        mu_(young / (2 * (1 + poisson))),
        lambda_(young * poisson / ((1 + poisson) * (1 - 2 * poisson))) {
    for (int k = 0; k < 3; ++k) cell_[k] = (high[k] - low[k]) / cells[std::size_t(k)];
    x_.resize(3, (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1));
    for (int i = 0; i <= cells[0]; ++i)
      for (int j = 0; j <= cells[1]; ++j)
        for (int k = 0; k <= cells[2]; ++k)
          x_.col(node(i, j, k)) = low + Vec3(i * cell_[0], j * cell_[1], k * cell_[2]);
  }

  int freedoms() const { return int(x_.size()); }
  void add_point(const Vec3& at, double volume) { points_.push_back({basis(at), volume}); }
  /// A spring of that stiffness, N/m; its target is set later.
  void add_spring(const Vec3& at, double stiffness) { springs_.push_back({basis(at), stiffness, at}); }
  void aim(std::size_t spring, const Vec3& target) { springs_[spring].target = target; }
  Vec3 place(const Vec3& at) const {
    const Basis b = basis(at);
    Vec3 out = Vec3::Zero();
    for (int c = 0; c < 8; ++c) out += b.value[c] * x_.col(b.node[c]);
    return out;
  }
  double elastic_energy() const {
    double sum = 0;
    for (const Point& p : points_) sum += energy_of(p, x_);
    return sum;
  }

  /// Newton's steps until the forces balance to that share of the springs' forces. Returns how many; -1:
  /// stuck.
  int relax(double tolerance, int most) {
    for (int step = 1; step <= most; ++step) {
      const Eigen::Index n3 = x_.size();
      Eigen::MatrixXd h = Eigen::MatrixXd::Zero(n3, n3);
      Eigen::VectorXd f = Eigen::VectorXd::Zero(n3), pulled = f;
      for (const Point& p : points_) add(p, h, f);
      for (const Spring& s : springs_) {
        Vec3 apart = -s.target;
        for (int c = 0; c < 8; ++c) apart += s.at.value[c] * x_.col(s.at.node[c]);
        for (int a = 0; a < 8; ++a) {
          pulled.segment<3>(3 * s.at.node[a]) -= s.stiffness * s.at.value[a] * apart;
          for (int b = 0; b < 8; ++b)
            h.block<3, 3>(3 * s.at.node[a], 3 * s.at.node[b]).diagonal().array() +=
                s.stiffness * s.at.value[a] * s.at.value[b];
        }
      }
      const double acting = f.norm() + pulled.norm();
      f += pulled;
      if (f.norm() <= tolerance * acting) return step - 1;
      h.diagonal().array() += 1e-9 * h.diagonal().mean();
      const Eigen::VectorXd way = solve_symmetric(h, f);
      const Eigen::Matrix3Xd start = x_;
      const double before = total(start), slope = way.dot(f);
      bool lower = false;
      for (double share = 1; share > 1e-4 && !lower; share /= 2) {
        x_ = start + share * Eigen::Map<const Eigen::Matrix3Xd>(way.data(), 3, start.cols());
        lower = total(x_) <= before - 1e-4 * share * slope + 1e-12 * std::abs(before);
      }
      if (!lower) return -1;
    }
    return -1;
  }

 private:
  struct Basis {
    std::array<int, 8> node;
    std::array<double, 8> value;
    std::array<Vec3, 8> gradient;
  };
  struct Point {
    Basis at;
    double volume;
  };
  struct Spring {
    Basis at;
    double stiffness;
    Vec3 target;
  };

  int node(int i, int j, int k) const { return (i * (cells_[1] + 1) + j) * (cells_[2] + 1) + k; }
  Basis basis(const Vec3& at) const {
    std::array<int, 3> cell{};
    Vec3 u;
    for (int k = 0; k < 3; ++k) {
      const double s = (at[k] - low_[k]) / cell_[k];
      cell[std::size_t(k)] = std::clamp(int(std::floor(s)), 0, cells_[std::size_t(k)] - 1);
      u[k] = s - cell[std::size_t(k)];
    }
    Basis out;
    for (int c = 0; c < 8; ++c) {
      double v[3], d[3];
      for (int k = 0; k < 3; ++k) {
        const int up = c >> k & 1;
        v[k] = up ? u[k] : 1 - u[k];
        d[k] = (up ? 1 : -1) / cell_[k];
      }
      const std::size_t e = std::size_t(c);
      out.node[e] = node(cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2 & 1));
      out.value[e] = v[0] * v[1] * v[2];
      out.gradient[e] = {d[0] * v[1] * v[2], v[0] * d[1] * v[2], v[0] * v[1] * d[2]};
    }
    return out;
  }
  static Mat3 strain(const Point& p, const Eigen::Matrix3Xd& x) {
    Mat3 f = Mat3::Zero();
    for (std::size_t c = 0; c < 8; ++c) f += x.col(p.at.node[c]) * p.at.gradient[c].transpose();
    return f;
  }
  static Mat3 rotation(const Mat3& f) {
    return nearest_rotation(f, Eigen::Quaterniond::Identity()).q.toRotationMatrix();
  }
  double energy_of(const Point& p, const Eigen::Matrix3Xd& x) const {
    const Mat3 f = strain(p, x), r = rotation(f);
    const double trace = (r.transpose() * f).trace() - 3;
    return p.volume * (mu_ * (f - r).squaredNorm() + lambda_ / 2 * trace * trace);
  }
  double total(const Eigen::Matrix3Xd& x) const {
    double sum = 0;
    for (const Point& p : points_) sum += energy_of(p, x);
    for (const Spring& s : springs_) {
      Vec3 apart = -s.target;
      for (std::size_t c = 0; c < 8; ++c) apart += s.at.value[c] * x.col(s.at.node[c]);
      sum += s.stiffness / 2 * apart.squaredNorm();
    }
    return sum;
  }
  /// The force and the second derivative of a point's energy, without what is negative in the latter: strain
  /// rows and, for the turning of the rotation, the rows of equation.hpp.
  void add(const Point& p, Eigen::MatrixXd& h, Eigen::VectorXd& force) const {
    const Mat3 f = strain(p, x_), r = rotation(f), s = r.transpose() * f;
    const double trace = s.trace() - 3;
    const Mat3 stress = p.volume * (2 * mu_ * (f - r) + lambda_ * trace * r);
    const Spectrum3 stretch = spectrum((s + s.transpose()) / 2);
    Vec3 turn;
    for (int k = 0; k < 3; ++k)
      turn[k] = std::max(
          0.0, mu_ + (lambda_ * trace - 2 * mu_) / std::max(stretch.values.sum() - stretch.values[k], 1e-3));
    const Mat3 twist = stretch.with(turn.cwiseSqrt());
    Eigen::MatrixXd rows(10, 24);
    for (std::size_t c = 0; c < 8; ++c)
      for (int a = 0; a < 3; ++a) {
        const Mat3 d = r.row(a).transpose() * p.at.gradient[c].transpose();  // R^T e_a g^T
        Eigen::Matrix<double, 10, 1> row;
        row << std::sqrt(2 * mu_) * d.diagonal(), std::sqrt(mu_) * (d(0, 1) + d(1, 0)),
            std::sqrt(mu_) * (d(0, 2) + d(2, 0)), std::sqrt(mu_) * (d(1, 2) + d(2, 1)),
            std::sqrt(lambda_) * d.trace(),
            twist * Vec3(d(2, 1) - d(1, 2), d(0, 2) - d(2, 0), d(1, 0) - d(0, 1));
        rows.col(Eigen::Index(3 * c) + a) = row;
      }
    const Eigen::MatrixXd local = p.volume * rows.transpose() * rows;
    for (std::size_t a = 0; a < 8; ++a) {
      force.segment<3>(3 * p.at.node[a]) -= stress * p.at.gradient[a];
      for (std::size_t b = 0; b < 8; ++b)
        h.block<3, 3>(3 * p.at.node[a], 3 * p.at.node[b]) +=
            local.block<3, 3>(Eigen::Index(3 * a), Eigen::Index(3 * b));
    }
  }

  Vec3 low_, cell_;
  std::array<int, 3> cells_;
  double mu_, lambda_;
  Eigen::Matrix3Xd x_;
  std::vector<Point> points_;
  std::vector<Spring> springs_;
};

}  // namespace pliant
