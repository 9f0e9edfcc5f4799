// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/force_spec.hpp"

#include "pliant/physics/motion_layout.hpp"

namespace pliant {
namespace {

constexpr double too_far_out = 1e6;  // m, as in spec.cpp

template <class S>
OptionTable<S> key_options() {
  return {option("time", static_cast<double S::*>(&S::time),
                 {.unit = "s", .min = 0, .max = 1e9, .help = "keys are in ascending order"}),
          option("factor", static_cast<double S::*>(&S::factor),
                 {.unit = "1", .min = -1e6, .max = 1e6, .help = "on the force: 0 switches it off"})};
}

/// The options of one kind of force, and those that all have.
template <class S, class Key>
Layout<S> force_layout(std::string title, std::string help, OptionTable<S> options,
                       std::vector<Key> S::*motion) {
  options.push_back(option("bodies", static_cast<std::vector<std::string> S::*>(&S::bodies),
                           {.help = "names of the bodies it acts on; [] = all"}));
  options.push_back(option(
      "ease", static_cast<Ease S::*>(&S::ease),
      {.choices = {"smooth", "linear"},
       .help = "smooth stops at every key (s^2 (3 - 2 s)); linear keeps constant speed between keys"}));
  return make_layout<S>(std::move(title), std::move(help), options,
                        {list_field("motion", motion, "keys; none = always as written")});
}

/// Of a point and a vortex.
template <class S>
OptionTable<S> radial_options(const char* direction) {
  return {
      option("center", static_cast<Vec3 S::*>(&S::center),
             {.unit = "m", .min = -too_far_out, .max = too_far_out, .help = "where it is"}),
      option("strength", static_cast<double S::*>(&S::strength),
             {.unit = "m/s^2", .min = -1e6, .max = 1e6, .help = direction}),
      option("radius", static_cast<double S::*>(&S::radius),
             {.unit = "m",
              .min = 1e-9,
              .max = too_far_out,
              .help = "where the strength is reached: within, it grows from 0 with the distance"}),
      option(
          "falloff", static_cast<double S::*>(&S::falloff),
          {.unit = "1",
           .min = 0,
           .max = 10,
           .help = "beyond the radius it falls with the distance to this power: 2 = like gravity of a ball, "
                   "0 = constant"}),
      option(
          "reach", static_cast<double S::*>(&S::reach),
          {.unit = "m", .min = 0, .max = too_far_out, .help = "farther away it is zero; none = everywhere"})};
}

}  // namespace

template <>
const Layout<TurningKey>& layout_of() {
  using S = TurningKey;
  static const auto layout = make_layout<S>("force key", "what a force is at a time", key_options<S>(),
                                            {object_field("rotate", &S::rotate, "turn of its direction")});
  return layout;
}

template <>
const Layout<MovingKey>& layout_of() {
  using S = MovingKey;
  static const auto layout = [] {
    OptionTable<S> options = key_options<S>();
    options.push_back(
        option("translate", &S::translate,
               {.unit = "m", .min = -too_far_out, .max = too_far_out, .help = "shift of the centre"}));
    return make_layout<S>("moving force key", "what a force with a centre is at a time, and where", options,
                          {object_field("rotate", static_cast<Turn S::*>(&S::rotate), "turn of its axis")});
  }();
  return layout;
}

template <>
const Layout<ConstantForceSpec>& layout_of() {
  using S = ConstantForceSpec;
  static const auto layout = force_layout<S>(
      "constant force", "an acceleration that is the same everywhere; it is added to gravity",
      {option(
          "acceleration", static_cast<Vec3 S::*>(&S::acceleration),
          {.unit = "m/s^2", .min = -1e5, .max = 1e5, .help = "which is N/kg: heavy and light fall alike"})},
      static_cast<std::vector<TurningKey> S::*>(&S::motion));
  return layout;
}

template <>
const Layout<WindForceSpec>& layout_of() {
  using S = WindForceSpec;
  const auto coefficient = [](std::string help) {
    return OptionFacts{.unit = "1", .min = 0, .max = 100, .help = std::move(help)};
  };
  static const auto layout = force_layout<S>(
      "wind",
      "moving air. It acts on the triangles of the surface by their velocity relative to it: on both sides "
      "of an open "
      "surface, on the side to windward of a closed one. Still air slows bodies down. Nothing gives lee",
      {option("velocity", static_cast<Vec3 S::*>(&S::velocity),
              {.unit = "m/s", .min = -1e3, .max = 1e3, .help = "of the air"}),
       option("density", static_cast<double S::*>(&S::density),
              {.unit = "kg/m^3", .min = 0, .max = 1e5, .help = "of the air: 1.2; of water: 1000"}),
       option("drag", static_cast<double S::*>(&S::drag),
              coefficient("force along the relative wind; a flat plate 1.2, a closed ball 0.5")),
       option("lift", static_cast<double S::*>(&S::lift),
              coefficient(
                  "force across the relative wind, zero for a surface along or square to it; a flat plate "
                  "1.2 to 1.7. Makes cloth flutter"))},
      static_cast<std::vector<TurningKey> S::*>(&S::motion));
  return layout;
}

template <>
const Layout<PointForceSpec>& layout_of() {
  using S = PointForceSpec;
  static const auto layout = force_layout<S>(
      "point force", "an acceleration towards a point",
      radial_options<S>("acceleration towards the centre at the radius; negative: away from it"),
      static_cast<std::vector<MovingKey> S::*>(&S::motion));
  return layout;
}

template <>
const Layout<VortexForceSpec>& layout_of() {
  using S = VortexForceSpec;
  static const auto layout = [] {
    OptionTable<S> options = radial_options<S>(
        "acceleration around the axis at the radius, by the right-hand rule; negative: the other way");
    options.push_back(option("axis", static_cast<Vec3 S::*>(&S::axis),
                             {.unit = "1", .help = "direction, any length but zero"}));
    return force_layout<S>("vortex", "an acceleration around an axis; distances are those to the axis",
                           std::move(options), static_cast<std::vector<MovingKey> S::*>(&S::motion));
  }();
  return layout;
}

template <>
const Layout<ForceSpec>& layout_of() {
  using S = ForceSpec;
  static const auto layout =
      make_choice<S>("force", "what pulls at bodies besides gravity (docs/forces.md)",
                     {alternative<S, ConstantForceSpec>("constant", "the same acceleration everywhere"),
                      alternative<S, WindForceSpec>("wind", "moving air: drag and lift on the surface"),
                      alternative<S, PointForceSpec>("point", "attracts or repels"),
                      alternative<S, VortexForceSpec>("vortex", "drives around an axis")});
  return layout;
}

const char* kind_of(const ForceSpec& force) {
  constexpr const char* kinds[] = {"constant", "wind", "point", "vortex"};
  return kinds[force.is.index()];
}

namespace {

MotionKey motion_key(const TurningKey& key) { return {key.time, Vec3::Zero(), key.rotate}; }
MotionKey motion_key(const MovingKey& key) { return {key.time, key.translate, key.rotate}; }

struct MakeForce {
  template <class Kind, class Key>
  WorldForce made(const Kind& kind, const ForceTraits<Key>& traits) const {
    WorldForce out{.is = kind, .motion = {{}, traits.ease}, .factors = {}, .bodies = traits.bodies};
    for (const Key& key : traits.motion) {
      out.motion.keys.push_back(motion_key(key));
      out.factors.push_back(key.factor);
    }
    return out;
  }
  WorldForce operator()(const ConstantForceSpec& s) const { return made(ConstantForce(s), s); }
  WorldForce operator()(const WindForceSpec& s) const { return made(WindForce(s), s); }
  WorldForce operator()(const PointForceSpec& s) const { return made(PointForce(s), s); }
  WorldForce operator()(const VortexForceSpec& s) const { return made(VortexForce(s), s); }
};

}  // namespace

std::vector<WorldForce> world_forces(const std::vector<ForceSpec>& specs) {
  std::vector<WorldForce> out;
  for (const ForceSpec& spec : specs) out.push_back(std::visit(MakeForce{}, spec.is));
  return out;
}

}  // namespace pliant
