// SPDX-License-Identifier: Apache-2.0
// Contact of a geometric body with other bodies (contact/contact_body.hpp), by the response of its contact with
// colliders (contact_response.hpp).
#pragma once

#include "pliant/contact/contact_body.hpp"
#include "pliant/methods/geometric/contact.hpp"

namespace pliant::geometric {

class Meeting final : public ContactBody {
 public:
  /// Of the body that this belongs to.
  struct Parts {
    const Model& model;
    const Damping& damping;
    const Options& options;
    State& state;
    Cache& cache;
    ContactStep& contact;
  };
  explicit Meeting(const Parts& parts) : body_(parts) {}

  ContactStage& stage() override { return body_.contact.stage(); }
  ContactState& memory() override { return body_.state.contact; }
  void keep(Slot slot) override { kept_[std::size_t(slot)] = body_.state; }
  void restore(Slot slot) override;
  const ContactState& kept_memory() const override { return kept_[std::size_t(Slot::attempt)]->contact; }
  bool begin_straight(const StepInput& input) override;
  void end_straight() override { body_.state.past = Past::straight; }
  double rate(double h) const override;
  SurfaceResponse& response(const StepInput& input) override;
  void respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) override;
  void kick(std::span<const Vec3> dv, double h) override;
  void move(std::span<const Vec3> dv, double rate) override;
  void shift(std::span<const Vec3> dx) override;

 private:
  Parts body_;
  std::array<std::optional<State>, 3> kept_;  // by slot
  std::vector<double> places_;                // of the nodes, as the kernels read them
};

}  // namespace pliant::geometric
