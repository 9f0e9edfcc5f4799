// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/contact.hpp"

#include <algorithm>
#include <numeric>

#include "pliant/math/symmetric_eigen.hpp"

namespace pliant::geometric {
namespace {

constexpr double impact_speed = 0.005;  // g h: slower approach is no impact
constexpr double rigid_ratio = 1e5;     // h'^2 K_ii/(12 m): above, a V-cycle's rounding loses the split

/// Single precision tells the part's turning from its bending: it is neither a point nor a rod.
bool can_turn(const std::vector<Index>& part, const Model& model) {
  constexpr std::size_t least_nodes = 4;
  constexpr double least_inertia = 1e-3;  // of the largest
  if (part.size() < least_nodes) return false;
  double mass = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  const Vec3 origin = model.rest[part[0]];
  for (Index i : part) {
    const Vec3 r = model.rest[i] - origin;
    mass += model.mass[i];
    first += model.mass[i] * r;
    second += model.mass[i] * r * r.transpose();
  }
  second -= first * first.transpose() / mass;
  const Vec3 values = eigenvalues(second.trace() * Mat3::Identity() - second);
  return values[0] > least_inertia * values[2];
}

}  // namespace

void ContactStep::build(const Model& model, const Skin& skin, Cache& cache, KeptVolume& kept) {
  model_ = &model;
  arrangement_ = &cache.arrangement;
  system_ = &cache.system;
  total_mass_ = std::accumulate(model.mass.begin(), model.mass.end(), 0.0);
  double edge = 0;
  for (const auto& e : model.edges)
    edge += (model.rest[e.b] - model.rest[e.a]).norm() / double(model.edges.size());
  stage_.attach(skin.contact_points(), model.rest, edge);
  response_.attach({&model, &stage_.rows(), &cache.arrangement, &cache.system, &turns_, &kept});
  for (const std::vector<Index>& part : model.parts) {
    turns_.push_back(can_turn(part, model));
    part_mass_.push_back(0);
    for (const Index i : part) part_mass_.back() += model.mass[i];
  }
  const Gather& w = skin.contact_points();
  for (Index v = 0; v < w.rows(); ++v)
    for (Index k = w.begin[v] + 1; k < w.begin[v + 1]; ++k)
      whole_stencils_ &= model.part_of[w.column[k]] == model.part_of[w.column[w.begin[v]]];
  for (Points* points : {&on_nodes_, &jump_, &change_, &free_end_, &kick_})
    points->assign(model.rest.size(), Vec3::Zero());
}

// ---- steps 1 and 2 ----

bool ContactStep::meet(Equation& e, SolverVectors& v) {
  e.count(&StageTimes::solve);
  forget();
  if (e.input.colliders.empty()) return false;
  find_contacts(e, v.z);
  if (any() && e.options.integrator == Integrator::bdf2 && jump_at_impact(e)) {
    e.count(&StageTimes::contact);
    e.load_prediction();
    e.residual(nullptr, true, v.g);
    e.solve(v.g, v.z);
    find_contacts(e, v.z);
  }
  if (any()) {
    prepare_problem(e.scratch.start, free_to_turn(e), e, v);
    stage_.warm_start(e.state.contact, e.scheme.h);
  }
  e.count(&StageTimes::contact);
  return any();
}

void ContactStep::forget() {
  stage_.clear();
  jumped_ = moved_ = kicked_ = false;
}

bool ContactStep::would_touch(const Equation& e, std::span<const Vec3> end) {
  if (e.input.colliders.empty()) return false;
  stage_.find(e.input, {.begin = e.state.nodes.x, .end = end, .held = e.scratch.held}, e.state.contact);
  const bool touches = any();
  forget();
  return touches;
}

void ContactStep::find_contacts(const Equation& e, const Floats& z) {
  for (Index k = 0; k < e.model.nodes(); ++k) {
    Vec3& end = free_end_[arrangement_->node[k]];
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      end[c] = e.scratch.start[at] - (k < arrangement_->free ? z[at] : 0);
    }
  }
  stage_.find(e.input, {.begin = e.state.nodes.x, .end = free_end_, .held = e.scratch.held}, e.state.contact);
}

