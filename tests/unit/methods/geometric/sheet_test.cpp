// SPDX-License-Identifier: Apache-2.0
// Rows of triangles: energy, forces, model Hessian, and what steps make of them. Units are in
// tests/validation/sheets_test.cpp.

#include "pliant/geometry/surface_graph.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/sheet/bending.hpp"
#include "pliant/methods/geometric/sheet/energy.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "tests/support/sheet_meshes.hpp"
#include "tests/support/test_surfaces.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"
#include "tests/unit/methods/geometric/slopes.hpp"

namespace pliant::geometric {
namespace sheet_test {

Options sheet_options(double stiffness = 1e5, double poisson = 0.3) {
  Options options;
  options.op = Operator::sheet;
  options.stiffness = stiffness;
  options.sheet.poisson = poisson;
  return options;
}

struct Named {
  std::string name;
  Model model;
};

/// Flat, curved, closed, creased, with three sheets at an edge; irregular. Spacings about 0.1 to 0.3.
std::vector<Named> sheets() {
  TriMesh flat = sheet_mesh({.width = 0.5, .length = 1, .across = 4, .along = 6, .jitter = 0.3});
  TriMesh curved = flat, three = flat;
  for (Vec3& p : curved.vertices) p.y() = 0.4 * p.z() * p.z() - 0.3 * p.x() * p.z();
  three.vertices.push_back({0.2, 0.2, 0.1});
  three.triangles.push_back({6, 7, Index(three.vertices.size()) - 1});
  TriMesh ball = sphere_surface(5, 0.5);
  std::vector<Named> out;
  for (const auto& [name, mesh] : {std::pair{"flat", &flat}, {"curved", &curved}, {"three", &three}})
    out.push_back({name, model_of(*make_surface_rows(surface_graph(mesh->vertices, mesh->triangles, 0.05),
                                                     1000, sheet_options()))});
  for (auto& [name, mesh] : {std::pair{"ball", ball}, {"box", box_surface()}})
    out.push_back({name, model_of(*make_surface_rows(surface_graph(mesh.vertices, mesh.triangles, 0.1), 1000,
                                                     sheet_options()))});
  return out;
}

double energy_at(const Model& model, const Points& x) { return energy(model, x, rotations_at(model, x)); }

/// Bent, stretched, turned, and noise.
Points pulled(const Model& model, unsigned seed) {
  Points x = deformed(model.rest, 0.3, seed);
  const Points noise = random_points(x.size(), 0.02, seed + 7);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += noise[i];
  return x;
}

TEST(GeometricSheet, the_gradient_is_that_of_the_energy_and_has_no_resultant_and_no_torque) {
  for (const auto& [name, model] : sheets()) {
    const Points x = pulled(model, 3);
    Points g(x.size());
    gradient(model, x, rotations_at(model, x), g);
    EXPECT_LT(slope_error([&](const Points& y) { return energy_at(model, y); }, x, g, 3), 1e-7) << name;
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      force += g[i], torque += x[i].cross(g[i]);
      size += g[i].norm();
    }
    EXPECT_LT(force.norm(), 1e-12 * size) << name;
    EXPECT_LT(torque.norm(), 1e-12 * size) << name;
  }
}

TEST(GeometricSheet, the_rest_shape_has_no_energy_wherever_it_is_turned) {
  for (const auto& [name, model] : sheets()) {
    const Mat3 turn = Eigen::AngleAxisd(2.2, Vec3(1, 2, -3).normalized()).toRotationMatrix();
    Points x = model.rest;
    for (Vec3& p : x) p = turn * p + Vec3(3, 4, 5);
    const double some = energy_at(model, pulled(model, 3));
    EXPECT_LT(energy_at(model, x), 1e-18 * some) << name;
  }
}

/// A flat sheet of half a square metre, 0.05 m thick, irregular.
Model flat_sheet(const Options& options) {
  const TriMesh mesh = sheet_mesh({.width = 0.5, .length = 1, .across = 4, .along = 6, .jitter = 0.3});
  return model_of(*make_surface_rows(surface_graph(mesh.vertices, mesh.triangles, 0.05), 1000, options));
}

TEST(GeometricSheet, the_membrane_has_youngs_modulus_times_thickness_and_poissons_ratio_0) {
  const Model sheet = flat_sheet(sheet_options(1e5));
  const double membrane = 1e5 * 0.05, area = 0.5;  // N/m, m^2
  const auto stretched = [&](double x, double z, double shear) {
    Points to = sheet.rest;
    for (Vec3& p : to) p = {(1 + x) * p.x() + shear * p.z(), p.y(), (1 + z) * p.z()};
    return energy_at(sheet, to) / (membrane * area);
  };
  for (const double strain : {1e-3, 0.3, -0.2}) {
    EXPECT_NEAR(stretched(0, strain, 0) / (strain * strain / 2), 1, 1e-6) << strain;
    EXPECT_NEAR(stretched(strain, 0, 0) / (strain * strain / 2), 1, 1e-6) << strain;
    EXPECT_NEAR(stretched(strain, strain, 0) / (strain * strain), 1, 1e-6) << strain;  // nothing couples them
  }
  EXPECT_NEAR(stretched(0, 0, 1e-3) / (0.5 * 1e-6 / 2), 1, 1e-3);  // shear modulus E/2
}

TEST(GeometricSheet, a_bending_stiffness_that_is_given_replaces_that_of_the_thickness) {
  Points bent;
  const auto energy_with = [&](double bending) {
    Options options = sheet_options(1e5, 0);
    options.sheet.bending = bending;
    const Model sheet = flat_sheet(options);
    bent = sheet.rest;
    for (Vec3& p : bent) p.y() = 1e-5 * p.z() * p.z();  // so flat that nothing stretches
    return energy_at(sheet, bent);
  };
  const double own = 1e5 * std::pow(0.05, 3) / 12;  // N m
  EXPECT_NEAR(energy_with(own) / energy_with(0), 1, 1e-6);
  EXPECT_NEAR(energy_with(2 * own) / energy_with(0), 2, 1e-4);
}

/// Matrix of a linear map of motions.
template <class Map>
Eigen::MatrixXd dense(std::size_t nodes, const Map& map) {
  Eigen::MatrixXd out(3 * nodes, 3 * nodes);
  Points p(nodes, Vec3::Zero()), image(nodes);
  for (std::size_t k = 0; k < 3 * nodes; ++k) {
    p[k / 3][Index(k % 3)] = 1;
    map(p, image);
    for (std::size_t i = 0; i < 3 * nodes; ++i) out(Index(i), Index(k)) = image[i / 3][Index(i % 3)];
    p[k / 3][Index(k % 3)] = 0;
  }
  return out;
}

Eigen::MatrixXd dense_stiffness(const Model& model) {
  const SymmetricMatrix k = stiffness_matrix(model);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(3 * k.rows(), 3 * k.rows());
  for (Index i = 0; i < k.rows(); ++i)
    for (Index n = k.begin[i]; n < k.begin[i + 1]; ++n)
      for (int c = 0; c < 3; ++c)
        out(3 * i + c, 3 * k.column[n] + c) = out(3 * k.column[n] + c, 3 * i + c) = k.value[n];
  return out;
}

TEST(GeometricSheet, the_model_hessian_is_positive_below_k_and_exact_where_nothing_is_compressed) {
  for (const auto& [name, model] : sheets()) {
    const Eigen::MatrixXd k = dense_stiffness(model);
    for (const bool at_rest : {true, false}) {
      const Points x = at_rest ? model.rest : pulled(model, 5);
      const Rotations r = rotations_at(model, x);
      const Eigen::MatrixXd h =
          dense(x.size(), [&](const Points& p, Points& out) { hessian_product(*model.sheet, x, r, p, out); });
      EXPECT_LT((h - h.transpose()).norm(), 1e-10 * h.norm()) << name;
      const auto least = [](const Eigen::MatrixXd& m) {
        const Eigen::VectorXd values = dense_eigenvalues(m);
        return values[0] / values[values.size() - 1];
      };
      EXPECT_GT(least(h), -1e-12) << name;
      EXPECT_GT(least(k - h), -1e-12) << name;
      if (!at_rest) continue;
      // At rest the model is the second derivative: of the energy along some motion.
      const Points p = random_points(x.size(), 1, 11);
      const double s = 1e-5;
      Points up = x, down = x, image(x.size());
      hessian_product(*model.sheet, x, r, p, image);
      double wanted = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        up[i] += s * p[i], down[i] -= s * p[i], wanted += p[i].dot(image[i]);
      EXPECT_NEAR((energy_at(model, up) + energy_at(model, down)) / (s * s) / wanted, 1, 1e-3) << name;
    }
  }
}

/// Mean and largest error of the curvature of a quadratic, relative, over triangles whose patch has no border.
std::pair<double, double> curvature_errors(double jitter) {
  const TriMesh mesh = sheet_mesh({.width = 1, .length = 1, .across = 12, .along = 12, .jitter = jitter});
  const double wanted = std::sqrt(1.4 * 1.4 + 0.8 * 0.8 + 2 * 0.9 * 0.9);
  double sum = 0, most = 0;
  int count = 0;
  for (const CurvatureForm& form : curvature_forms(mesh.vertices, mesh.triangles, 0)) {
    Vec3 kappa = Vec3::Zero();
    bool inside = true;
    for (const auto& term : form.terms) {
      const Vec3& p = mesh.vertices[term.node];
      kappa += (0.7 * p.x() * p.x() - 0.4 * p.z() * p.z() + 0.9 * p.x() * p.z()) * term.weight;
      inside &= p.x() > 1e-9 && p.x() < 1 - 1e-9 && p.z() > 1e-9 && p.z() < 1 - 1e-9;
    }
    if (!inside) continue;
    const double error = std::abs(kappa.norm() / wanted - 1);
    sum += error, most = std::max(most, error), ++count;
  }
  return {sum / count, most};
}

TEST(GeometricSheet, the_curvature_of_a_quadratic_is_exact_but_for_points_near_a_conic) {
  const auto [mean, most] = curvature_errors(0);
  EXPECT_LT(most, 0.02);
  const auto [irregular, worst] = curvature_errors(0.3);
  EXPECT_LT(irregular, 0.02) << worst;
}

TEST(GeometricSheet, the_sweeps_of_a_step_are_those_of_the_energy) {
  for (const auto& [name, model] : sheets()) {
    const Points x = pulled(model, 9);
    std::vector<unsigned char> held(x.size(), 0);
    held[1] = held[5] = 1;
    const Arrangement arrangement = arrange(streaming_order(model.adjacency), held);
    SheetSweeps sweeps;
    sweeps.arrange(model, arrangement);
    Pool pool(2);
    const std::size_t n = 4 * x.size();
    Doubles places(n, 0);
    Floats p(n, 0), out(n, 0);
    const Points motion = random_points(x.size(), 1, 4);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int c = 0; c < 3; ++c) {
        places[4 * std::size_t(arrangement.place[i]) + c] = x[i][c];
        p[4 * std::size_t(arrangement.place[i]) + c] = float(motion[i][c]);
      }
    const Rotations rotations = rotations_at(model, x);
    std::vector<float> quaternions;
    for (const auto& q : rotations)
      for (const double c : {q.w(), q.x(), q.y(), q.z()}) quaternions.push_back(float(c));
    sweeps.start(places.data(), quaternions, pool);
    const auto difference = [&](const Points& wanted) {
      double error = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (held[i]) continue;
        for (int c = 0; c < 3; ++c) {
          error += std::pow(out[4 * std::size_t(arrangement.place[i]) + c] - wanted[i][c], 2);
          size += wanted[i][c] * wanted[i][c];
        }
      }
      return std::sqrt(error / size);
    };
    Points wanted(x.size());
    gradient(model, x, rotations, wanted);
    sweeps.gradient(places.data(), 1, true, {.out = out.data()}, pool);
    EXPECT_LT(difference(wanted), 1e-6) << name;
    hessian_product(*model.sheet, x, rotations, motion, wanted);
    sweeps.product(p.data(), 1, 1, {.out = out.data()}, pool);
    EXPECT_LT(difference(wanted), 3e-6) << name;
    Floats exact(n, 0);
    Doubles in_double(p.begin(), p.end());
    std::fill(out.begin(), out.end(), 0.0f);
    sweeps.add_exact_product(in_double.data(), 1, 1, out.data(), pool);
    EXPECT_LT(difference(wanted), 1e-6) << name;

