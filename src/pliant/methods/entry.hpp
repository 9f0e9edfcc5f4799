// SPDX-License-Identifier: Apache-2.0
// What a method says of itself, so that nobody outside methods/ knows it by name: its settings, where it wants
// its nodes, what must be prepared, how a body is built, what it can do and why not. Each method fills one
// MethodEntry in methods/M/entry.cpp; methods/catalogue.cpp lists them.
#pragma once

#include <algorithm>
#include <any>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pliant/base/check.hpp"
#include "pliant/base/option.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/geometry/skeleton.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant {

struct AnyLayout;  // base/layout.hpp
struct Solidity;   // geometry/inside.hpp

/// The settings of one method: a value of the type that its entry declares. Any such value converts to it.
class MethodOptions {
 public:
  template <class O>
  requires(!std::is_same_v<std::decay_t<O>, MethodOptions>) MethodOptions(O&& options)
      : value_(std::forward<O>(options)) {}

  /// O must be the type of the value.
  template <class O>
  const O& as() const {
    PLIANT_CHECK(value_.type() == typeid(O));
    return *std::any_cast<O>(&value_);
  }
  template <class O>
  O& as() {
    PLIANT_CHECK(value_.type() == typeid(O));
    return *std::any_cast<O>(&value_);
  }
  const std::type_info& type() const { return value_.type(); }
  std::any& value() { return value_; }

 private:
  std::any value_;
};

/// Where a method wants its nodes in a shape.
enum class NodePlacement {
  inside,   ///< filling it
  surface,  ///< the vertices of its surface
  lattice,  ///< on a regular lattice that fills it
  cells     ///< the corners of its cells; of tetrahedra in a mesh without cells
};

/// What a body may be asked for.
enum class Ability {
  contact,     ///< meets colliders
  live,        ///< takes live options, damping, pins and handles without being built again
  plasticity,  ///< keeps a new shape
  skeleton,    ///< bones drive it, from the settings' block "skeleton"; Controls::skeleton
  cage,        ///< the vertices of a cage can be pulled; Controls::cage
  points,      ///< fills a cloud of points with normals
  activity,    ///< tells which rotations a step computed; Method::activity
  elastic,     ///< gives way: it has a stiffness, elastic energy and elastic forces
};

/// How the body's own mesh file was placed: scale and up axis, then turn, then shift.
struct MeshPlacement {
  double scale = 1;  ///< metres a unit of the file
  UpAxis up = UpAxis::y;
  Mat3 rotation = Mat3::Identity();
  Vec3 translation{0, 0, 0};  ///< m
};
void place_like(const MeshPlacement& placement, PolygonMesh& mesh);
void place_like(const MeshPlacement& placement, Skeleton& skeleton);

/// The files that settings name, by the names a scene gives them. The scene reads them; what was read counts in
/// its fingerprint.
class FileAccess {
 public:
  virtual ~FileAccess() = default;
  /// Where the file is, for messages.
  virtual std::string place(const std::string& name) const = 0;
  virtual Result<PolygonMesh> mesh(const std::string& name) = 0;
  virtual Result<Skeleton> skeleton(const std::string& name) = 0;
  /// One direction a line and node. Problems are told at `key`, the settings' own; then there are none.
  virtual Points directions(const std::string& name, std::size_t count, const std::string& key,
                            std::vector<Problem>& problems) = 0;

  /// Results that are kept from run to run. The place of one; empty: nothing can be kept.
  virtual std::string cache_place(const std::string& name) const = 0;
  /// Its bytes; an error when they cannot be read; nothing when there is none.
  virtual std::optional<Result<std::string>> read_cache(const std::string& name) const = 0;
  /// The trouble, or empty.
  virtual std::string write_cache(const std::string& name, std::string_view bytes) const = 0;
};

/// What a scene lends to the making of a body.
struct Making {
  FileAccess& files;
  Pool& pool;
  std::optional<MeshPlacement> placement;  ///< of a shape that is a mesh file
  std::vector<std::string> notes = {};     ///< what was decided, one sentence each
};

/// Nodes that one pin or handle holds.
struct HeldNodes {
  std::vector<Index> nodes;
  bool moves = false;  ///< it does not stay where it rests, or is let go
};

/// What a body is built from, besides its settings.
struct BodyPlan {
  const Shape& shape;
  double density = 1000;  ///< kg/m^3
  Damping damping;
  std::vector<HeldNodes> held = {};
  Making* making = nullptr;  ///< none: files that the settings name are not read
};

