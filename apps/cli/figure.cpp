// SPDX-License-Identifier: Apache-2.0
// pliant figure: several pictures in a grid, drawn together.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "figure_sources.hpp"
#include "interrupt.hpp"
#include "pliant/geometry/skeleton_surface.hpp"
#include "pliant/render/coloring.hpp"
#include "pliant/render/figure_layout.hpp"
#include "pliant/render/legend.hpp"
#include "pliant/render/props.hpp"
#include "pliant/render/video.hpp"
#include "progress.hpp"
#include "refuse.hpp"

namespace pliant::cli {
namespace {

struct FigureOptions {
  std::string file, output;
  int threads = 0;
  bool quiet = false, check = false;
};

// Colours of what is drawn besides bodies.
const Color pin_color = color_of(0x1b3a6b), handle_color = color_of(0xffc21a),
            cage_color = color_of(0x3a4048), bone_color = color_of(0x2b4c7e),
            inverted_color = color_of(0xd6001c), ghost_color = color_of(0x8a97a6),
            plain_color = color_of(0x83a7c9), arrow_color = color_of(0x20242a);
constexpr float ghost_share = 0.38f;  // how much of a ghost is seen

struct Bounds {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  void add(const Points& x) {
    for (const Vec3& p : x) low = low.cwiseMin(p), high = high.cwiseMax(p);
  }
  double size() const { return (high - low).norm(); }
  Vec3 center() const { return (low + high) / 2; }
};

/// One panel, ready to be drawn at each of its pictures.
class PanelArt {
 public:
  PanelArt(const Figure& figure, const Panel& panel) : panel_(panel), source_(figure.source(panel)) {
    for (int k = 0; k < figure.pictures; ++k)
      for (int b = 0; b < bodies(); ++b) bounds_.add(shape(b, index(k)));
    for (std::size_t g = 0; g < panel.ghosts.size(); ++g)
      for (int b = 0; b < bodies(); ++b) bounds_.add(ghost_shape(b, panel.ghosts[g]));
    props_.emplace(sequence().colliders, bounds_.low, bounds_.high);
  }

  const PanelSpec& spec() const { return panel_.spec; }
  const Sequence& sequence() const { return source_.record.sequence; }
  std::optional<double> floor() const { return props_->floor(); }
  const Bounds& bounds() const { return bounds_; }
  /// Indices of the pictures in the sequence.
  std::vector<int> indices() const {
    std::vector<int> out;
    for (std::size_t k = 0; k < panel_.frames.size(); ++k) out.push_back(index(int(k)));
    return out;
  }

  /// Shows the camera everything that any picture shows.
  void frame(Framing& framing) const {
    for (int k = 0; k < int(panel_.frames.size()); ++k) {
      for (int b = 0; b < bodies(); ++b) framing.add(shape(b, index(k)));
      for (const RenderBody& mark : marks(index(k))) framing.add(mark.positions);
      for (int prop = 0; prop < props_->count(); ++prop) framing.add(props_->close_points(prop, index(k)));
    }
    for (const int ghost : panel_.ghosts)
      for (int b = 0; b < bodies(); ++b) framing.add(ghost_shape(b, ghost));
  }