    SheetHessian hessian;
    hessian.arrange(model, arrangement, sweeps);
    ASSERT_TRUE(hessian.factor(sweeps, {.mass = 1, .stiffness = 1e-3, .turning = 1e-3}, {}, pool));
    Floats g(n, 0), z(n, 0);
    for (Index k = 0; k < 4 * arrangement.free; ++k) g[k] = k % 4 < 3 ? float(std::sin(k)) : 0;
    hessian.solve(g.data(), z.data());
    Floats mass(x.size(), 0);
    for (Index k = 0; k < arrangement.free; ++k) mass[k] = float(model.mass[arrangement.node[k]]);
    sweeps.product(z.data(), 1e-3f, 1e-3f, {.diagonal = mass.data(), .u = z.data(), .out = out.data()}, pool);
    double error = 0;
    for (Index k = 0; k < 4 * arrangement.free; ++k) error = std::max(error, std::abs(double(out[k]) - g[k]));
    EXPECT_LT(error, 1e-3) << name;
  }
}

/// A plate with a rib: of three sheets at their common edge, one is turned about it.
TEST(GeometricSheet, a_joint_of_three_sheets_resists_turning_one_of_them) {
  const auto cost = [](int sheets) {
    TriMesh mesh;
    mesh.vertices = {{0, 0, 0}, {0, 0, 1}};
    const double pi = std::acos(-1.0);
    for (int s = 0; s < sheets; ++s) {
      const double angle = s == 0 ? 0 : s == 1 ? pi : pi / 2;
      const Vec3 out(std::cos(angle), std::sin(angle), 0);
      const Index first = Index(mesh.vertices.size());
      mesh.vertices.push_back(out);
      mesh.vertices.push_back(out + Vec3(0, 0, 1));
      mesh.triangles.push_back({0, 1, first});
      mesh.triangles.push_back({1, first + 1, first});
    }
    const Model model = model_of(
        *make_surface_rows(surface_graph(mesh.vertices, mesh.triangles, 0.05), 1000, sheet_options(1e5, 0)));
    Points x = model.rest;
    const Mat3 turn = Eigen::AngleAxisd(0.01, Vec3(0, 0, 1)).toRotationMatrix();
    for (const std::size_t i : {2u, 3u}) x[i] = turn * x[i];
    return energy_at(model, x);
  };
  const double fold = cost(2), joint = cost(3);
  EXPECT_GT(fold, 0);
  EXPECT_GT(joint, 0.2 * fold);
  EXPECT_LT(joint, 3 * fold);
}

