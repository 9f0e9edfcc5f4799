// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/surface_rows.hpp"

#include "pliant/geometry/body_graph.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "tests/support/test_surfaces.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"
#include "tests/unit/methods/geometric/slopes.hpp"

namespace pliant::geometric {
namespace surface_rows_test {

Options with(Operator op, double stiffness = 1e5) {
  Options options;
  options.op = op;
  options.stiffness = stiffness;
  if (op == Operator::mixed) options.laplacian = 2;
  return options;
}

struct Named {
  std::string name;
  Options options;
};
std::vector<Named> operators() {
  std::vector<Named> all{{"edge", with(Operator::edge)},
                         {"cotangent", with(Operator::cotangent)},
                         {"mixed", with(Operator::mixed)},
                         {"edge and second ring", with(Operator::edge)},
                         {"mixed and second ring", with(Operator::mixed)},
                         {"sheet", with(Operator::sheet)}};
  for (std::size_t k : {3u, 4u}) all[k].options.bending = 0.5;
  return all;
}

/// Closed, open or with three sheets at an edge; irregular.
std::vector<std::pair<std::string, NodeGraph>> surfaces() {
  TriMesh ball = sphere_surface(6), open = ball, three = ball;
  open.triangles.resize(open.triangles.size() - 9);
  three.vertices.push_back({0.3, 1.2, 0.8});
  three.triangles.push_back({0, 1, Index(three.vertices.size()) - 1});
  std::vector<std::pair<std::string, NodeGraph>> out;
  for (auto& [name, mesh] : {std::pair{"closed", &ball}, {"open", &open}, {"non-manifold", &three}}) {
    const Points noise = random_points(mesh->vertices.size(), 0.03, 5);
    for (std::size_t i = 0; i < noise.size(); ++i) mesh->vertices[i] += noise[i];
    out.emplace_back(name, surface_graph(mesh->vertices, mesh->triangles, 0.1));
  }
  return out;
}

TEST(GeometricSurfaceRows, the_gradient_is_exact_for_every_operator_and_surface) {
  for (const auto& [surface, graph] : surfaces())
    for (const auto& [name, options] : operators()) {
      const Model model = model_of(*make_surface_rows(graph, 1000, options));
      const Points x = deformed(model.rest, 0.3);
      Points g(x.size());
      gradient(model, x, rotations_at(model, x), g);
      const auto energy_at = [&](const Points& y) { return energy(model, y, rotations_at(model, y)); };
      EXPECT_LT(slope_error(energy_at, x, g, 3), 1e-6) << name << " on " << surface;
    }
}

TEST(GeometricSurfaceRows, the_stiffness_matrix_is_that_of_the_rows_and_above_the_model_hessian) {
  for (const auto& [surface, graph] : surfaces())
    for (const auto& [name, options] : operators()) {
      const Model model = model_of(*make_surface_rows(graph, 1000, options));
      if (model.sheet) continue;  // sheet_test.cpp
      const SymmetricMatrix k = stiffness_matrix(model);
      const Points p = random_points(model.rest.size(), 1, 7), zero(p.size(), Vec3::Zero());
      // With rotations of no effect the gradient is K x - const: its difference is K p.
      const Rotations still(p.size(), Eigen::Quaterniond::Identity());
      Points at_p(p.size()), at_zero(p.size()), product(p.size(), Vec3::Zero()), hessian(p.size());
      gradient(model, p, still, at_p);
      gradient(model, zero, still, at_zero);
      double quadratic = 0, model_quadratic = 0;
      for (Index i = 0; i < k.rows(); ++i)
        for (Index e = k.begin[i]; e < k.begin[i + 1]; ++e) {
          product[i] += k.value[e] * p[k.column[e]];
          if (k.column[e] != i) product[k.column[e]] += k.value[e] * p[i];
        }
      hessian_product(model, still, p, hessian);
      for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_LT((product[i] - at_p[i] + at_zero[i]).norm(), 1e-9 * (1 + product[i].norm())) << name;
        quadratic += p[i].dot(product[i]);
        model_quadratic += p[i].dot(hessian[i]);
      }
      EXPECT_GT(model_quadratic, 0) << name << " on " << surface;
      EXPECT_LE(model_quadratic, quadratic) << name << " on " << surface;
    }
}

// ---- units ----

/// A strip of equilateral triangles along z, `across` and `along` nodes, spacing 1 / (along - 1) * length.
TriMesh strip_surface(int across, int along, double length) {
  TriMesh mesh;
  const double h = length / (along - 1);
  for (int k = 0; k < along; ++k)
    for (int i = 0; i < across; ++i) mesh.vertices.emplace_back(i * h, 0, k * h);
  for (int k = 0; k + 1 < along; ++k)
    for (int i = 0; i + 1 < across; ++i) {
      const Index a = k * across + i;
      mesh.triangles.push_back({a, a + across, a + across + 1});
      mesh.triangles.push_back({a, a + across + 1, a + 1});
    }
  return mesh;
}

Options quiet(Options options) {
  options.integrator = Integrator::euler;
  options.tolerance = 1e-6;
  return options;
}

Shape as_shape(const TriMesh& mesh, double thickness) {
  Shape shape;
  shape.surface = mesh;
  shape.closed = is_closed(mesh.triangles);
  return on_surface(shape, thickness);
}

TEST(GeometricSurfaceRows, a_sheet_stretches_as_youngs_modulus_and_thickness_say) {
  const double modulus = 1e5, thickness = 0.01, length = 2, force = 0.5;
  for (const int along : {9, 21}) {
    const int across = (along - 1) / 4 + 1;
    const Shape sheet = as_shape(strip_surface(across, along, length), thickness);
    auto body = body_of(sheet, quiet(with(Operator::edge, modulus)));
    const Clamp held = clamp(sheet.graph.positions);
    // The load of an edge goes to its ends: those at the corners get half.
    Points forces(sheet.graph.positions.size(), Vec3::Zero());
    const Index first = Index(forces.size()) - across;
    for (int i = 0; i < across; ++i)
      forces[first + i].z() = force / (across - 1) * (i == 0 || i == across - 1 ? 0.5 : 1);
    Pool pool(1);
    settle(*body,
           {.held = held.held, .targets = held.targets, .forces = forces, .contact = {}, .pool = &pool}, 0.5,
           60);
    double end = 0;
    for (int i = 0; i < across; ++i) end += body->nodes().x[first + i].z() / across - length / across;
    const double width = length / 4;
    EXPECT_NEAR(end / length * modulus * thickness * width / force, 1, 0.01) << along;
  }
}

/// How far the top of a ball sinks under its weight, relative to its radius: held below, `rings` fine.
double sinking(int rings, const Options& options, double thickness) {
  const Shape shape = as_shape(sphere_surface(rings, 0.5), thickness);
  auto body = body_of(shape, quiet(options));
  std::vector<Index> held;
  Points targets;
  for (std::size_t i = 0; i < shape.graph.positions.size(); ++i)
    if (shape.graph.positions[i].y() < -0.35) {
      held.push_back(Index(i));
      targets.push_back(shape.graph.positions[i]);
    }
  Pool pool(1);
  settle(*body, {.gravity = {0, -9.81, 0}, .held = held, .targets = targets, .contact = {}, .pool = &pool},
         0.5, 40);
  return (0.5 - body->nodes().x[0].y()) / 0.5;
}

TEST(GeometricSurfaceRows, a_solid_by_its_surface_answers_alike_at_two_resolutions) {
  const Options options = with(Operator::cotangent, 4e6);
  const double coarse = sinking(12, options, 0), fine = sinking(24, options, 0);
  EXPECT_GT(fine, 1e-3);
  EXPECT_NEAR(coarse / fine, 1, 0.1) << coarse << " " << fine;
}

TEST(GeometricSurfaceRows, a_shell_answers_alike_at_two_resolutions) {
  const Options options = with(Operator::edge, 2e6);
  const double coarse = sinking(16, options, 0.02), fine = sinking(32, options, 0.02);
  EXPECT_GT(fine, 1e-4);
  EXPECT_NEAR(coarse / fine, 1, 0.1) << coarse << " " << fine;
}

TEST(GeometricSurfaceRows, each_kind_of_rows_gives_a_stretched_ball_the_energy_of_the_solid) {
  const TriMesh mesh = sphere_surface(24, 0.5);
  const NodeGraph graph = surface_graph(mesh.vertices, mesh.triangles, 0.01);
  const double volume = enclosed_volume(mesh.vertices, mesh.triangles), strain = 1e-3, modulus = 1e5;
  for (const bool laplacian : {false, true}) {
    Options options = with(Operator::mixed, modulus);
    options.edge = laplacian ? 1e-9 : 1;
    options.laplacian = laplacian ? 1 : 1e-9;
    Rows rows = *make_surface_rows(graph, 1000, options);
    double mass = 0;
    for (const double m : rows.mass) mass += m;
    EXPECT_NEAR(mass / (1000 * volume), 1, 1e-9);
    const Model model = model_of(std::move(rows));
    Points x = model.rest;
    for (Vec3& p : x) p.y() *= 1 + strain;
    const Rotations none(x.size(), Eigen::Quaterniond::Identity());
    EXPECT_NEAR(energy(model, x, none) / (0.5 * modulus * volume * strain * strain), 1, 0.03) << laplacian;
  }
}

// ---- bending ----

/// Tip drop over length of a strip of 13 x 41 nodes, spacing, mass and load 1, weight of every edge `weight`,
/// clamped at one end.
double strip_drop(double weight, double laplacian, double second) {
  const TriMesh mesh = strip_surface(13, 41, 40);
  const NodeGraph graph = surface_graph(mesh.vertices, mesh.triangles, 1);
  Rows rows;
  rows.rest = graph.positions;
  rows.mass.assign(rows.rest.size(), 1);
  std::vector<NodePair> pairs;
  for (const auto& e : graph.edges) pairs.push_back({e.a, e.b});
  const std::vector<NodePair> ring = second_ring(Index(rows.rest.size()), graph.edges);
  if (second > 0) pairs.insert(pairs.end(), ring.begin(), ring.end());
  rows.edges = edges_of(pairs);
  for (const auto& e : rows.edges)
    rows.edge_weight.push_back(std::binary_search(ring.begin(), ring.end(), NodePair{e.a, e.b}) ? second
                                                                                                : weight);
  rows.laplacian_weight = laplacian;
  const Points rest = rows.rest;
  auto body = body_of(rows, quiet({}), {.mass = 0.3, .stiffness = 0});
  Clamp held;  // two rows: one would be a hinge
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].z() < 1.5) held.held.push_back(Index(i)), held.targets.push_back(rest[i]);
  Pool pool(1);
  settle(*body,
         {.gravity = {0, -1, 0}, .held = held.held, .targets = held.targets, .contact = {}, .pool = &pool},
         0.5, 300);
  const Index tip = nearest_node(rest, Vec3(6, 0, 40));
  return -body->nodes().x[tip].y() / 40;
}

