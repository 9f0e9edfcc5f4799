// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/options.hpp"

#include "pliant/methods/plastic_options.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::cage {

const OptionTable<Options>& option_table() {
  static const OptionTable<Options> table{
      option(
          "file", &Options::file,
          {.help =
               "the cage: a closed triangle mesh around the surface, placed as the body's own mesh is (unit, "
               "scale, up, rotate, translate); from the scene's folder or from where the command runs"}),
      option("budget", &Options::budget,
             {.unit = "1",
              .min = 0,
              .max = 6000,
              .help = "an automatic cage of about this many degrees of freedom; 300 where no cage is given"}),
      option("cells", &Options::cells,
             {.unit = "1",
              .min = 0,
              .max = 100,
              .help = "a box around the surface with this many cells along x, y, z: good for long bodies"}),
      option("clearance", &Options::clearance,
             {.unit = "1",
              .min = 1e-4,
              .max = 10,
              .help = "distance of a box from the surface, share of a cell's edge"}),
      option("stiffness", &Options::stiffness,
             {.unit = "Pa",
              .min = 1e-3,
              .max = 1e12,
              .scale = Scale::logarithmic,
              .help = "Young's modulus; rubber 1e6, flesh 1e4, jelly 1e3"}),
      option("poisson", &Options::poisson,
             {.unit = "1", .min = 0, .max = 0.49, .help = "Poisson's ratio: 0.49 keeps volume, 0 does not"}),
      option(
          "normals", &Options::normals,
          {.choices = {"rigid-split", "frozen", "consistent"},
           .help = "the normals of the cage in a step: frozen is the paper's and damps turning; rigid-split "
                   "moves the body as a whole exactly; consistent lets them follow, at five times the cost"}),
      option(
          "normal_scale", &Options::normal_scale,
          {.choices = {"material", "conformal"},
           .help = "length of a normal of the cage whose face is stretched: material as the free surface of "
                   "a body with this Poisson's ratio gets thinner; conformal is the paper's, it gets longer "
                   "with the face"}),
      option(
          "integrator", &Options::integrator,
          {.choices = {"bdf2", "euler"},
           .help = "of steps with normals that follow (held bodies, or consistent): bdf2 keeps motion alive; "
                   "euler is the paper's, it damps; steps that touch a collider are always euler"}),
      option("precision", &Options::precision,
             {.choices = {"single", "double"}, .help = "of the products and the factor of a step"}),
      option("solver", &Options::solver,
             {.choices = {"automatic", "direct", "iterative"},
              .help = "of a step with frozen normals: direct makes and factors its matrix, iterative goes on "
                      "from the factor at rest; automatic: iterative from 100 degrees of freedom on"}),
      option("points", &Options::points,
             {.unit = "1",
              .min = 0,
              .max = 20000,
              .help = "quadrature points, at least; 0 = 4 for each vertex of a box, 14 for each vertex of "
                      "another cage, between 200 and 2000; never fewer than the cage has vertices"}),
      option("regularisation", &Options::regularisation,
             {.unit = "1",
              .min = 0,
              .max = 1,
              .help = "extra mass of the cage's vertices, share of the body's mass, for motions of the cage "
                      "that hardly move the body"}),
      option("hold", &Options::hold,
             {.unit = "1",
              .min = 1e-3,
              .max = 1e6,
              .scale = Scale::logarithmic,
              .help = "stiffness of a whole pin or handle, in Young's modulus times the body's size"}),
      option("iterations", &Options::iterations,
             {.unit = "1",
              .min = 1,
              .max = 100,
              .change = Change::live,
              .help = "solves in a step with consistent normals, at most; it ends earlier when another would "
                      "change little"}),
  };
  return table;
}

const OptionTable<Plasticity>& plasticity_table() {
  static const OptionTable<Plasticity> table = plastic_law_table<Plasticity>(1);
  return table;
}

int points_for(const Options& options, int cage_vertices) {
  // With fewer points than vertices the cage could move without any of them noticing.
  if (options.points > 0) return std::max(options.points, cage_vertices);
  // A cage that is no box has limbs around it: each needs points of its own, or its part of the cage is
  // loose.
  const int each = options.cells[0] > 0 ? 4 : 14;
  return std::clamp(each * cage_vertices, 200, 2000);
}

}  // namespace pliant::cage
