// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/node_meeting.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "pliant/physics/check_input.hpp"
#include "pliant/physics/free_turn.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant {
namespace {

constexpr double straight = 1e-4;  // rad: an arc that differs by 1e-8 of the part

using Numbers = AlignedVector<double>;
Eigen::Map<const Vec3> at(const Numbers& v, std::size_t i) {
  return Eigen::Map<const Vec3>(v.data() + 3 * i);
}
Eigen::Map<Vec3> at(Numbers& v, std::size_t i) { return Eigen::Map<Vec3>(v.data() + 3 * i); }

}  // namespace

SymmetricMatrix SymmetricEntries::matrix(std::span<const double> diagonal,
                                         std::span<const unsigned char> held) {
  for (std::size_t i = 0; i < diagonal.size(); ++i) add(Index(i), Index(i), diagonal[i]);
  const auto is_held = [&](Index i) { return held[std::size_t(i)] != 0; };
  std::stable_sort(list_.begin(), list_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  });
  SymmetricMatrix out;
  std::size_t k = 0;
  for (Index i = 0; i < Index(diagonal.size()); ++i) {
    for (; k < list_.size() && list_[k].row == i;) {
      const Index j = list_[k].column;
      double sum = 0;
      for (; k < list_.size() && list_[k].row == i && list_[k].column == j; ++k) sum += list_[k].value;
      if (i == j)
        sum = is_held(i) ? 1 : sum;
      else if (is_held(i) || is_held(j))
        continue;
      out.column.push_back(j);
      out.value.push_back(sum);
    }
    out.begin.push_back(Index(out.column.size()));
  }
  list_.clear();
  return out;
}

void NodeMeeting::attach(const ContactRows& rows, std::span<const double> mass,
                         std::vector<std::vector<Index>> parts) {
  mass_.assign(mass.begin(), mass.end());
  parts_ = std::move(parts);
  part_of_.assign(mass_.size(), 0);
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (const Index i : parts_[p]) part_of_[std::size_t(i)] = Index(p);
  response_.attach(rows, part_of_, Index(parts_.size()));
}

ContactBody::Nodes NodeMeeting::nodes() const { return {state().x, state().v, state().mass}; }

// ---- the step in pieces ----

std::string NodeMeeting::begin(const StepInput& input) {
  watch_ = {};
  report_ = {};
  const NodeState& now = state();
  report_.trouble = trouble_of(input, Index(now.x.size()));
  if (!report_.ok()) return report_.trouble;
  input_ = adapted(input);
  report_.trouble = prepare(input_);
  if (!report_.ok()) return report_.trouble;
  const std::size_t n = size(), all = now.x.size();
  held_.assign(n, 0);
  if (holds_nodes())
    for (const Index i : input_.held)
      if (std::size_t(i) < n) held_[std::size_t(i)] = 1;
  report_.trouble = factor();
  if (!report_.ok()) return report_.trouble;
  resize(3 * n, 3 * n, input.h);
  hat_.assign(now.x.begin(), now.x.end());
  start_.resize(all);
  for (Points* array : {&x_, &force_, &product_, &carried_}) array->assign(all, Vec3::Zero());
  for (std::size_t i = 0; i < all; ++i) start_[i] = hat_[i] + input.h * now.v[i];
  if (holds_nodes())
    for (std::size_t k = 0; k < input_.held.size(); ++k)
      start_[std::size_t(input_.held[k])] = input_.targets[k];
  start_anew(false);
  load_model();
  watch_.add_to(&StageTimes::rhs);
  return report_.trouble;
}

std::string NodeMeeting::factor() {
  const double h = input_.h;
  wanted_.mass = 1 + h * drag();
  wanted_.stiffness = h * h + h * damping().stiffness;
  wanted_.held.assign(input_.held.begin(), input_.held.end());
  wanted_.grabs.clear();
  for (const Grab& grab : input_.grabs) wanted_.grabs.emplace_back(grab.node, grab.stiffness);
  if (factored_ && wanted_ == made_) return {};
  made_ = wanted_;
  std::vector<double> diagonal(mass_);
  for (double& m : diagonal) m *= made_.mass;
  SymmetricEntries entries;
  bound(input_, made_.stiffness, entries);
  if (grabs_pull_nodes())
    for (const Grab& grab : input_.grabs) entries.add(grab.node, grab.node, h * h * grab.stiffness);
  std::string trouble = response_.factor(entries.matrix(diagonal, held_), diagonal, held_);
  report_.refactored = true;
  factored_ = trouble.empty();
  factored();
  return trouble;
}