  // Where a body is seen through, or a ghost is seen faintly, pictures with and without it are mixed: what is in
  // front and what is behind stays right.
  Image draw(int picture, const Camera& camera, double ground, const std::optional<Legend>& legend,
             const RenderSettings& settings, Pool& pool) const {
    const int at = index(picture);
    RenderScene scene;
    scene.ground = ground;
    scene.legend = legend;
    for (int b = 0; b < bodies(); ++b) {
      const SurfaceTrack& track = sequence().bodies[std::size_t(b)];
      scene.bodies.push_back({track.triangles, track.rest, shape(b, at),
                              spec().shows("inverted") ? plain_color : palette(b),
                              value_or_refuse(color_values(sequence(), b, at, spec().color))});
    }
    for (RenderBody& mark : marks(at)) scene.bodies.push_back(std::move(mark));
    for (int prop = 0; prop < props_->count(); ++prop)
      if (props_->faces(prop, camera.eye, at)) scene.bodies.push_back(props_->body(prop, at));
    Image image = render(scene, camera, settings, pool);
    if (!panel_.ghosts.empty()) {
      RenderScene with = scene;
      for (const int ghost : panel_.ghosts)
        for (int b = 0; b < bodies(); ++b) with.bodies.push_back(ghost_body(b, ghost));
      mix(render(with, camera, settings, pool), ghost_share, image);
    }
    if (const double opacity = spec().shown_opacity(); opacity < 1) {
      for (int b = 0; b < bodies(); ++b) scene.bodies[std::size_t(b)].visible = false;
      mix(render(scene, camera, settings, pool), 1 - float(opacity), image);
    }
    return image;
  }

 private:
  int bodies() const { return int(sequence().bodies.size()); }
  int index(int picture) const { return source_.index_of(panel_.frames[std::size_t(picture)]); }
  Points shape(int body, int index) const {
    return value_or_refuse(sequence().bodies[std::size_t(body)].shape(index));
  }
  Points ghost_shape(int body, int frame) const {
    return frame < 0 ? sequence().bodies[std::size_t(body)].rest : shape(body, source_.index_of(frame));
  }
  /// A little thinner than it was: where a body has not moved, it hides its ghost.
  RenderBody ghost_body(int body, int frame) const {
    const SurfaceTrack& track = sequence().bodies[std::size_t(body)];
    Points x = ghost_shape(body, frame), normals(x.size(), Vec3::Zero());
    for (const Triangle& t : track.triangles) {
      const Vec3& a = x[std::size_t(t[0])];
      const Vec3 area = (x[std::size_t(t[1])] - a).cross(x[std::size_t(t[2])] - a);
      for (const Index v : t) normals[std::size_t(v)] += area;
    }
    for (std::size_t v = 0; v < x.size(); ++v) x[v] -= 0.004 * bounds_.size() * normals[v].normalized();
    return {track.triangles, track.rest, std::move(x), ghost_color, {}, false};
  }
  static RenderBody mark(TriMesh mesh, const Color& color) {
    return {std::move(mesh.triangles), mesh.vertices, mesh.vertices, color, {}, false};
  }

  std::vector<RenderBody> marks(int index) const {
    TriMesh cage, bones, pins, handles, arrows, inverted;
    const double size = bounds_.size();
    const Moment none;
    const Moment& now = source_.record.moments.empty() ? none : source_.record.moments[std::size_t(index)];
    if (spec().shows("cage")) {
      for (const CageMark& c : now.cages) append(rods(c.vertices, c.edges, 0.0035 * size), cage);
      if (source_.cage) append(rods(source_.cage->vertices, source_.cage->edges, 0.0035 * size), cage);
    }
    if (spec().shows("skeleton")) {
      for (const TriMesh& b : now.bones) append(b, bones);
      if (source_.skeleton) append(skeleton_from_file(index), bones);
    }
    if (spec().shows("pins"))
      for (const HoldMark& hold : now.holds) append(hold_mark(hold), hold.handle ? handles : pins);
    if (spec().shows("arrows"))
      for (const HoldMark& hold : now.holds) append(arrow(hold.path, 0.005 * size), arrows);
    if (spec().shows("inverted")) inverted = cell_surfaces(now.inverted);
    std::vector<RenderBody> out;
    for (auto& [mesh, color] : {std::pair{&cage, cage_color},
                                {&bones, bone_color},
                                {&pins, pin_color},
                                {&handles, handle_color},
                                {&arrows, arrow_color},
                                {&inverted, inverted_color}})
      if (!mesh->triangles.empty()) out.push_back(mark(std::move(*mesh), color));
    return out;
  }

