// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/coloring.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/render/surface_fields.hpp"

namespace pliant {
namespace {

/// The next of 1, 1.2, 1.5, 2, ... times a power of ten.
double round_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (double lead : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (value <= lead * power * (1 + 1e-9)) return lead * power;
  return 10 * power;
}

}  // namespace

Result<std::vector<float>> color_values(const Sequence& sequence, int body, int frame, Coloring coloring) {
  if (coloring == Coloring::none) return std::vector<float>();
  const SurfaceTrack& track = sequence.bodies[std::size_t(body)];
  if (coloring == Coloring::active) {
    PLIANT_CHECK(bool(track.active));
    return track.active(frame);
  }
  if (coloring == Coloring::speed) {
    PLIANT_CHECK(sequence.frames > 1 && int(sequence.times.size()) == sequence.frames);
    const int from = std::max(frame - 1, 0), to = std::min(frame + 1, sequence.frames - 1);
    const Result<Points> before = track.shape(from), after = track.shape(to);
    if (!before) return before.error();
    if (!after) return after.error();
    return speed_field(*before, *after, sequence.times[std::size_t(to)] - sequence.times[std::size_t(from)]);
  }
  const Result<Points> x = track.shape(frame);
  if (!x) return x.error();
  if (coloring == Coloring::distortion) return distortion_field(track.rest, *x, track.triangles);
  return coloring == Coloring::stretch ? stretch_field(track.rest, *x, track.triangles)
                                       : rotation_field(track.rest, *x, track.triangles);
}

Result<Legend> color_legend(const Sequence& sequence, const std::vector<int>& frames, Coloring coloring) {
  if (coloring == Coloring::active) return Legend{"rotations computed afresh", 0, 1};
  constexpr int enough = 48;  // frames looked at, evenly spread
  const bool ratio = coloring == Coloring::stretch || coloring == Coloring::distortion;
  const double neutral = ratio ? 1 : 0;
  double high = 0;
  const int count = std::min(int(frames.size()), enough);
  for (int k = 0; k < count; ++k) {
    const int frame = frames[frames.size() * std::size_t(k) / std::size_t(count)];
    std::vector<float> all;
    for (int body = 0; body < int(sequence.bodies.size()); ++body) {
      const Result<std::vector<float>> values = color_values(sequence, body, frame, coloring);
      if (!values) return values.error();
      all.insert(all.end(), values->begin(), values->end());
    }
    if (all.empty()) continue;
    const auto top = all.begin() + std::ptrdiff_t(0.995 * double(all.size() - 1));
    std::nth_element(all.begin(), top, all.end());
    high = std::max(high, double(*top) - neutral);
  }
  const double least = coloring == Coloring::speed ? 1e-3 : ratio ? 0.01 : 1;
  Legend legend{"speed (m/s)", neutral, neutral + round_up(std::max(high, least))};
  if (coloring == Coloring::stretch) legend.label = "stretch (length / rest length)";
  if (coloring == Coloring::distortion) legend.label = "distortion (largest / smallest stretch)";
  if (coloring == Coloring::rotation) {
    legend.label = "rotation (degrees)";
    legend.max = std::min(legend.max, 180.0);
  }
  return legend;
}

}  // namespace pliant
