// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/body.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/methods/geometric/energy.hpp"

namespace pliant::geometric {

Body::Body(Model model, Skin skin, const Damping& damping, const Options& options, Clock::time_point begin)
    : model_(std::move(model)),
      skin_(std::move(skin)),
      damping_(damping),
      options_(options),
      state_(state_at_rest(model_, options.plasticity.has_value())),
      cache_(model_, options, state_),
      scratch_(model_.rest.size(), std::size_t(cache_.sweeps.padded()), model_.sheet.has_value()) {
  contact_.build(model_, skin_, cache_, kept_);
  setup_ms_ = milliseconds_since(begin);
}

void Body::set_live(const Damping& damping, const Options& options) {
  damping_ = damping;
  options_.iterations = options.iterations;
  options_.tolerance = options.tolerance;
  options_.rotation_state = options.rotation_state;
  options_.damping_frame = options.damping_frame;
  options_.angular_momentum = options.angular_momentum;
}

void Body::keep_volume(KeptVolume kept) {
  kept_ = std::move(kept);
  kept_.attach(model_, std::size_t(cache_.sweeps.padded()));
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  state_.past = Past::unknown;
  state_.contact.clear();
  state_.carried.clear();
  Rotations rotations(std::size_t(model_.owners()), Eigen::Quaterniond::Identity());
  update_rotations(model_, state_.nodes.x, rotations, state_.rest_vectors);
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    const Eigen::Quaternionf q = rotations[i].cast<float>();
    const float numbers[4] = {q.w(), q.x(), q.y(), q.z()};
    std::copy_n(numbers, 4, state_.rotations.begin() + 4 * i);
  }
  cache_.load_rotations(state_);
}

Rotations Body::rotations_now() const {
  Rotations rotations(static_cast<std::size_t>(model_.owners()));
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    const float* q = state_.rotations.data() + 4 * i;
    rotations[i] = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  }
  update_rotations(model_, state_.nodes.x, rotations, state_.rest_vectors);
  return rotations;
}

double Body::elastic_energy() const {
  return energy(model_, state_.nodes.x, rotations_now(), state_.rest_vectors);
}

void Body::elastic_forces(std::span<Vec3> out) const {
  PLIANT_CHECK(out.size() == nodes().x.size());
  gradient(model_, state_.nodes.x, rotations_now(), out, state_.rest_vectors);
  for (Vec3& force : out) force = -force;
}

void Body::save(Writer& writer) const { state_.save(writer); }

bool Body::load(Reader& reader) {
  if (!state_.load(reader)) return false;
  if (options_.plasticity) cache_.sweeps.set_rest(model_, cache_.arrangement, state_.rest_vectors);
  cache_.load_rotations(state_);
  return true;
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "geometric";
  out.nodes = model_.nodes();
  out.freedoms = 3 * cache_.arrangement.free;
  out.solver = cache_.system.direct() ? "direct" : "multigrid";
  out.setup_ms = setup_ms_;
  out.weights = skin_.embedding.weight.size();
  const std::size_t n = model_.rest.size();
  const std::size_t model =
      n * (2 * sizeof(Vec3) + sizeof(double) + sizeof(Star)) +
      model_.edges.size() * (sizeof(NodeGraph::Edge) + sizeof(double) + 4 * sizeof(Index));
  const ExactVectors& exact = scratch_.exact;
  const std::size_t points = (8 * n + state_.rest_vectors.size() + 3 * exact.x.size()) * sizeof(Vec3) +
                             exact.turns.size() * sizeof(Mat3);
  const std::size_t vectors = sizeof(double) * 3 * scratch_.start.size() +
                              sizeof(float) * (12 + 2 * (IterateHistory::window + 1)) * scratch_.base.size();
  out.bytes = model + points + vectors + sizeof(float) * state_.rotations.size() +
              cache_.sweeps.memory_bytes() + cache_.system.memory_bytes() + cache_.hessian.memory_bytes() +
              cache_.sheet.memory_bytes() + cache_.sheet_hessian.memory_bytes() +
              cache_.stiffness.value.size() * (sizeof(double) + sizeof(Index));
  return out;
}

StepTraffic Body::traffic(const StepReport& report) const {
  const std::size_t n = model_.rest.size(), k = std::size_t(report.iterations);
  // Prediction: x, v and their predecessors in, x^, v^, X0 and the load out; acceptance: x^, v^ and D in, x
  // and v out.
  const std::size_t ends = n * (4 * 24 + 2 * 24 + 32 + 16 + 2 * 24 + 16 + 2 * 24);
  StepTraffic out;
  const bool sheet = model_.sheet.has_value();
  const std::size_t gradient = sheet ? cache_.sheet.gradient_bytes() : cache_.sweeps.gradient_bytes();
  const std::size_t product = sheet ? cache_.sheet.product_bytes() : cache_.sweeps.product_bytes();
  const std::size_t by_factor = sheet ? cache_.sheet_hessian.solve_bytes() : cache_.hessian.solve_bytes();
  const double work = sheet ? cache_.sheet_hessian.multiply_adds() : cache_.hessian.multiply_adds();
  const std::size_t factor = sheet ? cache_.sheet_hessian.memory_bytes() : cache_.hessian.memory_bytes();
  // The direct solver does not tell g . z on its way.
  const std::size_t solve = cache_.system.bytes_per_solve() + (cache_.system.direct() ? n * 2 * 16 : 0);
  if (report.factored_hessian && !report.violent) {
    out.moved = (1 + 2 * k) * gradient + k * (product + cache_.sweeps.update_bytes()) + (1 + k) * solve +
                k * by_factor;
    out.multiply_adds = double(k) * work;
  } else if (options_.step_solver == StepSolver::newton && !report.violent)
    // A sheet has local/global steps before and after, and begins with the tension of its last state.
    out.moved = (sheet ? 4 : 1) * gradient + k * (product + cache_.sweeps.update_bytes()) +
                (k + (sheet ? 3 : 1)) * solve;
  else
    out.moved = k * (gradient + cache_.system.bytes_per_solve() + n * 3 * 16);
  // The drag of the start: velocities from x^, v^, X0; a product; it goes into G.
  if (damping_.stiffness > 0) {
    const bool once = options_.step_solver == StepSolver::newton && !report.violent;
    const std::size_t times = report.factored_hessian ? 1 + 2 * k : once ? 1 : k;
    out.moved += times * (product + n * (2 * 24 + 32 + 2 * 16));
  }
  out.moved += ends;
  if (!kept_.empty()) out.moved += 3 * cache_.system.bytes_per_solve() + 2 * product;
  if (options_.plasticity) out.moved += cache_.sweeps.flow_bytes();
  if (report.factored_hessian) out.working_set += factor;
  out.working_set += (sheet ? cache_.sheet.memory_bytes() : cache_.sweeps.memory_bytes()) +
                     cache_.system.working_set() + n * (6 * 24 + 32 + 7 * 16 + 4);
  return out;
}

}  // namespace pliant::geometric
