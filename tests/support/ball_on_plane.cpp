// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ball_on_plane.hpp"

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace pliant {
namespace {

using Eigen::Vector2d, Eigen::Vector4d;
using std::numbers::pi;
using Strain = Eigen::Matrix<double, 5, 1>;  // F: dr/dR, dr/dZ, dz/dR, dz/dZ, r/R
using Tangent = Eigen::Matrix<double, 5, 5>;

constexpr int load_steps = 8, most_solves = 30;
constexpr double balanced = 1e-6;  // unbalanced force of a node over the weight

struct Material {
  Law law;
  double mu, lambda;

  Strain stress(const Strain& f) const {
    Eigen::Matrix3d at;
    at << f[0], f[1], 0, f[2], f[3], 0, 0, 0, f[4];
    const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
    Eigen::Matrix3d p;
    if (law == Law::green) {
      const Eigen::Matrix3d g = (at.transpose() * at - one) / 2;
      p = at * (2 * mu * g + lambda * g.trace() * one);
    } else {
      Eigen::Matrix3d turn = one;
      if (law == Law::corotated) {
        const double c = f[0] + f[3], s = f[2] - f[1], length = std::hypot(c, s);
        turn.topLeftCorner<2, 2>() << c / length, -s / length, s / length, c / length;
      }
      Eigen::Matrix3d e = turn.transpose() * at - one;
      if (law == Law::linear) e = (e + e.transpose()).eval() / 2;
      p = turn * (2 * mu * e + lambda * e.trace() * one);
    }
    return {p(0, 0), p(0, 1), p(1, 0), p(1, 1), p(2, 2)};
  }
  Tangent tangent(const Strain& f) const {
    constexpr double step = 1e-6;
    Tangent out;
    for (int k = 0; k < 5; ++k) {
      const Strain d = step * Strain::Unit(k);
      out.col(k) = (stress(f + d) - stress(f - d)) / (2 * step);
    }
    return out;
  }
};

/// Symmetric, in bands: row i holds the entries j = i - width .. i. Solved by L D L^T.
struct Banded {
  int width;
  std::vector<double> entry;
  Banded(int rows, int w) : width(w), entry(std::size_t(rows) * std::size_t(w + 1), 0.0) {}
  double& at(int i, int j) {
    return entry[std::size_t(i) * std::size_t(width + 1) + std::size_t(j - i + width)];
  }

  void solve(Eigen::VectorXd& b) {
    const int rows = int(b.size());
    for (int i = 0; i < rows; ++i) {
      const int first = std::max(0, i - width);
      for (int j = first; j < i; ++j)  // l_ij d_j
        for (int k = std::max(first, j - width); k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
      for (int j = first; j < i; ++j) {
        const double l = at(i, j) / at(j, j);
        at(i, i) -= l * at(i, j);
        b[i] -= l * b[j];
        at(i, j) = l;
      }
      // rows below need l_ik d_k l_jk: they hold l_ik d_k themselves while they are eliminated
    }
    for (int i = 0; i < rows; ++i) b[i] /= at(i, i);
    for (int i = rows - 1; i >= 0; --i)
      for (int j = std::max(0, i - width); j < i; ++j) b[j] -= at(i, j) * b[i];
  }
};

/// Rings about the point of contact, a distance s from it, from the axis (column 0) to the surface.
class Grid {
 public:
  std::vector<Vector2d> rest;
  int rings = 0, columns = 0;

  Grid(double contact, int fineness) : columns(14 * fineness) {
    std::vector<double> s{0};
    double step = contact / (10 * fineness);
    while (s.back() < 1.6 * contact) s.push_back(s.back() + step);
    while (s.back() + 1.5 * step < 2) {
      step = std::min(step * std::pow(1.1, 2.0 / fineness), 0.08 / fineness);
      s.push_back(s.back() + step);
    }
    s.back() = 2;
    rings = int(s.size()) - 1;
    rest.resize(std::size_t(node(rings, 0)) + 1);
    for (int i = 0; i <= rings; ++i)
      for (int j = 0; j <= columns; ++j) {
        const double angle = std::acos(std::min(1.0, s[std::size_t(i)] / 2)) * j / columns;
        rest[std::size_t(node(i, j))] =
            s[std::size_t(i)] * Vector2d(j > 0 ? std::sin(angle) : 0, std::cos(angle));
      }
  }
  /// The first and the last ring are a point each.
  int node(int ring, int column) const {
    return ring == 0 ? 0 : 1 + (ring - 1) * (columns + 1) + (ring < rings ? column : 0);
  }
  int size() const { return int(rest.size()); }
};

struct Point {
  std::array<int, 4> node;
  double weight, radius;  // 2 pi r dA, r
  Vector4d shape;
  Eigen::Matrix<double, 4, 2> gradient;
};

std::vector<Point> points_of(const Grid& grid) {
  std::vector<Point> out;
  const double g = 1 / std::sqrt(3.0);
  for (int i = 0; i < grid.rings; ++i)
    for (int j = 0; j < grid.columns; ++j)
      for (const double u : {-g, g})
        for (const double v : {-g, g}) {
          Point p{{grid.node(i, j), grid.node(i + 1, j), grid.node(i + 1, j + 1), grid.node(i, j + 1)},
                  0,
                  0,
                  {},
                  {}};
          p.shape << (1 - u) * (1 - v), (1 + u) * (1 - v), (1 + u) * (1 + v), (1 - u) * (1 + v);
          p.gradient << v - 1, u - 1, 1 - v, -1 - u, 1 + v, 1 + u, -1 - v, 1 - u;
          p.shape /= 4, p.gradient /= 4;
          Eigen::Matrix2d jacobian = Eigen::Matrix2d::Zero();
          for (int k = 0; k < 4; ++k) {
            const Vector2d& x = grid.rest[std::size_t(p.node[std::size_t(k)])];
            jacobian += x * p.gradient.row(k);
            p.radius += p.shape[k] * x.x();
          }
          p.weight = 2 * pi * p.radius * std::abs(jacobian.determinant());
          p.gradient = p.gradient * jacobian.inverse().eval();
          out.push_back(p);
        }
  return out;
}

/// Radius and Young's modulus are 1; x holds r and z of the nodes in turn.
class Solver {
 public:
  Solver(const BallOnPlane& ball, double contact)
      : grid_(contact, ball.fineness),
        points_(points_of(grid_)),
        law_{ball.law, 0.5 / (1 + ball.poisson),
             ball.poisson / ((1 + ball.poisson) * (1 - 2 * ball.poisson))},
        contact_(contact) {
    x_.resize(2 * grid_.size());
    share_.setZero(grid_.size());
    for (int i = 0; i < grid_.size(); ++i) x_.segment<2>(2 * i) = grid_.rest[std::size_t(i)];
    for (const Point& p : points_)
      for (int k = 0; k < 4; ++k) share_[p.node[std::size_t(k)]] += p.weight * p.shape[k];
    share_ /= share_.sum();
    touches_.assign(std::size_t(grid_.size()), 0);
    touches_[0] = 1;
  }

  double height() const {
    double sum = 0;
    for (int i = 0; i < grid_.size(); ++i) sum += share_[i] * x_[2 * i + 1];
    return sum;
  }

  bool balance(double weight) {
    for (int k = 0; k < most_solves; ++k) {
      Banded matrix(int(x_.size()), 2 * grid_.columns + 5);
      Eigen::VectorXd force = assemble(weight, matrix);
      const bool changed = k > 0 && change_contact(force);
      double most = 0;
      for (int i = 0; i < x_.size(); ++i)
        if (!held(i)) most = std::max(most, std::abs(force[i]));
      if (k > 0 && !changed && most < balanced * weight) return true;
      hold(matrix, force);
      matrix.solve(force);
      x_ += force;
    }
    return false;
  }

 private:
  bool held(int i) const {
    return i % 2 == 0 ? grid_.rest[std::size_t(i / 2)].x() == 0 : touches_[std::size_t(i / 2)];
  }

  /// Of the weight and the stress; the matrix is minus its derivative.
  Eigen::VectorXd assemble(double weight, Banded& matrix) const {
    Eigen::VectorXd force = Eigen::VectorXd::Zero(x_.size());
    for (int i = 0; i < grid_.size(); ++i) force[2 * i + 1] = -weight * share_[i];
    for (const Point& p : points_) {
      Eigen::Matrix<double, 5, 8> b = Eigen::Matrix<double, 5, 8>::Zero();
      Eigen::Matrix<double, 8, 1> at;
      for (int k = 0; k < 4; ++k) {
        b.block<2, 1>(0, 2 * k) = b.block<2, 1>(2, 2 * k + 1) = p.gradient.row(k).transpose();
        b(4, 2 * k) = p.shape[k] / p.radius;
        at.segment<2>(2 * k) = x_.segment<2>(2 * p.node[std::size_t(k)]);
      }
      const Strain f = b * at;
      const Eigen::Matrix<double, 8, 1> pull = p.weight * b.transpose() * law_.stress(f);
      const Eigen::Matrix<double, 8, 8> block = p.weight * b.transpose() * law_.tangent(f) * b;
      for (int i = 0; i < 8; ++i) {
        const int row = 2 * p.node[std::size_t(i / 2)] + i % 2;
        force[row] -= pull[i];
        for (int j = 0; j < 8; ++j)
          if (const int column = 2 * p.node[std::size_t(j / 2)] + j % 2; column <= row)
            matrix.at(row, column) += block(i, j);
      }
    }
    return force;
  }

  /// A node that is pulled up by the ball leaves the plane; one that is below it touches.
  bool change_contact(const Eigen::VectorXd& force) {
    bool changed = false;
    for (int ring = 1; ring < grid_.rings; ++ring) {
      const int i = grid_.node(ring, grid_.columns);
      if (grid_.rest[std::size_t(i)].x() > 2 * contact_) break;
      const char now = touches_[std::size_t(i)] ? force[2 * i + 1] <= 0 : x_[2 * i + 1] < 0;
      changed = changed || now != touches_[std::size_t(i)];
      touches_[std::size_t(i)] = now;
    }
    return changed;
  }

  /// Nodes of the axis stay there, and those that touch go onto the plane.
  void hold(Banded& matrix, Eigen::VectorXd& force) const {
    const int rows = int(x_.size());
    const auto way = [&](int i) { return i % 2 == 1 ? -x_[i] : 0.0; };
    for (int i = 0; i < rows; ++i)
      for (int j = std::max(0, i - matrix.width); j < i; ++j) {
        if (!held(i) && !held(j)) continue;
        if (held(j) && !held(i)) force[i] -= matrix.at(i, j) * way(j);
        if (held(i) && !held(j)) force[j] -= matrix.at(i, j) * way(i);
        matrix.at(i, j) = 0;
      }
    for (int i = 0; i < rows; ++i)
      if (held(i)) matrix.at(i, i) = 1, force[i] = way(i);
  }

  Grid grid_;
  std::vector<Point> points_;
  Material law_;
  double contact_;
  Eigen::VectorXd x_, share_;  // share of the mass
  std::vector<char> touches_;
};

}  // namespace

double sinking_over_hertz(const BallOnPlane& ball) {
  const double weight = 4 * pi / 3 * ball.load;
  const double contact = std::cbrt(3 * weight * (1 - ball.poisson * ball.poisson) / 4);
  Solver solver(ball, contact);
  const double start = solver.height();
  for (int k = 1; k <= load_steps; ++k)
    if (!solver.balance(weight * k / load_steps)) return std::numeric_limits<double>::quiet_NaN();
  return (start - solver.height()) / (contact * contact);
}

}  // namespace pliant
