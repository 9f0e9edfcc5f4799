// SPDX-License-Identifier: Apache-2.0
// The Newton direction of the static problem by the matrix of a time step (step.cpp): (M/h^2 + K') d = f.
#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/fem/body.hpp"
#include "pliant/methods/node_statics.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::fem {
namespace {

constexpr double reduction = 1e-3;  // of the residual: the caller repeats with the true forces

}  // namespace

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  if (rig_.empty())
    return relax_nodes(*this, input, tolerance, memory, std::bind_front(&Body::static_direction, this));
  PLIANT_CHECK(input.pool != nullptr);
  if (std::string wrong = trouble_of(input, model_.nodes()); !wrong.empty())
    return {.trouble = std::move(wrong)};
  const StepInput held = rig_.with_bones(input, scratch_.rig);
  int kept = 0;
  if (model_.has_given_rotations()) {
    scratch_.rotations = state_.rotations;
    kept = rig_.turn(model_, input.time, scratch_.rig, scratch_.rotations, *input.pool);
    state_.rotations.swap(scratch_.rotations);
  }
  Relaxation out =
      relax_nodes(*this, held, tolerance, memory, std::bind_front(&Body::static_direction, this));
  out.kept_rotations = kept;
  return out;
}

std::string Body::static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d) {
  PLIANT_CHECK(input.pool && f.size() == model_.rest.size() && d.size() == f.size());
  if (has_followers())
    return "`pliant pose` cannot pose a surface embedded in coarse cells: use `pliant run` with damping";
  const FlushTinyNumbers in_here;
  arrange(input.held);
  const Scheme s(Integrator::euler, input.h, {.mass = 0, .stiffness = 0});
  Scratch& end = scratch_;
  std::copy(state_.nodes.x.begin(), state_.nodes.x.end(), end.x.begin());
  std::fill(end.v.begin(), end.v.end(), Vec3::Zero());
  std::copy(state_.rotations.begin(), state_.rotations.end(), end.rotations.begin());
  equation_.turn(end, *input.pool);
  equation_.assemble(s, {}, *input.pool);

  std::fill(d.begin(), d.end(), Vec3::Zero());
  const std::vector<Index>& free = equation_.free();
  if (free.empty()) return {};
  for (std::size_t k = 0; k < free.size(); ++k) end.g[k] = s.elastic * f[free[k]];
  const int allowed = std::max(1000, 3 * int(free.size()));
  const auto solved = equation_.solve(end.g, end.p, reduction, allowed, *input.pool);
  if (!(solved.residual <= reduction))
    return fmt::format("the linear solve did not converge in {} iterations (residual {:.1e} of its start)",
                       solved.iterations, solved.residual);
  for (std::size_t k = 0; k < free.size(); ++k) d[free[k]] = end.p[k];
  return {};
}

}  // namespace pliant::fem
