// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/body.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"

namespace pliant::metric {

Body::Body(Model model, Skin skin, const Damping& damping, const Options& options)
    : model_(std::move(model)),
      skin_(std::move(skin)),
      damping_(damping),
      options_(options),
      state_(state_at_rest(model_, options)),
      equation_(model_, options),
      momentum_(model_),
      whole_(model_),
      contact_(model_, skin_.contact_points(), equation_.unit()),
      scratch_(state_) {}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  state_.contact.clear();
  state_.response = 1;
  state_.past = Past::unknown;
  state_.touches = false;
}

Strengths Body::strengths() const { return {factor_at(options_.keys, state_.time), state_.metrics}; }

double Body::elastic_energy() const { return energy(model_, strengths(), state_.nodes.x); }

void Body::elastic_forces(std::span<Vec3> out) const {
  PLIANT_CHECK(out.size() == nodes().x.size());
  forces(model_, strengths(), state_.nodes.x, out);
}

void Body::save(Writer& writer) const { metric::save(state_, writer); }

bool Body::load(Reader& reader) { return metric::load(reader, skin_.contact_points().rows(), state_); }

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "metric";
  out.nodes = model_.nodes();
  out.freedoms = 3 * (model_.nodes() - equation_.held_nodes());
  out.solver = "conjugate gradients, " + equation_.solver_name();
  out.setup_ms = equation_.setup_ms();
  out.bytes = equation_.memory_bytes() +
              (model_.rest.size() * 11 + state_.x_before.size() * 6) * sizeof(Vec3) + model_.bits.size() * 8 +
              model_.cells.size() * 40 + state_.metrics.size() * 16;
  return out;
}

}  // namespace pliant::metric