bool ContactStep::jump_at_impact(Equation& e) {
  const StepInput& input = e.input;
  const Points& now = e.state.nodes.v;
  const auto gap_speed = [&](const Contact& c) { return std::max(c.gap, 0.0) / input.h; };
  double fastest = 0;
  for (const Contact& c : stage_.contacts())
    fastest = std::min(fastest, c.normal.dot(stage_.rows().observe(c, now) - c.velocity) + gap_speed(c));
  if (fastest >= -std::max(impact_speed * input.gravity.norm() * input.h, 10 * input.contact.tolerance))
    return false;
  response_.turn_about(e.scratch.start.data(), e.scheme.mass, free_to_turn(e), e.context.pool);
  stage_.couple(response_, e.context.pool);
  stage_.set_targets(gap_speed);
  stage_.answer(input.contact.sweeps, input.contact.tolerance, e.report(),
                [&](const Contact& c) { return stage_.rows().observe(c, now); });
  for (const Vec3& impulse : stage_.impulses()) e.report().contact_impulse += impulse;
  stage_.rebound().note(stage_.contacts(), stage_.impulses());
  stage_.log(input, 1, e.state.nodes.x, e.state.nodes.x);
  stage_.rows().collect(stage_.contacts(), stage_.impulses(), 1, on_nodes_);
  response_.respond(on_nodes_, jump_, e.context.pool);
  for (std::size_t i = 0; i < jump_.size(); ++i) {
    e.scratch.hat_v[i] += jump_[i];
    e.scratch.hat_x[i] += input.h / 3 * jump_[i];
  }
  jumped_ = true;
  return true;
}

bool ContactStep::free_to_turn(const Equation& e) const {
  return free_to_turn(e.scheme, e.input.held.empty() && e.scratch.grabs.empty());
}

bool ContactStep::free_to_turn(const Scheme& scheme, bool loose) const {
  const bool told_apart = system_->direct() || scheme.elastic * model_->stiffness_ratio < rigid_ratio;
  return told_apart && whole_stencils_ && loose;
}

// ---- step 3 ----

void ContactStep::prepare_problem(const Doubles& x, bool split, Equation& e, SolverVectors& v) {
  response_.turn_about(x.data(), e.scheme.mass, split, e.context.pool);
  complete_residual(e, v.d, v.g, v.z);
  stage_.couple(response_, e.context.pool);
  set_targets(e);
}

void ContactStep::restart(bool split, Equation& e, SolverVectors& v) {
  std::fill(v.d.begin(), v.d.end(), 0.0f);
  e.residual(nullptr, true, v.g);
  e.solve(v.g, v.z);
  prepare_problem(e.scratch.start, split, e, v);
  stage_.warm_start(e.state.contact, e.scheme.h);
  e.count(&StageTimes::contact);
}

void ContactStep::linearise_at(Equation& e, SolverVectors& v) {
  prepare_problem(e.scratch.trial, true, e, v);
  stage_.start_from_impulses();
  e.count(&StageTimes::contact);
}

/// An open gap may close and no more: n . v >= -gap/h, and not beyond where x^ + h' v touches.
void ContactStep::set_targets(const Equation& e) {
  const double h = e.input.h;
  const ContactRows& rows = stage_.rows();
  stage_.set_targets([&](const Contact& contact) {
    const Vec3 drift = rows.observe(contact, e.scratch.hat_x) - rows.observe(contact, e.state.nodes.x) -
                       (h - e.scheme.h) * contact.velocity;
    return std::max(0.0, std::min(contact.gap / h, (contact.gap + contact.normal.dot(drift)) / e.scheme.h));
  });
}

Vec3 ContactStep::velocity_of(const Contact& contact, const Floats& d, const Equation& e) const {
  const Scratch& s = e.scratch;
  Vec3 sum = Vec3::Zero();
  stage_.rows().each_node(contact, [&](Index i, double weight) {
    const Index place = arrangement_->place[i];
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(place) + c;
      const double v = place < arrangement_->free ? s.hat_v[i][c] + d[at] / e.scheme.h
                                                  : (s.start[at] - s.hat_x[i][c]) / e.scheme.h;
      sum[c] += weight * v;
    }
  });
  return sum;
}

ContactStage::Rolling ContactStep::rolling_about(const Floats& d, const Equation& e) {
  const double h = e.scheme.h;
  response_.find_turning(
      [&](Index place, Index node) {
        const float* at = d.data() + 4 * std::size_t(place);
        return Vec3(e.scratch.hat_v[node] + Vec3(at[0], at[1], at[2]) / h);
      },
      turning_);
  return {e.input, part_mass_, turning_};
}

ContactStage::Rolling ContactStep::rolling_about(std::span<const Vec3> velocities, const Equation& e) {
  response_.find_turning([&](Index, Index node) { return velocities[std::size_t(node)]; }, turning_);
  return {e.input, part_mass_, turning_};
}