/// The steps a body is built for.
struct StepPlan {
  double h = 1.0 / 60;  ///< s
  int substeps = 1;     ///< a frame
  bool colliders = false;
};

/// What to do where a run went wrong, as ends of a sentence.
struct Remedies {
  std::string collapse = "its stiffness";  ///< "raise ..."
  /// What lets a body find back that starts far from its shape.
  std::string start = "start it nearer to its shape, or scramble it with another seed";
  std::string contact = {};                  ///< " or more ...", besides more substeps
  std::optional<std::string> unsolved = {};  ///< ", ..." beside more substeps; none: such steps are not told
  std::string bones = {};                    ///< "take ...", where bones turn too far
  std::string sheets = {};                   ///< "or ...", where a lattice refuses a sheet
};

/// What a hand can take hold of besides nodes. Pointers hold until the body changes.
struct Controls {
  struct Cage {
    const TriMesh* rest = nullptr;
    Points vertices;       ///< now, m
    Index first_node = 0;  ///< grabs (StepInput) number the vertices of the cage from here on
    double hold = 0;       ///< of a pull at them, Pa: times the body's size its stiffness, N/m
  };
  std::optional<Cage> cage;
  const Skeleton* skeleton = nullptr;  ///< with its joints as they are driven; none: no bones
  /// Of a skeleton that bends: the joints as they are, then further points along it. Empty: the skeleton
  /// poses its joints.
  std::vector<JointPose> joints;
  std::vector<std::array<Index, 2>> joint_links;  ///< neighbours among them
  /// Of each of them the node (StepInput) that a hand pulls at; -1, or empty: it is driven.
  std::vector<Index> joint_nodes;
  bool joints_driven = false;  ///< drive_joint took a joint away from its keys
};

/// What a method says to a mesh.
struct Verdict {
  std::string text;
  bool usable = false;
};

/// "yes, as a solid", "yes, as a shell", "yes, each part as what it is".
Verdict any_mesh(const Solidity& solidity);

/// What a method answers. O: the type of its settings. Problems are placed relative to the body
/// ("geometric.stiffness").
template <class O>
struct MethodHooks {
  /// What is wrong with the settings, seen alone.
  std::function<std::vector<Problem>(const O&)> check = [](const O&) { return std::vector<Problem>{}; };
  std::function<NodePlacement(const O&)> placement = [](const O&) { return NodePlacement::inside; };
  /// Before pins and handles are selected: reads what the settings name, and may add nodes to the shape.
  std::function<std::vector<Problem>(O&, Shape&, Making&)> prepare = [](O&, Shape&, Making&) {
    return std::vector<Problem>{};
  };
  std::function<Result<std::unique_ptr<Method>>(const O&, const BodyPlan&)> build;
  /// The live options (Change::live in the table) and the damping of the next step; all others must be those
  /// the body was built with. False: it takes none without being built again.
  std::function<bool(const O&, Method&, const Damping&)> set_live;
  /// What the maker of a scene should know of the body that was built, one sentence each.
  std::function<std::vector<std::string>(const O&, const BodyPlan&, const Method&, const StepPlan&)> notes =
      [](const O&, const BodyPlan&, const Method&, const StepPlan&) { return std::vector<std::string>{}; };
  /// What bodies of the method may have; the settings decide (lacks).
  std::vector<Ability> abilities;
  /// Why a body of these settings does not have one of these abilities: the setting in the way, and what to do.
  /// Nothing: it has it. Of an entry it may be asked for any ability, and settings with an empty `plasticity`
  /// have none.
  std::function<std::optional<Problem>(const O&, Ability)> lacks = [](const O&, Ability) {
    return std::optional<Problem>{};
  };
  /// Asked here and not of Method, which would gain a function for each kind of control that one method has.
  std::function<Controls(const O&, const Method&)> controls = [](const O&, const Method&) {
    return Controls{};
  };
  /// A joint of the skeleton leaves its keys: it has this turn (rad) and move (m) of geometry/skeleton.hpp from
  /// the next step on. Returns the trouble, empty when all is well.
  std::function<std::string(const O&, Method&, Index joint, const Vec3& turn, const Vec3& move)> drive_joint =
      [](const O&, Method&, Index, const Vec3&, const Vec3&) { return "this body has no skeleton"; };
  /// Young's modulus, Pa: how hard a hand must pull. Of methods with Ability::elastic.
  std::function<double(const O&)> stiffness = {};
  /// The only Poisson's ratio that a body of these settings can have; none: their `poisson` says it.
  std::function<std::optional<double>(const O&)> fixed_poisson = [](const O&) {
    return std::optional<double>{};
  };
  std::function<Remedies(const O&)> remedies = [](const O&) { return Remedies{}; };
  /// Of the settings at their defaults.
  std::function<Verdict(const O&, const Solidity&)> verdict = [](const O&, const Solidity& solidity) {
    return any_mesh(solidity);
  };
  /// Settings worth writing down when a body gets this method by hand; cells: its shape got cells for it.
  std::function<std::vector<std::pair<std::string, OptionValue>>(const O&, bool cells)> suggest =
      [](const O&, bool) { return std::vector<std::pair<std::string, OptionValue>>{}; };
};

