// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/sleeping.hpp"

#include <algorithm>

namespace pliant {
namespace {

constexpr double resting_speed = 1e-4;  // sizes a second

bool is_slow(const Member& m) {
  const double most = resting_speed * m.surface->size();
  return std::all_of(m.v().begin(), m.v().end(),
                     [&](const Vec3& v) { return v.squaredNorm() <= most * most; });
}

}  // namespace

void note_rest(Member& m, double h) {
  const bool rests = m.settled && !(m.report.shortened > 0) && !(m.report.yields > 0) && is_slow(m);
  m.quiet = rests ? m.quiet + h : 0;
}

bool collider_stirs(const Member& m, std::span<const Collider> colliders) {
  const MotionBox box = m.surface->moving().tree().bounds();
  return std::any_of(colliders.begin(), colliders.end(), [&](const Collider& c) {
    if (!c.moves()) return false;
    const Pose &begin = c.pose(Instant::begin), &end = c.pose(Instant::end);
    if (begin.rotation == end.rotation && begin.translation == end.translation) return false;
    return c.near(box.low, box.high, m.thickness);
  });
}

StepReport report_asleep(const StepReport& last) {
  StepReport out = last;
  out.ms = {};
  out.bytes = {};
  out.iterations = out.contact_sweeps = out.rounds = 0;
  return out;
}

}  // namespace pliant
