// SPDX-License-Identifier: Apache-2.0
// The paper's experiments with adaptive rotations [Huang06, Fig. 6 to 8] on a bar that hangs by half its
// length.
#include <cmath>

#include "tests/unit/methods/geometric/bent_bar.hpp"

namespace pliant::geometric {
namespace adaptive_rotations_test {

struct State {
  double threshold, share, rms;
};

/// What a criterion does at a thousand thresholds, each by a hundredth above the last.
std::vector<State> states(const Bent& bar, RotationCriterion criterion) {
  std::vector<State> out;
  double threshold = 1e-4;
  for (int k = 0; k < 1000; ++k, threshold *= 1.01) {
    const Outcome got = spread(bar, {.criterion = criterion, .threshold = threshold, .correct = false});
    out.push_back({threshold, got.active / double(bar.x.size()), got.rms});
  }
  return out;
}

/// The one whose activity is nearest to the wanted one, in logarithms.
State nearest(const std::vector<State>& states, double share) {
  const auto off = [&](const State& s) { return std::abs(std::log(s.share / share)); };
  return *std::min_element(states.begin(), states.end(),
                           [&](const State& a, const State& b) { return off(a) < off(b); });
}

/// The largest activity below the wanted one and the smallest above.
std::pair<double, double> around(const std::vector<State>& states, double share) {
  std::pair<double, double> out{0, 1};
  for (const State& s : states) {
    if (s.share <= share) out.first = std::max(out.first, s.share);
    if (s.share >= share) out.second = std::min(out.second, s.share);
  }
  return out;
}

void print(const char* name, const State& s) {
  std::printf("%-8s threshold %.4f, %.2f %% active, rms error %.4f rad\n", name, s.threshold, 100 * s.share,
              s.rms);
}

TEST(AdaptiveExperiments, equation_8_errs_a_quarter_of_the_naive_criteria_at_equal_activity) {
  // [Huang06, Fig. 6], 4 % active. Activity of the naive criteria jumps: where they have no state of 4 %, the
  // comparison is at the nearest that they have.
  const Bent bar;
  const std::vector<State> angle = states(bar, RotationCriterion::angle);
  const std::pair<const char*, RotationCriterion> naive[] = {{"naive-1", RotationCriterion::naive_1},
                                                             {"naive-2", RotationCriterion::naive_2}};
  for (const auto& [name, criterion] : naive) {
    const std::vector<State> all = states(bar, criterion);
    const auto [below, above] = around(all, 0.04);
    std::printf("%s, activities next to 4 %%: %.2f %% and %.2f %%\n", name, 100 * below, 100 * above);
    const State theirs = nearest(all, 0.04), ours = nearest(angle, theirs.share);
    print(name, theirs);
    print("angle", ours);
    EXPECT_LT(std::abs(ours.share / theirs.share - 1), 0.1) << name;
    EXPECT_GT(theirs.rms, 4 * ours.rms) << name;
  }
  const State ours = nearest(angle, 0.04), printed = nearest(states(bar, RotationCriterion::printed), 0.04);
  print("angle", ours);
  print("printed", printed);
  EXPECT_NEAR(ours.share, 0.04, 0.004);
  EXPECT_NEAR(printed.share, 0.04, 0.004);
  EXPECT_LT(printed.rms, 2 * ours.rms);
}

double mean(const std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value / double(v.size());
  return sum;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double ma = mean(a), mb = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += (a[k] - ma) * (b[k] - mb);
    aa += (a[k] - ma) * (a[k] - ma);
    bb += (b[k] - mb) * (b[k] - mb);
  }
  return ab / std::sqrt(aa * bb);
}

/// Means over so many neighbours in the list.
std::vector<double> smooth(const std::vector<double>& v, long width) {
  std::vector<double> out;
  for (auto first = v.begin(); v.end() - first >= width; ++first) out.push_back(mean({first, first + width}));
  return out;
}

struct Correlations {
  double predecessor;  ///< node by node, with the angle to the neighbour that a rotation is handed on from
  double next;         ///< node by node, with the angle to the next layer
  double layers;       ///< the same as means over 8 layers
};

Correlations activity_and_change(const Bent& bar, double threshold) {
  const Adaptive options{.threshold = threshold, .correct = false};
  const Outcome out = spread(bar, options);
  AdaptiveRotations visits;
  visits.choose(bar.model, options);
  std::vector<double> active, before, next, layer_active(40, 0), layer_next(40, 0);
  for (Index i = 0; i < bar.model.nodes(); ++i) {
    const std::size_t layer = std::size_t(std::lround(bar.model.rest[i].z()));
    if (layer == 40 || visits.predecessor(i) < 0) continue;
    active.push_back(out.mask[std::size_t(i)]);
    before.push_back(bar.exact[i].angularDistance(bar.exact[visits.predecessor(i)]));
    next.push_back(bar.exact[i].angularDistance(bar.exact[i + 25]));
    layer_active[layer] += active.back();
    layer_next[layer] += next.back();
  }
  const Correlations got{correlation(active, before), correlation(active, next),
                         correlation(smooth(layer_active, 8), smooth(layer_next, 8))};
  std::printf(
      "threshold %.3f rad: %4.1f %% active; correlation with the angle to the predecessor %.3f, to the next "
      "layer %.3f (over 8 layers %.3f)\n",
      threshold, 100.0 * out.active / double(bar.x.size()), got.predecessor, got.next, got.layers);
  return got;
}

TEST(AdaptiveExperiments, activity_follows_the_change_of_rotation_between_neighbours) {
  // [Huang06, Fig. 7, 8]. One line of nodes along the bar is active, and the others of a cross-section take
  // over from it: node by node activity follows the angle to the predecessor, not the bar's curvature. That
  // one it follows in how often the line is active: a rotation is computed when the angles since the last one
  // have added up.
  const Bent bar;
  for (const double threshold : {0.005, 0.01, 0.03, 0.06}) {
    const Correlations got = activity_and_change(bar, threshold);
    EXPECT_GT(got.layers, 0.5);
    EXPECT_GT(got.predecessor, 0.5);
    EXPECT_GT(got.next, 0);
  }
}

}  // namespace adaptive_rotations_test
}  // namespace pliant::geometric
