// SPDX-License-Identifier: Apache-2.0
// What must hold for every method that meets colliders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include "pliant/base/hash.hpp"
#include "pliant/contact/collider.hpp"
#include "pliant/contact/contact_log.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/physics/metrics.hpp"
#include "tests/invariants/method_case.hpp"
#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace contact_invariants_test {

struct NamedShape {
  std::string name;
  Shape shape;
};

/// Two boxes that nothing joins, one body.
Shape two_boxes() {
  const Shape one =
      make_shape(BoxShape{.size = {0.3, 0.3, 0.3}, .nodes = {4, 4, 4}, .corner = {-0.5, 0.2, 0}});
  Points nodes = one.graph.positions;
  std::vector<std::array<Index, 8>> cells = one.graph.cells;
  const Index count = Index(nodes.size());
  for (Index i = 0; i < count; ++i) nodes.push_back(nodes[i] + Vec3(0.8, 0.1, 0));
  for (const auto& cell : one.graph.cells) {
    cells.push_back(cell);
    for (Index& node : cells.back()) node += count;
  }
  return shape_from_cells(nodes, cells);
}

/// A surface finer than its nodes: a vertex in the middle of every surface triangle, too.
Shape with_fine_surface() {
  Shape shape = make_shape(BoxShape{.size = {0.5, 0.3, 0.4}, .nodes = {6, 4, 5}, .corner = {0, 0.1, 0}});
  const std::vector<Triangle> triangles = shape.surface.triangles;
  shape.surface.triangles.clear();
  for (const Triangle& t : triangles) {
    const Index middle = Index(shape.surface.vertices.size());
    Vec3 sum = Vec3::Zero();
    for (Index v : t) {
      sum += shape.surface.vertices[v] / 3;
      shape.embedding.column.push_back(shape.embedding.column[v]);
      shape.embedding.weight.push_back(1.0 / 3);
    }
    shape.embedding.begin.push_back(Index(shape.embedding.column.size()));
    shape.surface.vertices.push_back(sum);
    for (int k = 0; k < 3; ++k) shape.surface.triangles.push_back({t[k], t[(k + 1) % 3], middle});
  }
  return shape;
}

const std::vector<NamedShape>& shapes() {
  static const std::vector<NamedShape> all{
      {"torus", make_shape(TorusShape{
                    .ring_radius = 0.4, .tube_radius = 0.15, .nodes = {5, 16}, .center = {0, 0.4, 0}})},
      {"two_boxes", two_boxes()},
      {"fine_surface", with_fine_surface()},
  };
  return all;
}

const std::vector<MethodCase>& contact_cases() {
  static const std::vector<MethodCase> cases = [] {
    std::vector<MethodCase> out;
    std::ranges::copy_if(method_cases(), std::back_inserter(out), &MethodCase::meets_colliders);
    return out;
  }();
  return cases;
}

class ContactInvariants : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const MethodCase method = contact_cases()[std::get<0>(GetParam())];
  const Shape shape = shape_for(method, shapes()[std::get<1>(GetParam())].shape);
  Pool pool{1};
  std::vector<Collider> colliders{Collider(PlaneCollider{{0, 0, 0}, {0.1, 1, 0}}, {}, 0.6, 0),
                                  Collider(BoxCollider{{0.7, 0.2, 0}, {0.4, 0.4, 2}}, {}, 0.3, 0)};
  static constexpr double h = 1.0 / 60;

  StepInput input(Pool& with) {
    StepInput in;
    in.h = h;
    in.gravity = {0, -9.81, 0};
    in.colliders = colliders;
    in.pool = &with;
    return in;
  }
  std::unique_ptr<Method> moving_body() {
    auto body = method.build(shape);
    const Points& x = shape.graph.positions;
    Points v;
    for (const Vec3& p : x) v.push_back(Vec3(0.8, -1, 0.2) + Vec3(0.3, 1, -2).cross(p));
    body->place(x, v);
    return body;
  }
  static std::uint64_t state_hash(const Method& body) {
    const NodeState& s = body.nodes();
    return hash_bytes(s.v.data(), s.v.size() * sizeof(Vec3),
                      hash_bytes(s.x.data(), s.x.size() * sizeof(Vec3)));
  }
};

