// SPDX-License-Identifier: Apache-2.0
// Larger strains by repeated linear solves, each about the rotations of the answer before it.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/meshless_bar.hpp"
#include "tests/support/relax_once.hpp"

namespace pliant::meshless {
namespace refinements_test {

const BarOptions bent{.bend = 90, .zone = 0.5, .radius = 0.3};
constexpr double when = 10;  // s: the bones have turned

struct Posed {
  Bar bar;
  Relaxation settled;
  const Points& x() const { return bar.method->nodes().x; }
};

Posed posed(int refinements) {
  Options options = bar_material();
  options.refinements = refinements;
  Posed out{make_bar(bent, options), {}};
  Pool pool(2);
  out.settled = relax_once(*out.bar.method, {.time = when, .contact = {}, .pool = &pool}, 1e-6);
  EXPECT_TRUE(out.settled.trouble.empty()) << out.settled.trouble;
  return out;
}

double distance(const Points& a, const Points& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]).squaredNorm();
  return std::sqrt(sum / double(a.size()));
}

/// The nonlinear problem: the energy of the strain U - I that every cell has in the frame of its own polar
/// rotation, and the springs of the bones.
double potential(Bar& bar, const Points& x) {
  const Rig& rig = bar.body().rig();
  Rig::Scratch scratch;
  rig.pose(when, scratch);
  Points places(std::size_t(rig.rows().rows()));
  gather(rig.rows(), x, places);
  const Model& model = bar.body().model();
  const double hold = bar.flesh.options.hold * model.young * model.spacing;
  double sum = corotational_energy(model, x);
  for (std::size_t k = 0; k < places.size(); ++k)
    sum += 0.5 * hold * (places[k] - scratch.targets[k]).squaredNorm();
  return sum;
}

/// Largest slope of the potential at x along some directions of unit length a node, N.
double steepest(Bar& bar, const Points& at) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  double most = 0;
  for (int n = 0; n < 4; ++n) {
    Points direction(at.size());
    for (Vec3& d : direction) d = Vec3(normal(random), normal(random), normal(random)).normalized();
    const auto along = [&](double t) {
      Points x = at;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * direction[i];
      return potential(bar, x);
    };
    constexpr double step = 1e-5;
    most = std::max(most, std::abs(along(step) - along(-step)) / (2 * step));
  }
  return most;
}

TEST(MeshlessRefinements, none_is_one_solve_with_the_rotations_that_bones_diffuse) {
  Posed once = posed(0);
  EXPECT_EQ(once.settled.steps, 1);
  Points force(once.x().size()), pull(once.x().size(), Vec3::Zero());
  once.bar.method->elastic_forces(force);  // at the diffused rotations
  const Rig& rig = once.bar.body().rig();
  Rig::Scratch scratch;
  rig.pose(when, scratch);
  Points off(std::size_t(rig.rows().rows()));
  gather(rig.rows(), once.x(), off);
  const double hold =
      once.bar.flesh.options.hold * once.bar.body().model().young * once.bar.body().model().spacing;
  for (std::size_t k = 0; k < off.size(); ++k) off[k] = hold * (scratch.targets[k] - off[k]);
  scatter_add(rig.rows(), off, pull);
  double left = 0, acting = 0;
  for (std::size_t i = 0; i < force.size(); ++i) {
    left += (force[i] + pull[i]).squaredNorm();
    acting += pull[i].squaredNorm();
  }
  EXPECT_LT(std::sqrt(left / acting), 1e-4);
}

TEST(MeshlessRefinements, approach_an_answer_in_which_the_nonlinear_problem_is_in_balance) {
  Posed last = posed(500);
  EXPECT_LT(last.settled.steps, 501) << "it ends by itself";
  double before = distance(posed(0).x(), last.x());
  ASSERT_GT(before, 0.01);
  for (const int refinements : {1, 4, 16}) {
    const double now = distance(posed(refinements).x(), last.x());
    EXPECT_LT(now, 0.75 * before) << refinements;
    before = now;
  }
  const Points once = posed(0).x();
  EXPECT_LT(steepest(last.bar, last.x()), 1e-5 * steepest(last.bar, once));
}

}  // namespace refinements_test
}  // namespace pliant::meshless
