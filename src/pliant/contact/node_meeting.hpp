// SPDX-License-Identifier: Apache-2.0
// The step in an island (contact_body.hpp) of a body whose freedoms are the places of its nodes. It is Euler's,
//   G(D) = (1 + h alpha) M (x - x_n) - h M v_n - h^2 (M g + f + F(x) - beta K v),   x = x_n + h v_n + D,  v = (x - x_n)/h
// F the elastic forces and K their stiffness at x, alpha and beta the damping; H = (1 + h alpha) M + (h^2 + h beta) K.
// A method says what F and K are, and which scalar matrix bounds H (scalar_response.hpp). Contact has velocities jump,
// which a multistep scheme would read as a force: so a body whose own step is of second order begins it anew after these.
#pragma once

#include "pliant/contact/descending_body.hpp"
#include "pliant/contact/scalar_response.hpp"
#include "pliant/math/symmetric_matrix.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/node_state.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant {

/// Entries of a symmetric matrix in any order; those of the same place are added.
class SymmetricEntries {
 public:
  void add(Index row, Index column, double value) {
    list_.push_back({std::max(row, column), std::min(row, column), value});
  }
  /// value (e_a - e_b)(e_a - e_b)^T
  void add_edge(Index a, Index b, double value) { add(a, a, value), add(b, b, value), add(a, b, -value); }
  /// With these on the diagonal besides; rows of held nodes are those of the unit matrix.
  SymmetricMatrix matrix(std::span<const double> diagonal, std::span<const unsigned char> held);

 private:
  struct Entry {
    Index row, column;
    double value;
  };
  std::vector<Entry> list_;
};

class NodeMeeting : public DescendingBody<double> {
 public:
  Nodes nodes() const override;
  bool begin_straight(const StepInput&) override { return false; }
  void end_straight() override {}
  double rate(double h) const override { return h; }

  std::string begin(const StepInput& input) override;
  std::span<const Vec3> hat() const override { return hat_; }
  SurfaceResponse& response() override;
  void renew_model(bool arcs) override;
  void start_anew(bool bound) override;
  StepReport end(std::span<const Vec3> impulses, bool violent) override;

  SurfaceResponse& response_at_rest(const StepInput& input) override;
  void respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) override;
  void kick(double h) override;
  void move(double rate) override;
  void shift(double share) override;

 protected:
  /// The nodes with freedom are the first of all; parts: those that the body joins.
  void attach(const ContactRows& rows, std::span<const double> mass, std::vector<std::vector<Index>> parts);

  // What a method says.
  virtual NodeState& state() = 0;
  virtual const NodeState& state() const = 0;
  virtual const Damping& damping() const = 0;
  /// The step can be made; what it starts with. Returns the trouble.
  virtual std::string prepare(const StepInput& input) = 0;
  /// entries += stiffness times a matrix that bounds K at any place, N/m, and what holds softly times h^2.
  virtual void bound(const StepInput& input, double stiffness, SymmetricEntries& entries) = 0;
  /// F at x, N, and K there for the next calls. first: the model of the prediction.
  virtual void evaluate(const Points& x, bool first, Points& force) = 0;
  /// out = K p.
  virtual void stiffen(const Points& p, Points& out) = 0;
  /// Of the model: what gives way besides, or null.
  virtual Yield* yields() { return nullptr; }
  /// S is another one.
  virtual void factored() {}
  /// How far the surroundings of a node have turned at x since the model was made, rad, beside what its part has turned.
  virtual double turned(const Points& /*x*/) { return 0; }
  /// Parts keep their spin: F has no torque.
  virtual bool keeps_spin() const { return true; }
  /// The step as the method sees it: what holds the body from within, too.
  virtual StepInput adapted(const StepInput& input) { return input; }
  /// Nothing holds or pulls the body.
  virtual bool loose() const { return input_.held.empty() && input_.grabs.empty(); }
  /// Grabs are springs on nodes; else those of the method's F and K.
  virtual bool grabs_pull_nodes() const { return true; }
  /// Held nodes are where their targets are; else F and K hold them.
  virtual bool holds_nodes() const { return true; }
  /// The end of the step, or nodes that were moved: what follows them is to follow.
  virtual void follow() {}
  virtual void accept(const StepInput& input, StepReport& report) = 0;

  void velocities(const Vector& d, Points& out) const override;
  void load(std::span<const Vec3> impulses, Vector& out) override;
  double multiply(const Vector& p, Vector& out) override;
  void answer(const Vector& f, Vector& out) override;
  void make_model(const Vector& d, Vector& g) override;
  double turned_along(const Vector& way) override;

  const StepInput& input() const { return input_; }
  ScalarResponse& scalar_response() { return response_; }
  /// What S has of a stiffness, s^2.
  double stiff_share() const { return made_.stiffness; }
  double drag() const { return damping().mass; }

 private:
  std::size_t size() const { return mass_.size(); }
  std::string factor();
  void go_to(const Vector& d);
  void add_arcs();
  void keep_momentum(std::span<const Vec3> impulses);

  std::vector<double> mass_;
  std::vector<std::vector<Index>> parts_;
  std::vector<Index> part_of_;
  ScalarResponse response_;
  bool factored_ = false, split_ = false, first_ = true;
  std::vector<unsigned char> held_;
  /// What S was made of.
  struct Made {
    double mass = 0, stiffness = 0;
    std::vector<Index> held;
    std::vector<std::pair<Index, double>> grabs;
    bool operator==(const Made&) const = default;
  };
  Made made_, wanted_;

  StepInput input_;
  StageWatch watch_;
  StepReport report_;
  Points hat_, start_;      // x_n; X0
  Points x_, from_;         // where the model is; where arcs begin
  Points force_, product_;  // scratch
  Points carried_;          // outer forces and those of contact
  Points answer_;           // of the last respond()
};

}  // namespace pliant
