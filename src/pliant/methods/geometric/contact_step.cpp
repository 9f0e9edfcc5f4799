// SPDX-License-Identifier: Apache-2.0
// Contact within the step (docs/methods/contact.md). With u = J v the velocities of surface vertices and r =
// h' (contact force) the impulses, the step's equation becomes G(D) = h' J^T r. The step goes
//   1. meet: which vertices would touch without contact (detection.hpp)
//   2. impact (BDF2 only): velocities jump where the body runs into a collider. BDF2 would read the jump as a
//      force and go on with a third of it: v^ = v + (v - v_before)/3 bounces. So what the collider takes from
//      the velocities at the beginning of the step is taken from both instants at once, as if the body had
//      always moved with it: v^ += dv, x^ += h/3 dv, dv = B J^T p with p from the contact problem about v.
//   3. projected step: r of the contact problem about the free motion D = -B G(0); D + h' B J^T r is feasible
//   4. Newton: conjugate gradients over projected steps, the contact problem inside each; steps that turn far
//      are linearised again, about parts that have turned on arcs (part_arcs.hpp)
//   5. momentum: exact, with the forces r
//   6. last answer: the contact problem about that motion changes r by dr, the motion by dv = B J^T dr. The
//      end is feasible, and a body at rest under constant r stays at rest exactly, whatever B is.
//   7. position pass: what still is deeper than the slop is moved out, velocities unchanged.
#include <algorithm>
#include <cmath>

#include "pliant/contact/contact_memory.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/newton_stop.hpp"
#include "pliant/methods/geometric/part_arcs.hpp"

namespace pliant::geometric {
namespace {

constexpr double impact_speed = 0.005;  // g h: slower approach is no impact
// A limb that swings on a contact turns far in a step: with BDF2, Newton's one linearisation fed a tumbling
// animal 20 % of its energy in some steps. Such steps are linearised again until they are solved.
constexpr double lively_turn = 0.01;  // rad
constexpr int most_linearisations = 8;
// The residual of conjugate gradients rises and falls. A step that was broken off at its first rise bent
// limbs as if they were heavy: an animal that lay on the ground swung for seconds.
constexpr double diverging = 16;
constexpr int violent_iterations = 8;
constexpr double rigid_ratio = 1e5;  // h'^2 K_ii/(12 m): above, a V-cycle's rounding loses the split
// How well the contact problem of an iteration is solved: conjugate directions enlarge what it leaves.
constexpr double contact_accuracy = 0.01;  // of the iteration's change of velocity
// Below so many times what the contact problem leaves, the residual is noise, and iterations enlarge it: a
// bar that lay on 369 contacts took twelve of them a step and trembled four times as fast as without.
constexpr double noise = 4;
constexpr Index few_contacts = 200;
constexpr int few_sweeps = 2000, many_sweeps = 100;
// What the step leaves unsolved is a force that the contacts answer: thin legs would tremble on it for ever.
constexpr double contact_tolerance = 0.01;  // reduction of the residual, at most

}  // namespace

Detection::Step Body::detection_step(const StepInput& input) const {
  return {.colliders = input.colliders,
          .options = input.contact,
          .h = input.h,
          .begin = state_.nodes.x,
          .end = free_end_,
          .last = state_.contacts,
          .held = new_held_};
}

/// The contacts of the step, when D = -z is the free motion; g_ = G(0), z_ = A^-1 g_. True: there are some,
/// z_ is B g_ and problem_ is ready but for velocities.
bool Body::meet(const StepInput& input, const Scheme& s, StepReport& report, StageWatch& watch) {
  watch.add_to(&StageTimes::solve);
  contacts_.clear();
  impulses_.clear();
  jumped_ = false;
  if (input.colliders.empty()) return false;
  find_contacts(input);
  if (!contacts_.empty() && options_.integrator == Integrator::bdf2 && jump(input, s, report)) {
    watch.add_to(&StageTimes::contact);
    load_prediction(input, s);
    residual(nullptr, true, s, *input.pool, watch);
    solve(g_.data(), z_.data(), *input.pool, watch);
    find_contacts(input);
  }
  if (contacts_.empty()) {
    watch.add_to(&StageTimes::contact);
    return false;
  }
  prepare_problem(free_to_turn(input), input, s);
  watch.add_to(&StageTimes::contact);
  return true;
}

/// z_ = A^-1 g_ in, B g_ out.
void Body::prepare_problem(bool split, const StepInput& input, const Scheme& s) {
  response_.turn_about(start_.data(), s.mass, split, *input.pool);
  complete_residual();
  response_.fill(contacts_, problem_, *input.pool);
  set_targets(input, s);
  warm_start(s);
}

/// The same about X0 + D, with the impulses that are known.
void Body::prepare_again(const StepInput& input, const Scheme& s) {
  response_.turn_about(trial_.data(), s.mass, true, *input.pool);
  complete_residual();
  response_.fill(contacts_, problem_, *input.pool);
  set_targets(input, s);
  for (Index c = 0; c < problem_.size(); ++c) problem_.set_impulse(c, impulses_[c]);
}

bool Body::free_to_turn(const StepInput& input) const {
  const bool told_apart = system_.direct() || scheme(input.h).elastic * model_.stiffness_ratio < rigid_ratio;
  return told_apart && whole_stencils_ && input.held.empty() && pull_count_ == 0;
}

void Body::find_contacts(const StepInput& input) {
  for (Index k = 0; k < model_.nodes(); ++k) {
    Vec3& end = free_end_[arrangement_.node[k]];
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      end[c] = start_[at] - (k < arrangement_.free ? z_[at] : 0);
    }
  }
  sides_ = state_.sides;
  detection_.find(detection_step(input), sides_);
  contacts_.assign(detection_.contacts().begin(), detection_.contacts().end());
  impulses_.assign(contacts_.size(), Vec3::Zero());
}

