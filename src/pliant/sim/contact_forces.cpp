// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/contact_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pliant {

std::vector<ContactForce> contact_forces(const Simulation& simulation) {
  std::vector<ContactForce> out;
  for (std::size_t b = 0; b < simulation.bodies().size(); ++b) {
    const Body& body = simulation.bodies()[b];
    for (const ContactRecord& record : body.contacts()) {
      const Vec3 force = record.impulse / body.last_step();
      const double along = record.normal.dot(force);
      const bool of_bodies = record.other >= 0;
      out.push_back({.body = int(b),
                     .other_body = record.other,
                     .collider = of_bodies ? -1 : record.key.collider,
                     .point = of_bodies ? record.nearest : record.key.vertex,
                     .feature = record.key.feature,
                     .place = record.point,
                     .normal = record.normal,
                     .gap = record.gap,
                     .normal_force = along,
                     .friction = force - along * record.normal});
    }
  }
  return out;
}

void largest_normal_forces(const Simulation& simulation, std::vector<double>& out) {
  out.assign(simulation.bodies().size(), 0);
  for (std::size_t b = 0; b < out.size(); ++b) {
    const Body& body = simulation.bodies()[b];
    for (const ContactRecord& record : body.contacts()) {
      const double force = record.pressed() / body.last_step();
      out[b] = std::max(out[b], force);
      if (record.other < 0) continue;
      double& of_other = out[std::size_t(record.other)];
      of_other = std::max(of_other, force);
    }
  }
}

std::string contacts_csv_header() {
  return "frame,time,body,other,point,feature,x,y,z,normal_x,normal_y,normal_z,gap,normal_force,friction_x,"
         "friction_y,friction_z\n";
}

std::string contacts_csv(const Simulation& simulation, int frame) {
  std::string text;
  for (const ContactForce& c : contact_forces(simulation)) {
    const auto name = [&](int body) { return simulation.bodies()[std::size_t(body)].name(); };
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}", frame, simulation.time(), name(c.body),
                   c.collider >= 0 ? fmt::format("colliders.{}", c.collider) : name(c.other_body), c.point,
                   c.feature);
    for (const Vec3& v : {c.place, c.normal})
      fmt::format_to(std::back_inserter(text), ",{},{},{}", v.x(), v.y(), v.z());
    text += std::isnan(c.gap) ? "," : fmt::format(",{}", c.gap);
    fmt::format_to(std::back_inserter(text), ",{},{},{},{}\n", c.normal_force, c.friction.x(), c.friction.y(),
                   c.friction.z());
  }
  return text;
}

}  // namespace pliant
