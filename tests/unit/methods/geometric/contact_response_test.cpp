// SPDX-License-Identifier: Apache-2.0
// The response to impulses against explicit solves, and the momentum it gives.
#include "pliant/methods/geometric/contact_response.hpp"

#include <gtest/gtest.h>

#include <random>

#include "pliant/geometry/shape.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/energy.hpp"

namespace pliant::geometric {
namespace contact_response_test {

/// A box whose surface has vertices between the nodes, turned and somewhat strained.
class Response : public testing::TestWithParam<bool> {
 protected:
  Response() {
    const Shape shape = make_shape(BoxShape{.size = {0.6, 0.3, 0.4}, .nodes = {7, 4, 5}});
    auto rows = make_rows(shape.graph, 1000, {});
    auto made = make_model(std::move(*rows));
    model = std::move(*made);
    embedding = shape.embedding;
    for (const Triangle& t : shape.surface.triangles) {  // the middle of every triangle
      for (Index v : t) {
        embedding.column.push_back(shape.embedding.column[v]);
        embedding.weight.push_back(1.0 / 3);
      }
      embedding.begin.push_back(Index(embedding.column.size()));
    }
    arrangement =
        arrange(breadth_first_order(model.adjacency), std::vector<unsigned char>(model.rest.size(), 0));
    system.choose(direct);
    const SymmetricMatrix k = stiffness_matrix(model);
    EXPECT_EQ(system.factor(model, k, arrangement, {mass_factor, 2e-4}, true), "");
    turns.assign(model.parts.size(), 1);
    contact_rows.attach(embedding);
    response.attach({&model, &contact_rows, &arrangement, &system, &turns});
    const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
    places.assign(4 * std::size_t((model.nodes() + lanes - 1) / lanes * lanes), 0);
    for (Index i = 0; i < model.nodes(); ++i) {
      x.push_back(turn * (model.rest[i] + 0.05 * Vec3(model.rest[i].y(), 0, model.rest[i].x())) +
                  Vec3(5, 2, 1));
      for (int c = 0; c < 3; ++c) places[4 * std::size_t(arrangement.place[i]) + c] = x.back()[c];
    }
    response.turn_about(places.data(), mass_factor, true, pool);
    for (Index v = 0; v < embedding.rows(); v += 5)
      contacts.push_back({.key = {v, 0, 0}, .normal = {0, 1, 0}, .friction = 0.5});
  }

  const bool direct = GetParam();
  const double mass_factor = 1.3;
  Model model;
  Gather embedding;
  ContactRows contact_rows;
  Arrangement arrangement;
  LinearSystem system;
  std::vector<char> turns;
  ContactResponse response;
  Points x;
  Doubles places;
  std::vector<Contact> contacts;
  Pool pool{1};
};

TEST_P(Response, an_impulse_on_the_surface_gives_its_momentum_and_its_moment) {
  Points r(contacts.size()), on_nodes(x.size(), Vec3::Zero()), dv(x.size());
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  Vec3 impulse = Vec3::Zero(), moment = Vec3::Zero();
  for (std::size_t c = 0; c < r.size(); ++c) {
    r[c] = Vec3(normal(random), normal(random), normal(random));
    impulse += r[c];
    moment += contact_rows.observe(contacts[c], x).cross(r[c]);
  }
  contact_rows.collect(contacts, r, 1, on_nodes);
  response.respond(on_nodes, dv, pool);
  for (std::size_t i = 0; i < x.size(); ++i) {
    impulse -= mass_factor * model.mass[i] * dv[i];
    moment -= mass_factor * model.mass[i] * x[i].cross(dv[i]);
  }
  EXPECT_LT(impulse.norm(), 1e-11);
  EXPECT_LT(moment.norm(), 2e-6);  // arms are in single precision
}

TEST_P(Response, the_problem_s_blocks_are_what_explicit_responses_show) {
  ContactProblem problem;
  response.fill(contacts, problem, pool);
  Points r(contacts.size()), on_nodes(x.size()), dv(x.size());
  double worst = 0, largest = 0;
  for (std::size_t d = 0; d < contacts.size(); d += 7)
    for (int axis = 0; axis < 3; ++axis) {
      std::fill(r.begin(), r.end(), Vec3::Zero());
      r[d] = Vec3::Unit(axis);
      contact_rows.collect(contacts, r, 1, on_nodes);
      response.respond(on_nodes, dv, pool);
      for (std::size_t c = 0; c < contacts.size(); ++c) {
        const Vec3 column = problem.block(Index(c), Index(d)).col(axis);
        worst = std::max(worst, (contact_rows.observe(contacts[c], dv) - column).norm());
        largest = std::max(largest, column.norm());
      }
    }
  EXPECT_LT(worst / largest, 1e-5);
}

TEST_P(Response, the_problem_is_symmetric_and_positive) {
  ContactProblem problem;
  response.fill(contacts, problem, pool);
  const Index n = problem.size();
  Eigen::MatrixXd w(3 * n, 3 * n);
  for (Index c = 0; c < n; ++c)
    for (Index d = 0; d < n; ++d) w.block<3, 3>(3 * c, 3 * d) = problem.block(c, d);
  EXPECT_LT((w - w.transpose()).cwiseAbs().maxCoeff() / w.cwiseAbs().maxCoeff(), 1e-12);
  const Eigen::VectorXd values = dense_eigenvalues(w);
  EXPECT_GT(values.minCoeff() / values.maxCoeff(), -1e-6);
}

TEST_P(Response, columns_that_came_in_another_order_are_the_same) {
  ContactProblem whole, again;
  response.fill(contacts, whole, pool);
  response.flush();
  const std::vector<Contact> some(contacts.begin() + 3, contacts.begin() + 8);
  response.fill(some, again, pool);
  response.fill(contacts, again, pool);
  for (Index c = 0; c < whole.size(); ++c)
    for (Index d = 0; d < whole.size(); ++d) ASSERT_EQ(whole.s(c, d), again.s(c, d));
}

TEST_P(Response, inner_forces_neither_shift_nor_turn_a_part_whatever_their_rounding) {
  Floats g(places.size(), 0), none(places.size(), 0), z(places.size(), 0);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (Index k = 0; k < model.nodes(); ++k)
    for (int c = 0; c < 3; ++c) g[4 * std::size_t(k) + c] = normal(random);
  system.solve(g.data(), z.data(), pool);
  response.complete(g.data(), none.data(), z.data());
  Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
  double size = 0;
  for (Index i = 0; i < model.nodes(); ++i) {
    const Vec3 v =
        Eigen::Map<const Eigen::Vector3f>(z.data() + 4 * std::size_t(arrangement.place[i])).cast<double>();
    momentum += model.mass[i] * v;
    spin += model.mass[i] * (x[i] - Vec3(5, 2, 1)).cross(v);
    size += model.mass[i] * v.norm();
  }
  EXPECT_GT(size, 0.1);
  EXPECT_LT(momentum.norm(), 1e-5 * size);
  EXPECT_LT(spin.norm(), 1e-5 * size);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Response, testing::Bool(),
                         [](const auto& given) { return given.param ? "direct" : "multigrid"; });

}  // namespace contact_response_test
}  // namespace pliant::geometric
