// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/meeting.hpp"

#include <utility>

#include "pliant/base/tiny_numbers.hpp"

namespace pliant::geometric {

void Meeting::restore(Slot slot) {
  body_.state = *kept_[std::size_t(slot)];
  if (body_.options.plasticity)
    body_.cache.sweeps.set_rest(body_.model, body_.cache.arrangement, body_.state.rest_vectors);
  body_.cache.load_rotations(body_.state);
}

bool Meeting::begin_straight(const StepInput& input) {
  State& state = body_.state;
  if (body_.options.integrator == Integrator::euler || state.continues(input)) return false;
  return std::exchange(state.past, Past::straight) != Past::straight;
}

double Meeting::rate(double h) const { return body_.options.integrator == Integrator::bdf2 ? 2 * h / 3 : h; }

SurfaceResponse& Meeting::response(const StepInput& input) {
  const FlushTinyNumbers in_this_call;
  const Scheme scheme(body_.options.integrator, input.h, body_.damping, body_.options.damping_frame);
  const Arrangement& arrangement = body_.cache.arrangement;
  places_.resize(4 * body_.state.nodes.x.size());
  for (std::size_t i = 0; i < body_.state.nodes.x.size(); ++i)
    for (int c = 0; c < 3; ++c)
      places_[4 * std::size_t(arrangement.place[i]) + std::size_t(c)] = body_.state.nodes.x[i][c];
  ContactResponse& response = body_.contact.response();
  response.turn_about(places_.data(), scheme.mass,
                      body_.contact.free_to_turn(scheme, input.held.empty() && input.grabs.empty()),
                      *input.pool);
  return response;
}

void Meeting::respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) {
  const FlushTinyNumbers in_this_call;
  dv.resize(impulses.size());
  body_.contact.response().respond(impulses, dv, pool);
}

/// Held nodes stay where their targets are: the response leaves them alone.
void Meeting::kick(std::span<const Vec3> dv, double h) {
  State& state = body_.state;
  for (std::size_t i = 0; i < dv.size(); ++i) {
    state.nodes.v[i] += dv[i];
    state.v_before[i] += dv[i];
    state.x_before[i] -= h * dv[i];
  }
}

void Meeting::move(std::span<const Vec3> dv, double rate) {
  for (std::size_t i = 0; i < dv.size(); ++i) {
    body_.state.nodes.x[i] += rate * dv[i];
    body_.state.nodes.v[i] += dv[i];
  }
}

void Meeting::shift(std::span<const Vec3> dx) {
  for (std::size_t i = 0; i < dx.size(); ++i) {
    body_.state.nodes.x[i] += dx[i];
    body_.state.x_before[i] += dx[i];
  }
}

}  // namespace pliant::geometric