/// Step 2. True: the velocities jump.
bool Body::jump(const StepInput& input, const Scheme& s, StepReport& report) {
  double fastest = 0;
  for (const Contact& c : contacts_) {
    const Vec3 u = response_.observe(c, state_.nodes.v) - c.velocity;
    fastest = std::min(fastest, c.normal.dot(u) + std::max(c.gap, 0.0) / input.h);
  }
  if (fastest >= -std::max(impact_speed * input.gravity.norm() * input.h, 10 * input.contact.tolerance))
    return false;
  response_.turn_about(start_.data(), s.mass, free_to_turn(input), *input.pool);
  response_.fill(contacts_, problem_, *input.pool);
  for (Index c = 0; c < problem_.size(); ++c) {
    ContactProblem::Row& row = problem_.row(c);
    row.free = response_.observe(contacts_[c], state_.nodes.v) - contacts_[c].velocity;
    row.bias = std::max(contacts_[c].gap, 0.0) / input.h;
    row.bias =
        with_restitution(contacts_[c], row.normal.dot(row.free), input.gravity.norm() * input.h, row.bias);
  }
  const ContactProblem::Outcome outcome = problem_.solve(input.contact.sweeps, input.contact.tolerance);
  report.contact_sweeps += outcome.sweeps;
  std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
  for (Index c = 0; c < problem_.size(); ++c) {
    impulses_[c] = problem_.impulse(c);
    report.contact_impulse += impulses_[c];
  }
  response_.collect(contacts_, impulses_, on_nodes_);
  response_.respond(on_nodes_, jump_, *input.pool);
  for (std::size_t i = 0; i < jump_.size(); ++i) {
    hat_v_[i] += jump_[i];
    hat_x_[i] += input.h / 3 * jump_[i];
  }
  jumped_ = true;
  return true;
}

