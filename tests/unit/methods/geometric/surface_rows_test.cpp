// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/surface_rows.hpp"

#include "pliant/geometry/body_graph.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "tests/support/test_surfaces.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace {

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
                         {"mixed and second ring", with(Operator::mixed)}};
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
      double error = 0, size = 0;
      const double s = 1e-5;
      for (std::size_t i = 0; i < x.size(); i += 3)
        for (int k = 0; k < 3; ++k) {
          Points up = x, down = x;
          up[i][k] += s;
          down[i][k] -= s;
          const double slope =
              (energy(model, up, rotations_at(model, up)) - energy(model, down, rotations_at(model, down))) /
              (2 * s);
          error += std::pow(slope - g[i][k], 2);
          size += slope * slope;
        }
      EXPECT_LT(std::sqrt(error / size), 1e-6) << name << " on " << surface;
    }
}

TEST(GeometricSurfaceRows, the_stiffness_matrix_is_that_of_the_rows_and_above_the_model_hessian) {
  for (const auto& [surface, graph] : surfaces())
    for (const auto& [name, options] : operators()) {
      const Model model = model_of(*make_surface_rows(graph, 1000, options));
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
  const Options options = with(Operator::cotangent, 4e5);
  const double coarse = sinking(12, options, 0), fine = sinking(24, options, 0);
  EXPECT_GT(fine, 0.01);
  EXPECT_NEAR(coarse / fine, 1, 0.1) << coarse << " " << fine;
}

TEST(GeometricSurfaceRows, a_shell_answers_alike_at_two_resolutions) {
  const Options options = with(Operator::edge, 2e5);
  const double coarse = sinking(12, options, 0.02), fine = sinking(24, options, 0.02);
  EXPECT_GT(fine, 0.001);
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

TEST(GeometricSurfaceRows, scan) {
  for (double e : {4e6}) {
    Options o = with(Operator::cotangent, e);
    fprintf(stderr, "E %g: solid %g, ", e, 0.025 * 4e5 / e);
    for (double edge : {1., 10., 100.}) {
      o.edge = edge;
      fprintf(stderr, " edge %g: %g %g %g;", edge, sinking(8, o, 0), sinking(12, o, 0), sinking(24, o, 0));
    }
    fprintf(stderr, "\n");
  }
  for (double w : {1500., 3000., 6000., 12000.})
    fprintf(stderr, "weight %g: %g, +10 L %g, +100 L %g, +ring %g\n", w, strip_drop(w, 0, 0),
            strip_drop(w, 10 * w, 0), strip_drop(w, 100 * w, 0), strip_drop(w, 0, w));
}

}  // namespace
}  // namespace pliant::geometric
