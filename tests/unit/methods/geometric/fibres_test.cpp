// SPDX-License-Identifier: Apache-2.0
// Fibres: how stiff a body is along and across them.
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace fibres_test {

Shape block() { return make_shape(BoxShape{.size = {0.4, 0.4, 1}, .nodes = {5, 5, 11}}); }

Options with_fibres(const Vec3& direction, double strength) {
  Options options;
  options.integrator = Integrator::euler;
  options.tolerance = 1e-6;
  options.fibres.direction = direction;
  options.fibres.strength = strength;
  return options;
}

/// Axial modulus of the block along z: both ends held, pulled by a thousandth, the energy is E A strain^2
/// L/2.
double modulus(const Options& options) {
  const auto body = body_of(block(), options);
  Points x = body->nodes().x;
  for (Vec3& p : x) p.z() *= 1.001;
  body->place(x, Points(x.size(), Vec3::Zero()));
  return body->elastic_energy() / (0.5 * 0.16 * 1e-6);
}

TEST(Fibres, the_modulus_along_them_is_one_plus_the_strength_and_unchanged_across) {
  EXPECT_NEAR(modulus(with_fibres({0, 0, 1}, 0)) / 1e5, 1, 1e-9);
  EXPECT_NEAR(modulus(with_fibres({0, 0, -3}, 2.5)) / 1e5, 3.5, 1e-9);
  EXPECT_NEAR(modulus(with_fibres({1, 0, 0}, 2.5)) / 1e5, 1, 1e-9);
  EXPECT_NEAR(modulus(with_fibres({0, 1, 1}, 2.5)) / 1e5, 1 + 2.5 / 2, 1e-9);
}

TEST(Fibres, a_field_has_one_direction_a_node_and_both_ends_of_an_edge_count_alike) {
  const Shape shape = block();
  Options options = with_fibres({0, 0, 1}, 2);
  options.fibres.field.assign(shape.graph.positions.size(), Vec3(0, 0, -2));
  EXPECT_NEAR(modulus(options) / 1e5, 3, 1e-9);
  for (std::size_t i = 0; i < options.fibres.field.size(); ++i)
    if (shape.graph.positions[i].z() > 0.45) options.fibres.field[i] = Vec3::Zero();
  const Rows rows = *make_rows(shape.graph, 1000, options), plain = *make_rows(shape.graph, 1000, Options{});
  for (std::size_t k = 0; k < rows.edges.size(); ++k) {
    const Vec3 a = rows.rest[rows.edges[k].a], b = rows.rest[rows.edges[k].b];
    const int ends = (a.z() < 0.45) + (b.z() < 0.45);
    const double factor = std::abs(b.z() - a.z()) > 0.01 ? 1 + ends : 1;
    ASSERT_NEAR(rows.edge_weight[k] / plain.edge_weight[k], factor, 1e-12);
  }
}

TEST(Fibres, stiffen_the_edges_of_a_shell_and_are_refused_where_laplacian_rows_carry_the_energy) {
  const Shape sheet = on_surface(make_shape(SheetShape{.nodes = {9, 9}}), 0.01);
  Options options;
  options.op = Operator::edge;
  const auto cost = [&](const Vec3& fibre, const Vec3& stretch) {
    options.fibres = {.direction = fibre, .strength = 3};
    const auto body = body_of(sheet, options);
    Points x = body->nodes().x;
    for (Vec3& p : x) p = stretch.cwiseProduct(p);
    body->place(x, Points(x.size(), Vec3::Zero()));
    return body->elastic_energy();
  };
  // Sides along x and z, and diagonals whose cotangents are (nearly) zero.
  const Vec3 along_x(1.001, 1, 1), along_z(1, 1, 1.001);
  EXPECT_NEAR(cost({1, 0, 0}, along_x) / cost({0, 0, 1}, along_x), 4, 0.02);
  EXPECT_NEAR(cost({1, 0, 0}, along_z) / cost({0, 0, 1}, along_z), 0.25, 0.002);
  options.bending = 1;
  EXPECT_GT(cost({1, 0, 0}, along_x), 1.5 * cost({0, 0, 1}, along_x));
  options = Options{};
  options.preset = Preset::surface_solid;
  options.fibres = {.direction = {1, 0, 0}, .strength = 3};
  const auto refused = build(sheet, 1000, {}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().problems.front().place, "geometric.fibres.strength");
}

TEST(Fibres, say_what_is_wrong_with_their_directions) {
  const Shape shape = block();
  const auto zero = build(shape, 1000, {}, with_fibres({0, 0, 0}, 1));
  ASSERT_FALSE(zero);
  EXPECT_NE(zero.error().text().find("fibres.direction"), std::string::npos);
  Options options = with_fibres({0, 0, 1}, 1);
  options.fibres.field.assign(7, Vec3(0, 0, 1));
  const auto few = build(shape, 1000, {}, options);
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().text().find("7 directions"), std::string::npos);
}

}  // namespace fibres_test
}  // namespace pliant::geometric
