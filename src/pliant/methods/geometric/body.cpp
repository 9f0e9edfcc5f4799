// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/body.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/methods/geometric/plastic_flow.hpp"

namespace pliant::geometric {

Body::Body(Model model, Skin skin, const Damping& damping, const Options& options)
    : model_(std::move(model)), skin_(std::move(skin)), damping_(damping), options_(options) {
  const auto start = Clock::now();
  PLIANT_CHECK(options.linear_solver != LinearSolver::automatic);
  system_.choose(options.linear_solver == LinearSolver::direct);
  if (system_.direct()) stiffness_ = stiffness_matrix(model_);
  order_ = streaming_order(model_.adjacency);

  const std::size_t n = model_.rest.size();
  state_.nodes = {model_.rest, Points(n, Vec3::Zero()), model_.mass};
  state_.x_before = state_.nodes.x;
  state_.v_before = state_.nodes.v;
  state_.held.assign(n, 0);
  arranged_held_ = new_held_ = state_.held;
  for (Points* points : {&hat_x_, &hat_v_, &new_x_, &new_v_}) points->assign(n, Vec3::Zero());

  if (options.plasticity) state_.rest_vectors = rest_vectors(model_);
  if (options_.adaptive) sweeps_.adapt(model_, *options_.adaptive);
  arrangement_ = arrange(order_, arranged_held_);
  sweeps_.arrange(model_, arrangement_, state_.rest_vectors);
  const std::size_t padded = std::size_t(sweeps_.padded());
  for (Doubles* array : {&start_, &trial_}) array->assign(4 * padded, 0);
  for (Floats* array : {&base_, &g_, &z_, &p_, &q_, &d_, &velocity_, &load_, &outer_load_})
    array->assign(4 * padded, 0);
  diagonal_.assign(padded, 0);
  quaternions_before_.assign(4 * padded, 0);
  for (int k = 0; k <= window; ++k) {
    iterate_[k].assign(4 * padded, 0);
    increment_[k].assign(4 * padded, 0);
  }
  for (Points* points : {&on_nodes_, &outer_, &jump_, &change_, &free_end_, &shifted_x_, &shifted_v_})
    points->assign(n, Vec3::Zero());
  prepare_contact();
  setup_ms_ = milliseconds_since(start);
}

namespace {

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
  const Vec3 values =
      Eigen::SelfAdjointEigenSolver<Mat3>(second.trace() * Mat3::Identity() - second).eigenvalues();
  return values[0] > least_inertia * values[2];
}

}  // namespace

void Body::prepare_contact() {
  total_mass_ = std::accumulate(model_.mass.begin(), model_.mass.end(), 0.0);
  double edge = 0;
  for (const auto& e : model_.edges)
    edge += (model_.rest[e.b] - model_.rest[e.a]).norm() / double(model_.edges.size());
  detection_.build(skin_.contact_points(), model_.rest, edge);
  response_.attach({&model_, &skin_.contact_points(), &arrangement_, &system_, &turns_});
  turns_.clear();
  for (const std::vector<Index>& part : model_.parts) turns_.push_back(can_turn(part, model_));
  const Gather& w = skin_.contact_points();
  for (Index v = 0; v < w.rows(); ++v)
    for (Index k = w.begin[v] + 1; k < w.begin[v + 1]; ++k)
      whole_stencils_ &= model_.part_of[w.column[k]] == model_.part_of[w.column[w.begin[v]]];
}

void Body::set_live(const Damping& damping, const Options& options) {
  damping_ = damping;
  options_.iterations = options.iterations;
  options_.tolerance = options.tolerance;
  options_.rotation_state = options.rotation_state;
  options_.damping_frame = options.damping_frame;
  options_.angular_momentum = options.angular_momentum;
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  state_.has_before = false;
  state_.contacts.clear();
  state_.sides.clear();
  Rotations rotations(x.size(), Eigen::Quaterniond::Identity());
  update_rotations(model_, state_.nodes.x, rotations, state_.rest_vectors);
  set_rotations(rotations);
}

void Body::set_rotations(const Rotations& rotations) {
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    const Eigen::Quaternionf f = rotations[i].cast<float>();
    const float q[4] = {f.w(), f.x(), f.y(), f.z()};
    sweeps_.set_quaternion(arrangement_.place[i], q);
  }
}

