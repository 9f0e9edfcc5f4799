// SPDX-License-Identifier: Apache-2.0
// Every key of a figure: name, unit, range, help, said here and nowhere else. Defaults are the initial values
// of render/figure_spec.hpp.
#include "pliant/render/figure_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pliant/base/json_text.hpp"

namespace pliant {
namespace {

/// A body with something inside that is shown is this opaque, if the panel does not say.
constexpr double veil = 0.5;

OptionFacts seconds_facts(std::string help) {
  return {.unit = "s", .min = 0, .max = 1e9, .help = std::move(help)};
}

}  // namespace

template <>
const Layout<FigureCamera>& layout_of() {
  using S = FigureCamera;
  static const auto layout = make_layout<S>(
      "camera", "from where one looks",
      {option("azimuth", &S::azimuth,
              {.unit = "degrees",
               .min = -3600,
               .max = 3600,
               .help = "around y; 0 looks along -z, positive moves the eye towards +x"}),
       option("elevation", &S::elevation,
              {.unit = "degrees", .min = -89, .max = 89, .help = "above the horizon"}),
       option("zoom", &S::zoom,
              {.unit = "1", .min = 0.01, .max = 1000, .help = "2 = twice as large as what just fits"})});
  return layout;
}

template <>
const Layout<GhostSpec>& layout_of() {
  using S = GhostSpec;
  static const auto layout =
      make_layout<S>("ghost", "the bodies at another time, drawn faintly",
                     {option("time", &S::time, seconds_facts("when; none = the shape at rest"))});
  return layout;
}

template <>
const Layout<PanelSpec>& layout_of() {
  using S = PanelSpec;
  static const auto layout = make_layout<S>(
      "panel", "one picture: of a scene, of a run folder or of a mesh",
      {option("scene", &S::scene, {.help = "a shipped scene, or a scene file"}),
       option("run", &S::run, {.help = "a folder that `pliant run` wrote"}),
       option("mesh", &S::mesh, {.help = "a surface: obj, ply, stl, off or glb"}),
       option("set", &S::set, {.help = "PATH=VALUE each: values of the scene that are changed"}),
       option("time", &S::time, seconds_facts("the frame nearest to this time; none = the last")),
       option("label", &S::label,
              {.help =
                   "text below the picture; {METRIC} becomes the metric of the first body then, for example "
                   "{volume_ratio}, {inverted} or {time}; {distortion} and {kink} are those of its surface"}),
       option("show", &S::show,
              {.choices = {"cage", "skeleton", "pins", "arrows", "inverted"},
               .help = "drawn besides the bodies: the edges of a cage, bones, what pins (blue) and handles "
                       "(yellow) hold, the way of the handles, cells turned inside out (red)"}),
       option("opacity", &S::opacity,
              {.unit = "1",
               .min = 0,
               .max = 1,
               .help = fmt::format("of the bodies; none = 1, and {:g} with `skeleton` or `inverted`", veil)}),
       option("color", &S::color,
              {.choices = {"none", "speed", "stretch", "rotation", "active", "distortion"},
               .help = "what colours show, with a legend; panels of the same colour share its range"}),
       option("mode", &S::mode,
              {.unit = "1",
               .min = 0,
               .max = 10000,
               .help = "of a scene in reduced space: the rest shape lifted by this function of its space; "
                       "0 = none"}),
       option("amplitude", &S::amplitude,
              {.unit = "m", .min = -1e6, .max = 1e6, .help = "how far `mode` lifts at most"}),
       option("cage", &S::cage, {.help = "file of the cage that `show` draws around a run or a mesh"}),
       option("skeleton", &S::skeleton,
              {.help = "file (.json, .glb) of the skeleton that `show` draws in a run or a mesh"}),
       option("up", &S::up, {.choices = {"y", "z"}, .help = "axis of a mesh and its files that points up"})},
      {optional_field("camera", &S::camera, "a camera of its own; none = that of the figure"),
       list_field("ghosts", &S::ghosts, "the bodies at other times, faintly; [{}] = the shape at rest")});
  return layout;
}

template <>
const Layout<AnimationSpec>& layout_of() {
  using S = AnimationSpec;
  static const auto layout = make_layout<S>(
      "animation", "what a looping .webp or .gif shows: all panels from one time to another",
      {option("from", &S::from, seconds_facts("first time")),
       option("to", &S::to, seconds_facts("last time; none = until the first scene ends")),
       option("fps", &S::fps, {.unit = "1/s", .min = 1, .max = 60, .help = "pictures a second"}),
       option("speed", &S::speed,
              {.unit = "1", .min = 0.001, .max = 1000, .help = "seconds of the scene a second"}),
       option("kilobytes", &S::kilobytes,
              {.unit = "kB",
               .min = 10,
               .max = 1e6,
               .help = "the file is smaller, with a lower quality where needed"})});
  return layout;
}

template <>
const Layout<FigureSpec>& layout_of() {
  using S = FigureSpec;
  static const auto layout = make_layout<S>(
      "figure", "panels in a grid, drawn together",
      {option("description", &S::description, {.help = "for readers of the file"}),
       option("caption", &S::caption, {.help = "text below all panels"}),
       option("columns", &S::columns,
              {.unit = "1", .min = 0, .max = 100, .help = "panels in a row; 0 = all in one row"}),
       option("width", &S::width, {.unit = "pixels", .min = 64, .max = 7680, .help = "of the figure"}),
       option("aspect", &S::aspect,
              {.unit = "1", .min = 0.1, .max = 10, .help = "of a panel: width over height"}),
       option("quality", &S::quality,
              {.choices = {"draft", "normal", "fine"}, .help = "smoothness against time"}),
       option("pattern", &S::pattern,
              {.choices = {"grid", "none"}, .help = "lines painted on the rest shape"}),
       option(
           "fit", &S::fit,
           {.choices = {"figure", "row", "panel"},
            .help = "one camera for all panels, for those of a row, or for each its own: it holds all they "
                    "show"}),
       option("floor", &S::floor, {.help = "false: nothing below the bodies catches their shadow"})},
      {object_field("camera", &S::camera, "of all panels without one of their own"),
       object_field("animation", &S::animation, "for -o FILE.webp or FILE.gif"),
       list_field("panels", &S::panels, "from left to right, row by row")});
  return layout;
}

bool PanelSpec::shows(std::string_view what) const {
  return std::find(show.begin(), show.end(), what) != show.end();
}

double PanelSpec::shown_opacity() const {
  if (opacity != not_said) return opacity;
  return shows("skeleton") || shows("inverted") ? veil : 1;
}

namespace {

void check_panel(const PanelSpec& panel, const std::string& place, Problems& problems) {
  const auto problem = [&](const char* key, std::string found, std::string expected) {
    problems.push_back({place + (*key ? "." : "") + key, std::move(found), std::move(expected), {}});
  };
  const int kinds = !panel.scene.empty() + !panel.run.empty() + !panel.mesh.empty();
  if (kinds != 1)
    problem("", fmt::format("{} of scene, run and mesh", kinds == 0 ? "none" : std::to_string(kinds)),
            "exactly one of them");
  const bool scene = !panel.scene.empty();
  if (kinds != 1) return;
  if (!scene && !panel.set.empty()) problem("set", panel.set.front(), "a panel with a scene to change");
  if (!scene && panel.mode > 0) problem("mode", std::to_string(panel.mode), "a panel with a scene");
  if (scene && !panel.cage.empty())
    problem("cage", panel.cage, "a panel with a run or a mesh: a scene has its own");
  if (scene && !panel.skeleton.empty())
    problem("skeleton", panel.skeleton, "a panel with a run or a mesh: a scene has its own");
  if (!panel.mesh.empty() && panel.time != not_said)
    problem("time", fmt::format("{:g}", panel.time), "a scene or a run: a mesh does not move");
  if (!panel.mesh.empty() && !panel.ghosts.empty())
    problem("ghosts", fmt::format("{}", panel.ghosts.size()), "a scene or a run: a mesh does not move");
  if (!panel.mesh.empty() && panel.color != Coloring::none)
    problem("color", "a mesh", "a scene or a run: colours compare frames");
  if (panel.mesh.empty() && panel.up != PanelSpec::Up::y) problem("up", "\"z\"", "a panel with a mesh");
  if (panel.mode > 0 && panel.amplitude == 0) problem("amplitude", "0", "a length other than 0 for `mode`");
  if (panel.mode == 0 && panel.amplitude != 0)
    problem("amplitude", fmt::format("{:g}", panel.amplitude), "a panel with `mode`");
  if (scene) return;
  for (const char* what : {"pins", "arrows", "inverted"})
    if (panel.shows(what)) problem("show", fmt::format("\"{}\"", what), "a panel with a scene");
  if (panel.shows("cage") && panel.cage.empty()) problem("show", "\"cage\" without a file", "the key cage");
  if (panel.shows("skeleton") && panel.skeleton.empty())
    problem("show", "\"skeleton\" without a file", "the key skeleton");
}

}  // namespace

ParsedFigure parse_figure(std::string_view text) {
  ParsedFigure out;
  Json json;
  if (!parse_json(text, json, out.problems)) return out;
  read_object(json, "", out.spec, out.problems);
  if (json.is_object() && out.spec.panels.empty() && out.problems.empty())
    out.problems.push_back({"panels", "none", "at least one panel", {}});
  for (std::size_t i = 0; i < out.spec.panels.size(); ++i)
    check_panel(out.spec.panels[i], fmt::format("panels.{}", i), out.problems);
  return out;
}

}  // namespace pliant
