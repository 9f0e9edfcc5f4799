// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/options.hpp"

namespace pliant::geometric {

const OptionTable<Reduction>& reduction_table() {
  static const OptionTable<Reduction> table{
      option("modal", &Reduction::modal,
             {.unit = "1",
              .min = 0,
              .max = 200,
              .help = "scalar vibration modes, each times 1, x, y, z; 0 = a basis from samples"}),
      option(
          "kind", &Reduction::kind,
          {.choices = {"affine", "pure", "rotations"},
           .help = "modes times the affine functions; modes alone, which lock; or modes and rotations of the "
                   "whole body as in the paper, which lock less"}),
      option("samples", &Reduction::samples,
             {.help = "meshes of the deformed body, in the body's own order of vertices"}),
      option("basis", &Reduction::basis,
             {.unit = "1",
              .min = 1,
              .max = 400,
              .help = "columns taken from the samples: principal components weighted by mass"}),
      option("cubature", &Reduction::cubature,
             {.unit = "1",
              .min = 0,
              .max = 100000,
              .help = "number of nodes with trained weights that stand for all, so that the cost does not "
                      "grow with the nodes; 0 = all nodes"}),
  };
  return table;
}

}  // namespace pliant::geometric
