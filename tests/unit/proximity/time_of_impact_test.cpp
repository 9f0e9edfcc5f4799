// SPDX-License-Identifier: Apache-2.0
// Against a subdivision in long double. More queries, with a table: PLIANT_IMPACT_QUERIES=1000000.
#include "pliant/proximity/time_of_impact.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <queue>

#include "tests/unit/proximity/pair_queries.hpp"

namespace pliant {
namespace time_of_impact_test {

using namespace pair_queries;

int query_count() {
  const char* wish = std::getenv("PLIANT_IMPACT_QUERIES");
  return wish ? std::atoi(wish) : 20000;
}

/// Where do the two sides meet? The difference of their points is linear in the time and in each of the two
/// other coordinates (two weights of the triangle, or one of each edge), so over a box of the three it lies in
/// the hull of its values at the eight corners. Boxes whose hull is off the origin hold no meeting.
class Subdivision {
 public:
  Subdivision(PairKind kind, const PairPoints& begin, const PairPoints& end) : kind_(kind) {
    const LongPoints from = as_long(begin), to = as_long(end);
    for (int k = 0; k < 4; ++k) begin_[k] = from[k] - from[0], way_[k] = to[k] - from[k];
  }

  enum class Answer { apart, meet, unknown };
  struct Found {
    Answer answer;
    double time = 1;  ///< nothing meets before
  };
  /// From time 0 to `until`: the first box with the origin in a hull smaller than `tolerance`.
  Found first_meeting(double until, double tolerance, int most_boxes) const {
    std::priority_queue<Box, std::vector<Box>, Later> open;
    open.push({{0, 0, 0}, {until, 1, 1}});
    for (int looked_at = 0; !open.empty(); ++looked_at) {
      if (looked_at > most_boxes) return {Answer::unknown, double(open.top().low[0])};
      const Box box = open.top();
      open.pop();
      long double width[3];
      if (!may_meet(box, width)) continue;
      const int along = int(std::max_element(width, width + 3) - width);
      if (width[0] + width[1] + width[2] < tolerance) return {Answer::meet, double(box.low[0])};
      Box half[2] = {box, box};
      half[0].high[along] = half[1].low[along] = 0.5L * (box.low[along] + box.high[along]);
      open.push(half[0]);
      open.push(half[1]);
    }
    return {Answer::apart};
  }

  /// Is the distance positive up to `until`? Halves the time until the distance in the middle of a part exceeds
  /// what the ways can change within it.
  bool stays_apart(double until, long double least) const {
    long double a = 0, b = 0;
    for (int k = 0; k < 4; ++k) {
      long double& side = k < (kind_ == PairKind::vertex_triangle ? 1 : 2) ? a : b;
      side = std::max(side, way_[k].norm());
    }
    for (long double t = 0; t < until;) {
      const long double d = distance(t);
      if (d < least) return false;
      t += d / (a + b);
    }
    return distance(until) >= least;
  }
  long double distance(long double t) const {
    LongPoints x;
    for (int k = 0; k < 4; ++k) x[k] = begin_[k] + t * way_[k];
    return long_distance(kind_, x);
  }

 private:
  struct Box {
    long double low[3], high[3];
  };
  struct Later {
    bool operator()(const Box& a, const Box& b) const { return a.low[0] > b.low[0]; }
  };