TEST_P(ContactInvariants, one_and_three_threads_give_the_same_bits) {
  Pool three(3);
  const auto alone = moving_body(), together = moving_body();
  int most = 0;
  for (int i = 0; i < 40; ++i) {
    const StepReport report = alone->advance(input(pool));
    ASSERT_TRUE(report.ok()) << report.trouble;
    most = std::max(most, report.contacts);
    together->advance(input(three));
    ASSERT_EQ(state_hash(*alone), state_hash(*together)) << "step " << i;
  }
  EXPECT_GT(most, 2) << "nothing was touched";
}

TEST_P(ContactInvariants, save_then_load_then_step_equals_step_whatever_was_computed_before) {
  colliders[0] = Collider(PlaneCollider{{0, 0, 0}, {0.1, 1, 0}}, {}, 0.6, 0.5);
  const auto body = moving_body(), other = method.build(shape);
  for (int i = 0; i < 25; ++i) body->advance(input(pool));
  Writer writer;
  body->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(other->load(reader));
  EXPECT_TRUE(reader.at_end());
  for (int i = 0; i < 15; ++i) {
    body->advance(input(pool));
    other->advance(input(pool));
    ASSERT_EQ(state_hash(*body), state_hash(*other)) << "step " << i;
  }
}

TEST_P(ContactInvariants, impulses_and_weight_make_the_change_of_momentum) {
  if (!method.free) GTEST_SKIP() << "bones hold it";
  const auto body = moving_body();
  const auto momentum = [&] { return linear_momentum(body->nodes()); };
  const double mass = total_mass(body->nodes());
  const Vec3 before = momentum();
  Vec3 impulse = Vec3::Zero();
  const int steps = 60;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = body->advance(input(pool));
    ASSERT_TRUE(report.ok());
    impulse += report.contact_impulse + h * mass * Vec3(0, -9.81, 0);
  }
  // A multistep scheme owes up to a step's force at either end: 0.02 is twice the most that was measured.
  const Vec3 weight = steps * h * mass * Vec3(0, -9.81, 0);
  const double missing = (momentum() - before - impulse).norm(), all = (impulse - weight).norm();
  EXPECT_LT(missing, method.contact_momentum * all);
}

TEST_P(ContactInvariants, the_log_has_every_contact_once_with_all_that_the_report_sums_up) {
  for (const double restitution : {0.0, 0.7}) {
    colliders[0] = Collider(PlaneCollider{{0, 0, 0}, {0.1, 1, 0}}, {}, 0.6, restitution);
    const auto body = moving_body();
    ContactLog log;
    int steps = 0;
    for (int i = 0; i < 30; ++i) {
      StepInput in = input(pool);
      in.contact_log = &log;
      log.clear();
      const StepReport report = body->advance(in);
      ASSERT_TRUE(report.ok());
      Vec3 sum = Vec3::Zero();
      for (std::size_t k = 0; k < log.records().size(); ++k) {
        const ContactRecord& record = log.records()[k];
        sum += record.impulse;
        ASSERT_GT(record.impulse.norm(), 0);
        ASSERT_NEAR(record.normal.norm(), 1, 1e-9);
        ASSERT_TRUE(k == 0 || log.records()[k - 1].key < record.key);
        // Coulomb's cone, to within what the sweeps leave; an impact adds up two of them.
        const Vec3 across = record.impulse - record.pressed() * record.normal;
        ASSERT_LE(across.norm(), 0.6 * record.pressed() + 1e-3) << "step " << i;
        // What is pushed is at the collider: within a step's way, or 0.1 m inside where the boxes start.
        ASSERT_TRUE(std::isnan(record.gap) || std::abs(record.gap) < (i == 0 ? 0.15 : 0.1)) << "step " << i;
      }
      ASSERT_LT((sum - report.contact_impulse).norm(), 1e-10 * (1 + sum.norm())) << "step " << i;
      steps += !log.records().empty();
    }
    EXPECT_GT(steps, 3);
  }
}