TEST(GeometricSurfaceRows, second_ring_edges_are_what_resists_bending) {
  // With this weight edges alone sink by the published 0.76 of the length; the others follow from it.
  // (Published for the Laplacian rows: 0.70 and 0.58.)
  const double weight = 6200;
  EXPECT_NEAR(strip_drop(weight, 0, 0), 0.76, 0.01);
  EXPECT_NEAR(strip_drop(weight, 0, weight), 0.25, 0.02);
  const double ten = strip_drop(weight, 10 * weight, 0), hundred = strip_drop(weight, 100 * weight, 0);
  EXPECT_NEAR(ten, 0.67, 0.02);
  EXPECT_NEAR(hundred, 0.51, 0.02);
}

// ---- whatever a mesh brings ----

struct Odd {
  std::string name;
  Points vertices;
  std::vector<Triangle> triangles;
  std::vector<NodePair> wires = {};
};
std::vector<Odd> odd_surfaces() {
  const double s = std::sqrt(3.0) / 2;
  return {{"one triangle", {{0, 0, 0}, {1, 0, 0}, {0.5, 0, s}}, {{0, 1, 2}}},
          {"a flat border",
           {{0, 0, 0}, {1, 0, 0}, {0.5, 0, s}, {1.5, 0, s}, {2, 0, 0}},
           {{0, 1, 2}, {1, 3, 2}, {1, 4, 3}}},
          {"three sheets at an edge",
           {{0, 0, 0}, {0, 1, 0}, {1, 0.5, 0}, {-0.5, 0.5, s}, {-0.5, 0.5, -s}},
           {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}},
          {"a wire on a triangle: valence 2 and 1",
           {{0, 0, 0}, {1, 0, 0}, {0.5, 0, s}, {0, 1, 0}, {0, 2, 0}},
           {{0, 1, 2}},
           {{0, 3}, {3, 4}}},
          {"a lone vertex", {{0, 0, 0}, {1, 0, 0}, {0.5, 0, s}, {5, 5, 5}}, {{0, 1, 2}}},
          {"a triangle without area", {{0, 0, 0}, {1, 0, 0}, {0.5, 0, s}, {2, 0, 0}}, {{0, 1, 2}, {0, 1, 3}}},
          {"two cones at a point",
           {{0, 0, 0}, {1, 1, 0}, {0, 1, 1}, {-1, 1, 0}, {1, -1, 0}, {0, -1, 1}, {-1, -1, 0}},
           {{0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 6}}}};
}

