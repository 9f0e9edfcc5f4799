// SPDX-License-Identifier: Apache-2.0
// The settings of the plastic law (physics/plasticity.hpp) for methods whose strain is that of the material.
#pragma once

#include "pliant/base/option.hpp"
#include "pliant/physics/plasticity.hpp"

namespace pliant {

/// S: a struct of its own for each method, which is a PlasticLaw. most: the largest cap.
template <class S>
OptionTable<S> plastic_law_table(double most) {
  return {
      option("yield", static_cast<double S::*>(&S::yield),
             {.unit = "1", .min = 0, .max = 10, .help = "strain up to which everything springs back"}),
      option(
          "creep", static_cast<double S::*>(&S::creep),
          {.unit = "1",
           .min = 0,
           .max = 1000,
           .help =
               "rate of flow: in 1/30 s the share creep * (strain - yield) of the strain becomes permanent"}),
      option("cap", static_cast<double S::*>(&S::cap),
             {.unit = "1", .min = 0, .max = most, .help = "largest permanent strain"}),
  };
}

}  // namespace pliant
