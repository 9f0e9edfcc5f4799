// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "pliant/base/check.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/base/refuse.hpp"
#include "pliant/methods/meshless/body.hpp"

namespace pliant::meshless {
namespace {

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

}  // namespace

Flesh make_flesh(Shape shape, Options options) {
  // Where the contact points are, before nodes move to the samples.
  const Points contact = at_rest(shape.contact, shape.graph.positions);
  if (options.bones) {
    const BoneSetting setting = bone_setting(*options.bones, shape, median_nearest(shape.graph.positions));
    options.bones->spacing = setting.samples.spacing;
    options.bones->zone = setting.samples.zone;
    const BoneSamples bones(options.bones->skeleton, setting.samples);
    Points samples;
    for (const BoneSample& sample : bones.samples()) samples.push_back(sample.X);
    shape = with_samples(std::move(shape), samples);
  }
  Pool pool(0);
  const MovingLeastSquares mls(shape.graph.positions, inner_pairs(shape.graph), mls_options(shape, options),
                               pool);
  shape.embedding = mls_rows(shape.surface.vertices, shape.embedding, mls, pool);
  shape.contact = mls_rows(contact, shape.contact, mls, pool);
  return {std::move(shape), std::move(options)};
}

Result<Skeleton> make_skeleton(const std::vector<JointKeys>& joints) {
  Error error;
  Skeleton out;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointKeys& from = joints[j];
    Joint joint;
    joint.name = from.name;
    joint.position = from.position;
    joint.radius = from.radius;
    for (std::size_t k = 0; k < j; ++k) {
      if (joints[k].name == from.parent) joint.parent = Index(k);
      if (joints[k].name == from.name)
        error.problems.push_back(
            {fmt::format("{}.name", j), fmt::format("\"{}\" again", from.name), "each name once", {}});
    }
    if (!from.parent.empty() && joint.parent < 0)
      error.problems.push_back({fmt::format("{}.parent", j),
                                fmt::format("\"{}\"", from.parent),
                                "the name of a joint before it in the list",
                                {}});
    joint.turns.interpolation = joint.moves.interpolation =
        from.ease == Ease::smooth ? Interpolation::smooth : Interpolation::linear;
    for (const MotionKey& key : from.motion) {
      joint.turns.times.push_back(key.time);
      joint.moves.times.push_back(key.time);
      const double length = key.rotate.axis.norm();
      joint.turns.turns.push_back(
          length > 0 ? Vec3(key.rotate.degrees * std::numbers::pi / 180 / length * key.rotate.axis)
                     : Vec3(0, 0, 0));
      joint.moves.moves.push_back(key.translate);
    }
    out.joints.push_back(std::move(joint));
  }
  if (!error.problems.empty()) return error;
  return out;
}

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
  if (options.bones)
    rig = Rig(options.bones->skeleton, bone_setting(*options.bones, shape, mls.spacing()), *model, mls, pool);
  if (options.bones && options.bones->loaded) {
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
