// SPDX-License-Identifier: Apache-2.0
// A body that is pressed between colliders until they leave it no room has no answer: moved out of one it is deeper in
// the other, farther with every step, and is thrown by any distance while its velocities stay as they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pliant/sim/simulation.hpp"

namespace pliant {

class ThrowWatch {
 public:
  /// Between two calls lies one step, of a simulation of the same bodies. A body that in one step went more than ten times
  /// its size and ten times as far as its speed before, and that hardly goes on in the next, was not hit but thrown: what
  /// to say of it. Held bodies are led.
  std::optional<std::string> look(const Simulation& simulation);

 private:
  struct Known {
    Vec3 middle{0, 0, 0};
    double speed = 0;  ///< m/s
    double leap = 0;   ///< of the last step, m, where it was so far; else 0
  };
  std::vector<Known> known_;
};

}  // namespace pliant
