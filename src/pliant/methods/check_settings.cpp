// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/check_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/option_check.hpp"
#include "pliant/geometry/check_geometry.hpp"
#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/fem/options.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/methods/meshless/options.hpp"
#include "pliant/methods/metric/options.hpp"
#include "pliant/methods/rigid/options.hpp"

namespace pliant {
namespace {

using Problems = std::vector<Problem>;

/// The settings of one method, block by block.
class SettingsCheck {
 public:
  SettingsCheck(std::string key, bool in_scene, Problems& problems)
      : key_(std::move(key)), in_scene_(in_scene), problems_(problems) {}

  void operator()(const geometric::Options& o) const {
    check_options(geometric::option_table(), o, key_, problems_);
    if (o.plasticity)
      check_options(geometric::plasticity_table(), *o.plasticity, at("plasticity"), problems_);
    check_options(geometric::fibre_table(), o.fibres, at("fibres"), problems_);
    no_file("fibres.file", o.fibres.file, "a direction for each node in `field`");
    const auto finite = [](const Vec3& v) { return v.allFinite(); };
    if (!std::all_of(o.fibres.field.begin(), o.fibres.field.end(), finite))
      tell("fibres.field", "a number that is not finite", "finite directions");
    check_options(geometric::sheet_table(), o.sheet, at("sheet"), problems_);
    if (o.adaptive) check_options(geometric::adaptive_table(), *o.adaptive, at("adaptive"), problems_);
    if (!o.reduction) return;
    check_options(geometric::reduction_table(), *o.reduction, at("reduction"), problems_);
    if (!o.reduction->samples.empty() && !in_scene_)
      tell("reduction.samples", "files of samples", "none: a scene reads them; `modal` needs none");
  }
  void operator()(const metric::Options& o) const {
    check_options(metric::option_table(), o, key_, problems_);
    for (std::size_t k = 0; k < o.keys.size(); ++k) {
      check_options(metric::key_table(), o.keys[k], at(fmt::format("keys.{}", k)), problems_);
      if (k > 0 && !(o.keys[k].time > o.keys[k - 1].time))
        tell(fmt::format("keys.{}.time", k), fmt::format("{:g} s", o.keys[k].time), "times that ascend");
    }
    if (o.plasticity) check_options(metric::plasticity_table(), *o.plasticity, at("plasticity"), problems_);
  }
  void operator()(const cage::Options& o) const {
    check_options(cage::option_table(), o, key_, problems_);
    if (o.plasticity) check_options(cage::plasticity_table(), *o.plasticity, at("plasticity"), problems_);
    for (Problem problem : check_mesh(o.mesh)) {
      problem.place = at("mesh.") + problem.place;
      problems_.push_back(std::move(problem));
    }
    if (o.mesh.vertices.empty()) no_file("file", o.file, "the cage itself in `mesh`");
  }
  void operator()(const meshless::Options& o) const {
    check_options(meshless::option_table(), o, key_, problems_);
    if (o.plasticity) check_options(meshless::plasticity_table(), *o.plasticity, at("plasticity"), problems_);
    for (std::size_t k = 0; k < o.regions.size(); ++k)
      check_options(meshless::region_table(), o.regions[k], at(fmt::format("regions.{}", k)), problems_);
    for (std::size_t k = 0; k < o.finer.size(); ++k)
      check_options(meshless::finer_table(), o.finer[k], at(fmt::format("finer.{}", k)), problems_);
    if (!o.bones) return;
    check_options(bones_table(), *o.bones, at("skeleton"), problems_);
    skeleton(*o.bones);
  }
  void operator()(const fem::Options& o) const {
    check_options(fem::option_table(), o, key_, problems_);
    if (!o.bones) return;
    check_options(rigid_bones_table(), *o.bones, at("skeleton"), problems_);
    skeleton(*o.bones);
  }
  void operator()(const rigid::Options& o) const { check_options(rigid::option_table(), o, key_, problems_); }

 private:
  std::string at(const std::string& name) const { return key_ + "." + name; }
  void tell(const std::string& name, std::string found, std::string expected) const {
    problems_.push_back({at(name), std::move(found), std::move(expected), {}});
  }
  void no_file(const char* name, const std::string& file, const char* instead) const {
    if (!file.empty() && !in_scene_) tell(name, "a file, which only a scene reads", instead);
  }
  /// Bones that a scene would have prepared: the skeleton itself, and numbers in place of what is automatic.
  void skeleton(const RigidBones& bones) const {
    if (in_scene_) return;
    no_file("skeleton.file", bones.file, "the skeleton itself in `skeleton` (load_skeleton)");
    if (bones.skeleton.bones().empty())
      tell("skeleton", "no bone", "at least two joints in `skeleton`, one the parent of the other");
    constexpr double most_samples = 1e5;
    double length = 0;
    for (const Bone& bone : bones.skeleton.bones()) length += bone.length;
    if (bones.spacing > 0 && !(length / bones.spacing <= most_samples))
      tell("skeleton.spacing", fmt::format("{:g} m on {:g} m of bones", bones.spacing, length),
           fmt::format("at most {:g} samples", most_samples));
    if (!(bones.spacing > 0)) tell("skeleton.spacing", fmt::format("{:g}", bones.spacing), "a number > 0, m");
    for (const auto& [name, value] : {std::pair{"spacing", bones.spacing}, {"zone", bones.zone}})
      if (!std::isfinite(value))
        tell(fmt::format("skeleton.{}", name), "automatic", "a number, m: only a scene chooses it");
  }

  std::string key_;
  bool in_scene_;
  Problems& problems_;
};

template <class O>
void check_as(const MethodOptions& options, const SettingsCheck& check, Problems& problems,
              const std::string& key) {
  if (options.type() != typeid(O)) return;
  const O& settings = options.as<O>();
  // before anything walks along the bones
  if constexpr (requires { settings.bones->skeleton; })
    if (settings.bones)
      for (Problem problem : check_skeleton(settings.bones->skeleton)) {
        problem.place = key + ".skeleton." + problem.place;
        problems.push_back(std::move(problem));
      }
  if (problems.empty()) check(settings);
}

}  // namespace

std::vector<Problem> check_settings(const MethodEntry& entry, const MethodOptions& options, bool in_scene) {
  Problems problems;
  const SettingsCheck check(entry.name, in_scene, problems);
  check_as<geometric::Options>(options, check, problems, entry.name);
  check_as<metric::Options>(options, check, problems, entry.name);
  check_as<cage::Options>(options, check, problems, entry.name);
  check_as<meshless::Options>(options, check, problems, entry.name);
  check_as<fem::Options>(options, check, problems, entry.name);
  check_as<rigid::Options>(options, check, problems, entry.name);
  if (!problems.empty()) return problems;
  return entry.check(options);
}

}  // namespace pliant
