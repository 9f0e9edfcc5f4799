// SPDX-License-Identifier: Apache-2.0
// Meshless flesh without bones against closed forms: a cylinder that is pulled (radius 0.2, height 1, Young's
// modulus 1 and 2, Poisson's ratio 0, 0.3 and 0.49), and a beam that bends under its weight (0.02 x 0.02 x
// 0.2 m, 2e7 Pa, 1100 kg/m^3, Poisson's ratio 0.45): SOFA's published cases.
#include <gtest/gtest.h>

#include <numbers>

#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "tests/support/relax_once.hpp"

namespace pliant::meshless {
namespace meshless_closed_forms_test {

std::unique_ptr<Method> made(const Shape& shape, double density, const Options& options) {
  auto method = build(shape, density, {0, 0}, options);
  EXPECT_TRUE(method) << method.error().text();
  return std::move(*method);
}

struct Traction {
  double faces;   ///< relative error of the way that the end faces go, each the mean over its area
  double middle;  ///< relative error of the strain of the middle half
};

/// A pull of one hundredth of the stiffness.
Traction pulled(double young, double poisson, int across) {
  const double radius = 0.2, height = 1;
  const Shape shape = make_shape(
      CylinderShape{.radius = radius, .height = height, .nodes = {across, 2 * (5 * across / 4) + 1}});
  Options options;
  options.stiffness = young;
  options.poisson = poisson;
  options.warping = Warping::none;  // Cauchy's strain: the closed form is linear
  options.kappa = 0;
  const auto method = made(shape, 1000, options);
  const Model& model = static_cast<Body&>(*method).model();
  // Traction on both end faces, of a round section, which the triangles do not fill; three nodes near the
  // centre keep it in place without taking load.
  double faces = 0;
  for (const Triangle& t : shape.surface.triangles) {
    const auto at = [&](int k) -> const Vec3& { return shape.surface.vertices[t[std::size_t(k)]]; };
    const Vec3 area = 0.5 * (at(1) - at(0)).cross(at(2) - at(0));
    if (area.y() > 0.999 * area.norm()) faces += area.y();
  }
  const double sigma = 0.01 * young * std::numbers::pi * radius * radius / faces;
  Points ends(shape.surface.vertices.size(), Vec3::Zero()), force(model.rest.size(), Vec3::Zero());
  for (const Triangle& t : shape.surface.triangles) {
    const auto at = [&](int k) -> const Vec3& { return shape.surface.vertices[t[std::size_t(k)]]; };
    const Vec3 area = 0.5 * (at(1) - at(0)).cross(at(2) - at(0));
    if (std::abs(area.y()) < 0.999 * area.norm()) continue;
    for (const Index v : t) ends[v] += sigma / 3 * Vec3(0, area.y(), 0);
  }
  method->pull_back(ends, force);
  std::vector<Index> held;
  Points targets;
  for (Index i = 0; i < model.nodes(); ++i)
    if (model.rest[i].norm() < 0.6 * radius && std::abs(model.rest[i].y()) < 1e-9) held.push_back(i);
  // Where Poisson's contraction takes them.
  for (const Index i : held)
    targets.push_back(model.rest[i] - 0.01 * poisson * Vec3(model.rest[i].x(), 0, model.rest[i].z()));
  EXPECT_GE(held.size(), 3u);
  Pool pool(2);
  const auto settled = relax_once(
      *method, {.held = held, .targets = targets, .forces = force, .contact = {}, .pool = &pool}, 1e-6);
  EXPECT_TRUE(settled.trouble.empty()) << settled.trouble;
  Points surface(shape.surface.vertices.size());
  method->surface(surface);
  // The load is even, so that its share of a vertex is the vertex's share of the face.
  double way = 0, load = 0;
  for (std::size_t v = 0; v < surface.size(); ++v)
    if (ends[v].y() > 0) {
      way += ends[v].y() * (surface[v].y() - height / 2);
      load += ends[v].y();
    }
  double strain = 0, volume = 0;
  for (Index c = 0; c < model.cells.count(); ++c) {
    if (std::abs(model.cells.centre[c].y()) > height / 4) continue;
    const double weight = model.cells.weight[c];
    strain += weight * (deformation_gradient(model.cells, c, method->nodes().x)(1, 1) - 1);
    volume += weight;
  }
  return {2 * way / load / 0.01 / height - 1, strain / volume / 0.01 - 1};
}

// The strain is right from the coarsest set on: what is left at the end faces is their own dent, because
// their load acts at vertices as far apart as the nodes are and the cells are finer.
TEST(MeshlessClosedForms, a_pulled_cylinder_lengthens_by_stress_over_stiffness) {
  for (const double young : {1.0, 2.0})
    for (const double poisson : {0.0, 0.3, 0.49}) {
      Traction before{1, 1};
      for (const int across : {5, 8, 12}) {
        const Traction now = pulled(young, poisson, across);
        std::printf("traction, E %g, nu %g, %d nodes across: end faces %+.2f %%, middle half %+.3f %%\n",
                    young, poisson, across, 100 * now.faces, 100 * now.middle);
        EXPECT_LT(std::abs(now.faces), 0.05);
        EXPECT_LT(std::abs(now.faces), 0.6 * std::abs(before.faces));
        EXPECT_LT(std::abs(now.middle), 0.002);
        EXPECT_LT(std::abs(now.middle), std::abs(before.middle));
        before = now;
      }
    }
}

/// Drop of the beam's tip, m. Clamped at z = 0, small loads so that the beam stays straight.
double tip_drop(int across) {
  const double e = 2e7, rho = 1100;
  const Shape shape = make_shape(BoxShape{.size = {0.02, 0.02, 0.2},
                                          .nodes = {across, across, 10 * (across - 1) + 1},
                                          .corner = {-0.01, -0.01, 0}});
  Options options;
  options.stiffness = e;
  options.poisson = 0.45;
  options.kappa = 0;
  options.rotations = Rotations::polar;
  options.support = 1.5;
  const auto method = made(shape, rho, options);
  const Model& model = static_cast<Body&>(*method).model();
  std::vector<Index> held;
  Points targets;
  for (Index i = 0; i < model.nodes(); ++i)
    if (model.rest[i].z() < 1e-9) held.push_back(i), targets.push_back(model.rest[i]);
  Pool pool(2);
  const auto settled = relax_once(
      *method, {.gravity = {0, -9.81, 0}, .held = held, .targets = targets, .contact = {}, .pool = &pool},
      1e-5);
  EXPECT_TRUE(settled.trouble.empty()) << settled.trouble;
  Points surface(shape.surface.vertices.size());
  method->surface(surface);
  double sum = 0, count = 0;
  for (std::size_t v = 0; v < surface.size(); ++v)
    if (shape.surface.vertices[v].z() > 0.2 - 1e-9)
      sum += shape.surface.vertices[v].y() - surface[v].y(), count += 1;
  return sum / count;
}

TEST(MeshlessClosedForms, a_beam_under_its_weight_drops_as_euler_and_bernoulli_say) {
  // q L^4 / (8 E I), q = rho g w^2, I = w^4 / 12: 3.237 mm; SOFA states 3.27 mm with the shear.
  const double euler = 1100 * 9.81 * 4e-4 * std::pow(0.2, 4) / (8 * 2e7 * std::pow(0.02, 4) / 12);
  EXPECT_NEAR(euler, 3.237e-3, 1e-5);
  const double coarse = tip_drop(4), fine = tip_drop(6);
  std::printf("cantilever: tip %.3f mm with 4 nodes across, %.3f mm with 6; closed form 3.27 mm\n",
              1e3 * coarse, 1e3 * fine);
  EXPECT_NEAR(fine / 3.27e-3, 1, 0.05);
  EXPECT_LT(std::abs(fine / 3.27e-3 - 1), std::abs(coarse / 3.27e-3 - 1));
}

}  // namespace meshless_closed_forms_test
}  // namespace pliant::meshless
