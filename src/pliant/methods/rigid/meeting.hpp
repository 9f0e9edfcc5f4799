// SPDX-License-Identifier: Apache-2.0
// A rigid body in the step of an island (contact/descending_body.hpp). Its freedoms are the shift h du of the point o that
// its motion is about, and the turn h dw, over the motion without contact (flight.hpp). With arms a from o, on nodes
//   v = u + w x a,   G(D) = C^-1 D,   B = C (response.hpp)
// The equation is linear and H = B^-1: one projected step ends it, however stiff what it meets.
//
// The kick is at the beginning of the step, and the body turns with what it has then: so places follow velocities as
// x = x^ + h v. C and the arms are those of the middle of the turn, where nodes move along chords and not along
// tangents. x^ makes up for what is left of the arcs.
#pragma once

#include <array>
#include <optional>

#include "pliant/contact/descending_body.hpp"
#include "pliant/methods/rigid/flight.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::rigid {

class Body;

class Meeting final : public DescendingBody<double> {
 public:
  /// The body that this belongs to.
  explicit Meeting(Body& body);

  ContactStage& stage() override;
  ContactState& memory() override;
  Nodes nodes() const override;
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void keep(Slot slot) override;
  void restore(Slot slot) override;
  const ContactState& kept_memory() const override { return kept_[std::size_t(Slot::attempt)]->contact; }
  /// No history.
  bool begin_straight(const StepInput&) override { return false; }
  void end_straight() override {}
  double rate(double h) const override { return h; }

  std::string begin(const StepInput& input) override;
  std::span<const Vec3> hat() const override { return hat_; }
  SurfaceResponse& response() override;
  void renew_model(bool) override { load_model(); }
  void start_anew(bool) override { return_to_prediction(); }
  /// Places where impulses act in the moments of the body.
  void reached(Points& x, Points& v) const override;
  bool ends_as_reached() const override { return true; }
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
  struct Running {
    Running(const Model& model, const StepInput& given, double drag, const Motion& now)
        : input(given), begin(now), flight(model, input, drag, begin) {}
    Running(const Running&) = delete;  // the flight knows its parts by address
    Running& operator=(const Running&) = delete;

    StepInput input;
    StageWatch watch;
    StepReport report;
    Motion begin;
    Flight flight;
    Twist free;  ///< without contact, in the middle of the turn
    Mat3 middle = Mat3::Identity();
    Mobility mobility;
  };
  /// The middle of the turn with this wrench of impulses: free motion, C, arms, and x^.
  void find_middle(const Vec6& wrench);
  /// Arms and C of what is asked next.
  void load_arms(const Mobility& mobility, const Mat3& rotation);
  Vec6 wrench_of(std::span<const Vec3> impulses) const;
  /// C^-1 of a motion that C allows.
  Vec6 undo(const Mobility& mobility, const Vec6& motion) const;
  void move_nodes_with(const Motion& motion);
  /// The flight ends, and its end becomes the state. False: it is not finite, and the report says so.
  bool accept();

  Body& body_;
  std::array<std::optional<State>, 3> kept_;  // by slot
  std::optional<Running> step_;
  Points hat_;
  Points arm_;         // of the nodes, where the response was last asked for
  Mobility mobility_;  // there
  std::vector<double> weight_;
  Twist answer_;  // of the last respond()
  Vec3 moment_{0, 0, 0};
};

}  // namespace pliant::rigid
