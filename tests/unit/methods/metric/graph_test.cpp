// SPDX-License-Identifier: Apache-2.0
// Lengths, areas and volumes on any graph: `lattice: mesh`.
#include <Eigen/Geometry>

#include "pliant/geometry/body_graph.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/metric/build.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace graph_test {

Model graph_model(const Options& options) {
  const Shape torus = make_shape(TorusShape{.nodes = {5, 24}});
  Result<Model> model = make_model(torus.graph, 1000, options);
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

/// A cube of side 1 m filled with a body-centred lattice, as a mesh is: 8 near neighbours and 6 next ones.
NodeGraph body_centred(int cells) {
  NodeGraph graph;
  const double h = 1.0 / cells;
  for (int k = 0; k <= 2 * cells; ++k)
    for (int j = k % 2; j <= 2 * cells; j += 2)
      for (int i = k % 2; i <= 2 * cells; i += 2) {
        graph.positions.push_back(h / 2 * Vec3(i, j, k));
        double volume = h * h * h / 2;
        for (const int n : {i, j, k}) volume *= n == 0 || n == 2 * cells ? 0.5 : 1;
        graph.volumes.push_back(volume);
      }
  std::vector<NodePair> pairs;
  for (Index a = 0; a < Index(graph.positions.size()); ++a)
    for (Index b = 0; b < a; ++b)
      if ((graph.positions[a] - graph.positions[b]).norm() < 1.1 * h) pairs.push_back({a, b});
  floor_and_scale(graph.volumes, 0, 1);
  graph.edges = edges_of(pairs);
  calibrate_shares(graph, 3);
  return graph;
}

Model solid_model(int cells, Options options = {}) {
  options.lattice = Lattice::mesh;
  Result<Model> model = make_model(body_centred(cells), 1000, options);
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

std::unique_ptr<Body> solid_body(int cells, Options options) {
  options.lattice = Lattice::mesh;
  const Model model = solid_model(cells, options);
  std::vector<Index> all(model.rest.size());
  for (Index i = 0; i < model.nodes(); ++i) all[i] = i;
  return std::make_unique<Body>(model, Skin{pick(all)}, Damping{.mass = 4, .stiffness = 0.02}, options);
}

TEST(MetricGraph, tetrahedra_of_a_body_centred_lattice_fill_it_up_to_half_a_cell_at_one_pair_of_its_faces) {
  const Model model = solid_model(3);
  double sum = 0;
  for (const double v : model.cell_volume) sum += v;
  // around every edge between neighbouring centres: 2 of 3 cells along each axis
  EXPECT_NEAR(sum, 2.0 / 3, 1e-9);
}

TEST(MetricGraph, forces_of_areas_volumes_and_tetrahedra_match_finite_differences) {
  const Model model = solid_model(2);
  Points x = shaken(model.rest, 0.15, 7);
  EXPECT_GT(cell_state(model, x).inverted, 0);
  Points f(x.size());
  forces(model, {}, x, f);
  double most = 0, worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      const double here = x[i][c], step = 1e-6;
      x[i][c] = here + step;
      const double up = energy(model, {}, x);
      x[i][c] = here - step;
      const double down = energy(model, {}, x);
      x[i][c] = here;
      worst = std::max(worst, std::abs(f[i][c] + (up - down) / (2 * step)));
      most = std::max(most, std::abs(f[i][c]));
    }
  EXPECT_LT(worst, 1e-6 * most);
}

TEST(MetricGraph, rigid_motion_of_a_mesh_costs_nothing) {
  const Model model = solid_model(3);
  const Mat3 turn = Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  Points x = model.rest, stretched = model.rest;
  for (Vec3& p : x) p = turn * p + Vec3(1, -2, 3);
  for (Vec3& p : stretched) p *= 1.01;
  EXPECT_LT(energy(model, {}, x), 1e-12 * energy(model, {}, stretched));
}

TEST(MetricGraph, uniform_strain_of_a_mesh_has_the_energy_of_the_continuum) {
  const double young = 1e6, mu = 0.4 * young;
  const Model model = solid_model(4, {.stiffness = young});
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Points some = shaken(Points(3, Vec3::Zero()), 1e-5, seed);
    Mat3 strain;
    strain << some[0], some[1], some[2];
    strain = Mat3(strain + strain.transpose());
    Points x = model.rest;
    for (Vec3& p : x) p += strain * p;
    const double theory = mu * (strain.squaredNorm() + strain.trace() * strain.trace() / 2);
    EXPECT_NEAR(energy(model, {}, x), theory, 0.06 * theory) << strain;
  }
}

