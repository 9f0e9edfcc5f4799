// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/options.hpp"

namespace pliant::metric {
namespace {

OptionFacts share(std::string help) { return {.unit = "1", .min = 0, .max = 1e6, .help = std::move(help)}; }

}  // namespace

const OptionTable<Options>& option_table() {
  static const OptionTable<Options> table{
      option("model", &Options::model,
             {.choices = {"improved", "original"},
              .help = "improved: face and spatial diagonals and pillars (Kelager 2005), which restore area "
                      "and volume; original: lengths and angles only (Terzopoulos 1987), which do not"}),
      option(
          "lattice", &Options::lattice,
          {.choices = {"grid", "mesh"},
           .help =
               "grid: a regular lattice fills the body; mesh: the shape's own graph, lengths on its edges, "
               "areas and volumes between nodes two edges apart"}),
      option("stiffness", &Options::stiffness,
             {.unit = "Pa",
              .min = 1,
              .max = 1e12,
              .scale = Scale::logarithmic,
              .help = "Young's modulus at small strain; the defaults of area, orientation and threshold make "
                      "an isotropic solid of Poisson's ratio 1/4; not read when strength is given"}),
      option("strength", &Options::strength,
             {.unit = "J",
              .min = 0,
              .max = 1e15,
              .above_min = true,
              .scale = Scale::logarithmic,
              .help = "eta of a tensor of relative strength 1, as the papers write it (they give no value): "
                      "edges of the surface are as strong as those inside; none = from stiffness"}),
      option("length", &Options::length, share("relative strength of the lattice edges")),
      option(
          "area", &Options::area,
          share("relative strength of the face diagonals (improved); none = 5, or 3 when strength is given")),
      option("volume", &Options::volume,
             share("relative strength of the spatial diagonals (improved); none = 6, or 4 when strength is "
                   "given")),
      option("pillar", &Options::pillar,
             share("relative strength of the constraints over two cells (improved)")),
      option("pillar_diagonal", &Options::pillar_diagonal,
             share("relative strength of face and spatial diagonals over two cells (improved); 0 = none")),
      option("angle", &Options::angle, share("relative strength of the angles between edges (original)")),
      option("squared", &Options::squared,
             {.help = "the volume term grows with the square of the strain, as Kelager's: soft at rest, hard "
                      "when squashed"}),
      option(
          "orientation", &Options::orientation,
          {.unit = "1",
           .min = 0,
           .max = 1e6,
           .help =
               "relative strength of the term that restores flat and inverted cells; 0 = off, "
               "as the papers; none = C11 of the lattice (15) for improved, the larger of length and volume "
               "when strength is given, 0 for original and for paper"}),
      option("threshold", &Options::threshold,
             {.unit = "1",
              .min = 0,
              .max = 0.95,
              .help = "the orientation term acts on cells below this share of their rest volume; none = 0.8, "
                      "or 0.5 when strength is given and for original"}),
      option("integrator", &Options::integrator,
             {.choices = {"automatic", "bdf2", "stable", "accurate", "lively", "paper"},
              .help =
                  "bdf2: of second order, each step solved by Newton's method; stable: of first order, one "
                  "scalar matrix, any step, cheap; accurate: of first order, Gauss-Newton; lively: explicit "
                  "in compression, substeps as needed; paper: Terzopoulos' "
                  "semi-implicit step, unstable; automatic: stable for the original model and where strength "
                  "is given, else bdf2"}),
      option("kappa", &Options::kappa,
             {.unit = "1",
              .min = 0.25,
              .max = 10,
              .change = Change::live,
              .help = "stable: share of the rest stiffness in the matrix; below 0.5 large steps explode, "
                      "more damps"}),
      option("tolerance", &Options::tolerance,
             {.unit = "1",
              .min = 1e-7,
              .max = 0.5,
              .scale = Scale::logarithmic,
              .change = Change::live,
              .help = "residual reduction of the conjugate gradients of a step, and of Newton's method"}),
      option(
          "iterations", &Options::iterations,
          {.unit = "1",
           .min = 1,
           .max = 10000,
           .change = Change::live,
           .help = "of the conjugate gradients in an Euler step, at most; each of the up to 12 solves of a "
                   "bdf2 step may take 20 times as many"}),
      option("preconditioner", &Options::preconditioner,
             {.choices = {"automatic", "jacobi", "multigrid"},
              .help = "of the conjugate gradients. jacobi: cheap, but stiff or large bodies need many "
                      "iterations; multigrid: few iterations at any size, on a lattice only, not for paper; "
                      "automatic: the cheaper one for the stiffness of the step and the number of nodes"}),
      option("keep_momentum", &Options::keep_momentum,
             {.help = "a free body keeps its momentum and turns as a whole undamped; paper: never"}),
  };
  return table;
}

const OptionTable<StrengthKey>& key_table() {
  static const OptionTable<StrengthKey> table{
      option("time", &StrengthKey::time,
             {.unit = "s", .min = 0, .max = 1e9, .help = "keys are in ascending order"}),
      option("factor", &StrengthKey::factor,
             {.unit = "1", .min = 0, .max = 1e6, .help = "on all strengths; straight lines between keys"}),
  };
  return table;
}

const OptionTable<PlasticLaw>& plasticity_table() {
  static const OptionTable<PlasticLaw> table{
      option("yield", &PlasticLaw::yield,
             {.unit = "1", .min = 0, .max = 100, .help = "strain of a constraint up to which nothing flows"}),
      option(
          "creep", &PlasticLaw::creep,
          {.unit = "1",
           .min = 0,
           .max = 1e6,
           .scale = Scale::logarithmic,
           .help =
               "rate of flow: in 1/30 s the share creep * (strain - yield) of the strain becomes permanent"}),
      option("cap", &PlasticLaw::cap,
             {.unit = "1", .min = 0, .max = 10, .help = "largest relative change of a rest length"}),
  };
  return table;
}

bool in_pascals(const Options& options) {
  return options.model == Kind::improved && !(options.strength < not_given);
}

double area_of(const Options& options) {
  return options.area < not_given ? options.area : in_pascals(options) ? 5 : 3;
}

double volume_of(const Options& options) {
  return options.volume < not_given ? options.volume : in_pascals(options) ? 6 : 4;
}

double threshold_of(const Options& options) {
  return options.threshold < not_given ? options.threshold : in_pascals(options) ? 0.8 : 0.5;
}

Integrator integrator_of(const Options& options) {
  if (options.integrator != Integrator::automatic) return options.integrator;
  const bool of_papers = options.model == Kind::original || options.strength < not_given;
  return of_papers ? Integrator::stable : Integrator::bdf2;
}

Integrator matrix_of(const Options& options) {
  const Integrator integrator = integrator_of(options);
  return integrator == Integrator::bdf2 ? Integrator::accurate : integrator;
}

double factor_at(const std::vector<StrengthKey>& keys, double time) {
  if (keys.empty()) return 1;
  if (time <= keys.front().time) return keys.front().factor;
  for (std::size_t k = 1; k < keys.size(); ++k)
    if (time <= keys[k].time) {
      const double t = (time - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
      return keys[k - 1].factor + t * (keys[k].factor - keys[k - 1].factor);
    }
  return keys.back().factor;
}

}  // namespace pliant::metric