Rotations Body::rotations_now() const {
  Rotations rotations(model_.rest.size());
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    float q[4];
    sweeps_.quaternion(arrangement_.place[i], q);
    rotations[i] = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  }
  update_rotations(model_, state_.nodes.x, rotations, state_.rest_vectors);
  return rotations;
}

double Body::elastic_energy() const {
  return energy(model_, state_.nodes.x, rotations_now(), state_.rest_vectors);
}

void Body::elastic_forces(std::span<Vec3> out) const {
  gradient(model_, state_.nodes.x, rotations_now(), out, state_.rest_vectors);
  for (Vec3& force : out) force = -force;
}

/// Lays the nodes out for the held set in new_held_, keeping the rotations.
void Body::rearrange() {
  std::vector<std::array<float, 4>> kept(model_.rest.size());
  for (std::size_t i = 0; i < kept.size(); ++i) sweeps_.quaternion(arrangement_.place[i], kept[i].data());
  arranged_held_ = new_held_;
  arrangement_ = arrange(order_, arranged_held_);
  sweeps_.arrange(model_, arrangement_, state_.rest_vectors);
  for (std::size_t i = 0; i < kept.size(); ++i) sweeps_.set_quaternion(arrangement_.place[i], kept[i].data());
  // Held nodes are where free ones were: unknowns of held nodes are zero everywhere.
  for (Floats* array : {&base_, &g_, &z_, &p_, &q_, &d_, &velocity_, &load_})
    std::fill(array->begin(), array->end(), 0.0f);
  for (int k = 0; k <= window; ++k) std::fill(iterate_[k].begin(), iterate_[k].end(), 0.0f);
  kept_.clear();
  std::fill(start_.begin(), start_.end(), 0.0);
  std::fill(trial_.begin(), trial_.end(), 0.0);
}

void Body::save(Writer& writer) const {
  std::vector<float> quaternions(4 * model_.rest.size());
  for (std::size_t i = 0; i < model_.rest.size(); ++i)
    sweeps_.quaternion(arrangement_.place[i], quaternions.data() + 4 * i);
  writer.array(state_.nodes.x);
  writer.array(state_.nodes.v);
  writer.array(state_.x_before);
  writer.array(state_.v_before);
  writer.array(state_.held);
  writer.array(quaternions);
  writer.value(state_.h);
  writer.value(state_.has_before);
  writer.array(state_.contacts);
  writer.array(state_.sides);
  if (options_.plasticity) writer.array(state_.rest_vectors);
}

bool Body::load(Reader& reader) {
  State next = state_;
  std::vector<float> quaternions(4 * model_.rest.size());
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  reader.array(next.x_before);
  reader.array(next.v_before);
  reader.array(next.held);
  reader.array(quaternions);
  reader.value(next.h);
  reader.value(next.has_before);
  reader.list(next.contacts);
  reader.list(next.sides);
  if (options_.plasticity) reader.array(next.rest_vectors);
  if (!reader.ok()) return false;
  state_ = std::move(next);
  if (options_.plasticity) sweeps_.set_rest(model_, arrangement_, state_.rest_vectors);
  for (std::size_t i = 0; i < model_.rest.size(); ++i)
    sweeps_.set_quaternion(arrangement_.place[i], quaternions.data() + 4 * i);
  return true;
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "geometric";
  out.nodes = model_.nodes();
  out.freedoms = 3 * arrangement_.free;
  out.solver = system_.direct() ? "direct" : "multigrid";
  out.setup_ms = setup_ms_;
  out.weights = skin_.embedding.weight.size();
  const std::size_t n = model_.rest.size();
  const std::size_t model =
      n * (2 * sizeof(Vec3) + sizeof(double) + sizeof(Star)) +
      model_.edges.size() * (sizeof(NodeGraph::Edge) + sizeof(double) + 4 * sizeof(Index));
  const std::size_t points = (8 * n + state_.rest_vectors.size() + 3 * exact_x_.size()) * sizeof(Vec3) +
                             exact_turns_.size() * sizeof(Mat3);
  const std::size_t vectors = sizeof(double) * (start_.size() + trial_.size()) +
                              sizeof(float) * (8 + 2 * (window + 1) + 2) * g_.size();
  out.bytes = model + points + vectors + sweeps_.memory_bytes() + system_.memory_bytes() +
              hessian_factor_.memory_bytes() + stiffness_.value.size() * (sizeof(double) + sizeof(Index));
  return out;
}

}  // namespace pliant::geometric
