// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "pliant/base/check.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/base/refuse.hpp"
#include "pliant/geometry/bone_samples.hpp"
#include "pliant/geometry/node_grid.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/finer_nodes.hpp"

namespace pliant::meshless {
namespace {

constexpr Index most_rows = 4000;  // of a loaded rod: their dense matrices take 256 MB, factors some seconds

/// Flesh belongs to the bone that turns it most: the sum of its samples' influence at the centre of a cell.
Error set_regions(const std::vector<Region>& regions, const Rig& rig, Model& model) {
  Error error;
  if (regions.empty()) return error;
  if (rig.empty()) {
    error.problems.push_back({"meshless.regions", "regions without a skeleton", "a skeleton", {}});
    return error;
  }
  const auto& bones = rig.bones().bones();
  const auto& joints = rig.bones().skeleton().joints;
  std::vector<double> young(bones.size(), model.young);
  for (std::size_t r = 0; r < regions.size(); ++r) {
    bool known = false;
    for (std::size_t b = 0; b < bones.size(); ++b)
      if (joints[std::size_t(bones[b].start)].name == regions[r].bone)
        young[b] = regions[r].stiffness, known = true;
    if (!known)
      error.problems.push_back({fmt::format("meshless.regions.{}.bone", r),
                                fmt::format("\"{}\"", regions[r].bone),
                                "the name of a joint that a bone starts from",
                                {}});
  }
  const auto& samples = rig.bones().samples();
  const std::size_t s = std::size_t(rig.samples());
  std::vector<double> share(bones.size());
  for (Index c = 0; c < model.cells.count(); ++c) {
    std::fill(share.begin(), share.end(), 0);
    for (Index k = model.cells.begin[std::size_t(c)]; k < model.cells.begin[std::size_t(c) + 1]; ++k)
      for (std::size_t n = 0; n < s; ++n)
        if (samples[n].bone >= 0)
          share[std::size_t(samples[n].bone)] +=
              model.cells.centre_value[std::size_t(k)] *
              rig.influence()[std::size_t(model.cells.node[std::size_t(k)]) * s + n];
    const auto most = std::max_element(share.begin(), share.end()) - share.begin();
    model.relative[std::size_t(c)] = young[std::size_t(most)] / model.young;
  }
  return error;
}

Points at_rest(const Gather& gather_rows, const Points& nodes) {
  Points out(std::size_t(gather_rows.rows()));
  gather(gather_rows, nodes, out);
  return out;
}

/// Where the settings want more nodes.
std::vector<FinerBall> finer_balls(const Options& options) {
  std::vector<FinerBall> out;
  for (const Finer& finer : options.finer) {
    if (finer.near == Near::point) out.push_back({finer.point, finer.radius, finer.ratio});
    if (finer.near == Near::point || !options.bones) continue;
    const std::vector<Joint>& joints = options.bones->skeleton.joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const bool between =
          joints[j].parent >= 0 &&
          std::any_of(joints.begin(), joints.end(), [&](const Joint& o) { return o.parent == Index(j); });
      if (finer.joint.empty() ? between : joints[j].name == finer.joint)
        out.push_back({joints[j].position, finer.radius, finer.ratio});
    }
  }
  return out;
}

}  // namespace

Flesh make_flesh(Shape shape, Options options) {
  // Where nodes and contact points are, before nodes move to the samples.
  const Points lattice = shape.graph.positions;
  const Points contact = at_rest(shape.contact, lattice);
  options.finer_balls = finer_balls(options);
  options.spacing = options.finer_balls.empty() ? 0 : median_nearest(lattice);
  if (options.bones) {
    const BoneSetting setting = bone_setting(*options.bones, shape, median_nearest(shape.graph.positions));
    options.bones->spacing = setting.samples.spacing;
    options.bones->zone = setting.samples.zone;
    const BoneSamples bones(options.bones->skeleton, setting.samples);
    Points samples;
    for (const BoneSample& sample : bones.samples()) samples.push_back(sample.X);
    shape = with_samples(std::move(shape), samples);
  }
  if (!options.finer_balls.empty())
    shape = with_finer_nodes(std::move(shape), options.finer_balls, lattice, options.spacing);
  Pool pool(0);
  const MovingLeastSquares mls(shape.graph.positions, inner_pairs(shape.graph), mls_options(shape, options),
                               pool);
  shape.embedding = mls_rows(shape.surface.vertices, shape.embedding, mls, pool);
  shape.contact = mls_rows(contact, shape.contact, mls, pool);
  return {std::move(shape), std::move(options)};
}