/// An open gap may close and no more: n . v >= -gap/h, and not beyond where x^ + h' v touches.
void Body::set_targets(const StepInput& input, const Scheme& s) {
  for (Index c = 0; c < problem_.size(); ++c) {
    const Contact& contact = contacts_[c];
    const Vec3 drift = response_.observe(contact, hat_x_) - response_.observe(contact, state_.nodes.x) -
                       (input.h - s.h) * contact.velocity;
    ContactProblem::Row& row = problem_.row(c);
    row.bias =
        std::max(0.0, std::min(contact.gap / input.h, (contact.gap + contact.normal.dot(drift)) / s.h));
    if (options_.integrator == Integrator::euler) {
      const Vec3 u = response_.observe(contact, state_.nodes.v) - contact.velocity;
      row.bias = with_restitution(contact, contact.normal.dot(u), input.gravity.norm() * input.h, row.bias);
    }
  }
}

/// Forces of the same contacts in the last step; of the same vertex and collider when the feature is new.
void Body::warm_start(const Scheme& s) {
  for (Index c = 0; c < problem_.size(); ++c)
    if (const ContactMemory* known = recall(state_.contacts, contacts_[c].key))
      problem_.set_impulse(c, s.h * known->force);
}

/// The velocity of a contact point when the nodes move by d from the prediction.
Vec3 Body::velocity_of(const Contact& contact, const float* d, const Scheme& s) const {
  const Gather& w = skin_.contact_points();
  Vec3 sum = Vec3::Zero();
  for (Index k = w.begin[contact.key.vertex]; k < w.begin[contact.key.vertex + 1]; ++k) {
    const Index i = w.column[k], place = arrangement_.place[i];
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(place) + c;
      const double v =
          place < arrangement_.free ? hat_v_[i][c] + d[at] / s.h : (start_[at] - hat_x_[i][c]) / s.h;
      sum[c] += w.weight[k] * v;
    }
  }
  return sum;
}

/// r of the contact problem about the motion d that contains none; on_nodes_ = J^T r.
void Body::answer(const float* d, int sweeps, double tolerance, const Scheme& s, StepReport& report) {
  for (Index c = 0; c < problem_.size(); ++c)
    problem_.row(c).free = velocity_of(contacts_[c], d, s) - contacts_[c].velocity;
  const ContactProblem::Outcome outcome = problem_.solve(sweeps, tolerance);
  report.contact_sweeps += outcome.sweeps;
  report.contact_residual = outcome.residual;
  take_impulses();
}

void Body::take_impulses() {
  std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
  for (Index c = 0; c < problem_.size(); ++c) impulses_[c] = problem_.impulse(c);
  response_.collect(contacts_, impulses_, on_nodes_);
}

/// array += scale J^T r on the free nodes.
void Body::add_impulses(double scale, float* array) const {
  const Gather& w = skin_.contact_points();
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    for (Index k = w.begin[contacts_[c].key.vertex]; k < w.begin[contacts_[c].key.vertex + 1]; ++k) {
      const Index place = arrangement_.place[w.column[k]];
      if (place >= arrangement_.free) continue;
      for (int axis = 0; axis < 3; ++axis)
        array[4 * std::size_t(place) + axis] += float(scale * w.weight[k] * impulses_[c][axis]);
    }
}

/// z_ = A^-1 g_ in, B g_ out; g_ = G at D_. Inner forces have neither resultant nor moment, but their
/// rounding has: what a part does as a whole follows from inertia and loads alone.
void Body::complete_residual() {
  for (Index k = 0; k < arrangement_.free; ++k)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      outer_load_[at] = base_[at] + diagonal_[k] * d_[at];
    }
  response_.complete(g_.data(), outer_load_.data(), z_.data());
}

/// z_ = B g_.
void Body::solve_residual(Pool& pool, StageWatch& watch) {
  solve(g_.data(), z_.data(), pool, watch);
  complete_residual();
  watch.add_to(&StageTimes::contact);
}

