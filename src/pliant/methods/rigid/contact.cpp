// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/contact.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace pliant::rigid {
namespace {

constexpr double hit = 1.5;  // g h: faster approach is an impact

}  // namespace

ContactStep::ContactStep(const Model& model, const Skin& skin) : model_(model) {
  stage_.attach(skin.contact_points(), model.arm, model.edge);
  response_.attach(model, stage_.rows());
}

void ContactStep::take_place(const Flight& flight) {
  response_.set(flight.mobility(), flight.joint().arm, flight.rotation());
}

bool ContactStep::hits(const StepInput& input, const Flight& flight) const {
  const double most = hit * input.gravity.norm() * input.h + 10 * input.contact.tolerance;
  return std::any_of(stage_.contacts().begin(), stage_.contacts().end(), [&](const Contact& c) {
    const Vec3 u = flight.twist().at(response_.lever(c)) - c.velocity;
    return c.normal.dot(u) + std::max(c.gap, 0.0) / input.h < -most;
  });
}

bool ContactStep::meet(const StepInput& input, const State& state, std::span<const Vec3> x, Flight& flight,
                       StepReport& report) {
  stage_.clear();
  stage_.find(input, {.begin = state.nodes.x, .end = x}, state.contact);
  if (stage_.empty()) return false;
  take_place(flight);
  if (hits(input, flight)) {
    flight.kick(0);
    take_place(flight);
  }
  stage_.couple(response_, *input.pool);
  stage_.set_targets([&](const Contact& contact) { return std::max(contact.gap, 0.0) / input.h; });
  stage_.warm_start(state.contact, input.h);
  const Outcome outcome = answer(input, flight, report);
  if (outcome.residual > input.contact.tolerance && work(flight) > 0) {
    for (Index c = 0; c < stage_.problem().size(); ++c) stage_.problem().row(c).friction = 0;
    answer(input, flight, report);
  }
  flight.add(response_.answer(stage_.contacts(), stage_.impulses(), stage_.torques()),
             response_.moment(stage_.contacts(), stage_.impulses(), stage_.torques()));
  return std::any_of(stage_.impulses().begin(), stage_.impulses().end(),
                     [](const Vec3& r) { return !r.isZero(0); });
}

ContactStep::Outcome ContactStep::answer(const StepInput& input, const Flight& flight, StepReport& report) {
  const Twist& free = flight.twist();
  const ContactStage::Rolling rolling{input, {&model_.mass, 1}, {&free.turning, 1}};
  const bool rolls = !flight.joint().holds() && flight.mobility().split;
  return stage_.answer(
      input.contact.sweeps, input.contact.tolerance, report,
      [&](const Contact& contact) { return free.at(response_.lever(contact)); }, rolls ? &rolling : nullptr);
}

double ContactStep::work(const Flight& flight) const {
  const Twist change = response_.answer(stage_.contacts(), stage_.impulses(), stage_.torques());
  double sum = 0;
  for (std::size_t c = 0; c < stage_.contacts().size(); ++c) {
    const Contact& contact = stage_.contacts()[c];
    const Vec3 lever = response_.lever(contact);
    sum += stage_.impulses()[c].dot(flight.twist().at(lever) + change.at(lever) / 2 - contact.velocity);
  }
  return sum;
}

/// The body as the rebound sees it.
class ContactStep::Bouncing final : public ReboundBody {
 public:
  Bouncing(const Model& model, const ContactRows& rows, const Motion& begin, Motion& end, double h)
      : model_(model), rows_(rows), begin_(begin), end_(end), h_(h) {}

  bool moved = false;

  Index points() const override { return rows_.points().rows(); }
  Index part(const ContactKey&) const override { return 0; }
  Vec3 place(const ContactKey& key, Instant instant) const override {
    return at(instant).place(rows_.observe({.key = key}, model_.arm));
  }
  PartMotion motion(Index, Instant instant) const override {
    const Motion& now = at(instant);
    const Mat3 inverse = now.inertia(model_).inverse();
    return {model_.mass, now.centre, now.velocity, inverse * now.spin, inverse};
  }
  WholeBody whole(Instant instant) const override {
    const Motion& now = at(instant);
    const double turning = now.spin.dot(now.turning(model_));
    return {(model_.mass * now.velocity.squaredNorm() + turning) / 2, model_.mass, now.centre, now.velocity};
  }
  void kick(Index, const Vec3& u, const Vec3& w, const Vec3&) override {
    moved = true;
    end_.velocity += u;
    end_.spin += end_.inertia(model_) * w;
  }
  void push(Index part, const Vec3& u, const Vec3& w, const Vec3& centre) override {
    kick(part, u, w, centre);
    displace(end_, Vec3::Zero(), h_ * u, h_ * w);
  }

 private:
  const Motion& at(Instant instant) const { return instant == Instant::begin ? begin_ : end_; }

  const Model& model_;
  const ContactRows& rows_;
  const Motion& begin_;
  Motion& end_;
  double h_;
};

bool ContactStep::finish(const StepInput& input, const Flight& flight, State& state, Motion& end,
                         std::span<Vec3> x, StepReport& report) {
  const Mat3 rotation = end.rotation();
  response_.set(flight.mobility_at(rotation), flight.joint().arm, rotation);
  response_.moved = &end;
  bool moved = stage_.position_pass(1, input, response_, x, report);
  if (flight.joint().holds() || !input.grabs.empty()) {
    state.contact.impacts.clear();
  } else {
    stage_.rebound().note(stage_.contacts(), stage_.impulses());
    Bouncing body(model_, stage_.rows(), state.motion, end, input.h);
    report.contact_impulse += stage_.rebound().finish(input, state.contact.impacts, body);
    moved = moved || body.moved;
  }
  stage_.tell(report);
  stage_.log(input, 1, state.nodes.x, x);
  stage_.remember(input.h, state.contact);
  return moved;
}

}  // namespace pliant::rigid
