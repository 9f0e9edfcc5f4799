// SPDX-License-Identifier: Apache-2.0
// The simplest method there is: nodes fall freely and follow forces, held nodes go to their targets, grabbed ones
// are pulled.
#pragma once

#include <algorithm>
#include <array>

#include "pliant/contact/collider.hpp"
#include "tests/support/plain_nodes.hpp"

namespace pliant {

class FreeFall : public PlainNodes {
 public:
  FreeFall(const Shape& shape, double density) : PlainNodes(shape, density) {}

  StepReport advance(const StepInput& input) override {
    StepReport report;
    if (fail_at_step >= 0 && steps_ == fail_at_step) {
      report.trouble = "told to fail";
      return report;
    }
    ++steps_;
    held.assign(input.held.begin(), input.held.end());
    Points force(nodes_.x.size(), Vec3::Zero());
    std::copy(input.forces.begin(), input.forces.end(), force.begin());
    for (const Grab& grab : input.grabs)
      force[grab.node] += grab.stiffness * (grab.target - nodes_.x[grab.node]);
    for (std::size_t i = 0; i < nodes_.x.size(); ++i) {
      const auto at = std::lower_bound(input.held.begin(), input.held.end(), Index(i));
      if (at != input.held.end() && *at == Index(i)) {
        const Vec3& target = input.targets[std::size_t(at - input.held.begin())];
        nodes_.v[i] = (target - nodes_.x[i]) / input.h;
        nodes_.x[i] = target;
      } else {
        nodes_.v[i] += input.h * (input.gravity + force[i] / nodes_.mass[i]);
        nodes_.x[i] += input.h * nodes_.v[i];
      }
    }
    report.ms.total = 0.25;
    note_contact(input, report);
    return report;
  }
  double elastic_energy() const override { return 0; }
  void elastic_forces(std::span<Vec3> out) const override { std::fill(out.begin(), out.end(), Vec3::Zero()); }
  MethodDescription describe() const override {
    return {"free-fall", Index(nodes_.x.size()), 3 * Index(nodes_.x.size()), "none", 0, 0};
  }

  int fail_at_step = -1;
  std::vector<Index> held;               ///< of the last step
  ContactOptions contact;                ///< as given in the last step
  std::vector<double> collider_heights;  ///< of the first collider, where it is a plane: begin and end

 private:
  /// Meets nothing, but tells what it was given; the report has numbers that are easy to find.
  void note_contact(const StepInput& input, StepReport& report) {
    contact = input.contact;
    collider_heights.clear();
    if (input.colliders.empty()) return;
    for (const Instant instant : {Instant::begin, Instant::end}) {
      std::array<Touch, max_touches> touches;
      Side side = 0;
      if (input.colliders[0].query(Vec3::Zero(), 1e9, instant, side, touches) > 0)
        collider_heights.push_back(-touches[0].gap);
    }
    report.contacts = 5;
    report.contact_sweeps = 12;
    report.iterations = 4;
    report.contact_residual = 0.001;
    report.penetration = 0.0625;
    report.contact_impulse = Vec3(1, 2, 3);
  }

  int steps_ = 0;
};

}  // namespace pliant