/// step = D' - D, D' = D - B g + h' B J^T r feasible, r of the contact problem about D - B g; g_ = G at D_,
/// z_ = B g_. load_ = h' J^T r.
void Body::projected_step(int sweeps, double tolerance, const StepInput& input, const Scheme& s, float* step,
                          StepReport& report, StageWatch& watch) {
  for (std::size_t k = 0; k < 4 * std::size_t(arrangement_.free); ++k) load_[k] = d_[k] - z_[k];
  answer(load_.data(), sweeps, tolerance, s, report);
  std::fill(load_.begin(), load_.end(), 0.0f);
  add_impulses(s.h, load_.data());
  watch.add_to(&StageTimes::contact);
  solve(load_.data(), step, *input.pool, watch);
  response_.complete(load_.data(), load_.data(), step);
  sweeps_.add(-1, z_.data(), step, *input.pool);
  watch.add_to(&StageTimes::contact);
}

/// Newton's step under contact. Where it turns far it is linearised again; where that climbs it is done by
/// projected steps with new rotations each: without the split, B = A^-1 bounds every Hessian.
void Body::contact_newton(const StepInput& input, const Scheme& s, StepReport& report, StageWatch& watch) {
  const double lively = options_.integrator == Integrator::bdf2 ? lively_turn : violent_turn;
  const Descent descent = linearised_contact(input, s, report, watch);
  const double turn = sweeps_.largest_turn();
  if (descent.bounded && turn <= lively) return;
  report.violent = turn > violent_turn;
  if (response_.split() && linearise_again(descent, input, s, report, watch)) return;
  report.violent = true;
  contact_anew(false, input, s, watch);
  contact_iterations(violent_iterations, input, s, report, watch);
}

/// From where the first linearisation led, or from the prediction. What is straight in D are velocities, not
/// the ways of parts that turn: those are bent to arcs before the next linearisation, which begins about the
/// turned parts. It ends with one more when the residual has become small: the residual is that of all parts,
/// and crumbs beside a heavy one hardly show in it. False: it climbs.
bool Body::linearise_again(const Descent& before, const StepInput& input, const Scheme& s, StepReport& report,
                           StageWatch& watch) {
  if (!before.bounded) std::fill(d_.begin(), d_.end(), 0.0f);
  const double enough = contact_tolerance * contact_tolerance * before.first;
  Floats& way = increment_[0];
  for (Index i = 0; i < model_.nodes(); ++i)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(arrangement_.place[i]) + c;
      trial_[at] = state_.nodes.x[i][c];
      way[at] = float(start_[at] + d_[at] - trial_[at]);
    }
  double first = 0;
  for (int k = 1;; ++k) {
    add_arcs(model_, arrangement_, turns_, trial_.data(), way.data(), d_.data());
    residual(d_.data(), true, s, *input.pool, watch);
    solve(g_.data(), z_.data(), *input.pool, watch);
    prepare_again(input, s);
    watch.add_to(&StageTimes::contact);
    std::copy(d_.begin(), d_.end(), way.begin());
    const double now = linearised_contact(input, s, report, watch).first;
    if (k == 1) first = std::max(now, before.first);
    if (now <= enough) return true;
    if (!(now < diverging * first)) return false;
    if (k == most_linearisations) return true;
    for (std::size_t at = 0; at < way.size(); ++at) {
      trial_[at] = start_[at] + way[at];
      way[at] = d_[at] - way[at];
    }
  }
}

