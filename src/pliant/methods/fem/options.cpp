// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/options.hpp"

namespace pliant::fem {

const OptionTable<Options>& option_table() {
  static const OptionTable<Options> table{
      option(
          "element", &Options::element,
          {.choices = {"tetrahedron", "hexahedron"},
           .help = "ten linear tetrahedra a cell, or one trilinear hexahedron with eight quadrature points"}),
      option(
          "model", &Options::model,
          {.choices = {"corotational", "linear"},
           .help = "strain seen from every element's own rotation, or Cauchy's strain, which takes turning "
                   "for stretching"}),
      option("rotations", &Options::rotations,
             {.choices = {"polar", "diffused"},
              .help = "of the elements: polar from their own deformation, or diffused from the bones of a "
                      "skeleton (2006): then a step is linear"}),
      option("stiffness", &Options::stiffness,
             {.unit = "Pa",
              .min = 1,
              .max = 1e12,
              .scale = Scale::logarithmic,
              .help = "Young's modulus; rubber 1e6, flesh 1e4, jelly 1e3"}),
      option(
          "poisson", &Options::poisson,
          {.unit = "1",
           .min = 0,
           .max = 0.49,
           .help = "Poisson's ratio; 0 compares with the geometric method; above 0.4 linear elements lock"}),
      option("integrator", &Options::integrator,
             {.choices = {"bdf2", "euler"},
              .help = "bdf2 keeps motion alive; euler is Mueller and Gross's, it damps"}),
      option("iterations", &Options::iterations,
             {.unit = "1",
              .min = 1,
              .max = 1000,
              .change = Change::live,
              .help = "Newton steps a time step, at most; 1 is Mueller and Gross's"}),
      option("tolerance", &Options::tolerance,
             {.unit = "1",
              .min = 1e-12,
              .max = 0.9,
              .scale = Scale::logarithmic,
              .change = Change::live,
              .help = "residual reduction of the linear solve of a Newton step"}),
  };
  return table;
}

}  // namespace pliant::fem