  Long3 difference(long double t, long double u, long double v) const {
    const auto x = [&](int k) { return Long3(begin_[k] + t * way_[k]); };
    if (kind_ == PairKind::edge_edge) return (1 - u) * x(0) + u * x(1) - (1 - v) * x(2) - v * x(3);
    return x(0) - (1 - u - v) * x(1) - u * x(2) - v * x(3);
  }
  /// The width of the hull along each of the three coordinates is a guide to where halving helps.
  bool may_meet(const Box& box, long double* width) const {
    if (kind_ == PairKind::vertex_triangle && box.low[1] + box.low[2] > 1) return false;
    Long3 value[8], low, high;
    for (int c = 0; c < 8; ++c) {
      value[c] = difference(c & 1 ? box.high[0] : box.low[0], c & 2 ? box.high[1] : box.low[1],
                            c & 4 ? box.high[2] : box.low[2]);
      low = c == 0 ? value[0] : Long3(low.cwiseMin(value[c]));
      high = c == 0 ? value[0] : Long3(high.cwiseMax(value[c]));
    }
    for (int axis = 0; axis < 3; ++axis) {
      width[axis] = 0;
      for (int c = 0; c < 8; ++c)
        if (!(c >> axis & 1))
          width[axis] = std::max(width[axis], (value[c | 1 << axis] - value[c]).cwiseAbs().maxCoeff());
    }
    return (low.array() <= 0).all() && (high.array() >= 0).all();
  }

