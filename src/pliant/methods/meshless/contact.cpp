// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/contact.hpp"

#include <algorithm>

#include "pliant/methods/meshless/energy.hpp"
#include "pliant/methods/meshless/momentum.hpp"
#include "pliant/methods/meshless/solver.hpp"

namespace pliant::meshless {

ContactStep::ContactStep(const Model& model, const Skin& skin, Cache& cache) {
  stage_.attach(skin.contact_points(), model.rest, model.spacing);
  response_.attach(model, stage_.rows(), cache);
  kick_.assign(model.rest.size(), Vec3::Zero());
}

bool ContactStep::touches(const Equation& e) {
  stage_.clear();
  stage_.find(e.input(), {.begin = e.state.nodes.x, .end = e.scratch.x}, e.state.contact);
  return !stage_.empty();
}

bool ContactStep::pass(Equation& e) {
  e.set_velocities();
  const bool kicked = rebound(e);
  stage_.tell(e.report());
  stage_.log(e.input(), 1, e.state.nodes.x, e.scratch.x);
  stage_.remember(e.input().h, e.state.contact);
  return kicked;
}

bool ContactStep::meet(Equation& e) {
  const StepInput& input = e.input();
  Points& x = e.scratch.x;
  stage_.clear();
  stage_.find(input, {.begin = e.state.nodes.x, .end = x}, e.state.contact);
  if (e.is_free())
    response_.set_free(input.h, x, e.scheme().mass, runs_ahead(e.rig, e.options), e.pool());
  else
    response_.hold(input.h);
  if (!stage_.empty()) answer(e);
  e.set_velocities();
  stage_.position_pass(1, input, response_, x, e.report());
  rebound(e);
  stage_.tell(e.report());
  stage_.log(input, 1, e.state.nodes.x, x);
  stage_.remember(input.h, e.state.contact);
  return !stage_.empty();
}

template <class Do>
void ContactStep::as_parts(Equation& e, Do&& use) {
  const auto elastic = [&](std::span<const Vec3> x) {
    return polar_energy(e.model, e.state.turned, e.state.flow, x);
  };
  ReboundNodes<decltype(elastic)> body(stage_.rows(),
                                       {.part = e.model.part_of,
                                        .mass = e.model.mass,
                                        .x = e.state.nodes.x,
                                        .v = e.state.nodes.v,
                                        .end_x = e.scratch.x,
                                        .end_v = e.scratch.v,
                                        .kicked = kick_,
                                        .h = e.input().h},
                                       elastic);
  use(body);
}

bool ContactStep::rebound(Equation& e) {
  std::vector<ImpactMemory>& impacts = e.state.contact.impacts;
  if (!e.is_free() || !e.input().grabs.empty()) {
    impacts.clear();
    return false;
  }
  stage_.rebound().note(stage_.contacts(), stage_.impulses());
  bool kicked = false;
  as_parts(e, [&](auto& body) {
    e.report().contact_impulse += stage_.rebound().finish(e.input(), impacts, body);
    kicked = body.any();
  });
  return kicked;
}

void ContactStep::answer(Equation& e) {
  const StepInput& input = e.input();
  const ContactRows& rows = stage_.rows();
  const NodeState& now = e.state.nodes;
  Points &x = e.scratch.x, &forces = e.scratch.r;
  const auto velocity = [&](const Contact& contact) -> Vec3 {
    return (rows.observe(contact, x) - rows.observe(contact, now.x)) / input.h;
  };
  const int sweeps = input.contact.sweeps;
  const double tolerance = input.contact.tolerance;
  stage_.couple(response_, e.pool());
  stage_.set_targets([&](const Contact& contact) { return std::max(contact.gap, 0.0) / input.h; });
  stage_.warm_start(e.state.contact, input.h);
  stage_.answer(sweeps, tolerance, e.report(), velocity);

  rows.collect(stage_.contacts(), stage_.impulses(), 1 / input.h, forces);
  e.report().iterations += correct(e, forces, e.options.tolerance, e.options.iterations, x);
  if (e.is_free()) {
    keep_momentum(e, forces, x);
    e.set_velocities();
    if (input.grabs.empty()) as_parts(e, [&](auto& body) { stage_.resist_rolling(input, body); });
  }

  stage_.correct(sweeps, tolerance, e.report(), velocity);
  response_.push(stage_.contacts(), stage_.changes(), x, e.pool());
}

}  // namespace pliant::meshless
