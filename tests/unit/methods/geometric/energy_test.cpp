// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/energy.hpp"

#include <Eigen/SparseCholesky>

#include "pliant/math/symmetric_eigen.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"
#include "tests/unit/methods/geometric/slopes.hpp"

namespace pliant::geometric {
namespace energy_test {

struct Case {
  std::string name;
  double edge = 1, laplacian = 0;
  Covariance covariance = Covariance::consistent;
  double relief = 0;
};
std::vector<Case> cases() {
  return {{"edge"},
          {"edge with relief", 1, 0, Covariance::consistent, 0.75},
          {"edge and Laplacian", 0.3, 1},
          {"paper, edge", 1, 0, Covariance::paper},
          {"paper, edge and Laplacian", 0.3, 1, Covariance::paper},
          {"paper, Laplacian", 0, 1, Covariance::paper}};
}
Model jittered_model(const Case& c) {
  Rows rows = jittered(lattice({4, 4, 7}, 1, 1, 1000 * c.edge), 0.25);
  rows.laplacian_weight = 1000 * c.laplacian;
  rows.covariance = c.covariance;
  if (c.relief > 0) rows.relief.assign(rows.edges.size(), c.relief);
  return model_of(rows);
}

Points gradient_at(const Model& model, const Points& x) {
  Points out(x.size());
  gradient(model, x, rotations_at(model, x), out);
  return out;
}
double energy_at(const Model& model, const Points& x) { return energy(model, x, rotations_at(model, x)); }

double norm(const Points& p) {
  double sum = 0;
  for (const Vec3& v : p) sum += v.squaredNorm();
  return std::sqrt(sum);
}

TEST(GeometricEnergy, rigid_motion_costs_nothing_and_is_seen_as_the_rotation_it_is) {
  for (const Case& c : cases()) {
    const Model model = jittered_model(c);
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(2.8, Vec3(1, -2, 3).normalized()));
    Points x = model.rest;
    for (Vec3& p : x) p = turn * p + Vec3(5, -7, 11);
    const Rotations rotations = rotations_at(model, x);
    for (const auto& r : rotations)
      ASSERT_LT((r.toRotationMatrix() - turn.toRotationMatrix()).norm(), 1e-12) << c.name;
    EXPECT_LT(energy(model, x, rotations), 1e-20 * 1000) << c.name;
    for (const Vec3& g : gradient_at(model, x)) ASSERT_LT(g.norm(), 1e-10 * 1000) << c.name;
  }
}

TEST(GeometricEnergy, a_turned_state_has_the_same_energy) {
  for (const Case& c : cases()) {
    const Model model = jittered_model(c);
    Points x = deformed(model.rest, 0.4);
    const double before = energy_at(model, x);
    const Eigen::AngleAxisd turn(1.7, Vec3(-1, 1, 2).normalized());
    for (Vec3& p : x) p = turn * p + Vec3(1, 2, 3);
    EXPECT_NEAR(energy_at(model, x) / before, 1, 1e-12) << c.name;
  }
}

TEST(GeometricEnergy, forces_have_no_resultant_and_with_the_consistent_covariance_no_torque) {
  for (const Case& c : cases()) {
    const Model model = jittered_model(c);
    const Points x = deformed(model.rest, 0.4), g = gradient_at(model, x);
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    double size = 0, lever = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += g[i];
      torque += x[i].cross(g[i]);
      size += g[i].norm();
      lever += x[i].norm() * g[i].norm();
    }
    EXPECT_LT(sum.norm(), 1e-12 * size) << c.name;
    if (c.covariance == Covariance::consistent) {
      EXPECT_LT(torque.norm(), 1e-12 * lever) << c.name;
    } else {
      EXPECT_GT(torque.norm(), 1e-4 * lever) << c.name;  // the defect the consistent covariance repairs
    }
  }
}

TEST(GeometricEnergy, the_gradient_is_exact_with_the_consistent_covariance_only) {
  for (const Case& c : cases()) {
    const Model model = jittered_model(c);
    const Points x = deformed(model.rest, 0.4), g = gradient_at(model, x);
    const double error = slope_error([&](const Points& y) { return energy_at(model, y); }, x, g, 5);
    if (c.covariance == Covariance::consistent) {
      EXPECT_LT(error, 1e-7) << c.name;
    } else {
      EXPECT_GT(error, 0.05) << c.name;
      EXPECT_LT(error, 0.5) << c.name;
    }
  }
}