  /// A plate on a side of a body, small balls on many nodes, larger ones on few.
  TriMesh hold_mark(const HoldMark& hold) const {
    TriMesh flat = plate(hold.points, bounds_.center(), 0.02 * bounds_.size());
    const double radius = (hold.points.size() < 4 ? 0.014 : 0.007) * bounds_.size();
    return flat.triangles.empty() ? balls(hold.points, radius) : flat;
  }

  TriMesh skeleton_from_file(int index) const {
    TriMesh out =
        skeleton_surface(*source_.skeleton, source_.skeleton->pose(sequence().times[std::size_t(index)]),
                         shown_bone_radius(*source_.skeleton));
    if (spec().up == PanelSpec::Up::z)
      for (Vec3& p : out.vertices) p = Vec3(p.x(), p.z(), -p.y());
    return out;
  }

  const Panel& panel_;
  const Source& source_;
  Bounds bounds_;
  std::optional<Props> props_;
};

class FigureJob {
 public:
  explicit FigureJob(const FigureOptions& options) : options_(options), pool_(options.threads) {
    const std::string kind = ending(options.check && options.output.empty() ? "x.png" : options.output);
    animated_ = kind == ".webp" || kind == ".gif";
    if (!animated_ && kind != ".png") refuse("-o", options.output, "a name that ends in .png, .webp or .gif");
    figure_ = read_figure(options.file, animated_);
  }

  void go() {
    run_sources(figure_, options_.file, options_.threads, options_.quiet);
    for (const Panel& panel : figure_.panels) art_.push_back(std::make_unique<PanelArt>(figure_, panel));
    make_legends();
    std::vector<Image> pictures;
    const InterruptGuard interrupt;
    {
      Progress progress("panels drawn", 0, figure_.pictures * int(art_.size()), options_.quiet);
      for (int picture = 0; picture < figure_.pictures; ++picture)
        pictures.push_back(draw(picture, interrupt, progress));
    }
    write(pictures);
  }

 private:
  /// Panels that share a camera; a panel with a camera of its own is alone.
  int group_of(int panel) const {
    const FigureSpec& spec = figure_.spec;
    if (art_[std::size_t(panel)]->spec().camera || spec.fit == CameraFit::panel) return 1000000 + panel;
    return spec.fit == CameraFit::row ? spec.row_of(panel) : -1;
  }

  void place_cameras(double aspect) {
    if (!cameras_.empty()) return;
    std::map<int, Framing> framings;
    std::map<int, double> lowest;
    for (int i = 0; i < int(art_.size()); ++i) {
      const PanelArt& art = *art_[std::size_t(i)];
      const FigureCamera& camera = art.spec().camera ? *art.spec().camera : figure_.spec.camera;
      const int group = group_of(i);
      art.frame(framings.try_emplace(group, camera.view(), aspect).first->second);
      const Bounds& b = art.bounds();
      const double below = b.low.y() - 0.01 * (b.high.y() - b.low.y());
      const auto [at, first] = lowest.try_emplace(group, below);
      if (!first) at->second = std::min(at->second, below);
    }
    for (int i = 0; i < int(art_.size()); ++i) {
      const PanelArt& art = *art_[std::size_t(i)];
      cameras_.push_back(framings.at(group_of(i)).camera());
      grounds_.push_back(figure_.spec.floor ? art.floor().value_or(lowest.at(group_of(i)))
                                            : lowest.at(group_of(i)) - 1e3 * art.bounds().size());
    }
  }

  /// Panels of the same colouring have one legend, which the first of them shows.
  void make_legends() {
    legends_.resize(art_.size());
    std::map<Coloring, std::pair<int, Legend>> found;
    for (int i = 0; i < int(art_.size()); ++i) {
      const PanelArt& art = *art_[std::size_t(i)];
      if (art.spec().color == Coloring::none) continue;
      const Legend legend = value_or_refuse(color_legend(art.sequence(), art.indices(), art.spec().color));
      const auto [at, first] = found.try_emplace(art.spec().color, i, legend);
      if (!first) at->second.second.max = std::max(at->second.second.max, legend.max);
    }
    for (std::size_t i = 0; i < art_.size(); ++i)
      if (const auto at = found.find(art_[i]->spec().color); at != found.end()) {
        legends_[i] = at->second.second;
        if (at->second.first == int(i)) shows_legend_.push_back(int(i));
      }
  }

