// SPDX-License-Identifier: Apache-2.0
// Static solve: the shape in which a body rests, without time.
#pragma once

#include <functional>
#include <string>

namespace pliant {

/// How exact a static solve is, and when it gives up.
struct PoseOptions {
  double tolerance = 1e-6;  ///< unbalanced force over the forces that act (loads, and reactions where held)
  int iterations = 300;     ///< Newton steps at most
  bool from_here = false;   ///< straight from the present shape, not along the handles' way from the start
  /// After every Newton step: how many increments of the handles' way are done, of how many. False: stop
  /// here.
  std::function<bool(int done, int of)> progress = {};
};

/// Whether the body rests, and how well its forces balance.
struct PoseResult {
  std::string trouble;     ///< empty: it rests; else why it does not and what to do
  double residual = 0;     ///< unbalanced force over the forces that act
  double force = 0;        ///< unbalanced force, N (root of the sum of squares over the nodes)
  int iterations = 0;      ///< Newton steps
  int kept_rotations = 0;  ///< of flesh whose bones told none
  int increments = 1;      ///< pieces in which the handles went their way
  bool stopped = false;    ///< progress asked for it
  /// The body rests.
  bool ok() const { return trouble.empty() && !stopped; }
};

}  // namespace pliant