TEST(GeometricEnergy, relief_leaves_linear_maps_what_they_cost_and_takes_its_share_of_a_ripple) {
  const Model whole = jittered_model({"edge"}),
              relieved = jittered_model({"relieved", 1, 0, Covariance::consistent, 0.75});
  Mat3 map;
  map << 1.2, 0.1, -0.2, 0.3, 0.8, 0.1, 0, 0.2, 1.1;
  Points x = whole.rest;
  for (Vec3& p : x) p = map * p + Vec3(3, -1, 2);
  EXPECT_NEAR(energy_at(relieved, x) / energy_at(whole, x), 1, 1e-12);
  const Points one = gradient_at(whole, x), other = gradient_at(relieved, x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((one[i] - other[i]).norm(), 1e-9 * norm(one));
  // Every second layer moved against the others: ripples of every star but those at the ends, and nothing else.
  const Model lattice_whole = model_of(lattice({5, 5, 5}, 1, 1, 1000));
  Rows rows = lattice({5, 5, 5}, 1, 1, 1000);
  for (const auto& e : rows.edges) rows.relief.push_back(rows.rest[e.a].x() != rows.rest[e.b].x() ? 0.75 : 0);
  const Model lattice_relieved = model_of(rows);
  Points moved = lattice_whole.rest;
  for (Vec3& p : moved) p.y() += std::lround(p.x()) % 2 ? 0.01 : 0;
  EXPECT_NEAR(energy_at(lattice_whole, moved) - energy_at(lattice_relieved, moved),
              0.75 * 25 * 3 * 2 * 0.5 * 1000 * 1e-4, 1e-9);
}

Eigen::SparseMatrix<double> sparse(const SymmetricMatrix& m) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < m.rows(); ++i)
    for (Index k = m.begin[i]; k < m.begin[i + 1]; ++k) {
      entries.emplace_back(i, m.column[k], m.value[k]);
      if (m.column[k] != i) entries.emplace_back(m.column[k], i, m.value[k]);
    }
  Eigen::SparseMatrix<double> out(m.rows(), m.rows());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

TEST(GeometricEnergy, the_stiffness_matrix_is_the_sum_of_its_rows) {
  for (const Case& c : cases()) {
    const Model model = jittered_model(c);
    const SymmetricMatrix lower = stiffness_matrix(model);
    for (Index i = 0; i < lower.rows(); ++i) ASSERT_EQ(lower.column[lower.begin[i + 1] - 1], i);
    const Eigen::SparseMatrix<double> k = sparse(lower);
    const double size = Eigen::MatrixXd(k).norm();
    EXPECT_LT((k * Eigen::VectorXd::Ones(k.rows())).norm(), 1e-12 * size) << c.name;
    const Eigen::VectorXd values = dense_eigenvalues(Eigen::MatrixXd(k));
    EXPECT_GT(values[0], -1e-12 * size) << c.name;
    EXPECT_GT(values[1], 1e-9 * size) << c.name;  // only translations are free
    for (std::size_t e = 0; c.laplacian == 0 && e < model.edges.size(); ++e)
      ASSERT_DOUBLE_EQ(k.coeff(model.edges[e].a, model.edges[e].b), -2 * model.edge_weight[e]);
    if (c.relief > 0) continue;
    // g with frozen rotations is linear with slope K.
    const Points x = deformed(model.rest, 0.4), p = random_points(x.size(), 1, 9);
    const Rotations rotations = rotations_at(model, x);
    Points y = x, before(x.size()), after(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += p[i];
    gradient(model, x, rotations, before);
    gradient(model, y, rotations, after);
    for (int axis = 0; axis < 3; ++axis) {
      Eigen::VectorXd direction(Index(x.size())), change(Index(x.size()));
      for (std::size_t i = 0; i < x.size(); ++i) {
        direction[Index(i)] = p[i][axis];
        change[Index(i)] = after[i][axis] - before[i][axis];
      }
      EXPECT_LT((k * direction - change).norm(), 1e-11 * change.norm()) << c.name;
    }
  }
}

TEST(GeometricEnergy, the_model_hessian_is_exact_at_rest_and_lies_between_zero_and_the_stiffness_matrix) {
  for (const Case& c : cases()) {
    if (c.covariance == Covariance::paper) continue;  // the paper's forces have no symmetric Hessian
    const Model model = jittered_model(c);
    const Eigen::SparseMatrix<double> k = sparse(stiffness_matrix(model));
    const Points p = random_points(model.rest.size(), 1, 4);
    const double s = 1e-5;
    Points up = model.rest, down = model.rest, product(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) up[i] += s * p[i], down[i] -= s * p[i];
    const Points above = gradient_at(model, up), below = gradient_at(model, down);
    hessian_product(model, rotations_at(model, model.rest), p, product);
    Points difference(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) difference[i] = (above[i] - below[i]) / (2 * s) - product[i];
    EXPECT_LT(norm(difference), 1e-6 * norm(product)) << c.name;

    const Rotations far = rotations_at(model, deformed(model.rest, 0.8));
    for (unsigned seed = 0; seed < 10; ++seed) {
      const Points q = random_points(p.size(), 1, seed);
      hessian_product(model, far, q, product);
      double hessian = 0, stiffness = 0;
      for (std::size_t i = 0; i < q.size(); ++i) hessian += q[i].dot(product[i]);
      for (int axis = 0; axis < 3; ++axis) {
        Eigen::VectorXd v(Index(q.size()));
        for (std::size_t i = 0; i < q.size(); ++i) v[Index(i)] = q[i][axis];
        stiffness += v.dot(k * v);
      }
      EXPECT_GE(hessian, 0) << c.name;
      EXPECT_LE(hessian, stiffness) << c.name;
    }
  }
}

/// Elongation at a corner of a 5 x 5 x layers bar, clamped at one end, with 10 force units on every node of
/// the other.
double elongation(int layers, double edge, double laplacian, Covariance covariance) {
  Rows rows = lattice({5, 5, layers}, 1, 1, edge);
  rows.laplacian_weight = laplacian;
  rows.covariance = covariance;
  const Model model = model_of(rows);
  const SymmetricMatrix k = stiffness_matrix(model);
  const Clamp held = clamp(model.rest);
  std::vector<Index> number(model.rest.size(), 0);
  for (Index i : held.held) number[i] = -1;
  Index count = 0;
  for (Index& n : number)
    if (n == 0) n = count++;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < k.rows(); ++i)
    for (Index e = k.begin[i]; e < k.begin[i + 1]; ++e)
      if (number[i] >= 0 && number[k.column[e]] >= 0)
        entries.emplace_back(std::max(number[i], number[k.column[e]]),
                             std::min(number[i], number[k.column[e]]), k.value[e]);
  Eigen::SparseMatrix<double> matrix(count, count);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::VectorXd load = Eigen::VectorXd::Zero(count);
  for (std::size_t i = 0; i < model.rest.size(); ++i)
    if (model.rest[i].z() > layers - 1.5) load[number[i]] = 10;
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(matrix);

  // Local/global iterations: rotations, then the linear balance with them.
  Points x = model.rest;
  double change = 1;
  for (int round = 0; round < 200 && change > 1e-9 * layers; ++round) {
    const Points g = gradient_at(model, x);
    Eigen::MatrixXd residual(count, 3);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (number[i] >= 0) residual.row(number[i]) = (Vec3(0, 0, load[number[i]]) - g[i]).transpose();
    const Eigen::MatrixXd u = factor.solve(residual);
    change = u.norm();
    for (std::size_t i = 0; i < x.size(); ++i)
      if (number[i] >= 0) x[i] += u.row(number[i]).transpose();
  }
  EXPECT_LT(change, 1e-9 * layers);
  const Index corner = nearest_node(model.rest, Vec3(4, 4, layers - 1));
  return (x[corner] - model.rest[corner]).z();
}

