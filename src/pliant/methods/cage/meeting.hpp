// SPDX-License-Identifier: Apache-2.0
// A caged body in the step of an island (contact/descending_body.hpp). Its freedoms are the vertices x of the cage,
// D = x - x0 with x0 where the body goes as a whole. The step is Euler's, with normals that follow (objective.hpp):
//   G(D) = h^2 dPhi/dx,   Phi what the step minimises,   B = (h^2 A)^-1, A the matrix of its own solves
// A model is one projected step, which Phi shortens where it would climb; its load is that of the impulses.
//
// Places Z b are not linear in x, because normals follow. Within a model they are, by P = dZ/dx there: the velocities of
// nodes are V b with V = (Z(x_m) + P (x - x_m) - Z^)/h. The end of the step is Z(x) itself, and so is what the search
// for a free way asks. What moves the end afterwards does so along P, and is asked anew (ContactBody::is_straight).
#pragma once

#include <array>
#include <optional>

#include "pliant/contact/descending_body.hpp"
#include "pliant/methods/cage/contact_response.hpp"
#include "pliant/methods/cage/objective.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::cage {

class Body;

class Meeting final : public DescendingBody<double>, private ContactBasis {
 public:
  /// The body that this belongs to.
  explicit Meeting(Body& body);

  ContactStage& stage() override { return stage_; }
  ContactState& memory() override;
  Nodes nodes() const override;
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  bool is_straight() const override { return false; }
  std::size_t most_contacts() const override { return 600; }  // W is dense
  void keep(Slot slot) override;
  void restore(Slot slot) override;
  const ContactState& kept_memory() const override;
  /// Steps beside others are Euler's.
  bool begin_straight(const StepInput&) override { return false; }
  void end_straight() override {}
  double rate(double h) const override { return h; }

  std::string begin(const StepInput& input) override;
  std::span<const Vec3> hat() const override { return hat_; }
  SurfaceResponse& response() override { return response_; }
  void free_velocities(Points& v) const override;
  void reached(Points& x, Points& v) const override;
  double end_model() override;
  void renew_model(bool) override { load_model(); }
  void start_anew(bool bound) override;
  StepReport end(std::span<const Vec3> impulses, bool violent) override;

  SurfaceResponse& response_at_rest(const StepInput& input) override;
  void respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) override;
  void kick(double h) override;
  void move(double rate) override;
  void shift(double share) override;

 private:
  /// What one step is about.
  struct Running {
    Running(Body& body, const StepInput& given);
    Running(const Running&) = delete;  // its parts refer to each other
    Running& operator=(const Running&) = delete;

    StepInput input;
    StageWatch watch;
    StepReport report;
    Step step;
    Equation<double> equation;
    Objective<double> objective;
  };
  /// That of the present model, or of the place that was asked last.
  class Response final : public SurfaceResponse {
   public:
    explicit Response(Meeting& meeting) : meeting_(meeting) {}
    void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;

   private:
    Meeting& meeting_;
  };

  void weigh(const ContactTerm& term, Eigen::VectorXd& b) const override;
  void velocities(const Vector& d, Points& out) const override;
  void load(std::span<const Vec3> impulses, Vector& out) override;
  /// H is B^-1, and a step B (h J^T r - g).
  double multiply(const Vector& p, Vector& out) override;
  void answer(const Vector& f, Vector& out) override;
  void make_model(const Vector& d, Vector& g) override;
  double turned_along(const Vector& way) override;

  /// Where D leads, world.
  void go_to(const Vector& d, Columns& x) const;
  /// Z - Z^ over h.
  void rate_of(const Columns& x, Columns& out) const;
  /// The velocity of Z in the motion d of the model.
  void moving(const Vector& d, Columns& out) const;
  /// Forces on nodes as those on Z, along the axes of the model.
  void gather_on_z(std::span<const Vec3> on_nodes, Columns& out) const;
  /// Of the impulses on nodes by the Jacobians at hand, times a factor: on the vertices, in the world.
  void pull(std::span<const Vec3> impulses, double factor, Vector& out);
  /// Phi of a way from where the model began, with its load.
  double merit(const Vector& way, double share);
  void set_exact_momentum(std::span<const Vec3> impulses);
  /// The state's x was changed.
  void look_again();

  Body& body_;
  ContactStage stage_;
  Response response_{*this};
  std::array<std::optional<State>, 3> kept_;  // by slot
  std::optional<Running> now_;
  bool ready_ = false;                  // arrays are made
  double bound_ = 1;                    // B = (bound h^2 A)^-1
  Look<double> look_;                   // of the model
  Mat3 axes_ = Mat3::Identity();        // along which the matrix is
  Columns start_, hat_z_;               // x0; Z^
  Columns at_, at_rate_;                // of the model: x, V
  std::vector<FaceJacobian> jacobian_;  // dy/dx there, along the axes
  Points hat_, outer_;
  std::vector<Index> asked_;  // nodes of the contacts at hand
  Eigen::VectorXd used_;      // scratch: b
  mutable Columns moving_;
  Columns trial_, on_z_;
  Vector way_, right_;
  Columns answer_;  // of Z, of the last respond()
};

}  // namespace pliant::cage
