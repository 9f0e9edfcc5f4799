// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/response.hpp"

#include "pliant/methods/rigid/flight.hpp"
#include "tests/unit/methods/rigid/bodies.hpp"

namespace pliant::rigid {
namespace rigid_response_test {

/// Three contacts at corners, of a flight with these holds and grabs.
class RigidResponse : public testing::Test {
 protected:
  RigidResponse() {
    shape_ = racket_shape();
    model_ = *make_model(shape_, 1000, {});
    state_ = state_at_rest(model_);
    state_.motion.turn = Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized());
    state_.motion.velocity = {1, -2, 0.5};
    state_.motion.spin = {3, 1, -2};
    move_nodes(model_, state_.motion, state_.nodes.x, state_.nodes.v, pool_);
    rows_.attach(shape_.embedding);
    response_.attach(model_, rows_);
    for (const Index v : {0, 3, 5}) contacts_.push_back({.key = {v, 0, 0}, .friction = 0.5});
    input_.pool = &pool_;
  }

  /// Velocity of a contact's point, m/s, when these impulses act within the step.
  Vec3 observed(const std::vector<Vec3>& impulses, std::size_t c) {
    Points forces(model_.rest.size(), Vec3::Zero());
    for (std::size_t d = 0; d < contacts_.size(); ++d)
      rows_.add(contacts_[d], impulses[d] / input_.h, forces);
    StepInput pushed = input_;
    pushed.forces = forces;
    Flight flight(model_, pushed, 0.7, state_.motion);
    flight.kick(0.5);
    response_.set(flight.mobility(), flight.joint().arm, flight.rotation());
    return flight.twist().at(response_.lever(contacts_[c]));
  }

  void answers_as_the_step_does() {
    Flight flight(model_, input_, 0.7, state_.motion);
    flight.kick(0.5);
    response_.set(flight.mobility(), flight.joint().arm, flight.rotation());
    ContactProblem problem;
    response_.fill(contacts_, problem, pool_);
    for (Index d = 0; d < 3; ++d)
      for (int k = 0; k < 3; ++k) {
        std::vector<Vec3> impulses(3, Vec3::Zero());
        const std::vector<Vec3> none = impulses;
        impulses[std::size_t(d)] = 2 * Vec3::Unit(k);
        for (Index c = 0; c < 3; ++c) {
          const Vec3 change = observed(impulses, std::size_t(c)) - observed(none, std::size_t(c));
          // Single precision of 1/m in the problem.
          EXPECT_LT((2 * problem.block(c, d).col(k) - change).norm(), 1e-7 * 2 / model_.mass);
        }
        const Twist answer = response_.answer(contacts_, impulses);
        const Twist after = {flight.twist().velocity + answer.velocity,
                             flight.twist().turning + answer.turning};
        EXPECT_LT((after.at(response_.lever(contacts_[0])) - observed(impulses, 0)).norm(), 1e-12);
      }
  }

  Shape shape_;
  Model model_;
  State state_;
  ContactRows rows_;
  Response response_;
  std::vector<Contact> contacts_;
  Pool pool_{1};
  StepInput input_;
};

TEST_F(RigidResponse, of_a_free_body_is_that_of_its_mass_and_inertia) { answers_as_the_step_does(); }

TEST_F(RigidResponse, of_a_ball_joint_turns_about_it) {
  const std::vector<Index> held{6};
  const Points targets{state_.nodes.x[6] + Vec3(0.01, 0, 0)};
  input_.held = held, input_.targets = targets;
  answers_as_the_step_does();
}

TEST_F(RigidResponse, of_a_hinge_turns_about_its_axis) {
  const std::vector<Index> held{2, 6};
  const Points targets{state_.nodes.x[2], state_.nodes.x[6]};
  input_.held = held, input_.targets = targets;
  answers_as_the_step_does();
}

TEST_F(RigidResponse, of_a_grabbed_body_knows_the_springs) {
  const std::vector<Grab> grabs{{1, state_.nodes.x[1] + Vec3(0, 1, 0), 1e5}, {4, state_.nodes.x[4], 2e4}};
  input_.grabs = grabs;
  answers_as_the_step_does();
}

TEST_F(RigidResponse, keeps_both_momenta_of_impulses_to_rounding) {
  Flight flight(model_, input_, 0, state_.motion);
  flight.kick(0.5);
  response_.set(flight.mobility(), flight.joint().arm, flight.rotation());
  const std::vector<Vec3> r{{1, 2, 3}, {-4, 0, 1}, {0.5, 0.5, 0.5}};
  flight.add(response_.answer(contacts_, r), response_.moment(contacts_, r, {}));
  const Motion end = flight.end(true);
  EXPECT_LT((model_.mass * (end.velocity - state_.motion.velocity) - Vec3(-2.5, 2.5, 4.5)).norm(), 1e-12);
  Vec3 moment = Vec3::Zero();
  for (std::size_t c = 0; c < 3; ++c) moment += response_.lever(contacts_[c]).cross(r[c]);
  EXPECT_LT((end.spin - state_.motion.spin - moment).norm(), 1e-13);
}

}  // namespace rigid_response_test
}  // namespace pliant::rigid
