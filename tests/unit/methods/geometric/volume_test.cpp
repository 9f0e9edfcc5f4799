// SPDX-License-Identifier: Apache-2.0
// Volume rows: their target, their energy and its derivatives, and how far a body keeps its volume.
#include <Eigen/LU>

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/volume_target.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"
#include "tests/unit/methods/geometric/slopes.hpp"

namespace pliant::geometric {
namespace volume_test {

Model volume_model(double w, double jitter = 0.25) {
  Rows rows = jittered(lattice({4, 4, 7}, 1, 1, 1000), jitter);
  rows.volume = w;
  return model_of(rows);
}

Points gradient_at(const Model& model, const Points& x) {
  Points out(x.size());
  gradient(model, x, rotations_at(model, x), out);
  return out;
}

TEST(VolumeTarget, has_determinant_one_and_no_neighbour_on_that_surface_is_nearer) {
  const Model model = volume_model(1);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Star& star = model.stars[20 + seed];
    const Mat3 b = (star.compliance * star.shape).inverse();
    const Points noise = random_points(3, 0.2, seed);
    Mat3 f = Mat3::Identity();
    for (int k = 0; k < 3; ++k) f.row(k) += noise[k].transpose();
    const Mat3 t = volume_target(star, f * b);
    ASSERT_NEAR(t.determinant(), 1, 1e-12);
    const auto distance = [&](const Mat3& m) { return ((m - f) * b * (m - f).transpose()).trace(); };
    for (unsigned other = 0; other < 20; ++other) {
      const Points moves = random_points(3, 1e-3, 100 + other);
      Mat3 near = t;
      for (int k = 0; k < 3; ++k) near.row(k) += moves[k].transpose();
      near /= std::cbrt(near.determinant());
      ASSERT_GE(distance(near), distance(t));
    }
  }
}

TEST(VolumeRows, the_gradient_is_exact) {
  const Model model = volume_model(4);
  const Points x = deformed(model.rest, 0.4), g = gradient_at(model, x);
  const auto energy_at = [&](const Points& y) { return energy(model, y, rotations_at(model, y)); };
  EXPECT_LT(slope_error(energy_at, x, g, 5), 1e-7);
}

TEST(VolumeRows, a_change_of_shape_at_equal_volume_costs_no_more_than_without_them) {
  const Model with = volume_model(10, 0), without = volume_model(0, 0);
  Points x = with.rest;
  for (Vec3& p : x) p = Vec3(1.2 * p.x() + 0.1 * p.z(), p.y() / 1.2, p.z());
  EXPECT_NEAR(energy(with, x, rotations_at(with, x)) / energy(without, x, rotations_at(without, x)), 1,
              1e-10);
  for (Vec3& p : x) p *= 1.1;
  EXPECT_GT(energy(with, x, rotations_at(with, x)), 1.2 * energy(without, x, rotations_at(without, x)));
}

/// The matrix of p -> out, column by column.
template <class Product>
Eigen::MatrixXd dense(std::size_t nodes, const Product& product) {
  Eigen::MatrixXd out(3 * nodes, 3 * nodes);
  Points p(nodes, Vec3::Zero()), q(nodes);
  for (std::size_t c = 0; c < 3 * nodes; ++c) {
    p[c / 3][c % 3] = 1;
    product(p, q);
    p[c / 3][c % 3] = 0;
    for (std::size_t r = 0; r < 3 * nodes; ++r) out(Index(r), Index(c)) = q[r / 3][r % 3];
  }
  return out;
}

TEST(VolumeRows, the_model_hessian_is_exact_at_rest_and_lies_between_zero_and_the_stiffness_matrix) {
  Rows rows = jittered(lattice({3, 3, 5}, 1, 1, 1000), 0.2);
  rows.volume = 4;
  const Model model = model_of(rows);
  const std::size_t n = model.rest.size();
  const Rotations still = rotations_at(model, model.rest);
  const Points p = random_points(n, 1, 4);
  const double s = 1e-5;
  Points up = model.rest, down = model.rest, product(n);
  for (std::size_t i = 0; i < n; ++i) up[i] += s * p[i], down[i] -= s * p[i];
  const Points above = gradient_at(model, up), below = gradient_at(model, down);
  hessian_product(model, still, p, product);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    error += ((above[i] - below[i]) / (2 * s) - product[i]).squaredNorm();
    size += product[i].squaredNorm();
  }
  EXPECT_LT(std::sqrt(error / size), 1e-6);

