// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/options.hpp"

#include "pliant/methods/plastic_options.hpp"

namespace pliant::meshless {

const OptionTable<Options>& option_table() {
  static const OptionTable<Options> table{
      option("stiffness", &Options::stiffness,
             {.unit = "Pa",
              .min = 1,
              .max = 1e12,
              .scale = Scale::logarithmic,
              .help = "Young's modulus; rubber 1e6, flesh 1e4, jelly 1e3"}),
      option("poisson", &Options::poisson,
             {.unit = "1", .min = 0, .max = 0.49, .help = "Poisson's ratio; flesh 0.4 to 0.49"}),
      option("support", &Options::support,
             {.unit = "1",
              .min = 1.1,
              .max = 2,
              .help = "reach of a node, in distances to its 6th nearest node (8th in a mesh): 1.3 is fast, "
                      "1.5 smoother"}),
      option(
          "warping", &Options::warping,
          {.choices = {"cell", "node", "row", "none"},
           .help =
               "where forces are rotated. cell: at integration cells; node: at nodes as printed in 2006, "
               "which depends on the origin; row: at rows of nodes; none: nowhere, which swells when bent"}),
      option("rotations", &Options::rotations,
             {.choices = {"automatic", "diffused", "polar"},
              .help = "diffused from the bones, or polar from the deformed body as it was at the start of "
                      "the step; automatic: diffused with a skeleton, polar without"}),
      option("integrator", &Options::integrator,
             {.choices = {"bdf2", "euler"},
              .help = "bdf2 keeps motion alive; euler is the paper's, it damps; steps that touch a collider "
                      "are always euler"}),
      option("kappa", &Options::kappa,
             {.unit = "1",
              .min = 0,
              .max = 1,
              .help = "warping cell: stiffness against spin relative to the given rotations, share of the "
                      "shear modulus; "
                      "1 is most robust and loses volume, 0 lets flesh spin about a thin straight bone"}),
      option("hold", &Options::hold,
             {.unit = "1",
              .min = 1,
              .max = 1e6,
              .scale = Scale::logarithmic,
              .help = "how stiffly bones, pins and handles hold the flesh, in Young's modulus times the "
                      "distance of nodes"}),
      option("iterations", &Options::iterations,
             {.unit = "1",
              .min = 1,
              .max = 10000,
              .change = Change::live,
              .help = "of the linear solver a step, at most; 4 for kappa 0.1, 2 for kappa 1; a loaded "
                      "skeleton may take 64 even where this is less"}),
      option("tolerance", &Options::tolerance,
             {.unit = "1",
              .min = 1e-12,
              .max = 0.9,
              .scale = Scale::logarithmic,
              .change = Change::live,
              .help = "residual reduction at which the linear solver stops early"}),
      option("refinements", &Options::refinements,
             {.unit = "1",
              .min = 0,
              .max = 1000,
              .change = Change::live,
              .help = "larger strains: how often the linear solve is repeated, each time about the polar "
                      "rotations of the answer before; less energy in sharp bends; only with thick bones"}),
  };
  return table;
}

const OptionTable<Region>& region_table() {
  static const OptionTable<Region> table{
      option("bone", &Region::bone, {.help = "the joint at the start of the bone"}),
      option("stiffness", &Region::stiffness,
             {.unit = "Pa",
              .min = 1,
              .max = 1e12,
              .scale = Scale::logarithmic,
              .help = "Young's modulus of the flesh that this bone turns most"}),
  };
  return table;
}

const OptionTable<Finer>& finer_table() {
  static const OptionTable<Finer> table{
      option("near", &Finer::near,
             {.choices = {"joints", "point"}, .help = "what the ball of nearer nodes is about"}),
      option("joint", &Finer::joint, {.help = "the only joint; none: all between two bones"}),
      option("point", &Finer::point, {.unit = "m", .min = -1e6, .max = 1e6, .help = "with near: point"}),
      option("radius", &Finer::radius,
             {.unit = "m", .min = 0, .max = 1e6, .above_min = true, .help = "of the ball"}),
      option(
          "ratio", &Finer::ratio,
          {.unit = "1",
           .min = 1,
           .max = 4,
           .help =
               "how many times nearer nodes are to one another; a ball has about its third power as many"}),
  };
  return table;
}

const OptionTable<Plasticity>& plasticity_table() {
  static const OptionTable<Plasticity> table = plastic_law_table<Plasticity>(0.9);
  return table;
}

}  // namespace pliant::meshless