TEST(GeometricSurfaceRows, odd_surfaces_fall_turn_and_are_pulled_without_a_number_that_is_none) {
  for (const Odd& odd : odd_surfaces())
    for (const auto& [name, options] : operators()) {
      const NodeGraph graph = surface_graph(odd.vertices, odd.triangles, 0.05, odd.wires);
      auto body = body_of(*make_surface_rows(graph, 1000, options), options);
      Points v(odd.vertices.size());
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = Vec3(1, 2, 3).cross(odd.vertices[i]) * 3;
      body->place(odd.vertices, v);
      Pool pool(1);
      const std::vector<Index> held{0};
      const Points target{odd.vertices[0] + Vec3(0.3, 0, 0)};
      for (int step = 0; step < 40; ++step) {
        StepInput input{.gravity = {0, -9.81, 0}, .contact = {}, .pool = &pool};
        if (step >= 20) input.held = held, input.targets = target;
        const StepReport report = body->advance(input);
        ASSERT_TRUE(report.ok()) << odd.name << ", " << name << ": " << report.trouble;
      }
      for (const Vec3& x : body->nodes().x) ASSERT_TRUE(x.allFinite()) << odd.name << ", " << name;
      EXPECT_TRUE(std::isfinite(body->elastic_energy())) << odd.name << ", " << name;
    }
}