  Image draw(int picture, const InterruptGuard& interrupt, Progress& progress) {
    std::vector<std::string> labels;
    for (const Panel& panel : figure_.panels) labels.push_back(label_of(figure_, panel, picture));
    if (picture == 0) layout_ = lay_out(figure_.spec, labels);
    FigureLayout layout = lay_out(figure_.spec, labels);
    layout.height = layout_.height;  // an animation keeps its size
    place_cameras(double(layout.panel_width) / layout.panel_height);
    RenderSettings settings = settings_of(figure_.spec.quality);
    settings.width = layout.panel_width;
    settings.height = layout.panel_height;
    settings.pattern = figure_.spec.pattern;
    settings.legend = false;
    std::vector<Image> panels;
    for (std::size_t i = 0; i < art_.size(); ++i) {
      if (interrupt.asked()) throw Interrupted{};
      panels.push_back(art_[i]->draw(picture, cameras_[i], grounds_[i], legends_[i], settings, pool_));
      if (std::count(shows_legend_.begin(), shows_legend_.end(), int(i)) > 0)
        draw_legend(panels.back(), *legends_[i], LegendPlace::above);
      progress.show(++drawn_);
    }
    return compose(layout, panels);
  }

  void write(const std::vector<Image>& pictures) const {
    const Image& first = pictures.front();
    if (!animated_) {
      refuse_on(write_png(first, options_.output));
      if (!options_.quiet)
        fmt::print("{}: {} x {}, {} panels\n", options_.output, first.width, first.height, art_.size());
      return;
    }
    const std::uintmax_t bytes = value_or_refuse(write_animation(
        pictures, options_.output, figure_.fps, std::uintmax_t(figure_.spec.animation.kilobytes) * 1000));
    if (!options_.quiet)
      fmt::print("{}: {} x {}, {} panels, {} pictures, {} kB\n", options_.output, first.width, first.height,
                 art_.size(), pictures.size(), bytes / 1000);
  }

  const FigureOptions& options_;
  Pool pool_;
  bool animated_ = false;
  Figure figure_;
  std::vector<std::unique_ptr<PanelArt>> art_;
  std::vector<std::optional<Legend>> legends_;
  std::vector<int> shows_legend_;
  std::vector<Camera> cameras_;
  std::vector<double> grounds_;
  FigureLayout layout_;  // of the first picture
  int drawn_ = 0;
};

}  // namespace

void add_figure(CLI::App& app) {
  CLI::App* command = app.add_subcommand("figure", "a figure of several panels from a file that lists them");
  auto options = std::make_shared<FigureOptions>();
  command->add_option("FILE", options->file, "a figure file (docs/figures.md)")->required();
  command->add_option("-o,--output", options->output,
                      "FILE.png, or FILE.webp or FILE.gif: animated, looping (needs ffmpeg)");
  command
      ->add_option("--threads", options->threads, "0 = one per processor; the picture does not depend on it")
      ->check(CLI::Range(0, 1024))
      ->default_str("0");
  command->add_flag("--check", options->check, "read the file and all it names, and draw nothing");
  command->add_flag("--quiet", options->quiet, "print only what went wrong");
  command->footer(
      "A figure file:\n"
      "  {\"panels\": [\n"
      "    {\"scene\": \"metric/twist-original\", \"time\": 2, \"label\": \"1987\", \"show\": "
      "[\"inverted\"]},\n"
      "    {\"scene\": \"metric/twist\", \"time\": 2, \"label\": \"improved\", \"show\": "
      "[\"inverted\"]}]}\n\n"
      "Example: pliant figure figures/twist.json -o twist.png");
  command->callback([options] {
    FigureJob job(*options);
    if (!options->check) job.go();
  });
}

}  // namespace pliant::cli