/// One linearisation about D_: conjugate gradients whose preconditioned residual is the projected step, so
/// that directions keep to the contacts. Each iterate minimises the model energy, with the impulses as given
/// forces, over the projected step and the direction before. Not bounded: B is no bound of H, its step may
/// climb.
Body::Descent Body::linearised_contact(const StepInput& input, const Scheme& s, StepReport& report,
                                       StageWatch& watch) {
  Pool& pool = *input.pool;
  float *g = g_.data(), *d = d_.data(), *p = p_.data(), *hp = q_.data();
  float *step = iterate_[0].data(), *hs = iterate_[1].data();
  sweeps_.clear_turns();
  // Few contacts are solved well: it costs little, and iterations build on it.
  const bool few = problem_.size() <= few_contacts;
  const int sweeps = few ? few_sweeps : many_sweeps;
  const double fine = (few ? contact_accuracy : 1) * input.contact.tolerance;
  projected_step(sweeps, fine, input, s, step, report, watch);
  std::copy(iterate_[0].begin(), iterate_[0].end(), p_.begin());
  const double least = std::max(input.contact.tolerance, noise * fine) * s.h;
  const auto residual_of = [&] { return sweeps_.dot(step, load_.data(), pool) - sweeps_.dot(step, g, pool); };
  const auto needed = [&](double rho) {  // of the contact problem's residual, m/s
    return std::max(fine, contact_accuracy * std::sqrt(std::max(0.0, rho) / total_mass_) / s.h);
  };
  const double first = residual_of();
  sweeps_.add(1, p, d, pool);
  const double curvature = hessian(p, hp, s, pool, watch);
  sweeps_.add(1, hp, g, pool);
  sweeps_.add_turn(1);
  const double reduction = std::min(options_.tolerance, contact_tolerance);
  const double enough = std::max(reduction * reduction * first, least * least * total_mass_);
  // Far from the shape of rest, turning strains: B is no bound of H any more and its step may climb.
  if (first > enough && !(curvature < 2 * first)) return {false, first};
  double least_yet = first;
  // Where the sweeps did not lead to an answer, directions do not keep to the contacts and longer steps make
  // noise of it: the step that leads to the contacts is taken alone.
  const bool alone = !(first > enough) || report.contact_residual > needed(first);
  if (alone) std::fill(iterate_[0].begin(), iterate_[0].end(), 0.0f);
  double rho = first;
  for (int iteration = 0; !alone; ++iteration) {
    ++report.iterations;
    solve_residual(pool, watch);
    const double asked = needed(rho);
    projected_step(sweeps, asked, input, s, step, report, watch);
    rho = residual_of();
    const bool answered = report.contact_residual <= asked;
    if (!(rho > enough) || !(rho < diverging * least_yet) || !answered || iteration + 1 == few_gradients)
      break;
    least_yet = std::min(least_yet, rho);
    const double ss = hessian(step, hs, s, pool, watch);
    const double sp = sweeps_.dot(step, hp, pool), pp = sweeps_.dot(p, hp, pool);
    const double slope = sweeps_.dot(p, load_.data(), pool) - sweeps_.dot(p, g, pool);
    double t = rho / ss, u = 0;  // the first step leads to the contacts: no direction along them
    const double determinant = ss * pp - sp * sp;
    if (iteration > 0 && determinant > 1e-6 * ss * pp) {
      t = (rho * pp - slope * sp) / determinant;
      u = (slope * ss - rho * sp) / determinant;
    }
    sweeps_.add_turn(t);
    for (std::size_t k = 0; k < 4 * std::size_t(arrangement_.free); ++k) {
      p[k] = float(u) * p[k] + float(t) * step[k];
      hp[k] = float(u) * hp[k] + float(t) * hs[k];
    }
    sweeps_.add(1, p, d, pool);
    sweeps_.add(1, hp, g, pool);
  }
  sweeps_.add(1, step, d, pool);
  return {true, first};
}

/// Back to D = 0; without `split`, B = A^-1 from now on.
void Body::contact_anew(bool split, const StepInput& input, const Scheme& s, StageWatch& watch) {
  std::fill(d_.begin(), d_.end(), 0.0f);
  residual(nullptr, true, s, *input.pool, watch);
  solve(g_.data(), z_.data(), *input.pool, watch);
  prepare_problem(split, input, s);
  watch.add_to(&StageTimes::contact);
}

/// Projected steps; without the split when they run away with it.
void Body::contact_iterations(int count, const StepInput& input, const Scheme& s, StepReport& report,
                              StageWatch& watch) {
  if (projected_steps(count, input, s, report, watch)) return;
  report.violent = true;
  contact_anew(false, input, s, watch);
  projected_steps(count, input, s, report, watch);
}

