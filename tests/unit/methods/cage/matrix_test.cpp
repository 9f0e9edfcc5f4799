// SPDX-License-Identifier: Apache-2.0
// Forces and matrices of the cage method against their definitions, written out point by point
// [Martin09, Eq. 15 to 17], and against differences.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/green_coordinates.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/math/rotation.hpp"
#include "pliant/methods/cage/equation.hpp"

namespace pliant::cage {
namespace matrix_test {

constexpr double young = 1000;

Model bar_model() {
  const Options options{.stiffness = young, .precision = Precision::twice};
  const Shape shape = with_quadrature(
      make_shape(BoxShape{.size = {1, 1, 2}, .nodes = {4, 4, 7}, .corner = {-0.5, -0.5, -1}}), 70);
  Result<Model> made =
      make_model(shape, box_cage({-0.6, -0.6, -1.1}, {0.6, 0.6, 1.1}, {1, 1, 2}), 1, options);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

Columns random_columns(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  Columns out(3, count);
  for (Index k = 0; k < 3 * count; ++k) out.data()[k] = u(random);
  return out;
}

/// The cage turned, scaled and with vertices moved at random.
Columns deformed(const Model& m, double scale, double by) {
  const Mat3 turn = Eigen::AngleAxisd(0.8, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Columns rest = m.rest.leftCols(m.n());
  return (turn * (scale * rest + by * random_columns(m.n(), 1))).colwise() + Vec3(0.3, -1, 2);
}

/// What the formulas speak of at every point, made without the kernels.
struct Definition {
  const Model& m;
  Columns z;                 // Z at x, from the mean of its vertices
  Eigen::MatrixXd gradient;  // of b: (N + T) x 3 Q
  std::vector<Mat3> f, r;

  Definition(const Model& model, const Columns& x) : m(model), z(3, model.rows()) {
    z.leftCols(m.n()) = x.colwise() - Vec3(x.rowwise().mean());
    scaled_normals(m.faces, x, z.rightCols(m.t()));
    Points at;
    for (const Index node : m.points) at.push_back(m.nodes[std::size_t(node)]);
    gradient = green_coordinates(m.cage, at).gradient;
    look();
  }
  void look() {
    f.clear(), r.clear();
    for (Index q = 0; q < m.count(); ++q) {
      f.push_back(z * gradient.middleCols(3 * q, 3));
      r.push_back(nearest_rotation(f.back(), Eigen::Quaterniond::Identity()).q.toRotationMatrix());
      EXPECT_GT(r.back().determinant(), 0);
    }
  }
  double energy() const {
    double sum = 0;
    for (std::size_t q = 0; q < f.size(); ++q) {
      const double trace = (r[q].transpose() * f[q]).trace() - 3;
      sum += m.weight[q] * (m.mu * (f[q] - r[q]).squaredNorm() + m.lambda / 2 * trace * trace);
    }
    return sum;
  }
  Vec3 slope(Index row, std::size_t q) const {
    return gradient.block<1, 3>(row, 3 * Eigen::Index(q)).transpose();
  }
  /// K_q of two rows, at rest.
  Mat3 stiffness(std::size_t q, Index i, Index j) const {
    const Vec3 g = slope(i, q), h = slope(j, q);
    return m.weight[q] *
           (m.lambda * g * h.transpose() + m.mu * h * g.transpose() + m.mu * g.dot(h) * Mat3::Identity());
  }
};

/// The equation of a bar, asked at any place of its cage.
struct Bar {
  Model m = bar_model();
  Cache cache;
  Scratch scratch{m};
  Pool pool{1};
  Look<double> at;
  Equation<double> equation{m, cache, scratch};

  Bar() {
    scratch.make<double>(m, true);
    set_rest(m.batches(), at);
  }

  const Look<double>& look(const Columns& x) {
    equation.look_at(x, at, pool);
    return at;
  }
  double energy(const Columns& x) { return look(x).energy; }
  /// Elastic force on the vertices with normals that follow, in the world; that on Z in the frame is in
  /// scratch.force.
  Columns force(const Columns& x) {
    look(x);
    StepInput in;
    in.pool = &pool;
    equation.find_jacobians();
    equation.force_on_z(in, at, x.rowwise().mean(), scratch.force);
    Columns out;
    equation.pull_back(scratch.force, out);
    return at.axes.toRotationMatrix() * out;
  }
  /// Force on Z in the world.
  Columns force_on_z(const Columns& x) {
    force(x);
    return at.axes.toRotationMatrix() * scratch.force;
  }
  /// The matrix of a step times a motion of the vertices in the world; whole: with the twist of the rotations
  /// and the curvature of the normals, else the Gauss-Newton matrix.
  Columns matrix_times(const Columns& x, const Columns& way, bool whole) {
    force(x);
    const Index n = m.n(), n3 = 3 * n;
    equation.find_gram(at, whole, pool);
    scratch.pulled.setZero(n3, n3);
    if (whole) equation.add_curvature(scratch.force, false);
    const Mat3 frame = at.axes.toRotationMatrix();
    const Columns local = frame.transpose() * way;
    Columns out = Columns::Zero(3, n);
    const double* gram = scratch.twice.gram.data();
    for (Index j = 0; j < n3; ++j)
      for (Index i = 0; i < n3; ++i)
        out(i / n, i % n) +=
            (gram[std::max(i, j) + n3 * std::min(i, j)] + scratch.pulled(i, j)) * local(j / n, j % n);
    return frame * out;
  }
};

TEST(CageMatrix, frozen_normals_have_the_sum_of_the_points_turned_stiffnesses) {
  const Model m = bar_model();
  const Definition at(m, deformed(m, 1, 0.1));
  const int n = int(m.n()), n3 = 3 * n, points = int(m.count());
  const CageKernels<double>& kernel = kernels<double>();
  AlignedVector<double> rows(panel_size(n3, points)), gram(panel_size(n3, padded(n3))), system(gram);
  for (int b = 0; b < m.batches(); ++b) {
    PointBatch<double> batch{};
    for (int lane = 0; lane < lanes && b * lanes + lane < points; ++lane)
      for (int k = 0; k < 9; ++k) batch.r[k][lane] = at.r[std::size_t(b * lanes + lane)](k / 3, k % 3);
    kernel.frozen_rows(m.twice.by_point.data() + std::size_t(b) * lanes * 3 * std::size_t(by_point_stride(n)),
                       n, &batch.r[0][0], m.twice.root_weight.data() + std::size_t(b) * lanes, 0,
                       std::min(lanes, points - b * lanes), rows.data() + std::size_t(b) * lanes * lanes,
                       points);
  }
  Pool pool{1};
  gram_panels(n3, points, rows.data(), gram.data(), pool);
  const Eigen::MatrixXd scalar = m.mu * m.laplacian;
  kernel.frozen_system(gram.data(), n, m.lambda, m.mu, scalar.data(), system.data());
  double most = 0, off = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      Mat3 expected = Mat3::Zero();
      for (std::size_t q = 0; q < at.r.size(); ++q)
        expected += at.r[q] * at.stiffness(q, i, j) * at.r[q].transpose();
      most = std::max(most, expected.cwiseAbs().maxCoeff());
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d)
          if (c * n + i >= d * n + j)
            off =
                std::max(off, std::abs(system[in_panels(c * n + i, d * n + j, padded(n3))] - expected(c, d)));
    }
  EXPECT_LT(off, 5e-15 * most);
}

// The product that conjugate gradients use has no matrix; it is that of the factored one.
TEST(CageMatrix, frozen_normals_multiply_alike_with_and_without_a_matrix) {
  Bar bar;
  const Index n = bar.m.n();
  const int n3 = 3 * int(n);
  bar.look(deformed(bar.m, 1, 0.1));
  const FrozenWeights weights(0.1, {.mass = 0.3, .stiffness = 0.02});
  AlignedVector<double> v(std::size_t(padded(n3)), 0.0), product(v);
  const Columns way = random_columns(n, 3);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < 3; ++c) v[std::size_t(c * n + i)] = way(c, i);
  bar.equation.times_frozen(bar.at, weights.stiff, bar.equation.frozen_scalar(weights), v, product, bar.pool);
  StageWatch watch;
  ASSERT_EQ(bar.equation.factor_frozen(bar.at, weights, bar.pool, watch), 0.0);
  solve(n3, bar.scratch.twice.system.data(), product.data());
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(product[k], v[k], 1e-9);
}

TEST(CageMatrix, forces_are_those_of_the_paper) {
  Bar bar;
  const Model& m = bar.m;
  const Columns x = deformed(m, 1, 0.1);
  const Definition at(m, x);
  const Columns force = bar.force_on_z(x);
  // f_i = -sum over q and rows j of R K_ij (R^T z_j - z_j at rest)
  Columns expected = Columns::Zero(3, m.rows());
  for (std::size_t q = 0; q < at.r.size(); ++q)
    for (Index i = 0; i < m.rows(); ++i)
      for (Index j = 0; j < m.rows(); ++j)
        expected.col(i) -=
            at.r[q] * (at.stiffness(q, i, j) * (at.r[q].transpose() * at.z.col(j) - m.rest.col(j)));
  EXPECT_LT((force - expected).norm(), 1e-8 * expected.norm());
  EXPECT_NEAR(bar.energy(x), at.energy(), 1e-10 * at.energy());
  const Vec3 sum = force.leftCols(m.n()).rowwise().sum();
  EXPECT_LT(sum.norm(), 1e-12 * force.leftCols(m.n()).cwiseAbs().sum()) << "phi sum to 1";
}

TEST(CageMatrix, forces_on_vertices_are_minus_the_slope_of_the_energy_with_the_normals_held) {
  Bar bar;
  const Model& m = bar.m;
  const Columns x = deformed(m, 1, 0.1);
  const Columns force = bar.force_on_z(x);
  Definition at(m, x);
  const Columns z = at.z;
  for (unsigned seed = 2; seed < 6; ++seed) {
    const Columns way = random_columns(m.n(), seed);
    double side[2];
    for (const int k : {0, 1}) {
      at.z = z;
      at.z.leftCols(m.n()) += (k == 0 ? -1e-5 : 1e-5) * way;
      at.look();
      side[k] = at.energy();
    }
    const double work = force.leftCols(m.n()).cwiseProduct(way).sum();
    EXPECT_NEAR(-(side[1] - side[0]) / 2e-5, work, 1e-6 * std::abs(work));
  }
}

TEST(CageMatrix, forces_are_minus_the_slope_of_the_energy_with_normals_that_follow) {
  Bar bar;
  const Columns x = deformed(bar.m, 1, 0.1);
  const Columns force = bar.force(x);
  for (unsigned seed = 2; seed < 6; ++seed) {
    const Columns way = random_columns(bar.m.n(), seed);
    const double slope = (bar.energy(x + 1e-5 * way) - bar.energy(x - 1e-5 * way)) / 2e-5;
    EXPECT_NEAR(-slope, force.cwiseProduct(way).sum(), 1e-6 * force.norm());
  }
}

TEST(CageMatrix, a_body_that_only_moved_feels_no_force) {
  Bar bar;
  EXPECT_LT(bar.force(deformed(bar.m, 1, 0)).norm(), 1e-9 * young * 2 * 2);
}

/// How far the matrix is from differences of the forces, over the latter.
double apart(Bar& bar, const Columns& x, bool whole) {
  double most = 0;
  for (unsigned seed = 2; seed < 6; ++seed) {
    const Columns way = random_columns(Index(x.cols()), seed);
    const Columns slope = (bar.force(x - 1e-5 * way) - bar.force(x + 1e-5 * way)) / 2e-5;
    most = std::max(most, (bar.matrix_times(x, way, whole) - slope).norm() / slope.norm());
  }
  return most;
}

TEST(CageMatrix, the_matrix_of_normals_that_follow_is_the_slope_of_the_forces_at_rest) {
  Bar bar;
  EXPECT_LT(apart(bar, deformed(bar.m, 1, 0), false), 1e-7);
}

// Stretched, so that nothing in the twist of the rotations is negative, which is left out.
TEST(CageMatrix, the_whole_matrix_is_the_slope_of_the_forces_where_the_body_is_strained) {
  Bar bar;
  const Columns x = deformed(bar.m, 1.2, 0.05);
  EXPECT_LT(apart(bar, x, true), 1e-6);
  EXPECT_GT(apart(bar, x, false), 1e-2) << "the Gauss-Newton matrix is not enough there";
}

}  // namespace matrix_test
}  // namespace pliant::cage