TEST(GeometricEnergy, axial_strain_is_force_over_twice_the_edge_weight) {
  for (int layers : {11, 21, 41})
    EXPECT_NEAR(elongation(layers, 1000, 0, Covariance::consistent) / (layers - 1) * 2000 / 10, 1, 1e-6);
}

TEST(GeometricEnergy, laplacian_rows_alone_stretch_with_the_third_power_of_the_length) {
  const double short_bar = elongation(11, 0, 1000, Covariance::paper);
  const double middle = elongation(21, 0, 1000, Covariance::paper);
  const double long_bar = elongation(41, 0, 1000, Covariance::paper);
  EXPECT_NEAR(short_bar, 23.3, 0.1);
  EXPECT_NEAR(middle, 184.9, 1);
  EXPECT_NEAR(middle / short_bar, 8, 0.16);
  EXPECT_NEAR(long_bar / short_bar, 64, 1.28);
}

TEST(GeometricModel, laplacian_rows_alone_need_the_papers_covariance) {
  Rows rows = lattice({3, 3, 3}, 1, 1, 0);
  rows.laplacian_weight = 1;
  const auto refused = make_model(rows);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("covariance"), std::string::npos);
  rows.covariance = Covariance::paper;
  EXPECT_TRUE(make_model(rows));
}

TEST(GeometricModel, names_the_node_or_edge_that_is_wrong) {
  Rows rows = lattice({3, 3, 3}, 1, 1, 1);
  rows.mass[17] = 0;
  EXPECT_NE(make_model(rows).error().text().find("node 17"), std::string::npos);
  rows = lattice({3, 3, 3}, 1, 1, 1);
  rows.edge_weight[5] = -1;
  EXPECT_FALSE(make_model(rows));
  rows = lattice({3, 3, 3}, 1, 1, 1);
  rows.rest[1] = rows.rest[0];
  EXPECT_NE(make_model(rows).error().text().find("same place"), std::string::npos);
}

}  // namespace energy_test
}  // namespace pliant::geometric