TEST(GeometricSheet, settings_without_a_meaning_for_triangles_are_refused_by_name) {
  const TriMesh mesh = sphere_surface(5);
  Shape shape;
  shape.graph = surface_graph(mesh.vertices, mesh.triangles, 0.05);
  const auto refused = [&](const Options& options, const char* place) {
    const auto body = build(shape, 1000, {}, options);
    ASSERT_FALSE(body) << place;
    EXPECT_EQ(body.error().problems.front().place, place);
    EXPECT_NE(body.error().text().find("edge"), std::string::npos) << body.error().text();
  };
  const auto with = [](auto&& change) {
    Options options;
    options.preset = Preset::shell;
    change(options);
    return options;
  };
  refused(with([](Options& o) { o.laplacian = 1; }), "geometric.laplacian");
  refused(with([](Options& o) { o.preset = Preset::none, o.op = Operator::edge, o.sheet.bending = 1; }),
          "geometric.sheet");
  refused(with([](Options& o) { o.bending = 1; }), "geometric.bending");
  refused(with([](Options& o) { o.edge = 2; }), "geometric.edge");
  refused(with([](Options& o) { o.plasticity = Plasticity{}; }), "geometric.plasticity");
  refused(with([](Options& o) { o.adaptive = Adaptive{}; }), "geometric.adaptive");
  refused(with([](Options& o) { o.reduction = Reduction{.modal = 2}; }), "geometric.reduction");
  refused(with([](Options& o) { o.keep_volume = true; }), "geometric.keep_volume");
  refused(with([](Options& o) { o.fibres.strength = 1; }), "geometric.fibres.strength");
  refused(with([](Options& o) { o.covariance = Covariance::paper; }), "geometric.covariance");
  refused(with([](Options& o) { o.linear_solver = LinearSolver::multigrid; }), "geometric.linear_solver");
}

}  // namespace sheet_test
}  // namespace pliant::geometric
