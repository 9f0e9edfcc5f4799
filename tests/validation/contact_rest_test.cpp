// SPDX-License-Identifier: Apache-2.0
// What bodies do once they are down: they rebound as asked, lie at the height of their surface, come to rest
// whatever their size, stiffness and number of contacts, and bend under their weight as they do elsewhere.
#include "pliant/geometry/mesh_shape.hpp"
#include "tests/support/contact_rig.hpp"
#include "tests/support/mesh_samples.hpp"

namespace pliant {
namespace contact_rest_test {

using geometric::Integrator;

class Rest : public testing::TestWithParam<Integrator> {};

/// Both in one shape, with nothing between them.
Shape beside(Shape a, const Shape& b) {
  const Index nodes = Index(a.graph.positions.size()), vertices = Index(a.surface.vertices.size());
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(a.graph.positions, b.graph.positions);
  append(a.graph.volumes, b.graph.volumes);
  for (NodeGraph::Edge e : b.graph.edges) a.graph.edges.push_back({e.a + nodes, e.b + nodes, e.share});
  append(a.surface.vertices, b.surface.vertices);
  for (Triangle t : b.surface.triangles) {
    for (Index& v : t) v += vertices;
    a.surface.triangles.push_back(t);
  }
  for (Index v = 0; v < b.embedding.rows(); ++v) {
    for (Index k = b.embedding.begin[v]; k < b.embedding.begin[v + 1]; ++k) {
      a.embedding.column.push_back(b.embedding.column[k] + nodes);
      a.embedding.weight.push_back(b.embedding.weight[k]);
    }
    a.embedding.begin.push_back(Index(a.embedding.column.size()));
  }
  return a;
}

TEST_P(Rest, a_stiff_box_rebounds_with_the_restitution_of_the_ground) {
  // The restitution is that of the whole impact.
  for (double restitution : {0.0, 0.3, 0.6, 1.0}) {
    ContactRig r(make_shape(BoxShape{.size = {0.5, 0.1, 0.5}, .nodes = {5, 2, 5}, .corner = {0, 0.5, 0}}),
                 1e9, GetParam(), 1.0 / 240);
    r.colliders.emplace_back(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, Motion{}, 0.5, restitution);
    double down = 0, up = 0;
    while (r.time() < 0.45) {
      ASSERT_TRUE(r.step());
      down = std::min(down, r.velocity().y());
      up = std::max(up, r.velocity().y());
    }
    measured(fmt::format("restitution_{}", restitution), -up / down);
    EXPECT_NEAR(-up / down, restitution, 0.02);
  }
}

TEST_P(Rest, a_ball_rests_at_the_height_of_its_surface_however_many_nodes_carry_it) {
  constexpr double radius = 0.25;
  const PolygonMesh surface = samples::sphere(radius, {0, radius + 0.01, 0}, 24);
  std::vector<double> heights;
  for (int nodes : {300, 1000, 3000}) {
    Pool pool(1);
    MeshShapeOptions options;
    options.nodes = nodes;
    auto made = make_mesh_shape(surface, options, pool);
    ASSERT_TRUE(made);
    ContactRig r(made->shape, 1e7, GetParam(), 1.0 / 60, {.mass = 2, .stiffness = 0.01});
    r.colliders.push_back(plane_collider(0.5));
    while (r.time() < 1) ASSERT_TRUE(r.step());
    Points seen(surface.vertices.size());
    r.body->surface(seen);
    double low = 1e9, high = -1e9;
    for (const Vec3& p : seen) low = std::min(low, p.y()), high = std::max(high, p.y());
    EXPECT_NEAR(low, 0, 2e-4 * radius) << nodes;
    heights.push_back(high);
    measured(fmt::format("top_{}", nodes), high);
  }
  // Of 24 segments around, chords leave out R (1 - cos(pi/24)) of the ball: so much the way it lies matters.
  const double chord = radius * (1 - std::cos(M_PI / 24));
  for (double height : heights) {
    EXPECT_NEAR(height, 2 * radius, 2 * chord);
    EXPECT_NEAR(height, heights.back(), chord);
  }
}

TEST_P(Rest, a_stiff_box_rests_on_many_contacts) {
  ContactRig r(make_shape(BoxShape{.size = {0.5, 0.2, 0.5}, .nodes = {17, 5, 17}, .corner = {0, 0.05, 0}}),
               1e7, GetParam(), 1.0 / 60);
  r.colliders.push_back(plane_collider(0.5));
  while (r.time() < 1) ASSERT_TRUE(r.step());
  EXPECT_GT(r.report.contacts, 200);
  measured("fastest", r.fastest());
  EXPECT_LT(r.fastest(), 1e-3);
}

TEST_P(Rest, a_bar_on_many_contacts_bends_over_the_edge_of_a_table_as_beams_do) {
  // A beam of weight w a length that stands out by a lifts its tail over b = sqrt(2) a: there it has no
  // moment and no slope where it touches, M = w b s/4 - w s^2/2, and -w a^2/2 at the edge. So its slope at
  // the edge is w b^3/(24 EI), and its tip hangs by a^4 w/EI (1/8 + sqrt(2)/12): 1.943 times one that is
  // held.
  const Shape bar =
      make_shape(BoxShape{.size = {1.6, 0.1, 0.3}, .nodes = {65, 4, 10}, .corner = {-1.2, 0, -0.15}});
  std::vector<double> tips;
  for (bool held : {false, true}) {
    ContactRig r(bar, 1.5e6, GetParam(), 1.0 / 60, {.mass = 2, .stiffness = 0.02});
    if (held) {
      for (Index i = 0; i < Index(r.nodes().x.size()); ++i)
        if (r.nodes().x[i].x() < 1e-9) r.held.push_back(i), r.targets.push_back(r.nodes().x[i]);
    } else {
      r.colliders.emplace_back(BoxCollider{{-1, -0.5, 0}, {2, 1, 2}}, Motion{}, 0.8, 0.0);
    }
    while (r.time() < 1.5) ASSERT_TRUE(r.step());
    if (!held) {
      EXPECT_GT(r.report.contacts, 200);
    }
    double low = 0;
    for (const Vec3& p : r.nodes().x) low = std::min(low, p.y());
    tips.push_back(low);
  }
  measured("held", tips[1]);
  measured("lying_over_held", tips[0] / tips[1]);
  EXPECT_LT(tips[1], -0.025);
  EXPECT_NEAR(tips[0] / tips[1], 1.943, 0.15);
}

TEST_P(Rest, a_small_very_stiff_box_comes_to_rest) {
  // h'^2 K/m is about 1e6: single precision does not feel the masses of the nodes.
  ContactRig r(make_shape(BoxShape{.size = {0.02, 0.02, 0.02}, .nodes = {7, 7, 7}, .corner = {0, 0.02, 0}}),
               2e6, GetParam(), 1.0 / 60);
  r.colliders.push_back(plane_collider(0.5));
  while (r.time() < 1) ASSERT_TRUE(r.step());
  measured("fastest", r.fastest());
  EXPECT_LT(r.fastest(), 1e-3);
  EXPECT_LE(r.deepest, 2e-4 * 0.02);
  EXPECT_NEAR(r.center().y(), 0.01, 1e-5);
}

TEST_P(Rest, a_crumb_that_tumbles_by_a_radian_in_a_step_comes_to_rest) {
  const Shape crumb =
      make_shape(BoxShape{.size = {0.047, 0.03, 0.035}, .nodes = {3, 2, 3}, .corner = {-0.02, 0.2, -0.02}});
  ContactRig r(crumb, 1e7, GetParam(), 1.0 / 60, {.mass = 3, .stiffness = 0.02});
  r.colliders.push_back(plane_collider(0.5));
  const Points x = r.nodes().x;
  Points v;
  for (const Vec3& p : x) v.push_back(Vec3(60, 0, 30).cross(p - r.center()));
  r.body->place(x, v);
  double fastest = 0;
  while (r.time() < 3) {
    ASSERT_TRUE(r.step());
    fastest = std::max(fastest, r.fastest());
  }
  EXPECT_LT(fastest, 8);  // it starts at 1.8 m/s, the rest is its fall
  measured("fastest", r.fastest());
  EXPECT_LT(r.fastest(), 1e-3);
}

TEST_P(Rest, a_heap_of_a_box_and_crumbs_comes_to_rest) {
  // The crumbs have eight nodes and h'^2 K/(12 m) of 1e4: they leave the impact turning far, and neither
  // their contacts nor those of the box beside them may suffer from it.
  Shape heap =
      make_shape(BoxShape{.size = {0.3, 0.15, 0.2}, .nodes = {9, 5, 6}, .corner = {-0.15, 0.1, -0.1}});
  for (int k = 0; k < 3; ++k)
    heap = beside(std::move(heap), make_shape(BoxShape{.size = {0.035 - 0.005 * k, 0.02, 0.025},
                                                       .nodes = {2, 2, 2},
                                                       .corner = {0.3 + 0.1 * k, 0.2, 0.05 * k}}));
  ContactRig r(heap, 1e7, GetParam(), 1.0 / 60, {.mass = 3, .stiffness = 0.02});
  r.colliders.push_back(plane_collider(0.5));
  Points x = r.nodes().x, v;
  for (Vec3& p : x) {
    p = Eigen::AngleAxisd(0.4, Vec3(2, 0, 1).normalized()) * p + Vec3(0, 0.25, 0);
    v.push_back(p.x() > 0.22 ? Vec3(15, 0, 40).cross(p - Vec3(0.4, 0.3, 0)) : Vec3::Zero());
  }
  r.body->place(x, v);
  double fastest = 0;
  while (r.time() < 3) {
    ASSERT_TRUE(r.step());
    fastest = std::max(fastest, r.fastest());
  }
  EXPECT_LT(fastest, 12);
  measured("fastest", r.fastest());
  EXPECT_LT(r.fastest(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Rest, testing::Values(Integrator::bdf2, Integrator::euler),
                         [](const auto& given) {
                           return given.param == Integrator::bdf2 ? "bdf2" : "euler";
                         });

}  // namespace contact_rest_test
}  // namespace pliant