TEST(MetricGraph, a_cubic_lattice_as_a_mesh_has_the_energy_of_the_lattice_at_small_strain) {
  const Shape box = make_shape(BoxShape{.size = {1, 1, 1}, .nodes = {6, 6, 6}});
  for (const double strength : {not_given, 400.0}) {
    const Result<Model> mesh = make_model(box.graph, 1000, {.lattice = Lattice::mesh, .strength = strength}),
                        grid = make_model(box.graph, 1000, {.strength = strength});
    ASSERT_TRUE(mesh && grid);
    // In joules a lattice has no pillars across its faces, a mesh has their part of each length.
    const double off = strength < not_given ? 0.03 : 1e-5;
    for (const Vec3& e : {Vec3(1, 0, 0), Vec3(-1, -2, 2)}) {
      Points x = mesh->rest;
      for (Vec3& p : x) p += 1e-6 * (e.cwiseProduct(p) + Vec3(p.y(), p.x(), 0));
      EXPECT_NEAR(energy(*mesh, {}, x) / energy(*grid, {}, x), 1, off) << e << ", strength " << strength;
    }
  }
}

/// Squashed to this part of the height (negative: inside out), the nodes thrown about by a third of a cell.
double volume_after_squash(double height, const Options& options, int* inverted) {
  const auto body = solid_body(3, options);
  Points x = shaken(body->model().rest, 0.1, 5);
  for (Vec3& p : x) p.y() *= height;
  put(*body, x);
  Pool pool(1);
  run(*body, 4, 1.0 / 30, pool);
  const CellState end = cell_state(body->model(), body->nodes().x);
  *inverted = end.inverted;
  return end.volume_ratio;
}

TEST(MetricGraph, areas_and_volumes_bring_a_flat_mesh_back_and_lengths_alone_do_not) {
  int inverted = 0;
  EXPECT_NEAR(volume_after_squash(0.1, {.stiffness = 1e5, .orientation = 0}, &inverted), 1, 0.01);
  EXPECT_EQ(inverted, 0);
  const double alone =
      volume_after_squash(0.1, {.stiffness = 1e5, .area = 0, .volume = 0, .orientation = 0}, &inverted);
  EXPECT_LT(alone, 0.9);
  EXPECT_GT(inverted, 0);
}

/// The metric is that of the mirror image, too.
TEST(MetricGraph, the_orientation_term_turns_a_mesh_right_side_out_which_areas_and_volumes_do_not) {
  int inverted = 0;
  EXPECT_NEAR(volume_after_squash(-0.2, {.stiffness = 1e5}, &inverted), 1, 0.01);
  EXPECT_EQ(inverted, 0);
  EXPECT_NEAR(volume_after_squash(-0.2, {.stiffness = 1e5, .orientation = 0}, &inverted), -1, 0.01);
}

TEST(MetricGraph, its_operator_gives_the_forces_of_the_energy_and_a_symmetric_matrix) {
  Pool pool(1);
  for (const Integrator integrator : {Integrator::stable, Integrator::accurate, Integrator::paper}) {
    const Model model = graph_model({.lattice = Lattice::mesh, .integrator = integrator});
    const auto op = make_graph_operator(model, integrator);
    const std::size_t n = std::size_t(op->points());
    const Points x = shaken(model.rest, 0.05, 3);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) op->x[c * n + i] = x[i][int(c)];
      op->mass[i] = op->free[i] = 1;
    }
    MatrixForm form;
    form.integrator = integrator;
    form.scale = 1e-3;
    op->evaluate(form, nullptr, pool);
    Points f(x.size());
    forces(model, {}, x, f);
    double scale = 0, worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        worst = std::max(worst, std::abs(op->force[c * n + i] - f[i][int(c)]));
        scale = std::max(scale, std::abs(f[i][int(c)]));
      }
    EXPECT_LT(worst, 1e-11 * scale);
    EXPECT_EQ(op->pushed_cells() > 0, integrator != Integrator::paper);
    Floats u(3 * n, 0.0f), v(3 * n, 0.0f), au(3 * n), av(3 * n);
    const Points a = shaken(Points(x.size(), Vec3::Zero()), 1, 1),
                 b = shaken(Points(x.size(), Vec3::Zero()), 1, 2);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        u[c * n + i] = float(a[i][int(c)]), v[c * n + i] = float(b[i][int(c)]);
    op->apply(u.data(), au.data(), pool);
    op->apply(v.data(), av.data(), pool);
    double uav = 0, vau = 0, size = 0;
    for (std::size_t k = 0; k < u.size(); ++k)
      uav += double(u[k]) * av[k], vau += double(v[k]) * au[k], size += std::abs(double(v[k]) * au[k]);
    EXPECT_NEAR(uav, vau, 1e-5 * size);
  }
}

