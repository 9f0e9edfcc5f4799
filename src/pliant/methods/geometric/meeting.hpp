// SPDX-License-Identifier: Apache-2.0
// A geometric body in the step of an island (contact/contact_body.hpp). G, H and A are those of its own step
// (equation.hpp), B is the response of its contact with colliders (contact_response.hpp).
#pragma once

#include <array>
#include <optional>

#include "pliant/contact/contact_body.hpp"
#include "pliant/methods/geometric/equation.hpp"

namespace pliant::geometric {

class Body;
class ContactStep;

class Meeting final : public ContactBody {
 public:
  /// The body that this belongs to.
  explicit Meeting(Body& body) : body_(body) {}

  ContactStage& stage() override;
  ContactState& memory() override;
  void keep(Slot slot) override;
  void restore(Slot slot) override;
  const ContactState& kept_memory() const override { return kept_[std::size_t(Slot::attempt)]->contact; }
  bool begin_straight(const StepInput& input) override;
  void end_straight() override;
  double rate(double h) const override;

  std::string begin(const StepInput& input) override;
  std::span<const Vec3> hat() const override;
  SurfaceResponse& response() override;
  void free_velocities(Points& v) const override;
  double project(std::span<const Vec3> impulses) override;
  double curve() override;
  Products products() const override;
  void extend(double s, double u) override;
  void move_by(double a, double b) override;
  void solve_residual() override;
  double end_model() override;
  void renew_model(bool arcs) override;
  void start_anew(bool bound) override;
  void reached(Points& x, Points& v) const override;
  StepReport end(std::span<const Vec3> impulses, bool violent) override;

  SurfaceResponse& response_at_rest(const StepInput& input) override;
  void respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) override;
  void kick(std::span<const Vec3> dv, double h) override;
  void move(std::span<const Vec3> dv, double rate) override;
  void shift(std::span<const Vec3> dx) override;
  Vec3 rebound(const StepInput& input, std::span<const Vec3> x, std::span<const Vec3> v) override;

 private:
  /// What one step is about.
  struct Running {
    Running(Body& body, const StepInput& given);
    Running(const Running&) = delete;  // its parts refer to each other
    Running& operator=(const Running&) = delete;

    StepInput input;
    Scheme scheme;
    StageWatch watch;
    StepReport report;
    Context context;
    Equation equation;
  };
  /// While it lives, the time counts as this body's.
  class Working;

  SolverVectors& vectors() const;
  ContactVectors& ways() const;
  /// g and B g at D, with rotations there.
  void load_model();
  /// D of a place, in places; held nodes do not move.
  Vec3 way(Index place) const;

  Body& body_;
  std::array<std::optional<State>, 3> kept_;  // by slot
  std::vector<double> places_;                // of the nodes, as the kernels read them
  Points end_x_, end_v_, kick_;               // of rebound()
  std::optional<Running> step_;
  bool split_ = false;
};

}  // namespace pliant::geometric
