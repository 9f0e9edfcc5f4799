// SPDX-License-Identifier: Apache-2.0
// One step of a caged body:
//   1. springs of pins, handles and grabs (holds.cpp)
//   2. positions and velocities: with frozen normals (frozen_step.cpp, after the paper) or with normals that
//      follow (consistent_step.cpp); both with contact (contact.cpp)
//   3. permanent strain where the strain is above yield (plastic_flow.cpp)
#include "pliant/methods/cage/step.hpp"

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::cage {
namespace {

template <class T>
void advance_in(const Step& step) {
  // A body that is held does not move as a whole: without the split its frozen normals would feed it energy
  // with every step, the more the shorter the steps (a pinned bar reached 395 m/s at h = 1/6000 s).
  const bool split = step.options.normals == Normals::rigid_split, held = step.cache.holds.hard() > 0;
  if (step.options.normals == Normals::consistent || (split && held)) {
    const Integrator by = step.state.touches ? Integrator::euler : step.options.integrator;
    if (!advance_consistent<T>(step, by)) advance_consistent<T>(step, Integrator::euler);
  } else {
    advance_frozen<T>(step, split);
  }
  if (step.report.ok() && step.options.plasticity) flow<T>(step);
}

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool);
  const FlushTinyNumbers in_here;
  StepReport report;
  report.trouble = trouble_of(input, Index(model_.nodes.size()), Index(model_.nodes.size()) + model_.n());
  if (!report.ok()) return report;
  StageWatch watch;
  cache_.holds.set(model_, input, model_.hold_stiffness);
  const Step step{
      {input, damping_, *input.pool, watch, report}, model_, options_, state_, cache_, scratch_, contact_};
  if (options_.precision == Precision::single)
    advance_in<float>(step);
  else
    advance_in<double>(step);
  cache_.shown = cache_.shown && !report.ok();
  report.ms = watch.total();
  return report;
}

}  // namespace pliant::cage
