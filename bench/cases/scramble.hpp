// SPDX-License-Identifier: Apache-2.0
// The recovery test: every free node at a random place of the bounding box, at rest. Does the body find its
// shape again, and in how many steps?
#pragma once

#include <string>
#include <vector>

#include "pliant/base/parallel.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/options.hpp"

namespace pliant::bench {

struct ScrambleBody {
  std::string name;
  Shape shape;
  geometric::Options options;
  std::vector<Index> held = {};  ///< ascending; none: the shape counts wherever it is and however turned
};
std::vector<ScrambleBody> scramble_bodies();  ///< bar, shell, torus

inline constexpr int scramble_steps = 1200;  ///< at h = 1/60 s, lightly damped, without gravity
inline constexpr int scramble_stays =
    60;  ///< steps below the bound in a row: who swings through does not count

enum class ScrambleEnd { returned, elsewhere, moving };  ///< elsewhere: at rest in another shape

/// Why a body that rests in another shape stays there.
enum class ScrambleCause {
  none,
  /// There is a closed way through the body along which the nodes' rotations turn by one full turn more than
  /// at rest: a ring whose tube is twisted by 2 pi. A full turn is not undone by any continuous motion (two
  /// would be: loops in SO(3) are of two kinds), however small its steps.
  full_turn,
  /// A closed surface that encloses less than at rest: a part of it stands
  /// inwards, nearly its own mirror image and so nearly unstrained, and could only come out over a stretched
  /// rim.
  dent,
};

struct ScrambleResult {
  ScrambleEnd end = ScrambleEnd::moving;
  int steps = 0;    ///< until the shape was back for good: rms distance below 1 % of the diagonal
  int run = 0;      ///< all steps
  double rms = 0;   ///< at the end, share of the diagonal
  double ms = 0;    ///< of all steps
  double most = 0;  ///< largest kinetic and elastic energy over that of the start
  double rise = 1;  ///< the same over the least before it
  ScrambleCause cause = ScrambleCause::none;
};
ScrambleResult run_scramble(const ScrambleBody& body, int seed, Pool& pool);

/// Whether some closed way along the edges turns the rotations by an odd number of full turns.
bool has_full_turn(const std::vector<NodeGraph::Edge>& edges, const geometric::Rotations& rotations);

/// "100 of 100 return in 15 steps (worst 82)", and why others do not.
std::string scramble_text(const std::vector<ScrambleResult>& results);

}  // namespace pliant::bench
