// SPDX-License-Identifier: Apache-2.0
// A scene as written: what the keys of a file become. Units, ranges and help stand in spec.cpp.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pliant/base/option.hpp"
#include "pliant/contact/collider.hpp"
#include "pliant/geometry/blobs.hpp"
#include "pliant/geometry/bumpy_bar.hpp"
#include "pliant/geometry/plant.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/motion.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/physics/step.hpp"
#include "pliant/scene/force_spec.hpp"

namespace pliant {

inline constexpr double not_given = std::numeric_limits<double>::infinity();

struct SphereShape {
  double radius = 0.5;   ///< m
  int nodes = 13;        ///< across, >= 4
  Vec3 center{0, 0, 0};  ///< m
};

/// A surface from a file. Placed in this order: unit and scale, up axis, rotate, translate.
struct MeshSpec {
  std::string mesh;  ///< file, from the scene's folder or from where the command runs
  double scale = 1;
  LengthUnit unit = LengthUnit::m;
  UpAxis up = UpAxis::y;
  Turn rotate;              ///< about the origin
  Vec3 translate{0, 0, 0};  ///< m
  int nodes = 5000;
  std::optional<bool> solid;
  double thickness = not_given;  ///< m
  bool join = false;
  std::array<int, 3> cells{0, 0, 0};
};

/// A procedural surface: Blobs, and how many nodes carry it.
struct BlobsShape : Blobs {
  int nodes = 5000;
  double thickness = not_given;  ///< m
  std::array<int, 3> cells{0, 0, 0};
};

struct BumpyBarShape : BumpyBar {
  int nodes = 5000;
  std::array<int, 3> cells{0, 0, 0};
};

struct ShapeSpec {
  std::variant<BoxShape, SphereShape, EllipsoidShape, CylinderShape, TorusShape, SheetShape, BlobsShape,
               PlantShape, BumpyBarShape, MeshSpec>
      is;
};

struct PinSpec {
  Selector select;
  double release = not_given;  ///< s
};

struct HandleSpec {
  Selector select;
  std::vector<MotionKey> motion;
  Ease ease = Ease::smooth;
  double release = not_given;  ///< s
  Vec3 scale{1, 1, 1};         ///< about their centre, before the turn
};

struct ScrambleSpec {
  int seed = 1;
};

struct InitialSpec {
  Vec3 translate{0, 0, 0};  ///< m
  Turn rotate;              ///< about the centre of mass
  Vec3 stretch{1, 1, 1};    ///< about the centre of mass, before the turn
  Vec3 velocity{0, 0, 0};   ///< m/s
  Vec3 spin{0, 0, 0};       ///< rad/s, about the centre of mass
  std::optional<ScrambleSpec> scramble;
};

inline constexpr int most_repeated = 1000;

/// A row of equal bodies: each is the one before, turned about the origin and then shifted.
struct RepeatSpec {
  int count = 1;
  int first = 0;  ///< how often the first is turned and shifted already
  Turn rotate;
  Vec3 translate{0, 0, 0};  ///< m
};

struct BodySpec {
  std::string name = "body";
  ShapeSpec shape;
  std::string method = method_names().front();
  std::vector<MethodOptions> settings = default_settings();  ///< of every method, as the catalogue lists them
  std::string material = "none";                             ///< scene/material.hpp
  double density = 1000;                                     ///< kg/m^3
  Damping damping;
  std::vector<PinSpec> pins;
  std::vector<HandleSpec> handles;
  InitialSpec initial;
  RepeatSpec repeat;
  double friction = not_given;
  ContactOptions contact;  ///< its friction is not used: the key stands beside `contact`

  const MethodEntry& entry() const { return method_entry(method); }
  /// The settings of its own method.
  const MethodOptions& options() const;
  /// The settings of type O, whichever method it has.
  template <class O>
  const O& options_of() const {
    for (const MethodOptions& options : settings)
      if (options.type() == typeid(O)) return options.as<O>();
    check_failed("settings of a method of the catalogue", __FILE__, __LINE__);
  }
  template <class O>
  O& options_of() {
    return const_cast<O&>(std::as_const(*this).template options_of<O>());
  }
  static std::vector<MethodOptions> default_settings();
};

/// What all colliders have.
struct ColliderTraits {
  double friction = 0.5;
  double restitution = 0;
  std::vector<MotionKey> motion;
  Ease ease = Ease::smooth;
};
struct PlaneColliderSpec : ColliderTraits, PlaneCollider {};
struct SphereColliderSpec : ColliderTraits, SphereCollider {};
struct BoxColliderSpec : ColliderTraits, BoxCollider {
  Turn rotate;  ///< becomes BoxCollider::rotation
};
struct CapsuleColliderSpec : ColliderTraits, CapsuleCollider {};
/// Placed in this order: scale, up axis, rotate, translate.
struct MeshColliderSpec : ColliderTraits {
  std::string file;  ///< from the scene's folder or from where the command runs
  double scale = 1;
  LengthUnit unit = LengthUnit::m;
  UpAxis up = UpAxis::y;
  Turn rotate;              ///< about the origin
  Vec3 translate{0, 0, 0};  ///< m
  bool thin = false;
};

struct ColliderSpec {
  std::variant<PlaneColliderSpec, SphereColliderSpec, BoxColliderSpec, CapsuleColliderSpec, MeshColliderSpec>
      is;
};

struct ProbeSpec {
  std::string name = "probe";
  std::string body = {};  ///< empty: the first body
  Selector select;
};

struct ExpectSpec {
  std::string metric = "volume_ratio";
  std::string body = {};  ///< empty: the first body
  WordOrNumber at{"end", 0};
  double from = 0;          ///< s
  double to = not_given;    ///< s
  double min = -not_given;  ///< in the metric's unit
  double max = not_given;
};

struct BondSpec {
  std::string body;  ///< empty: the first
  std::string to;    ///< another body, or "colliders.N"
  Selector select;
  double within = 0;            ///< m
  double strength = not_given;  ///< N
  double pressure = not_given;  ///< Pa
};

/// Islands at rest are not stepped (island/sleeping.hpp).
enum class Sleeping { in_view, always, never };

struct SceneSpec {
  std::string description;
  double timestep = 1.0 / 60;  ///< s, between frames
  int substeps = 1;            ///< steps a frame
  int frames = 300;
  Vec3 gravity{0, -9.81, 0};  ///< m/s^2
  Sleeping sleeping = Sleeping::in_view;
  std::vector<BodySpec> bodies;
  std::vector<ColliderSpec> colliders;
  std::vector<ForceSpec> forces;
  std::vector<BondSpec> bonds;
  std::vector<ProbeSpec> probes;
  std::vector<ExpectSpec> expect;
  std::vector<std::string> expect_warnings;  ///< a part of each warning that the run is meant to give

  double step_length() const { return timestep / substeps; }  ///< h, s
};

}  // namespace pliant
