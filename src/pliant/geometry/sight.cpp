// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/sight.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double most_air = 0.05;      // of a, in all
constexpr double thinnest_gap = 1e-5;  // of the body's size (1 here): less counts as touching
constexpr double steep = 0.3;          // |cosine| to the normal
constexpr double lost_hit = 0.6;       // the count along the line and the tree disagree by more
constexpr double near_end = 1e-3;      // of a: crossings this near an end are its own surface

}  // namespace

Sight::Sight(const TriangleTree& tree, double spacing, bool always_ask)
    : tree_(tree), spacing_(spacing), always_ask_(always_ask) {}

double Sight::winding(const Place& place, Scratch& scratch) const {
  if (!std::isnan(place.winding)) return place.winding;
  if (std::isnan(scratch.winding) || scratch.asked != place.x)
    scratch.asked = place.x, scratch.winding = tree_.winding(place.x);
  return scratch.winding;
}

double Sight::winding(const Vec3& x, const Place& from, Scratch& scratch) const {
  const Vec3 way = x - from.x;
  const double length = way.norm(), free = 0.999 * from.clearance;
  double count = winding(from, scratch);
  if (!(free < length)) return count;
  tree_.crossings(from.x + free / length * way, x, scratch.hits);
  for (const auto& hit : scratch.hits) count += hit.cosine > 0 ? -1 : 1;
  return count;
}

bool Sight::clear(const Place& p, const Place& q, Scratch& scratch, double tolerance) const {
  const double length = (q.x - p.x).norm();
  // Around each end a ball of its clearance is free of surface: only the line between the balls is asked.
  const double from = 0.999 * p.clearance, to = length - 0.999 * q.clearance;
  if (!(from < to)) return true;
  const Vec3 along = (q.x - p.x) / length;
  auto& hits = scratch.hits;
  tree_.crossings(p.x + from * along, p.x + to * along, hits);
  if (hits.empty()) return true;
  for (auto& hit : hits) hit.t = from + hit.t * (to - from);  // now in metres from p

  const double begin_winding = winding(p, scratch);
  double drift = winding(q, scratch) - begin_winding;
  for (const auto& hit : hits) drift += hit.cosine > 0 ? 1 : -1;
  const bool ask = always_ask_ || std::abs(drift) > lost_hit;
  if (ask)
    std::erase_if(hits, [&](const auto& hit) {
      return hit.t < near_end * spacing_ || hit.t > length - near_end * spacing_;
    });

  // Along the line the winding number falls by one where it leaves the surface and rises where it enters; the
  // small remainder (holes, the tree's error) is spread evenly.
  double count = begin_winding, air = 0;
  for (std::size_t k = 0; k <= hits.size(); ++k) {
    const double begin = k == 0 ? 0 : hits[k - 1].t, end = k == hits.size() ? length : hits[k].t;
    if (end > begin) {
      const double middle = 0.5 * (begin + end);
      const double w = ask ? tree_.winding(p.x + middle * along) : count + drift * middle / length;
      if (w <= 0.5) {
        air += end - begin;
        const bool between = k > 0 && k < hits.size();
        if (air > tolerance * most_air * spacing_) return false;
        if (between && end - begin > thinnest_gap && std::abs(hits[k - 1].cosine) > steep &&
            std::abs(hits[k].cosine) > steep)
          return false;
      }
    }
    if (k < hits.size()) count += hits[k].cosine > 0 ? -1 : 1;
  }
  return true;
}

}  // namespace pliant