struct MethodEntry : MethodHooks<MethodOptions> {
  std::string name;        ///< as a scene writes it, the key of its settings as well
  std::string help;        ///< of its settings, one line
  MethodOptions defaults;  ///< tell the type, too
  const AnyLayout* layout;

  bool can(const MethodOptions& options, Ability ability) const { return !lacks(options, ability); }
};

/// Why no body of the method has the ability.
Problem lacking(const std::string& method, Ability ability);
/// Why a body without plasticity in its settings has none.
Problem lacking_plasticity(const std::string& method);

namespace entry_detail {
template <class O, class R, class... A>
auto typed(std::function<R(const O&, A...)> hook) {
  return [hook = std::move(hook)](const MethodOptions& options, A... arguments) -> R {
    return hook(options.as<O>(), std::forward<A>(arguments)...);
  };
}
template <class O, class R, class... A>
auto typed(std::function<R(O&, A...)> hook) {
  return [hook = std::move(hook)](MethodOptions& options, A... arguments) -> R {
    return hook(options.as<O>(), std::forward<A>(arguments)...);
  };
}

/// MethodEntry::lacks of any ability from the hooks of a method.
template <class O>
auto lacks_of(const std::string& name, const MethodHooks<O>& hooks) {
  return [name, abilities = hooks.abilities, lacks = hooks.lacks](const MethodOptions& options,
                                                                  Ability ability) -> std::optional<Problem> {
    if (std::find(abilities.begin(), abilities.end(), ability) == abilities.end())
      return lacking(name, ability);
    const O& settings = options.as<O>();
    if constexpr (requires { settings.plasticity; })
      if (ability == Ability::plasticity && !settings.plasticity) return lacking_plasticity(name);
    return lacks(settings, ability);
  };
}
}  // namespace entry_detail

/// layout: any_layout<O>(). build and set_live must be given, and the stiffness of what is elastic.
template <class O>
MethodEntry make_entry(std::string name, std::string help, const AnyLayout& layout, MethodHooks<O> hooks) {
  using entry_detail::typed;
  const auto& abilities = hooks.abilities;
  const bool elastic = std::find(abilities.begin(), abilities.end(), Ability::elastic) != abilities.end();
  PLIANT_CHECK(hooks.build && hooks.set_live && bool(hooks.stiffness) == elastic);
  if (!elastic) hooks.stiffness = [](const O&) { return 0.0; };
  return {{.check = typed<O>(std::move(hooks.check)),
           .placement = typed<O>(std::move(hooks.placement)),
           .prepare = typed<O>(std::move(hooks.prepare)),
           .build = typed<O>(std::move(hooks.build)),
           .set_live = typed<O>(std::move(hooks.set_live)),
           .notes = typed<O>(std::move(hooks.notes)),
           .abilities = hooks.abilities,
           .lacks = entry_detail::lacks_of(name, hooks),
           .controls = typed<O>(std::move(hooks.controls)),
           .drive_joint = typed<O>(std::move(hooks.drive_joint)),
           .stiffness = typed<O>(std::move(hooks.stiffness)),
           .fixed_poisson = typed<O>(std::move(hooks.fixed_poisson)),
           .remedies = typed<O>(std::move(hooks.remedies)),
           .verdict = typed<O>(std::move(hooks.verdict)),
           .suggest = typed<O>(std::move(hooks.suggest))},
          std::move(name),
          std::move(help),
          O{},
          &layout};
}

/// A set_live hook of bodies of class B, which has set_live(damping, options). Other bodies take none.
template <class B, class O>
bool set_live_of(const O& options, Method& method, const Damping& damping) {
  auto* body = dynamic_cast<B*>(&method);
  if (body) body->set_live(damping, options);
  return body != nullptr;
}

}  // namespace pliant
