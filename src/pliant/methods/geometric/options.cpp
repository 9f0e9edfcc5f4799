// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/options.hpp"

namespace pliant::geometric {

RowModuli row_moduli(const Options& options) {
  const double nu = options.poisson;
  if (!(nu > 0)) return {options.stiffness, options.volume};
  return {options.stiffness / (1 + nu), 3 * nu / (1 - 2 * nu)};
}

const OptionTable<Options>& option_table() {
  static const OptionTable<Options> table{
      option("operator", &Options::op,
             {.choices = {"volumetric", "edge", "cotangent", "mixed", "sheet"},
              .help =
                  "what carries the energy. volumetric: edges between nodes that fill the body. The others "
                  "use the surface's vertices as nodes: sheet a thin sheet or shell that stretches and bends "
                  "as its thickness says; edge its edges (the paper's shell: bends too stiffly where the "
                  "spacing is above the thickness), cotangent its cotangent Laplacian and 0.01 of edge rows "
                  "(a solid by its surface), mixed both, as weighted"}),
      option("preset", &Options::preset,
             {.choices = {"none", "surface-solid", "shell"},
              .help = "surface-solid: operator cotangent; shell: operator sheet"}),
      option("stiffness", &Options::stiffness,
             {.unit = "Pa",
              .min = 1,
              .max = 1e12,
              .scale = Scale::logarithmic,
              .help = "Young's modulus; rubber 1e6, flesh 1e4, jelly 1e3"}),
      option("edge", &Options::edge,
             {.unit = "1",
              .min = 0,
              .max = 100,
              .help = "weight of the edge rows; 1 makes stiffness Young's modulus"}),
      option("laplacian", &Options::laplacian,
             {.unit = "1",
              .min = 0,
              .max = 1e4,
              .help = "weight of the Laplacian rows relative to the edge rows; 10 to 100 resists bending "
                      "more. Sheets that bend as their thickness says are operator sheet; operator "
                      "cotangent reads 0 as 1"}),
      option(
          "bending", &Options::bending,
          {.unit = "1",
           .min = 0,
           .max = 100,
           .help = "operators edge, cotangent and mixed: weight of edges to the second ring relative to the "
                   "mean edge; 0 = none"}),
      option(
          "covariance", &Options::covariance,
          {.choices = {"consistent", "paper"},
           .help =
               "rotations from the energy's own covariance, or from squared masses as printed in the paper"}),
      option("weights", &Options::weights,
             {.choices = {"tributary", "calibrated", "uniform"},
              .help = "edge weights from the cells around an edge, from node volumes, or equal everywhere"}),
      option("hourglass", &Options::hourglass,
             {.unit = "1",
              .min = 0,
              .max = 1,
              .help = "operator volumetric alone: the share of the edge rows' energy that is kept for motion "
                      "in which a node's edges follow no linear map. 1: all, the paper's, bends too stiffly; "
                      "0, the default: chosen, 1/4 of lattices (less along cells longer than high), 1/2 of "
                      "meshes and with poisson, 1 with laplacian, covariance paper or a plastic body in "
                      "reduced space"}),
      option(
          "integrator", &Options::integrator,
          {.choices = {"bdf2", "euler"}, .help = "bdf2 keeps motion alive; euler is the paper's, it damps"}),
      option("step_solver", &Options::step_solver,
             {.choices = {"newton", "local-global"},
              .help = "newton: one Newton step, by conjugate gradients or, for slender bodies, by a factor "
                      "of the Hessian; local-global: the paper's iterations"}),
      option("iterations", &Options::iterations,
             {.unit = "1",
              .min = 1,
              .max = 10000,
              .change = Change::live,
              .help = "local/global iterations a step (step_solver local-global); 1 is the paper's scheme"}),
      option("tolerance", &Options::tolerance,
             {.unit = "1",
              .min = 1e-8,
              .max = 0.9,
              .scale = Scale::logarithmic,
              .change = Change::live,
              .help = "residual reduction of the conjugate gradients (step_solver newton)"}),
      option("rotation_state", &Options::rotation_state,
             {.choices = {"predicted", "current"},
              .change = Change::live,
              .help = "local-global: rotations of the first iteration from x + h v (paper) or from x (energy "
                      "monotone)"}),
      option("damping_frame", &Options::damping_frame,
             {.choices = {"corotated", "paper"},
              .change = Change::live,
              .help = "stiffness damping that does not brake rigid rotation, or the paper's, which does"}),
      option("angular_momentum", &Options::angular_momentum,
             {.change = Change::live,
              .help = "keep the angular momentum of free bodies exactly, and balance the turning of those on "
                      "a hinge, a point or grabs"}),
      option(
          "linear_solver", &Options::linear_solver,
          {.choices = {"auto", "direct", "multigrid"},
           .help = "auto: direct up to 8000 nodes (40 000 where the nodes are the vertices of a surface, any "
                   "number with operator sheet), multigrid above"}),
      option("poisson", &Options::poisson,
             {.unit = "1",
              .min = 0,
              .max = 0.45,
              .help = "Poisson's ratio nu; stiffness stays Young's modulus. rubber 0.45, flesh 0.45, foam "
                      "0.1. Not with volume, reduction or edges on a surface; a sheet reads it before "
                      "sheet.poisson"}),
      option("volume", &Options::volume,
             {.unit = "1",
              .min = 0,
              .max = 100,
              .help = "for experts, instead of poisson: weight w of the volume rows. Poisson's ratio is "
                      "w/(3 + 2 w), Young's modulus stiffness 3 (1 + w)/(3 + 2 w)"}),
      option(
          "keep_volume", &Options::keep_volume,
          {.help = "operators edge, cotangent and mixed: each closed part keeps the volume it encloses, as "
                   "if filled with water; not with colliders"}),
  };
  return table;
}

const OptionTable<Plasticity>& plasticity_table() {
  static const OptionTable<Plasticity> table{
      option("yield", &Plasticity::law, &PlasticLaw::yield,
             {.unit = "1",
              .min = 0,
              .max = 10,
              .help = "strain of an edge up to which it springs back. Choose about an eighth of the "
                      "strain you apply: then about 80 % of the shape stays"}),
      option(
          "creep", &Plasticity::law, &PlasticLaw::creep,
          {.unit = "1",
           .min = 0,
           .max = 100,
           .help =
               "rate of flow: in 1/30 s the share creep * (strain - yield) of the strain becomes permanent"}),
      option("cap", &Plasticity::law, &PlasticLaw::cap,
             {.unit = "1", .min = 0, .max = 0.9, .help = "no rest length changes by a larger share"}),
      option(
          "form", &Plasticity::form,
          {.choices = {"consistent", "printed", "rows"},
           .help = "consistent: rest edges flow along the body as it turns and keep its volume; rows: each "
                   "by itself, so that a stretched body grows; printed: rows along the axes of the world as "
                   "in the paper, so that turned parts that yield may never stop flowing"}),
  };
  return table;
}

const OptionTable<Fibres>& fibre_table() {
  static const OptionTable<Fibres> table{
      option("direction", &Fibres::direction,
             {.unit = "1", .min = -1e9, .max = 1e9, .help = "of all fibres, any length but zero"}),
      option("file", &Fibres::file,
             {.help = "text file with one direction \"x y z\" a node instead, 0 0 0 = none there; from the "
                      "scene's folder or from where the command runs"}),
      option("strength", &Fibres::strength,
             {.unit = "1",
              .min = 0,
              .max = 1e4,
              .help = "stiffness along the fibres is 1 + strength times that across; 0 = no fibres"}),
  };
  return table;
}

const OptionTable<SheetOptions>& sheet_table() {
  static const OptionTable<SheetOptions> table{
      option("poisson", &SheetOptions::poisson,
             {.unit = "1", .min = 0, .max = 0.5, .help = "Poisson's ratio of bending; stretching has 0"}),
      option(
          "bending", &SheetOptions::bending,
          {.unit = "N m",
           .min = 0,
           .max = 1e9,
           .help = "bending stiffness D as measured, for cloth and laminates; 0 = stiffness * thickness^3 / "
                   "(12 (1 - poisson^2))"}),
  };
  return table;
}

const OptionTable<Adaptive>& adaptive_table() {
  static const OptionTable<Adaptive> table{
      option(
          "criterion", &Adaptive::criterion,
          {.choices = {"angle", "printed", "naive-1", "naive-2"},
           .help =
               "when a node takes over its predecessor's rotation. angle: their angle is small; printed: Eq. "
               "8 of the paper; naive-1, naive-2: covariances or gradients of both are alike (worse)"}),
      option("threshold", &Adaptive::threshold,
             {.unit = "rad",
              .min = 0,
              .max = 3,
              .help = "largest angle to the predecessor (other criteria: largest relative change) at which "
                      "its rotation is taken over; 0 computes every rotation"}),
      option("correct", &Adaptive::correct,
             {.help = "true: a rotation that is taken over is corrected by the estimated angle (criteria "
                      "angle and printed); false: as in the paper, for soft, damped bodies only"}),
      option("seeds", &Adaptive::seeds,
             {.choices = {"end", "tips", "first"},
              .help = "where rotations are always computed and spread from: one end of every part, all its "
                      "tips, or its first node"}),
  };
  return table;
}

}  // namespace pliant::geometric
