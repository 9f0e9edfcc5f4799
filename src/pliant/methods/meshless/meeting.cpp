// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/meeting.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/momentum.hpp"
#include "pliant/methods/meshless/plastic_flow.hpp"

namespace pliant::meshless {

ContactBody* Body::contact_body() { return &meeting_; }

namespace {

/// Warping at nodes and at rows has forces without an energy, and of their own net force: beside others flesh has the
/// forces of its cells.
Options with_energy(Options options) {
  if (options.warping == Warping::node || options.warping == Warping::row) options.warping = Warping::cell;
  return options;
}

}  // namespace

Meeting::Running::Running(Body& body, const StepInput& given)
    : input(given),
      options(with_energy(body.options_)),
      scheme(Integrator::euler, input.h, body.damping_,
             own_rotations(body.rig_, options) ? 0 : body.model_.kappa),
      context{input, scheme, *input.pool, watch, report},
      equation{body.model_, body.rig_, options, body.state_, body.cache_, body.scratch_, context} {}

ContactStage& Meeting::stage() { return body_.contact_.stage(); }
ContactState& Meeting::memory() { return body_.state_.contact; }
void Meeting::place(std::span<const Vec3> x, std::span<const Vec3> v) { body_.place(x, v); }
void Meeting::keep(Slot slot) { kept_[std::size_t(slot)] = body_.state_; }
void Meeting::restore(Slot slot) { body_.state_ = *kept_[std::size_t(slot)]; }

NodeState& Meeting::state() { return body_.state_.nodes; }
const NodeState& Meeting::state() const { return body_.state_.nodes; }
const Damping& Meeting::damping() const { return body_.damping_; }
bool Meeting::loose() const { return step_->equation.is_free(); }
bool Meeting::keeps_spin() const { return runs_ahead(body_.rig_, step_->options); }
bool Meeting::meets_colliders_alone() const {
  return body_.options_.warping != Warping::node && !body_.rig_.rod();
}
std::size_t Meeting::most_contacts() const { return body_.rig_.rod() ? 600 : NodeMeeting::most_contacts(); }
bool Meeting::follows_flesh() const {
  return step_->options.rotations == Rotations::polar && step_->options.warping == Warping::cell;
}

std::string Meeting::prepare(const StepInput& input) {
  if (!attached_) attach(stage().rows(), body_.model_.mass, body_.model_.parts);
  attached_ = true;
  step_.emplace(body_, input);
  Running& now = *step_;
  // What is held; the factors are those of the body's own step.
  Equation own{body_.model_, body_.rig_,     body_.options_, body_.state_,
               body_.cache_, body_.scratch_, now.context};
  std::string trouble = own.prepare();
  if (trouble.empty()) now.equation.predict(Past::unknown);
  return trouble;
}

void Meeting::bound(const StepInput& input, double stiffness, SymmetricEntries& entries) {
  const Model& model = body_.model_;
  const Equation& e = step_->equation;
  const double kappa = e.scheme().kappa;
  const double most = model.mu + kappa + std::abs(model.mu - kappa) + 3 * model.lambda;
  const SymmetricMatrix laplacian = cell_laplacian(model.cells, model.relative, model.nodes(), *input.pool);
  for (Index i = 0; i < laplacian.rows(); ++i)
    for (Index k = laplacian.begin[std::size_t(i)]; k < laplacian.begin[std::size_t(i) + 1]; ++k)
      entries.add(i, laplacian.column[std::size_t(k)], stiffness * most * laplacian.value[std::size_t(k)]);
  const auto spring = [&](const Gather& rows, Index row, double value) {
    for (Index k = rows.begin[std::size_t(row)]; k < rows.begin[std::size_t(row) + 1]; ++k)
      for (Index l = rows.begin[std::size_t(row)]; l <= k; ++l)
        entries.add(rows.column[std::size_t(k)], rows.column[std::size_t(l)],
                    value * rows.weight[std::size_t(k)] * rows.weight[std::size_t(l)]);
  };
  const Gather& rows = body_.cache_.rows;
  for (Index row = 0; row < rows.rows(); ++row) spring(rows, row, stiffness * e.hold_stiffness());
  for (const Grab& grab : input.grabs) spring(model.at_nodes, grab.node, stiffness * grab.stiffness);
}

void Meeting::evaluate(const Points& x, bool first, Points& force) {
  if (first) {
    body_.state_.turned = kept_[std::size_t(Slot::attempt)]->turned;
    body_.state_.node_turned = kept_[std::size_t(Slot::attempt)]->node_turned;
    body_.aim(step_->equation, input().h);
  } else if (follows_flesh()) {
    body_.turn(x, true, *input().pool);
  }
  if (body_.rig_.rod()) rod_.settle(step_->equation, x);
  step_->equation.inner_forces(x, force);
}

Yield* Meeting::yields() {
  if (!body_.rig_.rod()) return nullptr;
  if (given_.size() == 0) find_given();
  rod_.prepare(step_->equation, given_, stiff_share());
  return &rod_;
}

void Meeting::find_given() {
  const Gather& rows = body_.rig_.rows();
  const Index count = rows.rows();
  const std::size_t nodes = body_.model_.rest.size();
  given_.resize(count, count);
  load_at_.assign(nodes, Vec3::Zero());
  answer_at_.resize(nodes);
  for (Index first = 0; first < count; first += 3) {
    std::fill(load_at_.begin(), load_at_.end(), Vec3::Zero());
    const Index many = std::min<Index>(3, count - first);
    for (Index c = 0; c < many; ++c)
      for (Index k = rows.begin[std::size_t(first + c)]; k < rows.begin[std::size_t(first + c) + 1]; ++k)
        load_at_[std::size_t(rows.column[std::size_t(k)])][c] += rows.weight[std::size_t(k)];
    scalar_response().solve_stiff(load_at_, answer_at_);
    for (Index r = 0; r < count; ++r) {
      Vec3 sum = Vec3::Zero();
      for (Index k = rows.begin[std::size_t(r)]; k < rows.begin[std::size_t(r) + 1]; ++k)
        sum += rows.weight[std::size_t(k)] * answer_at_[std::size_t(rows.column[std::size_t(k)])];
      for (Index c = 0; c < many; ++c) given_(r, first + c) = sum[c];
    }
  }
}

/// The rod is where its flesh has come to.
void Meeting::follow() {
  if (!body_.rig_.rod()) return;
  rod_.settle(step_->equation, body_.state_.nodes.x);
  body_.state_.rod = body_.scratch_.rod;
}

void Meeting::stiffen(const Points& p, Points& out) {
  z_.resize(p.size());
  y_.resize(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) z_[i] = {float(p[i].x()), float(p[i].y()), float(p[i].z()), 0};
  step_->equation.stiffen(z_.data(), y_.data());
  for (std::size_t i = 0; i < p.size(); ++i) out[i] = Vec3(y_[i].x, y_[i].y, y_[i].z);
  if (body_.rig_.rod()) rod_.soften(p, out);
}

double Meeting::turned(const Points& x) {
  if (!follows_flesh()) return 0;
  State& state = body_.state_;
  of_model_ = state.turned;
  body_.turn(x, true, *input().pool);
  double most = 0;
  for (Index c = 0; c < body_.model_.cells.count(); ++c)
    most = std::max(most, quaternion(of_model_, c).angularDistance(quaternion(state.turned, c)));
  state.turned = of_model_;
  return most;
}

void Meeting::accept(const StepInput& input, StepReport& report) {
  State& state = body_.state_;
  state.remember(input, Past::unknown);
  state.touches = true;
  state.contact.impacts.clear();
  if (!state.flow.empty()) report.yields = flow(body_.model_, body_.options_, input.h, state);
  report.active_rotations = body_.options_.warping == Warping::none ? 0 : body_.model_.cells.count();
}

}  // namespace pliant::meshless
