// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/node_statics.hpp"

#include <gtest/gtest.h>

#include "pliant/base/parallel.hpp"
#include "tests/support/plain_nodes.hpp"

namespace pliant {
namespace node_statics_test {

/// Every node hangs on a spring: V = k/2 sum |x - X|^2 + a/4 sum |x - X|^4. Counts what it is asked for.
class Springs final : public PlainNodes {
 public:
  explicit Springs(const Shape& shape) : PlainNodes(shape, 1000), rest_(shape.graph.positions) {}

  StepReport advance(const StepInput&) override { return {}; }
  double elastic_energy() const override {
    ++energies;
    double sum = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const double s = (nodes_.x[i] - rest_[i]).squaredNorm();
      sum += k / 2 * s + a / 4 * s * s;
    }
    return sum;
  }
  void elastic_forces(std::span<Vec3> out) const override {
    ++forces;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const Vec3 d = nodes_.x[i] - rest_[i];
      out[i] = -(k + a * d.squaredNorm()) * d;
    }
  }
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override {
    return relax_nodes(*this, input, tolerance, memory,
                       [&](const StepInput& at, std::span<const Vec3> f, std::span<Vec3> d) {
                         for (std::size_t i = 0; i < f.size(); ++i)
                           d[i] = f[i] / (k + nodes_.mass[i] / (at.h * at.h));
                         return std::string{};
                       });
  }
  MethodDescription describe() const override { return {}; }

  static constexpr double k = 100, a = 1e5;  // N/m, N/m^3
  mutable int energies = 0, forces = 0;

 private:
  Points rest_;
};

TEST(NodeStatics, a_step_that_goes_on_where_the_last_one_ended_looks_only_at_its_own_trials) {
  Pool pool(1);
  Springs body(make_shape(BoxShape{.size = {0.1, 0.1, 0.1}, .nodes = {3, 3, 3}}));
  const StepInput input{.gravity = {0, -4, 0}, .contact = {}, .pool = &pool};  // 1.2 N at the heaviest node
  RelaxMemory memory;
  Relaxation last = body.relax(input, 1e-9, memory);
  ASSERT_EQ(last.steps, 1);
  EXPECT_EQ(body.forces, 2) << "at the start and at the end";
  int steps = 0;
  for (; last.residual > 1e-9 && steps < 50; ++steps) {
    body.energies = body.forces = 0;
    last = body.relax(input, 1e-9, memory);
    ASSERT_GE(body.energies, 1);
    ASSERT_EQ(body.forces, 1) << "at the end";
  }
  EXPECT_LE(last.residual, 1e-9);
  body.energies = body.forces = 0;
  EXPECT_EQ(body.relax(input, 1e-9, memory).steps, 0);
  EXPECT_EQ(body.energies + body.forces, 0) << "nothing has moved";
}

TEST(NodeStatics, a_body_that_was_placed_elsewhere_between_steps_is_looked_at_again) {
  Pool pool(1);
  const Shape shape = make_shape(BoxShape{.size = {0.1, 0.1, 0.1}, .nodes = {3, 3, 3}});
  Springs body(shape), twin(shape);
  const StepInput input{.gravity = {0, -9.81, 0}, .contact = {}, .pool = &pool};
  RelaxMemory memory;
  body.relax(input, 1e-9, memory);
  Points elsewhere = body.nodes().x;
  for (Vec3& x : elsewhere) x += Vec3(0.1, 0, 0);
  for (Springs* one : {&body, &twin}) one->place(elsewhere, Points(elsewhere.size(), Vec3::Zero()));
  RelaxMemory fresh{.caution = memory.caution, .largest = memory.largest, .start = memory.start};
  EXPECT_EQ(body.relax(input, 1e-9, memory).force, twin.relax(input, 1e-9, fresh).force);
}

/// Springs, two of which are far softer than the matrix of its directions says.
class Misjudged final : public PlainNodes {
 public:
  explicit Misjudged(const Shape& shape) : PlainNodes(shape, 1000), rest_(shape.graph.positions) {}

  StepReport advance(const StepInput&) override { return {}; }
  double elastic_energy() const override {
    double sum = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i)
      sum += stiffness(i) / 2 * (nodes_.x[i] - rest_[i]).squaredNorm();
    return sum;
  }
  void elastic_forces(std::span<Vec3> out) const override {
    for (std::size_t i = 0; i < rest_.size(); ++i) out[i] = -stiffness(i) * (nodes_.x[i] - rest_[i]);
  }
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override {
    return relax_nodes(*this, input, tolerance, memory,
                       [&](const StepInput& at, std::span<const Vec3> f, std::span<Vec3> d) {
                         for (std::size_t i = 0; i < f.size(); ++i)
                           d[i] = f[i] / (1000 + nodes_.mass[i] / (at.h * at.h));
                         return std::string{};
                       });
  }
  MethodDescription describe() const override { return {}; }

 private:
  static double stiffness(std::size_t i) { return i == 0 ? 10 : i == 2 ? 50 : 1000; }
  Points rest_;
};

// Each step by that matrix leaves 0.99 of the error: 1400 steps.
TEST(NodeStatics, steps_that_leave_much_are_corrected_by_what_the_last_ones_did_to_the_forces) {
  Pool pool(1);
  Misjudged body(make_shape(BoxShape{.size = {0.1, 0.1, 0.1}, .nodes = {3, 3, 3}}));
  const StepInput input{.gravity = {0, -9.81, 0}, .contact = {}, .pool = &pool};
  RelaxMemory memory;
  int steps = 0;
  Relaxation now;
  do now = body.relax(input, 1e-6, memory);
  while (++steps < 100 && now.residual > 1e-6);
  EXPECT_LE(now.residual, 1e-6);
  EXPECT_LT(steps, 40);
}

}  // namespace node_statics_test
}  // namespace pliant