void ContactStep::collect(std::span<const Vec3> impulses, std::span<const Vec3> torques, Points& out) const {
  stage_.rows().collect(stage_.contacts(), impulses, 1, out);
  response_.each_torque(
      torques, [&](Index place, const Vec3& r) { out[std::size_t(arrangement_->node[place])] += r; });
}

void ContactStep::add_impulses(double scale, Floats& array) const {
  response_.each_torque(stage_.torques(), [&](Index place, const Vec3& r) {
    for (int axis = 0; axis < 3; ++axis) array[4 * std::size_t(place) + axis] += float(scale * r[axis]);
  });
  for (std::size_t c = 0; c < stage_.contacts().size(); ++c)
    stage_.rows().each_node(stage_.contacts()[c], [&](Index i, double weight) {
      const Index place = arrangement_->place[i];
      if (place >= arrangement_->free) return;
      for (int axis = 0; axis < 3; ++axis)
        array[4 * std::size_t(place) + axis] += float(scale * weight * stage_.impulses()[c][axis]);
    });
}

/// Makes z = B g of z = A^-1 g. Inner forces have neither resultant nor moment, but their rounding has: what a
/// part does as a whole follows from inertia and loads alone.
void ContactStep::complete_residual(Equation& e, const Floats& d, const Floats& g, Floats& z) {
  Floats& outer = e.scratch.contact.outer;
  for (Index k = 0; k < arrangement_->free; ++k)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      outer[at] = e.scratch.base[at] + e.cache.diagonal[k] * d[at];
    }
  response_.complete(g.data(), outer.data(), z.data());
}

void ContactStep::solve_residual(Equation& e, SolverVectors& v) {
  e.solve(v.g, v.z);
  complete_residual(e, v.d, v.g, v.z);
  e.count(&StageTimes::contact);
}

void ContactStep::project_step(int sweeps, double tolerance, Equation& e, SolverVectors& v, Floats& step) {
  Floats& load = e.scratch.contact.load;
  for (std::size_t k = 0; k < 4 * std::size_t(arrangement_->free); ++k) load[k] = v.d[k] - v.z[k];
  const auto velocity = [&](const Contact& contact) { return velocity_of(contact, load, e); };
  if (split()) {
    const ContactStage::Rolling rolling = rolling_about(load, e);
    stage_.answer(sweeps, tolerance, e.report(), velocity, &rolling);
  } else {
    stage_.answer(sweeps, tolerance, e.report(), velocity);
  }
  std::fill(load.begin(), load.end(), 0.0f);
  add_impulses(e.scheme.h, load);
  e.count(&StageTimes::contact);
  e.solve(load, step);
  response_.complete(load.data(), load.data(), step.data());
  e.add(-1, v.z, step);
  e.count(&StageTimes::contact);
}

/// h'^2 residual^2 sum 1/W_cc over the contacts that carry; W without turning.
double ContactStep::left(double residual, const Equation& e) {
  const ContactProblem& problem = stage_.problem();
  double sum = 0;
  for (Index c = 0; c < problem.size(); ++c)
    if (problem.s(c, c) > 0 && !problem.impulse(c).isZero(0)) sum += 1 / double(problem.s(c, c));
  return e.scheme.elastic * residual * residual * sum;
}

bool ContactStep::states_changed() {
  constexpr char open = 0, stuck = 1, sliding = 2;
  constexpr double on_cone = 1 - 1e-6;
  const ContactProblem& problem = stage_.problem();
  bool changed = states_.size() != std::size_t(problem.size());
  states_.resize(std::size_t(problem.size()), open);
  for (Index c = 0; c < problem.size(); ++c) {
    const ContactProblem::Row& row = problem.row(c);
    const Vec3 r = problem.impulse(c);
    const double along = r.dot(row.normal), across = (r - along * row.normal).norm();
    const char state = !(along > 0) ? open : across < on_cone * row.friction * along ? stuck : sliding;
    changed |= states_[std::size_t(c)] != state;
    states_[std::size_t(c)] = state;
  }
  return changed;
}

// ---- steps 5 to 8 ----

std::span<const Vec3> ContactStep::outer_forces(Equation& e) const {
  const std::span<const Vec3> forces = e.input.forces;
  if (!any()) return forces;
  Points& out = e.scratch.outer_forces;
  collect(stage_.impulses(), stage_.torques(), out);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = out[i] / e.scheme.h + (forces.empty() ? Vec3::Zero() : Vec3(forces[i]));
  return out;
}

