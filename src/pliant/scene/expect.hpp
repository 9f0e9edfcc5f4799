// SPDX-License-Identifier: Apache-2.0
// Did the run show what the scene says it must show?
#pragma once

#include <string>
#include <vector>

#include "pliant/scene/spec.hpp"
#include "pliant/sim/recorder.hpp"

namespace pliant {

/// Whether one expectation of a scene was met.
struct ExpectationResult {
  std::string what;      ///< "tip_dy of bar at end"
  std::string expected;  ///< ">= 0.995 and <= 1.005"
  double measured = 0;   ///< not a number: there was no such value
  bool met = false;
  /// One line: met or not, the value, the limits.
  std::string text() const;
};

/// One result an expectation, in the order of the scene. For "always" the measured value is the one farthest
/// out.
std::vector<ExpectationResult> evaluate(const SceneSpec& scene, const Recorder& recorder);

/// One result for each text of `expect_warnings`: how many of the run's warnings contain it.
std::vector<ExpectationResult> evaluate_warnings(const SceneSpec& scene,
                                                 const std::vector<std::string>& warnings);

/// The warnings that contain none of the texts of `expect_warnings`.
std::vector<std::string> unexpected_warnings(const SceneSpec& scene,
                                             const std::vector<std::string>& warnings);

}  // namespace pliant