TEST(GeometricSurfaceRows, a_star_that_does_not_say_its_rotation_keeps_the_one_it_had) {
  // The end of a wire along y may spin about it: the spin of its warm start stays.
  const NodeGraph graph = surface_graph({{0, 0, 0}, {0, 1, 0}}, {}, 1, {{0, 1}});
  Rows rows;
  rows.rest = graph.positions;
  rows.mass = {1, 1};
  rows.edges = graph.edges;
  rows.edge_weight = {1};
  const Model model = model_of(rows);
  const Eigen::Quaterniond spin(Eigen::AngleAxisd(0.7, Vec3(0, 1, 0)));
  Rotations rotations(2, spin);
  update_rotations(model, model.rest, rotations);
  for (const auto& r : rotations) EXPECT_LT(r.angularDistance(spin), 1e-12);
}

TEST(GeometricSurfaceRows, settings_that_contradict_each_other_are_refused_by_name) {
  const Shape shape = as_shape(sphere_surface(5), 0.1);
  const auto refused = [&](Options options, const char* place) {
    const auto body = build(shape, 1000, {}, options);
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().problems.front().place, place);
  };
  Options options = with(Operator::edge);
  options.laplacian = 1;
  refused(options, "geometric.laplacian");
  options = with(Operator::mixed);
  options.laplacian = 0;
  refused(options, "geometric.operator");
  options = with(Operator::mixed);
  options.preset = Preset::shell;
  refused(options, "geometric.operator");
  options = Options{};
  options.bending = 1;
  refused(options, "geometric.bending");
  for (const double share : {0.25, 1.0}) {  // surfaces have no ripples to keep or leave out
    options = with(Operator::edge);
    options.hourglass = share;
    refused(options, "geometric.hourglass");
  }
  options = with(Operator::edge);
  options.volume = 4;
  refused(options, "geometric.volume");
  EXPECT_FALSE(build(make_shape(BoxShape{}), 1000, {}, with(Operator::edge)));
  options = with(Operator::cotangent);
  options.edge = 0;
  EXPECT_FALSE(build(shape, 1000, {}, options));  // no rotation from one row a node
  options.covariance = Covariance::paper;
  EXPECT_TRUE(build(shape, 1000, {}, options));
}

TEST(GeometricSurfaceRows, presets_are_the_operators_they_name) {
  Options options;
  options.preset = Preset::shell;
  EXPECT_EQ(operator_of(options), Operator::sheet);
  options.preset = Preset::surface_solid;
  EXPECT_EQ(operator_of(options), Operator::cotangent);
  const auto weights = surface_weights(options);
  ASSERT_TRUE(weights);
  EXPECT_EQ(weights->edge, 0.01);
  EXPECT_EQ(weights->laplacian, 1);
}

}  // namespace surface_rows_test
}  // namespace pliant::geometric