namespace {

/// What make_flesh has seen to.
bool has_nodes_on_bones(const BoneSamples& bones, const Model& model) {
  constexpr double on = 1e-12;  // of the spacing, squared
  const NodeGrid grid(model.rest, model.spacing);
  std::vector<NodeGrid::Found> found;
  for (const BoneSample& sample : bones.samples()) {
    grid.nearest(sample.X, 1, std::numeric_limits<double>::infinity(), found);
    if (found.empty() || !(found.front().squared <= on * model.spacing * model.spacing)) return false;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options) {
  const auto start = Clock::now();
  PLIANT_CHECK(!options.bones || options.bones->spacing < Bones::automatic);
  Options resolved = options;
  if (resolved.rotations == Rotations::automatic)
    resolved.rotations = options.bones && !options.bones->loaded ? Rotations::diffused : Rotations::polar;
  if (options.bones && options.bones->loaded) {
    const Bones& bones = *options.bones;
    if (!bones.elastic)
      return refuse("meshless.skeleton.loaded", "true without elastic", "\"elastic\": true",
                    "only a rod bends");
    if (!(bones.radius > 0))
      return refuse("meshless.skeleton.loaded", "a thin skeleton", "a skeleton with a radius",
                    "flesh spins about a thin rod: set meshless.skeleton.radius above the nodes' spacing");
    if (resolved.rotations != Rotations::polar || options.warping != Warping::cell)
      return refuse("meshless.skeleton.loaded", "given rotations",
                    "\"rotations\": \"polar\", \"warping\": \"cell\"",
                    "rotations that the rod gives would turn the flesh without a torque on the rod");
  }
  if (resolved.rotations == Rotations::diffused && !options.bones && options.warping != Warping::none)
    return refuse("meshless.rotations", "diffused without a skeleton", "\"polar\", or a skeleton",
                  "rotations are diffused from the bones: give meshless.skeleton");
  Pool pool(0);
  const MovingLeastSquares mls(shape.graph.positions, inner_pairs(shape.graph), mls_options(shape, options),
                               pool);
  Result<Model> model = make_model(shape, mls, density, resolved, pool);
  if (!model) return model.error();
  Rig rig;
  if (options.bones) {
    const BoneSetting setting = bone_setting(*options.bones, shape, mls.spacing());
    if (!has_nodes_on_bones(BoneSamples(options.bones->skeleton, setting.samples), *model))
      return refuse("meshless.skeleton", "bones without nodes on them", "a node at each sample of a bone",
                    "a scene puts them there; in a program meshless::make_flesh does");
  }
  if (options.bones)
    rig = Rig(options.bones->skeleton, bone_setting(*options.bones, shape, mls.spacing()), *model, mls, pool);
  if (options.bones && options.bones->loaded) {
    if (!rig.grips(model->spacing))
      return refuse("meshless.skeleton.radius",
                    fmt::format("{:g} m, which reaches no node beside the bones", options.bones->radius),
                    fmt::format("more than the distance of nodes, {:.3g} m", model->spacing),
                    "flesh spins about a rod that holds only the nodes on its line");
    if (rig.rows().rows() > most_rows)
      return refuse("meshless.skeleton.radius", fmt::format("{} nodes held by the rod", rig.rows().rows()),
                    fmt::format("at most {}", most_rows),
                    "a smaller radius or fewer nodes: a loaded rod has a dense matrix of what it holds");
    // A round section: EA = E pi d^2/4, EI = E pi d^4/64, GJ = EI / (1 + nu) with nu = 0.3.
    const double d = options.bones->rod_thickness;
    const double stretch = options.bones->rod_stiffness * std::numbers::pi / 4 * d * d;
    const double bend = stretch * d * d / 16;
    rig.make_loaded({stretch, bend, bend / 1.3}, options.bones->joint_softness);
  } else if (options.bones && options.bones->elastic && !rig.make_elastic(options.bones->joint_softness))
    return refuse("meshless.skeleton.elastic", "a rod without equilibrium",
                  "keys that an elastic rod can follow",
                  "slower turns, fewer held joints, or a joint_softness nearer to 1");
  if (const Error error = set_regions(resolved.regions, rig, *model); !error.problems.empty()) return error;
  Skin skin{mls_rows(shape.surface.vertices, shape.embedding, mls, pool),
            mls_rows(at_rest(shape.contact, shape.graph.positions), shape.contact, mls, pool)};
  auto body = std::make_unique<Body>(std::move(*model), std::move(rig), std::move(skin), damping, resolved);
  body->add_setup(milliseconds_since(start));
  return std::unique_ptr<Method>(std::move(body));
}

}  // namespace pliant::meshless