  PairKind kind_;
  LongPoints begin_, way_;
};

struct Tally {
  int hits = 0, free = 0, unknown = 0, by_distance = 0;
  long distances = 0;
  int most_distances = 0;
  std::vector<double> share;  ///< answer over the true time
};

ImpactMargin margin_of(const PairQuery& q) { return {.delta = 1e-2 * q.size, .floor = 0}; }

/// What an answer leaves over at least: a tenth of the distance, or 0.3 delta.
double kept(const PairQuery& q) {
  const double distance = double(long_distance(q.kind, as_long(q.begin)));
  return std::min(0.1 * distance, 0.3 * margin_of(q).delta);
}

/// The sides stay apart up to the answer.
void expect_no_false_negative(const PairQuery& q, const Impact& impact, Tally& tally) {
  const Subdivision truth(q.kind, q.begin, q.end);
  const Subdivision::Found found = truth.first_meeting(impact.time, 0.1 * kept(q), 3000);
  ASSERT_NE(int(found.answer), int(Subdivision::Answer::meet))
      << q.family << ": meets at " << found.time << ", answer " << impact.time;
  if (found.answer == Subdivision::Answer::unknown) {
    ++tally.by_distance;
    ASSERT_TRUE(truth.stays_apart(impact.time, 0.5L * kept(q))) << q.family << ", answer " << impact.time;
  }
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void print(const std::string& family, const Tally& t) {
  std::printf("%-9s %7d hits, %7d free, %5d told apart by distance; %.1f distances a query, %d at most; ",
              family.c_str(), t.hits, t.free, t.by_distance, double(t.distances) / (t.hits + t.free),
              t.most_distances);
  if (!t.share.empty()) std::printf("answer / true time %.3f of %zu, ", median(t.share), t.share.size());
  std::printf("%d unknown\n", t.unknown);
}

TEST(TimeOfImpact, never_misses_an_impact_and_comes_near_the_true_time) {
  PairMaker maker(2);
  std::map<std::string, Tally> tallies;
  const int count = query_count();
  for (int i = 0; i < count; ++i) {
    const PairQuery q = maker.make();
    Tally& tally = tallies[q.family];
    const Impact impact = time_of_impact(q.kind, q.begin, q.end, margin_of(q));
    tally.distances += impact.distances;
    tally.most_distances = std::max(tally.most_distances, impact.distances);
    (impact.hit() ? tally.hits : tally.free)++;
    if (impact.time == 0) continue;  // tested below
    expect_no_false_negative(q, impact, tally);
    if (HasFatalFailure()) FAIL() << "query " << i;
    if (!impact.hit() || i % 10 != 0) continue;
    const Subdivision::Found found =
        Subdivision(q.kind, q.begin, q.end).first_meeting(1, 0.1 * kept(q), 20000);
    if (found.answer == Subdivision::Answer::meet) tally.share.push_back(impact.time / found.time);
    if (found.answer == Subdivision::Answer::unknown) ++tally.unknown;
  }
  std::vector<double> all;
  for (const auto& [family, tally] : tallies) {
    all.insert(all.end(), tally.share.begin(), tally.share.end());
    if (std::getenv("PLIANT_IMPACT_QUERIES")) print(family, tally);
  }
  ASSERT_GT(all.size(), std::size_t(count / 200));
  EXPECT_GE(median(all), 0.8);
  EXPECT_LE(*std::max_element(all.begin(), all.end()), 1);
}

TEST(TimeOfImpact, of_a_pair_that_moves_as_one_is_the_whole_way) {
  PairMaker maker(3);
  for (int i = 0; i < 1000; ++i) {
    PairQuery q = maker.make();
    const Vec3 way = 0.25 * (q.end[0] - q.begin[0]).array().round();
    for (int k = 0; k < 4; ++k) {
      q.begin[k] = (8 * q.begin[k]).array().round() / 8;
      q.end[k] = q.begin[k] + way;
    }
    EXPECT_EQ(time_of_impact(q.kind, q.begin, q.end, margin_of(q)).time, 1);
  }
}

const PairPoints above = {Vec3(0.2, 0.2, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};

TEST(TimeOfImpact, leaves_a_tenth_of_the_distance_or_less_than_a_third_of_delta_over) {
  PairPoints end = above;
  end[0].z() = -1;
  const auto height = [&](const ImpactMargin& margin) {
    return 1 - 2 * time_of_impact(PairKind::vertex_triangle, above, end, margin).time;
  };
  EXPECT_GE(height({.delta = 1}), 0.1);
  EXPECT_LE(height({.delta = 1}), 0.11 + 1e-12);
  EXPECT_GE(height({.delta = 1e-3}), 0.3e-3);
  EXPECT_LE(height({.delta = 1e-3}), 0.33e-3 + 1e-12);
  EXPECT_GE(height({.delta = 1e-3, .floor = 0.2}), 0.2);
}

TEST(TimeOfImpact, is_zero_for_what_touches_already_and_small_for_what_nearly_does) {
  PairPoints begin = above, end = above;
  begin[0].z() = 0;
  EXPECT_EQ(time_of_impact(PairKind::vertex_triangle, begin, end, {.delta = 1e-3}).time, 0);
  begin[0].z() = 1e-4;
  EXPECT_EQ(time_of_impact(PairKind::vertex_triangle, begin, end, {.delta = 1e-3, .floor = 1e-3}).time, 0);
  EXPECT_EQ(time_of_impact(PairKind::vertex_triangle, begin, end, {.delta = 1e-3}).time, 1);  // it leaves
}

// Far from the origin the rounding of positions is part of what is left over: a step committed in double
// precision must not jump through.
TEST(TimeOfImpact, leaves_more_over_than_rounding_can_take_away) {
  PairPoints begin = above, end = above;
  for (PairPoints* x : {&begin, &end})
    for (Vec3& p : *x) p = Vec3(1e6, -1e6, 1e6) + 1e-6 * p;
  end[0].z() -= 2e-6;
  const double t = time_of_impact(PairKind::vertex_triangle, begin, end, {.delta = 1e-9}).time;
  const double z = begin[0].z() + t * (end[0].z() - begin[0].z());
  EXPECT_GT(t, 0.8 * (begin[0].z() - begin[1].z()) / (begin[0].z() - end[0].z()));
  EXPECT_GT(z, begin[1].z());
}

// Steps bounded by the largest speed alone would be as many as the way is longer than the distance.
TEST(TimeOfImpact, of_sides_that_slide_takes_few_distances) {
  PairPoints begin = above, end = above;
  begin[0] = Vec3(-500, 0.2, 1e-3);
  end[0] = Vec3(500, 0.3, 1e-3);
  const Impact impact = time_of_impact(PairKind::vertex_triangle, begin, end, {.delta = 1e-3});
  EXPECT_EQ(impact.time, 1);
  EXPECT_LE(impact.distances, 20);
}

}  // namespace time_of_impact_test
}  // namespace pliant
