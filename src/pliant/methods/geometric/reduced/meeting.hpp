// SPDX-License-Identifier: Apache-2.0
// A reduced body in the step of an island (contact/descending_body.hpp). Its freedoms are the coordinates Z, its nodes
// x = X + Phi Z. The step is Euler's: G, H and A are those of its own (equation.hpp). B is A^-1, but for parts that turn:
// with r the coordinates of the places from the centre of mass, the turning modes P w = w x r and their shadows
// Z = A^-1 M P, as of a body of nodes (contact_response.hpp in full space),
//   B = A^-1 - Z Q^-1 Z^T + P J^-1 P^T,   Q = P^T M Z,   J = (1 + h alpha) P^T M P
// Contacts c and d have s_cd = u_c . A^-1 u_d, u the row of Phi at the point.
#pragma once

#include <array>
#include <optional>

#include "pliant/contact/descending_body.hpp"
#include "pliant/methods/geometric/reduced/equation.hpp"

namespace pliant::geometric {

class ReducedBody;

class ReducedResponse final : public SurfaceResponse {
 public:
  /// All outlive this object.
  void attach(const ReducedModel& model, const ContactRows& rows, const ReducedMatrix& matrix);
  /// The modes of a body with these coordinates; without split B is A^-1. mass: what A has of the masses.
  void turn_about(const Coordinates& z, double mass, bool split);
  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;
  /// out = B f.
  void solve(const Coordinates& f, Coordinates& out) const;

 private:
  const ReducedModel* model_ = nullptr;
  const ContactRows* rows_ = nullptr;
  const ReducedMatrix* matrix_ = nullptr;
  bool split_ = false;
  double mass_ = 1;
  Coordinates arm_, heavy_, shadow_;  // r, M r, A^-1 M r
  Mat3 inverse_inertia_ = Mat3::Zero(), inverse_shadow_ = Mat3::Zero();
  Eigen::MatrixXd u_, answer_;  // of the contacts, a column each: u, A^-1 u
};

class ReducedMeeting final : public DescendingBody<double> {
 public:
  /// The body that this belongs to.
  explicit ReducedMeeting(ReducedBody& body);

  ContactStage& stage() override { return stage_; }
  ContactState& memory() override;
  Nodes nodes() const override;
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  bool meets_colliders_alone() const override { return false; }
  void keep(Slot slot) override;
  void restore(Slot slot) override;
  const ContactState& kept_memory() const override { return kept_[std::size_t(Slot::attempt)]->contact; }
  bool begin_straight(const StepInput&) override { return false; }
  void end_straight() override {}
  double rate(double h) const override { return h; }

  std::string begin(const StepInput& input) override;
  std::span<const Vec3> hat() const override { return hat_; }
  SurfaceResponse& response() override { return response_; }
  void renew_model(bool) override { load_model(); }
  void start_anew(bool bound) override;
  StepReport end(std::span<const Vec3> impulses, bool violent) override;

  SurfaceResponse& response_at_rest(const StepInput& input) override;
  void respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) override;
  void kick(double h) override;
  void move(double rate) override;
  void shift(double share) override;

 protected:
  void velocities(const Vector& d, Points& out) const override;
  void load(std::span<const Vec3> impulses, Vector& out) override;
  double multiply(const Vector& p, Vector& out) override;
  void answer(const Vector& f, Vector& out) override;
  void make_model(const Vector& d, Vector& g) override;
  double turned_along(const Vector& way) override;

 private:
  /// What one step is about.
  struct Running {
    Running(ReducedBody& body, const StepInput& given);
    Running(const Running&) = delete;  // its parts refer to each other
    Running& operator=(const Running&) = delete;

    StepInput input;
    Scheme scheme;
    StageWatch watch;
    StepReport report;
    Context context;
    ReducedEquation equation;
  };
  bool loose() const { return step_->input.held.empty() && step_->input.grabs.empty(); }
  /// out = Phi z of all nodes, times a factor.
  void show(const Coordinates& z, double factor, Points& out) const;
  void pull(std::span<const Vec3> impulses, double factor, Coordinates& out) const;

  ReducedBody& body_;
  ContactStage stage_;
  ReducedResponse response_;
  std::array<std::optional<ReducedState>, 3> kept_;  // by slot
  std::optional<Running> step_;
  bool split_ = false;
  Points hat_, outer_;
  Coordinates in_, out_;  // scratch
  mutable Coordinates moving_;
  Coordinates answer_;  // of the last respond()
};

}  // namespace pliant::geometric
