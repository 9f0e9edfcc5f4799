// SPDX-License-Identifier: Apache-2.0
// Runs a case (cases.hpp) in this process and watches every step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tests/soak/cases.hpp"

namespace pliant::soak {

/// What must not happen:
///   nan        a position, velocity or vertex of the surface is no number, and the step said nothing
///   energy     kinetic, elastic and potential energy grow while nothing drives the bodies and no step takes one farther
///              than a tenth of its size
///   exploded   the same by ten times what there was, however long the steps
///   crossed    an edge of a surface passes through a triangle of another, or of its own, that it meets
///   fell       a body is on the wrong side of a plane that does not move
///   slow       a step, or the set-up, takes longer than bodies so small may take
///   memory     the heap grows while the scene runs
///   resumed    a second scene that took over the state of a checkpoint goes another way
///   threw      an exception left the library
///   silent     something is refused without a word
struct Finding {
  std::string kind, text;
  int step = 0;
};

struct Outcome {
  std::optional<Finding> found;
  std::string refused;          ///< why the scene was not built
  std::string failed;           ///< why a step was not made
  std::int64_t body_steps = 0;  ///< bodies times steps
  std::int64_t shortened = 0;   ///< steps of bodies that lack motion, as told
  std::int64_t in_contact = 0;  ///< steps of bodies with contacts
  std::int64_t met = 0;         ///< steps of bodies within an island
  double slowest_ms = 0;        ///< processor time of a step
  double setup_ms = 0;
  double gain = 0;                ///< largest gain of energy, share of what there is
  Json methods = Json::object();  ///< body steps by method
};

struct Limits {
  double step_ms = 4000;    ///< processor time of a step
  double setup_ms = 20000;  ///< of the set-up
  double case_ms = 20000;   ///< of a case: it is left, and nothing is found
  double gain = 0.25;       ///< of the energy, while steps resolve the motion
  double explosion = 10;    ///< the same when they do not
  int look_every = 8;       ///< steps between searches for crossings
  bool trace = false;       ///< prints a line a step and body
};

/// folder: its meshes are written there. told(step): called before every step.
Outcome run_case(const Json& soak_case, const std::filesystem::path& folder, const Limits& limits,
                 const std::function<void(int step)>& told = {});

}  // namespace pliant::soak