void NodeMeeting::start_anew(bool bound) {
  return_to_prediction();
  split_ = !bound && loose() && keeps_spin();
  first_ = true;
  from_ = hat_;
}

void NodeMeeting::renew_model(bool arcs) {
  if (arcs && split_) add_arcs();
  load_model();
}

/// A step is a straight line in the positions: a part that turns by w gets w x r and is stretched. The next model is
/// about the part where its arc ends (methods/geometric/part_arcs.hpp).
void NodeMeeting::add_arcs() {
  go_to(d_);
  for (const std::vector<Index>& part : parts_) {
    double mass = 0;
    Vec3 first = Vec3::Zero(), momentum = Vec3::Zero();
    for (const Index node : part) {
      const std::size_t i = std::size_t(node);
      mass += mass_[i];
      first += mass_[i] * from_[i];
      momentum += mass_[i] * (x_[i] - from_[i]);
    }
    const Vec3 centre = first / mass, shift = momentum / mass;
    Mat3 second = Mat3::Zero();
    Vec3 spin = Vec3::Zero();
    for (const Index node : part) {
      const std::size_t i = std::size_t(node);
      const Vec3 r = from_[i] - centre;
      second += mass_[i] * r * r.transpose();
      spin += mass_[i] * r.cross(x_[i] - from_[i] - shift);
    }
    const Vec3 turn = rotation_rate(second, spin);
    if (!(turn.norm() > straight) || !turn.allFinite()) continue;
    const Mat3 rotation = rotation_by(turn);
    for (const Index node : part) {
      const Vec3 r = from_[std::size_t(node)] - centre;
      at(d_, std::size_t(node)) += rotation * r - r - turn.cross(r);
    }
  }
  go_to(d_);
  from_ = x_;
}

void NodeMeeting::go_to(const Vector& d) {
  for (std::size_t i = 0; i < size(); ++i) x_[i] = start_[i] + at(d, i);
}

void NodeMeeting::make_model(const Vector& d, Vector& g) {
  const double h = input_.h, alpha = drag(), beta = damping().stiffness;
  const Points& v = state().v;
  go_to(d);
  evaluate(x_, first_, force_);
  first_ = false;
  for (std::size_t i = 0; i < size(); ++i) {
    Vec3 out = (1 + h * alpha) * mass_[i] * (x_[i] - hat_[i]) - h * mass_[i] * v[i] -
               h * h * (mass_[i] * input_.gravity + force_[i]);
    if (!input_.forces.empty()) out -= h * h * input_.forces[i];
    at(g, i) = out;
  }
  if (grabs_pull_nodes())
    for (const Grab& grab : input_.grabs)
      at(g, std::size_t(grab.node)) -= h * h * grab.stiffness * (grab.target - x_[std::size_t(grab.node)]);
  if (beta > 0) {
    for (std::size_t i = 0; i < size(); ++i) carried_[i] = x_[i] - hat_[i];
    stiffen(carried_, product_);
    for (std::size_t i = 0; i < size(); ++i) at(g, i) += h * beta * product_[i];
  }
  for (std::size_t i = 0; i < size(); ++i)
    if (held_[i]) at(g, i).setZero();
  response_.turn_about(x_, split_);
  response_.give_way(yields());
}

double NodeMeeting::multiply(const Vector& p, Vector& out) {
  const double h = input_.h, mass = 1 + h * drag(), stiffness = h * h + h * damping().stiffness;
  for (std::size_t i = 0; i < size(); ++i) carried_[i] = at(p, i);
  stiffen(carried_, product_);
  for (std::size_t i = 0; i < size(); ++i)
    at(out, i) =
        held_[i] ? Vec3(Vec3::Zero()) : Vec3(mass * mass_[i] * carried_[i] + stiffness * product_[i]);
  if (grabs_pull_nodes())
    for (const Grab& grab : input_.grabs)
      if (!held_[std::size_t(grab.node)])
        at(out, std::size_t(grab.node)) += h * h * grab.stiffness * carried_[std::size_t(grab.node)];
  return dot(p, out);
}