TEST_P(ContactInvariants, nothing_is_factored_and_nothing_goes_deep) {
  const auto body = moving_body();
  for (int i = 0; i < 90; ++i) {
    const StepReport report = body->advance(input(pool));
    ASSERT_TRUE(report.ok());
    ASSERT_TRUE(i == 0 || !report.refactored || !method.quiet_contact);
    // Two boxes start 0.1 m inside: methods that solve for their contacts anew come out within half a second.
    if (method.quiet_contact || i > 30) {
      ASSERT_LE(report.penetration, method.deepest) << "step " << i;
    }
  }
}

TEST_P(ContactInvariants, a_step_with_known_contacts_allocates_nothing) {
  if (!method.quiet_contact) GTEST_SKIP() << "it solves for its contacts in matrices of their number";
  const auto body = moving_body();
  std::size_t before = 0;
  int quiet = 0;
  for (int i = 0; i < 240 && quiet < 5; ++i) {
    before = allocations();
    body->advance(input(pool));
    quiet = allocations() == before ? quiet + 1 : 0;
  }
  EXPECT_EQ(quiet, 5);
}

TEST_P(ContactInvariants, a_scrambled_body_in_a_collider_stays_finite) {
  const auto body = method.build(shape);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-0.4, 0.4);
  Points x(shape.graph.positions.size());
  for (Vec3& p : x) p = Vec3(place(random), place(random), place(random));
  body->place(x, Points(x.size(), Vec3::Zero()));
  for (int i = 0; i < 60; ++i) {
    const StepReport report = body->advance(input(pool));
    ASSERT_TRUE(report.ok()) << report.trouble;
  }
  for (const Vec3& p : body->nodes().x) ASSERT_LT(p.norm(), 50);
}

TEST_P(ContactInvariants, a_held_body_meets_colliders_too) {
  if (!method.elastic) GTEST_SKIP() << "held so, nothing of it gives way";
  const auto body = method.build(shape);
  std::vector<Index> held;
  Points targets;
  double high = -1e9;
  for (const Vec3& p : shape.graph.positions) high = std::max(high, p.y());
  for (Index i = 0; i < Index(shape.graph.positions.size()); ++i)
    if (shape.graph.positions[i].y() > high - 0.02)
      held.push_back(i), targets.push_back(shape.graph.positions[i]);
  StepInput in = input(pool);
  in.held = held;
  in.targets = targets;
  Vec3 impulse = Vec3::Zero();
  for (int i = 0; i < 40; ++i) {
    for (Vec3& t : targets) t.y() -= 0.01;
    in.targets = targets;
    const StepReport report = body->advance(in);
    ASSERT_TRUE(report.ok()) << report.trouble;
    impulse += report.contact_impulse;
    // Methods that hold fields leave the nodes' parameters free: their own tests look at the field.
    for (std::size_t k = 0; k < held.size() && method.holds_any_nodes; ++k)
      ASSERT_EQ(body->nodes().x[held[k]], targets[k]);
    if (targets[0].y() < 0.15) break;
  }
  EXPECT_GT(impulse.y(), 0);
}

std::string case_name(const testing::TestParamInfo<std::tuple<int, int>>& given) {
  return contact_cases()[std::get<0>(given.param)].name + "_" + shapes()[std::get<1>(given.param)].name;
}

/// How a fine surface hangs on its nodes is the same in all variants of a method: it is asked of the method itself. Samples
/// of bones take the place of the nodes around them in a ring.
bool fits(const MethodCase& method, const std::string& shape) {
  if (shape == "fine_surface") return find_method(method.name);
  return shape == "two_boxes" || method.free;
}

std::vector<std::tuple<int, int>> pairs_to_try() {
  std::vector<std::tuple<int, int>> pairs;
  for (int c = 0; c < int(contact_cases().size()); ++c)
    for (int s = 0; s < int(shapes().size()); ++s)
      if (fits(contact_cases()[c], shapes()[s].name)) pairs.push_back({c, s});
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(AllMethods, ContactInvariants, testing::ValuesIn(pairs_to_try()), case_name);

}  // namespace contact_invariants_test
}  // namespace pliant