  const Points strained = deformed(model.rest, 0.8);
  const Rotations far = rotations_at(model, strained);
  const std::vector<Mat3> targets = volume_targets(model, strained);
  const Eigen::MatrixXd h =
      dense(n, [&](const Points& in, Points& out) { hessian_product(model, far, in, out, {}, targets); });
  const SymmetricMatrix lower = stiffness_matrix(model);
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(3 * Index(n), 3 * Index(n));
  for (Index i = 0; i < lower.rows(); ++i)
    for (Index e = lower.begin[i]; e < lower.begin[i + 1]; ++e)
      for (int c = 0; c < 3; ++c)
        k(3 * i + c, 3 * lower.column[e] + c) = k(3 * lower.column[e] + c, 3 * i + c) = lower.value[e];
  const double scale = k.norm();
  EXPECT_LT((h - h.transpose()).norm(), 1e-12 * scale);
  const auto smallest = [](const Eigen::MatrixXd& m) { return dense_eigenvalues(m)[0]; };
  EXPECT_GT(smallest(h), -1e-12 * scale);
  EXPECT_GT(smallest(k - h), -1e-12 * scale);
}

TEST(VolumeRows, flat_stars_have_none_and_leave_the_stiffness_matrix_alone) {
  Options options;
  options.weights = Weights::calibrated;
  Rows rows = *make_rows(make_shape(SheetShape{.nodes = {9, 9}}).graph, 1000, options);
  rows.volume = 4;
  const Model model = model_of(rows);
  for (double w : model.volume_rows) EXPECT_EQ(w, 0);
  EXPECT_EQ(model.pull, model.edge_weight);
}

/// A unit bar pulled to one and a half of its length, at rest: volume by its cells, and width at the middle.
struct Pulled {
  double volume_ratio = 0, width = 0;
  int iterations = 0;  ///< of the last step
};
double cell_volume(const Points& x, const std::array<int, 3>& nodes) {
  const auto at = [&](int i, int j, int k) { return x[std::size_t(i + nodes[0] * (j + nodes[1] * k))]; };
  double sum = 0;
  for (int k = 0; k + 1 < nodes[2]; ++k)
    for (int j = 0; j + 1 < nodes[1]; ++j)
      for (int i = 0; i + 1 < nodes[0]; ++i) {
        const Vec3 o = at(i, j, k);
        const Vec3 a = at(i + 1, j, k), b = at(i, j + 1, k), c = at(i, j, k + 1);
        const Vec3 ab = at(i + 1, j + 1, k), bc = at(i, j + 1, k + 1), ca = at(i + 1, j, k + 1);
        const Vec3 abc = at(i + 1, j + 1, k + 1);
        const auto tet = [](const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
          return (q - p).cross(r - p).dot(s - p) / 6;
        };
        sum += tet(o, a, ab, abc) + tet(o, ab, b, abc) + tet(o, b, bc, abc) + tet(o, bc, c, abc) +
               tet(o, c, ca, abc) + tet(o, ca, a, abc);
      }
  return sum;
}
Pulled pulled_bar(double w) {
  const std::array<int, 3> nodes{9, 9, 41};
  Options options;
  options.integrator = Integrator::euler;
  options.tolerance = 1e-4;
  options.volume = w;
  const auto body = body_of(lattice(nodes, 1, 1, 1000), options, {.mass = 1, .stiffness = 0});
  const Points rest = body->nodes().x;
  Points x = rest;
  for (Vec3& p : x) p.z() *= 1.5;
  body->place(x, Points(x.size(), Vec3::Zero()));
  std::vector<Index> held;
  Points targets;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].z() < 0.5 || rest[i].z() > 39.5) held.push_back(Index(i)), targets.push_back(x[i]);
  Pool pool(1);
  StepInput input;
  input.held = held;
  input.targets = targets;
  input.pool = &pool;
  Pulled out;
  input.h = 2;
  for (int k = 0; k < 6; ++k) {
    const StepReport report = body->advance(input);
    EXPECT_TRUE(report.ok()) << report.trouble;
    out.iterations = report.iterations;
  }
  const Points& now = body->nodes().x;
  out.volume_ratio = cell_volume(now, nodes) / cell_volume(rest, nodes);
  out.width = now[nearest_node(rest, {8, 4, 20})].x() - now[nearest_node(rest, {0, 4, 20})].x();
  return out;
}

TEST(VolumeRows, a_pulled_bar_keeps_its_volume_as_published) {
  struct {
    double w, volume, width;
  } const table[] = {{0, 1.500, 8}, {1, 1.275, 7.32}, {4, 1.122, 6.83}, {16, 1.042, 6.54}};
  for (const auto& row : table) {
    const Pulled bar = pulled_bar(row.w);
    EXPECT_NEAR(bar.volume_ratio / row.volume, 1, 0.02) << row.w;
    EXPECT_NEAR(bar.width / row.width, 1, 0.02) << row.w;
    RecordProperty("w" + std::to_string(int(row.w)), std::to_string(bar.volume_ratio));
    std::printf("w %g: volume %.4f, width %.3f, %d iterations in the last step\n", row.w, bar.volume_ratio,
                bar.width, bar.iterations);
  }
}

}  // namespace volume_test
}  // namespace pliant::geometric
