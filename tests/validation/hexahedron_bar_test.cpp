// SPDX-License-Identifier: Apache-2.0
// Hexahedra on the bars of the geometric method, against tetrahedra on the same nodes and beam theory.
#include <gtest/gtest.h>

#include "pliant/scene/library.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace hexahedron_bar_test {

/// Drop of the tip of geometric/bar-static, E = 5e6 Pa, Poisson's ratio 0, by large implicit Euler steps.
double tip_drop(const std::string& element, const std::string& nodes) {
  LoadOptions options;
  options.libraries = {source_folder() + "/scenes"};
  options.sets = {"bodies.bar.method=fem", "bodies.bar.fem.stiffness=5e6", "bodies.bar.fem.poisson=0",
                  "bodies.bar.fem.element=" + element, "bodies.bar.shape.box.nodes=" + nodes};
  Result<Scene> scene = load_scene("geometric/bar-static", options);
  EXPECT_TRUE(scene) << scene.error().text();
  if (!scene) return 0;
  const auto tip = [&] {
    const Points& x = scene->simulation.bodies()[0].method().nodes().x;
    double sum = 0;
    const std::size_t layer = nodes == "[9,9,41]" ? 81 : 9;
    for (std::size_t i = x.size() - layer; i < x.size(); ++i) sum += x[i].y();
    return sum / double(layer);
  };
  const double start = tip();
  for (int i = 0; i < 12; ++i) {
    const auto failure = scene->simulation.step();
    EXPECT_FALSE(failure) << failure->text();
  }
  return start - tip();
}

// Small deflections: rho g L^4 12/(8 E a^2) for bending and rho g L^2/(2 (5/6) G) for shear, G = E/2.
const double beam = 1000 * 9.81 * 16 * 12 / (8 * 5e6 * 0.16) + 1000 * 9.81 * 4 / (5.0 / 3 * 2.5e6);

TEST(HexahedronBar, hangs_where_beam_theory_says_and_beside_the_tetrahedra) {
  const double hexahedra = tip_drop("hexahedron", "[9,9,41]"),
               tetrahedra = tip_drop("tetrahedron", "[9,9,41]");
  EXPECT_LT(hexahedra, beam);  // compatible elements are too stiff, never too soft
  EXPECT_NEAR(hexahedra / beam, 1, 0.04);
  EXPECT_GT(hexahedra, tetrahedra);
  EXPECT_NEAR(hexahedra / tetrahedra, 1, 0.04);
}

TEST(HexahedronBar, coarse_hexahedra_are_less_stiff_in_bending_than_the_tetrahedra_in_them) {
  const double hexahedra = tip_drop("hexahedron", "[3,3,9]"), tetrahedra = tip_drop("tetrahedron", "[3,3,9]");
  EXPECT_LT(tetrahedra, hexahedra);
  EXPECT_LT(hexahedra, beam);
}

}  // namespace hexahedron_bar_test
}  // namespace pliant
