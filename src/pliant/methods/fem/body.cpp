// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/body.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"

namespace pliant::fem {

Body::Body(Model model, Rig rig, Skin skin, const Damping& damping, const Options& options)
    : model_(std::move(model)),
      rig_(std::move(rig)),
      skin_(std::move(skin)),
      damping_(damping),
      options_(options),
      state_(state_at_rest(model_)),
      equation_(model_),
      scratch_(state_),
      meeting_(*this) {}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  move_followers(state_.nodes.x);
  move_followers(state_.nodes.v);
  state_.past = Past::unknown;
  state_.contact.clear();
  for (Index e = 0; e < model_.elements(); ++e)
    if (!model_.is_given(e))
      state_.rotations[e] =
          rotation(model_, e, deformation_gradient(model_.element(e), x), Eigen::Quaterniond::Identity());
}

void Body::move_followers(Points& points) const {
  const std::span<Vec3> all(points), last = all.subspan(std::size_t(model_.carriers()));
  if (has_followers()) gather(model_.followers, points, last);
}

double Body::elastic_energy() const { return energy(model_, state_.nodes.x, state_.rotations); }

void Body::elastic_forces(std::span<Vec3> out) const {
  PLIANT_CHECK(out.size() == nodes().x.size());
  gradient(model_, state_.nodes.x, state_.rotations, out);
  for (Vec3& force : out) force = -force;
}

std::optional<double> Body::driven_until() const {
  if (rig_.empty()) return std::nullopt;
  return rig_.bones().skeleton().duration();
}

void Body::save(Writer& writer) const { fem::save(state_, writer); }

bool Body::load(Reader& reader) { return fem::load(reader, state_); }

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "fem";
  out.nodes = model_.carriers();
  out.freedoms = 3 * equation_.unknowns();
  out.solver = "conjugate gradients";
  out.setup_ms = equation_.setup_ms();
  const std::size_t n = model_.rest.size(), elements = model_.weight.size();
  out.bytes = elements * (model_.element_bytes() + 2 * sizeof(Eigen::Quaterniond)) +
              model_.corner.size() * sizeof(Index) + n * (11 * sizeof(Vec3) + 2 * sizeof(double)) +
              equation_.memory_bytes() + rig_.memory_bytes();
  return out;
}

}  // namespace pliant::fem
