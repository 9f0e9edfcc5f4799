// SPDX-License-Identifier: Apache-2.0
// A geometric body in the step of an island (contact/contact_body.hpp). G, H and A are those of its own step
// (equation.hpp), B is the response of its contact with colliders (contact_response.hpp).
#pragma once

#include <array>
#include <optional>

#include "pliant/contact/descending_body.hpp"
#include "pliant/contact/node_by_node.hpp"
#include "pliant/methods/geometric/equation.hpp"

namespace pliant::geometric {

class Body;
class ContactStep;

class Meeting final : public DescendingBody<float> {
 public:
  /// The body that this belongs to.
  explicit Meeting(Body& body) : body_(body) {}

  ContactStage& stage() override;
  ContactState& memory() override;
  Nodes nodes() const override;
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  /// One that keeps its volume does not.
  bool meets_colliders_alone() const override;
  void keep(Slot slot) override;
  void restore(Slot slot) override;
  const ContactState& kept_memory() const override { return kept_[std::size_t(Slot::attempt)]->contact; }
  bool begin_straight(const StepInput& input) override;
  void end_straight() override;
  void pass_history(std::span<const Vec3> impulses) override;
  double rate(double h) const override;

  std::string begin(const StepInput& input) override;
  std::span<const Vec3> hat() const override;
  SurfaceResponse& response() override;
  void prefer_nodes(bool prefer) override { prefers_nodes_ = prefer; }
  bool by_node() const override { return by_node_; }
  void renew_model(bool arcs) override;
  void start_anew(bool bound) override;
  StepReport end(std::span<const Vec3> impulses, bool violent) override;

  SurfaceResponse& response_at_rest(const StepInput& input) override;
  void respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) override;
  void kick(double h) override;
  void move(double rate) override;
  void shift(double share) override;
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
  void velocities(const Floats& d, Points& out) const override;
  void load(std::span<const Vec3> impulses, Floats& out) override;
  double multiply(const Floats& p, Floats& out) override;
  void answer(const Floats& f, Floats& out) override;
  void answer_residual(const Floats& g, Floats& out) override;
  void make_model(const Floats& d, Floats& g) override;
  double turned_along(const Floats& way) override;
  bool find_node_responses();
  void go_to_volume();

  Body& body_;
  std::array<std::optional<State>, 3> kept_;  // by slot
  std::vector<double> places_;                // of the nodes, as the kernels read them
  Points end_x_, end_v_, kick_;               // of rebound()
  Points answer_;                             // of the last respond()
  Doubles from_;                              // the same where arcs begin
  Floats way_;                                // from there to D
  std::optional<Running> step_;
  bool split_ = false;
  bool prefers_nodes_ = false, by_node_ = false;
  std::vector<float> place_inverse_;                // of the bound of A, by place
  std::vector<float> node_inverse_, mass_inverse_;  // the same and of the masses, by node
  NodeByNode nodes_, masses_;
};

}  // namespace pliant::geometric