/// D <- D', the projected step taken as it is, with new rotations; `count` times. Every D is feasible, and A
/// >= H makes the energy fall. With the split B^-1 < A, and a small part that turns far may run away: false
/// when steps grow.
bool Body::projected_steps(int count, const StepInput& input, const Scheme& s, StepReport& report,
                           StageWatch& watch) {
  Pool& pool = *input.pool;
  float* step = iterate_[0].data();
  double first = 0;
  for (int k = 0; k < count; ++k) {
    if (k > 0) {
      residual(d_.data(), true, s, pool, watch);
      solve_residual(pool, watch);
    }
    projected_step(input.contact.sweeps, input.contact.tolerance, input, s, step, report, watch);
    ++report.iterations;
    const double size = sweeps_.dot(step, step, pool);
    if (k == 0) first = size;
    if (response_.split() && !(size <= diverging * first)) return false;
    sweeps_.add(1, step, d_.data(), pool);
  }
  return true;
}

/// Step 6.
void Body::last_answer(const StepInput& input, const Scheme& s, StepReport& report) {
  problem_.rebase(
      [&](Index c) -> Vec3 { return response_.observe(contacts_[c], new_v_) - contacts_[c].velocity; });
  const ContactProblem::Outcome outcome = problem_.solve(input.contact.sweeps, input.contact.tolerance);
  report.contact_sweeps += outcome.sweeps;
  report.contact_residual = outcome.residual;
  std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
  double most = 0;
  for (Index c = 0; c < problem_.size(); ++c) {
    const Vec3 change = problem_.impulse(c) - impulses_[c];
    most = std::max(most, change.cwiseAbs().maxCoeff());
    impulses_[c] = change;
  }
  const bool nothing_left = outcome.sweeps == 1 && outcome.residual < 0.1 * input.contact.tolerance;
  if (most > 0 && !nothing_left) {
    response_.collect(contacts_, impulses_, on_nodes_);
    response_.respond(on_nodes_, change_, *input.pool);
    for (std::size_t i = 0; i < change_.size(); ++i) {
      new_v_[i] += change_[i];
      new_x_[i] += s.h * change_[i];
    }
  }
  Vec3 total = Vec3::Zero();
  report.contacts = 0;
  for (Index c = 0; c < problem_.size(); ++c) {
    impulses_[c] = problem_.impulse(c);
    total += impulses_[c];
    report.contacts += !impulses_[c].isZero(0);
  }
  report.contact_impulse += input.h / s.h * total;
}

/// Step 7: x += B sum_c j_c n_c s_c (position_pass.hpp).
void Body::position_pass(const StepInput& input, StepReport& report) {
  const double slop = input.contact.slop * detection_.size();
  moved_ = false;
  const Detection::Step step = detection_step(input);
  double least = detection_.touches(step, new_x_, slop, touches_);
  if (least < -slop) {
    response_.fill(touches_, position_problem_, *input.pool);
    std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
    response_.collect(touches_, position_pass_.solve(touches_, slop, detection_.size(), position_problem_),
                      on_nodes_);
    response_.respond(on_nodes_, change_, *input.pool);
    for (std::size_t i = 0; i < change_.size(); ++i) new_x_[i] += change_[i];
    moved_ = true;
    least = detection_.touches(step, new_x_, slop, touches_);
  }
  report.penetration = -least;
}

/// What the next step needs to know.
void Body::remember_contacts(const Scheme& s) {
  remember(contacts_, impulses_, s.h, state_.contacts);
  state_.sides = sides_;
  // The predecessor moves with what was not a force: the jump of the velocities and the position pass.
  if (jumped_)
    for (std::size_t i = 0; i < jump_.size(); ++i) state_.v_before[i] += jump_[i];
  if (moved_)
    for (std::size_t i = 0; i < change_.size(); ++i) state_.x_before[i] += change_[i];
}

}  // namespace pliant::geometric