void ContactStep::resist_rolling(Equation& e) {
  if (!any() || split() || !e.input.held.empty() || !e.scratch.grabs.empty()) return;
  as_parts(e, [&](auto& body) { stage_.resist_rolling(e.input, body); });
}

void ContactStep::last_answer(Equation& e) {
  if (!any()) return;
  const ContactOptions& options = e.input.contact;
  Points &new_x = e.scratch.new_x, &new_v = e.scratch.new_v;
  const auto velocity = [&](const Contact& contact) { return stage_.rows().observe(contact, new_v); };
  std::optional<ContactStage::Rolling> rolling;
  if (split()) rolling.emplace(rolling_about(new_v, e));
  const auto [outcome, most] =
      stage_.correct(options.sweeps, options.tolerance, e.report(), velocity, rolling ? &*rolling : nullptr);
  const bool nothing_left = outcome.sweeps == 1 && outcome.residual < 0.1 * options.tolerance;
  if (most > 0 && !nothing_left) {
    collect(stage_.changes(), stage_.torque_changes(), on_nodes_);
    response_.respond(on_nodes_, change_, e.context.pool);
    for (std::size_t i = 0; i < change_.size(); ++i) {
      new_v[i] += change_[i];
      new_x[i] += e.scheme.h * change_[i];
    }
  }
  stage_.tell(e.report(), e.input.h / e.scheme.h);
}

void ContactStep::position_pass(Equation& e) {
  if (any()) moved_ = stage_.position_pass(1, e.input, response_, e.scratch.new_x, e.report());
}

template <class Do>
void ContactStep::as_parts(Equation& e, Do&& use) {
  as_parts(e, {e.state.nodes.x, e.state.nodes.v, e.scratch.new_x, e.scratch.new_v, kick_}, use);
}

template <class Do>
void ContactStep::as_parts(Equation& e, const Made& made, Do&& use) {
  const auto elastic = [&](std::span<const Vec3> x) {
    rotations_.resize(std::size_t(e.model.owners()));
    for (std::size_t i = 0; i < rotations_.size(); ++i) {
      const float* q = e.state.rotations.data() + 4 * i;
      rotations_[i] = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
    }
    update_rotations(e.model, x, rotations_, e.state.rest_vectors);
    return energy(e.model, x, rotations_, e.state.rest_vectors);
  };
  ReboundNodes<decltype(elastic)> body(stage_.rows(),
                                       {.part = e.model.part_of,
                                        .mass = e.model.mass,
                                        .x = made.x,
                                        .v = made.v,
                                        .end_x = made.end_x,
                                        .end_v = made.end_v,
                                        .kicked = made.kicked,
                                        .h = e.scheme.h},
                                       elastic);
  use(body);
}

void ContactStep::rebound(Equation& e, std::vector<ImpactMemory>& impacts) {
  if (!e.input.held.empty() || !e.scratch.grabs.empty() || e.input.colliders.empty()) return impacts.clear();
  if (any()) stage_.rebound().note(stage_.contacts(), stage_.impulses(), e.input.h / e.scheme.h);
  as_parts(e, [&](auto& body) {
    e.report().contact_impulse += stage_.rebound().finish(e.input, impacts, body);
    kicked_ = body.any();
  });
}

std::optional<Vec3> ContactStep::rebound_from(Equation& e, const StepInput& input, const Made& made,
                                              std::vector<ImpactMemory>& impacts) {
  std::optional<Vec3> impulse;
  as_parts(e, made, [&](auto& body) {
    const Vec3 sum = stage_.rebound().finish(input, impacts, body);
    if (body.any()) impulse = sum;
  });
  return impulse;
}

void ContactStep::remember(const Equation& e, State& state) const {
  stage_.log(e.input, e.input.h / e.scheme.h, state.x_before, state.nodes.x);
  stage_.remember(e.scheme.h, state.contact);
  // The predecessor moves with what was not a force: the jump of the velocities, the position pass, and the
  // rebound as if the body had always moved with it.
  if (jumped_)
    for (std::size_t i = 0; i < jump_.size(); ++i) state.v_before[i] += jump_[i];
  if (kicked_)
    for (std::size_t i = 0; i < kick_.size(); ++i) {
      state.v_before[i] += kick_[i];
      state.x_before[i] -= e.input.h * kick_[i];
    }
  if (moved_)
    for (std::size_t i = 0; i < jump_.size(); ++i) state.x_before[i] += response_.displaced()[i];
}

}  // namespace pliant::geometric