SurfaceResponse& NodeMeeting::response() { return response_; }

void NodeMeeting::answer(const Vector& f, Vector& out) {
  response_.solve({reinterpret_cast<const Vec3*>(f.data()), size()},
                  {reinterpret_cast<Vec3*>(out.data()), size()});
}

void NodeMeeting::load(std::span<const Vec3> impulses, Vector& out) {
  for (std::size_t i = 0; i < size(); ++i)
    at(out, i) = held_[i] ? Vec3(Vec3::Zero()) : Vec3(input_.h * impulses[i]);
}

void NodeMeeting::velocities(const Vector& d, Points& out) const {
  out.resize(hat_.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = start_[i] - hat_[i];
    if (i < size()) out[i] += at(d, i);
    out[i] /= input_.h;
  }
}

double NodeMeeting::turned_along(const Vector& way) {
  ++report_.iterations;
  go_to(d_);
  return std::max(response_.turning({reinterpret_cast<const Vec3*>(way.data()), size()}), turned(x_));
}

void NodeMeeting::keep_momentum(std::span<const Vec3> impulses) {
  if (!loose()) return;
  for (std::size_t i = 0; i < size(); ++i) {
    carried_[i] = impulses[i] / input_.h;
    if (!input_.forces.empty()) carried_[i] += input_.forces[i];
  }
  const NodeState& now = state();
  const StepPast from{Past::unknown, input_.h, hat_, now.v, now.v};
  for (const std::vector<Index>& part : parts_) {
    const FreeEnd end{.part = part,
                      .mass = mass_,
                      .h = input_.h,
                      .grown = 1 + input_.h * drag(),
                      .gravity = input_.gravity,
                      .forces = {carried_},
                      .hat_x = hat_,
                      .hat_v = now.v,
                      .x = x_,
                      .velocity = product_};
    end.keep_linear();
    if (keeps_spin()) end.keep_spin(predicted_spin(part, mass_, now, from));
  }
}

StepReport NodeMeeting::end(std::span<const Vec3> impulses, bool violent) {
  watch_.last = Clock::now();
  report_.violent = violent;
  go_to(d_);
  keep_momentum(impulses);
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) sum += x_[i].squaredNorm();
  if (!std::isfinite(sum)) {
    report_.trouble =
        "contact with other bodies has no finite answer: forces or speeds are beyond what numbers can hold; "
        "lower them, or make the step shorter";
    return report_;
  }
  NodeState& now = state();
  for (std::size_t i = 0; i < size(); ++i) {
    now.x[i] = x_[i];
    now.v[i] = (x_[i] - hat_[i]) / input_.h;
  }
  follow();
  accept(input_, report_);
  watch_.add_to(&StageTimes::rhs);
  report_.ms = own_time(watch_.ms);
  return report_;
}

// ---- before and after the step ----

SurfaceResponse& NodeMeeting::response_at_rest(const StepInput&) {
  response_.turn_about(state().x, loose() && keeps_spin());
  return response_;
}

void NodeMeeting::respond(std::span<const Vec3> impulses, Points& dv, Pool&) {
  answer_.assign(impulses.size(), Vec3::Zero());
  response_.solve(impulses.first(size()), std::span(answer_).first(size()));
  dv = answer_;
}

void NodeMeeting::kick(double) {
  for (std::size_t i = 0; i < size(); ++i) state().v[i] += answer_[i];
  follow();
}

void NodeMeeting::move(double rate) {
  for (std::size_t i = 0; i < size(); ++i) {
    state().x[i] += rate * answer_[i];
    state().v[i] += answer_[i];
  }
  follow();
}

void NodeMeeting::shift(double share) {
  for (std::size_t i = 0; i < size(); ++i) state().x[i] += share * answer_[i];
  follow();
}

}  // namespace pliant
