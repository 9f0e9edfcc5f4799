// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/contact.hpp"

#include <algorithm>

#include "pliant/methods/cage/contact_response.hpp"

namespace pliant::cage {
namespace {

constexpr int most_contacts = 150;
constexpr double lift_share = 0.2;  // of what is too deep, a step
constexpr double most_lift = 0.05;  // of the size, a step
constexpr double slipping = 0.1;    // of the speed of rolling: what slips faster does not roll

}  // namespace

ContactStep::ContactStep(const Model& model) : points_(model), begin_(points_.rest()), end_(points_.rest()) {
  stage_.attach(points_.gather(), points_.rest(), model.size / 10, ContactStage::Order::given);
}

void ContactStep::place_points(const Step& step, const Flight& flight, const Columns& rate, Index used,
                               bool first) {
  if (first) points_.use(step.model, step.state.more);
  points_.each(step.model.rows(), step.scratch.z.data(), [&](Index p, const Vec3& at) {
    if (first) begin_[std::size_t(p)] = flight.c + flight.r0 * at;
    end_[std::size_t(p)] = flight.c1 + flight.r1 * at;
  });
  points_.each(used, rate.data(),
               [&](Index p, const Vec3& v) { end_[std::size_t(p)] += step.input.h * (flight.r1 * v); });
  for (std::size_t p = 0; p < begin_.size(); ++p)
    if (points_.unused()[p]) begin_[p] = end_[p] = begin_[0];
}

bool ContactStep::meet(const Step& step, const Flight& flight, const Columns& rate, Index used, bool first) {
  stage_.clear();
  if (step.input.colliders.empty()) return false;
  place_points(step, flight, rate, used, first);
  if (first && bounces(step)) start_ = motion_of(step);
  stage_.find(step.input, {.begin = begin_, .end = end_, .held = points_.unused(), .most = most_contacts},
              step.state.contact);
  return touches();
}

double ContactStep::lift(const Step& step, const Contact& contact, const Vec3& u) const {
  const double h = step.input.h, size = step.model.size, slop = step.input.contact.slop * size;
  // Points that are asked because they were deep are kept from going deeper, not moved out: a stiff body
  // bent onto all of them gains energy (0.4 J of 127 J in a step of cage/drop at 5e5 Pa, h = 1/30).
  if (contact.key.vertex >= points_.spread()) return 0;
  const double end = contact.gap + h * contact.normal.dot(u);
  return std::max(lift_share * std::min(end + slop, 0.0), -most_lift * size) / h;
}

template <class T>
void ContactStep::respond(const Step& step, const Flight& flight, double unit, bool follow) {
  const StepInput& input = step.input;
  ContactResponse<T> response(step, points_, flight.r1, unit, follow);
  stage_.couple(response, step.pool);
  stage_.set_targets([&](const Contact& contact) { return std::max(contact.gap, 0.0) / input.h; });
  stage_.warm_start(step.state.contact, input.h);
  const ContactRows& rows = stage_.rows();
  stage_.answer(input.contact.sweeps, input.contact.tolerance, step.report,
                [&](const Contact& contact) -> Vec3 {
                  return (rows.observe(contact, end_) - rows.observe(contact, begin_)) / input.h;
                });
  response.respond(stage_.impulses(), 1, step.scratch.solved);
  const std::span<const Vec3> out =
      stage_.push_out([&](const Contact& contact, const Vec3& u) { return lift(step, contact, u); });
  if (!out.empty()) response.respond(out, input.h, step.scratch.shift);
}

double ContactStep::depth(const Step& step) const {
  const Vec3 c = mean_of(step.state.x);
  const Mat3 axes = step.state.axes().toRotationMatrix();
  double deepest = 0;
  for (const Contact& contact : stage_.contacts()) {
    const Vec3 now = c + axes * points_.observe(contact, step.scratch.z);
    const Vec3 way = now - stage_.rows().observe(contact, begin_) - step.input.h * contact.velocity;
    deepest = std::max(deepest, -contact.gap - contact.normal.dot(way));
  }
  return deepest;
}

bool ContactStep::bounces(const Step& step) const {
  return step.cache.holds.empty() &&
         std::any_of(step.input.colliders.begin(), step.input.colliders.end(),
                     [](const Collider& collider) { return collider.restitution() > 0; });
}

ContactStep::Motion ContactStep::motion_of(const Step& step) const {
  const State& state = step.state;
  Columns& z = step.scratch.world_z;
  const Vec3 c = mean_of(state.x);
  set_z(step.model, state.x, c, Mat3::Identity(), z);
  Mat3 second;
  const Whole whole = whole_about(step.model, z, c, state.velocity, &second);
  const double elastic = state.single.batches.empty() ? state.twice.energy : state.single.energy;
  return {part_motion(step.model.total_mass, whole.centre, whole.momentum, whole.spin, second),
          whole.kinetic + elastic};
}

/// The cage as the rebound sees it, after the step.
class ContactStep::Bouncing final : public ReboundBody {
 public:
  Bouncing(ContactStep& contact, const Step& step)
      : contact_(contact), step_(step), end_(contact.motion_of(step)) {}