/// E section/length (length e)^2/2 of a rod; share = section/length.
TEST(MetricGraph, an_edge_has_the_energy_of_a_rod_of_its_section_at_small_strain) {
  NodeGraph graph;
  graph.positions = {Vec3(0, 0, 0), Vec3(0, 2, 0)};
  graph.volumes = {1, 1};
  graph.edges = {{0, 1, 0.3}};
  const Result<Model> model = make_model(graph, 1, {.lattice = Lattice::mesh, .stiffness = 5000});
  ASSERT_TRUE(model);
  const double e = 1e-6;
  const Points x{Vec3(0, 0, 0), Vec3(0, 2 * (1 + e), 0)};
  EXPECT_NEAR(energy(*model, {}, x), 5000 * 0.3 * (2 * e) * (2 * e) / 2, 1e-5 * 5000 * e * e);
}

TEST(MetricGraph, the_accurate_matrix_is_the_hessian_at_rest_and_its_diagonal_is_inverted) {
  Pool pool(1);
  const Model model = graph_model({.lattice = Lattice::mesh, .integrator = Integrator::accurate});
  const auto op = make_graph_operator(model, Integrator::accurate);
  const std::size_t n = std::size_t(op->points());
  for (std::size_t i = 0; i < model.rest.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) op->x[c * n + i] = model.rest[i][int(c)];
    op->mass[i] = op->free[i] = 1;
  }
  MatrixForm form;
  form.integrator = Integrator::accurate;
  form.scale = 1e-3;
  op->evaluate(form, nullptr, pool);
  const Points d = shaken(Points(model.rest.size(), Vec3::Zero()), 1, 1);
  Points up = model.rest, down = model.rest, fu(d.size()), fd(d.size());
  Floats in(3 * n, 0.0f), out(3 * n);
  double curvature = 0, size = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    up[i] += 1e-6 * d[i], down[i] -= 1e-6 * d[i];
    size += d[i].squaredNorm();
    for (std::size_t c = 0; c < 3; ++c) in[c * n + i] = float(d[i][int(c)]);
  }
  forces(model, {}, up, fu);
  forces(model, {}, down, fd);
  for (std::size_t i = 0; i < d.size(); ++i) curvature -= d[i].dot(fu[i] - fd[i]) / 2e-6;
  EXPECT_NEAR(op->apply(in.data(), out.data(), pool), size + form.scale * curvature,
              1e-3 * form.scale * curvature);
  std::array<Floats, 6> inverse;
  for (Floats& f : inverse) f.assign(n, 0.0f);
  op->invert_diagonal(inverse, pool);
  std::fill(in.begin(), in.end(), 0.0f);
  Vec3 column;
  in[7] = 1;
  op->apply(in.data(), out.data(), pool);
  for (std::size_t c = 0; c < 3; ++c) column[int(c)] = out[c * n + 7];
  EXPECT_NEAR(inverse[0][7] * column[0] + inverse[1][7] * column[1] + inverse[2][7] * column[2], 1, 1e-4);
  EXPECT_NEAR(inverse[1][7] * column[0] + inverse[3][7] * column[1] + inverse[4][7] * column[2], 0, 1e-4);
}

TEST(MetricGraph, a_squashed_ring_comes_back_at_any_step) {
  const Shape torus = make_shape(TorusShape{.nodes = {5, 24}});
  for (const double h : {0.02, 0.1}) {
    auto made = build(torus, 1000, {.mass = 2, .stiffness = 0}, {.lattice = Lattice::mesh, .stiffness = 1e5});
    ASSERT_TRUE(made);
    Method& body = **made;
    Points x = torus.graph.positions;
    for (Vec3& p : x) p.y() *= 0.5, p.x() *= 1.3;
    body.place(x, Points(x.size(), Vec3::Zero()));
    const double start = body.elastic_energy();
    Pool pool(1);
    StepInput input;
    input.h = h;
    input.pool = &pool;
    for (int k = 0; k < int(8 / h); ++k) ASSERT_TRUE(body.advance(input).ok());
    EXPECT_LT(body.elastic_energy(), 1e-4 * start) << h;
    EXPECT_EQ(body.inverted_cells(), 0);
  }
}

TEST(MetricGraph, what_needs_axes_is_refused) {
  const Shape torus = make_shape(TorusShape{.nodes = {5, 24}});
  EXPECT_FALSE(build(torus, 1000, {}, {.model = Kind::original, .lattice = Lattice::mesh}));
  EXPECT_FALSE(build(torus, 1000, {}, {.lattice = Lattice::mesh, .length = 0}));
  const auto refused = build(torus, 1000, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("lattice"), std::string::npos);
}

}  // namespace graph_test
}  // namespace pliant::metric
