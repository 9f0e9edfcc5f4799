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
              .help = "of the linear solver a step, at most; 4 for kappa 0.1, 2 for kappa 1"}),
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
              .help = "how often the solve is repeated with polar rotations: less energy in sharp bends; "
                      "only with thick bones"}),
  };
  return table;
}

const OptionTable<Bones>& bones_table() {
  static const OptionTable<Bones> table{
      option("file", &Bones::file,
             {.help = "the skeleton: JSON, or the skin of a glTF file; from the scene's folder or from "
                      "where the command runs"}),
      option("spacing", &Bones::spacing,
             {.unit = "m",
              .min = 0,
              .max = 1e6,
              .above_min = true,
              .help = "between samples along a bone; none = as the nodes"}),
      option("zone", &Bones::zone,
             {.unit = "m",
              .min = 0,
              .max = 1e6,
              .help = "length of bone on both sides of a joint that bends with it; 0 = sharp joints; none = "
                      "half the width of the limb"}),
      option("radius", &Bones::radius,
             {.unit = "m",
              .min = 0,
              .max = 1e6,
              .help = "flesh within it follows the bone rigidly, but for the zones; 0 = thin bones; fine "
                      "sets of nodes and twisted limbs want 0.1 to 0.3 of the limb's width"}),
      option("like_mesh", &Bones::like_mesh,
             {.help = "true: positions are those of the mesh's file, and the skeleton is scaled, turned and "
                      "moved as the mesh is; false: they are those of the scene; no effect on other shapes"}),
      option("elastic", &Bones::elastic,
             {.help = "true: an elastic rod, held where joints have keys (by rotation or place) and in "
                      "balance between them; false: bones are rigid and joints turn as their keys say"}),
      option("joint_softness", &Bones::joint_softness,
             {.unit = "1",
              .min = 1e-4,
              .max = 1,
              .help = "bending and twisting stiffness of an elastic skeleton at its joints, share of that of "
                      "its bones"}),
      option("loaded", &Bones::loaded,
             {.help = "true, of an elastic skeleton with a radius: weight and flesh bend the rod and the rod "
                      "the flesh; rotations are polar; no colliders"}),
      option("rod_stiffness", &Bones::rod_stiffness,
             {.unit = "Pa",
              .min = 1,
              .max = 1e13,
              .scale = Scale::logarithmic,
              .help = "Young's modulus of a loaded rod; wood 1e10, bone 2e10, steel 2e11"}),
      option("rod_thickness", &Bones::rod_thickness,
             {.unit = "m",
              .min = 0,
              .max = 1e6,
              .above_min = true,
              .help = "diameter of a loaded rod, whose section is round; its mass is that of the flesh"}),
  };
  return table;
}

const OptionTable<JointKeys>& joint_table() {
  using S = JointKeys;
  static const OptionTable<S> table{
      option("name", &S::name, {.help = "each once"}),
      option("parent", &S::parent, {.help = "the name of a joint before it; none: a root"}),
      option("position", &S::position, {.unit = "m", .min = -1e6, .max = 1e6, .help = "at rest"}),
      option("radius", &S::radius,
             {.unit = "m", .min = 0, .max = 1e6, .help = "of the limb here; 0 = as far as the surface is"}),
      option("ease", &S::ease,
             {.choices = {"smooth", "linear"},
              .help = "smooth stops at every key (s^2 (3 - 2 s)); linear keeps constant speed between keys"}),
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

const OptionTable<Plasticity>& plasticity_table() {
  static const OptionTable<Plasticity> table = plastic_law_table<Plasticity>(0.9);
  return table;
}

}  // namespace pliant::meshless