  Index points() const override { return contact_.points_.most(); }
  Index part(const ContactKey&) const override { return 0; }
  Vec3 place(const ContactKey& key, Instant instant) const override {
    if (instant == Instant::begin) return contact_.begin_[std::size_t(key.vertex)];
    return mean_of(step_.state.x) + contact_.points_.observe({.key = key}, step_.scratch.world_z);
  }
  PartMotion motion(Index, Instant instant) const override {
    return instant == Instant::begin ? contact_.start_.part : end_.part;
  }
  WholeBody whole(Instant instant) const override {
    const Motion& now = instant == Instant::begin ? contact_.start_ : end_;
    return {now.energy, now.part.mass, now.part.centre, now.part.velocity};
  }
  void kick(Index, const Vec3& u, const Vec3& w, const Vec3& centre) override {
    State& state = step_.state;
    state.past = Past::unknown;  // velocities jump
    const Vec3 c = mean_of(state.x);
    const Columns& z = step_.scratch.world_z;
    for (Index r = 0; r < step_.model.rows(); ++r) {
      const Vec3 arm = z.col(r);
      state.velocity.col(r) += r < step_.model.n() ? Vec3(u + w.cross(c + arm - centre)) : Vec3(w.cross(arm));
    }
    state.whole = whole_about(step_.model, z, c, state.velocity, nullptr);
  }
  /// Places stay: a cage that is turned has other contacts.
  void push(Index part, const Vec3& u, const Vec3& w, const Vec3& centre) override {
    kick(part, u, w, centre);
  }

 private:
  ContactStep& contact_;
  const Step& step_;
  Motion end_;
};

void ContactStep::resist_rolling(const Step& step) {
  if (!touches() || !step.cache.holds.empty()) return;
  Bouncing body(*this, step);
  stage_.resist_rolling(step.input, points_.spacing(), body);
}

void ContactStep::rebound(const Step& step) {
  if (!bounces(step)) return step.state.contact.impacts.clear();
  stage_.rebound().note(stage_.contacts(), stage_.impulses());
  Bouncing body(*this, step);
  step.report.contact_impulse += stage_.rebound().finish(step.input, step.state.contact.impacts, body);
}

void ContactStep::finish(const Step& step) {
  step.state.met.clear();
  resist_rolling(step);
  rebound(step);
  stage_.tell(step.report);
  const Vec3 c = mean_of(step.state.x);
  const Mat3 axes = step.state.axes().toRotationMatrix();
  stage_.log_at(
      step.input, 1, [&](const Contact& contact) { return stage_.rows().observe(contact, begin_); },
      [&](const Contact& contact) -> Vec3 { return c + axes * points_.observe(contact, step.scratch.z); });
  stage_.remember(step.input.h, step.state.contact, true);
  step.report.penetration =
      std::max(depth(step), points_.measure(step.model, step.input, step.state, step.cache));
}

double ContactStep::work(const Columns& z, double h) const {
  double sum = 0;
  for (std::size_t c = 0; c < stage_.contacts().size(); ++c) {
    const Contact& contact = stage_.contacts()[c];
    const Vec3 way = points_.observe(contact, z) - stage_.rows().observe(contact, begin_);
    sum += (stage_.impulses()[c] / h).dot(way);
  }
  return sum;
}

double ContactStep::arc_energy(const Step& step, const Vec3& omega, const Whole& whole) const {
  const Vec3 c = mean_of(step.scratch.new_x);
  double sum = 0, load = 0;
  Vec3 normal = Vec3::Zero(), lever = Vec3::Zero();
  for (std::size_t k = 0; k < stage_.contacts().size(); ++k) {
    const Contact& contact = stage_.contacts()[k];
    const Vec3 &r = stage_.impulses()[k],
               arm = c + points_.observe(contact, step.scratch.new_z) - whole.centre;
    const double pressed = contact.normal.dot(r);
    sum += r.dot(omega.cross(omega.cross(arm)));
    load += pressed;
    normal += pressed * contact.normal;
    lever += pressed * arm;
  }
  if (!(sum > 0 && load > 0)) return 0;
  const Vec3 n = normal.normalized(), rolled = omega.cross(-lever / load),
             slip = whole.momentum / step.model.total_mass - rolled;
  return (slip - slip.dot(n) * n).norm() < slipping * rolled.norm() ? step.input.h * sum : 0;
}

void ContactStep::add_forces(const Mat3& axes, double h, Columns& on_z) const {
  for (std::size_t c = 0; c < stage_.contacts().size(); ++c)
    points_.add(stage_.contacts()[c], axes.transpose() * (stage_.impulses()[c] / h), on_z);
}

template void ContactStep::respond<float>(const Step&, const Flight&, double, bool);
template void ContactStep::respond<double>(const Step&, const Flight&, double, bool);

}  // namespace pliant::cage
