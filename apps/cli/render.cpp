// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "commands.hpp"
#include "interrupt.hpp"
#include "libraries.hpp"
#include "pliant/geometry/skeleton_surface.hpp"
#include "pliant/io/skeleton_file.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/render/coloring.hpp"
#include "pliant/render/props.hpp"
#include "pliant/render/render.hpp"
#include "pliant/render/sequence.hpp"
#include "pliant/render/video.hpp"
#include "pliant/scene/library.hpp"
#include "progress.hpp"
#include "refuse.hpp"
#include "scene_record.hpp"

namespace pliant::cli {
namespace {

namespace fs = std::filesystem;

/// What camera and floor fit: the whole sequence, so that pictures of different frames compare, or only what
/// is pictured.
enum class Fit { sequence, frame };

struct RenderOptions {
  std::string what, output, skeleton;
  std::optional<int> frame;
  std::optional<double> time;  ///< s
  std::string size = "1280x720", up = "y";
  Coloring coloring = Coloring::none;
  std::vector<double> camera;  ///< azimuth, elevation, zoom
  Quality quality = Quality::normal;
  Pattern pattern = Pattern::grid;
  Fit fit = Fit::sequence;
  std::optional<double> fps, ground;
  std::vector<std::string> sets;
  int threads = 0;
  bool quiet = false;
};

Sequence simulate(const RenderOptions& options) {
  auto scene = load_scene(options.what, {options.sets, options.threads, scene_libraries()});
  if (!scene) throw InputError("the scene has problems\n" + scene.error().text());
  Progress progress("frames simulated", 0, scene->spec.frames, options.quiet);
  RecordPlan plan{.activity = options.coloring == Coloring::active,
                  .stepped = [&, done = 0]() mutable { progress.show(++done); }};
  plan.frames.resize(std::size_t(scene->spec.frames) + 1);
  std::iota(plan.frames.begin(), plan.frames.end(), 0);
  return record(*scene, plan).sequence;
}

Sequence load(const RenderOptions& options) {
  const bool scene = !fs::is_directory(options.what) &&
                     (!fs::is_regular_file(options.what) || ending(options.what) == ".json");
  if (!scene && !options.sets.empty())
    refuse("--set", options.sets.front(), "a scene to change", options.what + " is simulated already");
  if (fs::is_directory(options.what)) return value_or_refuse(read_run(options.what));
  return scene ? simulate(options) : value_or_refuse(read_still(options.what));
}

/// An option that takes one of the words, in the order of the enumeration. The value at hand is the default.
template <class Enumeration>
void add_words(CLI::App& command, const std::string& name, Enumeration& value, std::vector<std::string> words,
               const std::string& help) {
  const auto choose = [&value, words](const std::string& word) {
    const auto at = std::find(words.begin(), words.end(), word);
    if (at != words.end()) value = Enumeration(at - words.begin());
  };
  command.add_option_function<std::string>(name, choose, help)
      ->check(CLI::IsMember(words))
      ->default_str(words[std::size_t(value)]);
}

class RenderJob {
 public:
  explicit RenderJob(const RenderOptions& options) : options_(options) {
    check();
    if (!options.skeleton.empty()) skeleton_ = value_or_refuse(load_skeleton(options.skeleton));
    sequence_ = load(options);
    know_times();
    choose_frames();
    check_coloring();
  }

  void go() {
    Pool pool(options_.threads);
    measure();
    RenderScene scene;
    scene.ground =
        options_.ground.value_or(props_->floor().value_or(low_.y() - 0.01 * (high_.y() - low_.y())));
    if (options_.coloring != Coloring::none)
      scene.legend = value_or_refuse(color_legend(sequence_, frames_, options_.coloring));
    for (int b = 0; b < bodies(); ++b) {
      const SurfaceTrack& track = sequence_.bodies[std::size_t(b)];
      scene.bodies.push_back(
          {track.triangles, upright(track.rest), shape(b, frames_.front()), palette(b), {}});
      if (skeleton_) open_towards_eye(scene.bodies.back());
    }
    for (const int prop : drawn_) scene.bodies.push_back(props_->body(prop, frames_.front()));
    if (skeleton_) scene.bodies.push_back(bones());
    Renderer renderer(std::move(scene));
    if (video_)
      write_video(renderer, pool);
    else
      write_picture(renderer, pool);
  }

 private:
  int bodies() const { return int(sequence_.bodies.size()); }
  Points shape(int body, int frame) const {
    return upright(value_or_refuse(sequence_.bodies[std::size_t(body)].shape(frame)));
  }
  Points upright(Points x) const {
    if (options_.up == "z")
      for (Vec3& p : x) p = Vec3(p.x(), p.z(), -p.y());
    return x;
  }

  /// Bodies with a skeleton are shown without the side that faces the eye.
  void open_towards_eye(RenderBody& body) const {
    std::erase_if(body.triangles, [&](const Triangle& t) {
      const Vec3 &a = body.positions[std::size_t(t[0])], &b = body.positions[std::size_t(t[1])],
                 &c = body.positions[std::size_t(t[2])];
      return (b - a).cross(c - a).dot(camera_.eye - a) > 0;
    });
  }

  RenderBody bones() const {
    const double time = sequence_.times[std::size_t(frames_.front())];
    TriMesh surface = skeleton_surface(*skeleton_, skeleton_->pose(time), shown_bone_radius(*skeleton_));
    const Points x = upright(std::move(surface.vertices));
    RenderBody body{std::move(surface.triangles), x, x, palette(bodies()), {}};
    body.soft = false;
    return body;
  }

  /// Everything that can be wrong without reading a file.
  void check() {
    settings_ = settings_of(options_.quality);
    settings_.pattern = options_.pattern;
    char rest = 0;
    const int read =
        std::sscanf(options_.size.c_str(), "%dx%d%c", &settings_.width, &settings_.height, &rest);
    const auto fits = [](int n) { return n >= 16 && n <= 7680; };
    if (read != 2 || !fits(settings_.width) || !fits(settings_.height))
      refuse("--size", options_.size, "WIDTHxHEIGHT, each 16 .. 7680", "for example 1280x720");
    const std::string kind = ending(options_.output);
    video_ = kind == ".mp4";
    if (!video_ && kind != ".png") refuse("-o", options_.output, "a name that ends in .png or .mp4");
    if (video_ && (settings_.width % 2 != 0 || settings_.height % 2 != 0))
      refuse("--size", options_.size, "an even width and height for a video");
    if (video_ && (options_.frame || options_.time))
      refuse("-o", options_.output, "a .png with --frame or --time");
    if (video_ && !options_.skeleton.empty()) refuse("-o", options_.output, "a .png with --skeleton");
    if (options_.camera.size() > 0) view_.azimuth = options_.camera[0];
    if (options_.camera.size() > 1) view_.elevation = options_.camera[1];
    if (options_.camera.size() > 2) view_.zoom = options_.camera[2];
    if (!(std::abs(view_.azimuth) <= 3600) || !(std::abs(view_.elevation) <= 89) ||
        !(view_.zoom >= 0.01 && view_.zoom <= 1000))
      refuse("--camera", fmt::format("{}", fmt::join(options_.camera, ",")),
             "azimuth,elevation,zoom: -3600 .. 3600 degrees, -89 .. 89 degrees, 0.01 .. 1000");
    if (options_.ground && !(std::abs(*options_.ground) <= 1e6))
      refuse("--ground", fmt::format("{}", *options_.ground), "a height within 1e6 m");
  }

  /// Frames whose times no file tells follow each other at the video's rate.
  void know_times() {
    rate_ = options_.fps.value_or(30);
    if (sequence_.times.empty()) {
      for (int k = 0; k < sequence_.frames; ++k) sequence_.times.push_back(k / rate_);
    } else if (!options_.fps && sequence_.frames > 1) {
      const double recorded = (sequence_.frames - 1) / (sequence_.times.back() - sequence_.times.front());
      rate_ = std::min(recorded, 60.0);
    }
  }

  int nearest_frame(double time) const {
    const std::vector<double>& t = sequence_.times;
    const auto after = std::lower_bound(t.begin(), t.end(), time);
    if (after == t.begin()) return 0;
    if (after == t.end()) return int(t.size()) - 1;
    return int(after - t.begin()) - (time - *(after - 1) < *after - time ? 1 : 0);
  }

  void choose_frames() {
    const std::vector<double>& t = sequence_.times;
    const int last = sequence_.frames - 1;
    if (video_) {
      if (last == 0) refuse(options_.what, "one frame", "a run or a scene with several frames for a video");
      const int count = int(std::floor((t.back() - t.front()) * rate_ + 1e-6)) + 1;
      for (int k = 0; k < count; ++k) frames_.push_back(nearest_frame(t.front() + k / rate_));
      return;
    }
    if (options_.frame && (*options_.frame < 0 || *options_.frame > last))
      refuse("--frame", fmt::format("{}", *options_.frame), fmt::format("0 .. {}", last));
    const double slack = last > 0 ? (t.back() - t.front()) / last : 0;
    if (options_.time && !(*options_.time >= t.front() - slack && *options_.time <= t.back() + slack))
      refuse("--time", fmt::format("{}", *options_.time), fmt::format("{:g} .. {:g} s", t.front(), t.back()));
    frames_ = {options_.frame ? *options_.frame : options_.time ? nearest_frame(*options_.time) : last};
  }

  void check_coloring() const {
    if (options_.coloring == Coloring::active)
      for (const SurfaceTrack& track : sequence_.bodies)
        if (!track.active)
          refuse("--color", "active, which nothing tells of " + track.name,
                 "a scene whose bodies are of method " + methods_with(Ability::activity),
                 "give the scene instead of its run folder");
    if (options_.coloring != Coloring::none && sequence_.frames == 1)
      refuse("--color", "one frame in " + options_.what, "a run or a scene: colours compare frames");
  }

  void measure() {
    std::vector<int> shown = frames_;
    if (options_.fit == Fit::sequence) {
      shown.resize(std::size_t(sequence_.frames));
      std::iota(shown.begin(), shown.end(), 0);
    }
    Framing framing(view_, double(settings_.width) / settings_.height);
    for (int b = 0; b < bodies(); ++b)
      for (int frame : shown) {
        const Points x = shape(b, frame);
        framing.add(x);
        widen(x);
      }
    props_.emplace(sequence_.colliders, low_, high_);
    for (int prop = 0; prop < props_->count(); ++prop)
      for (int frame : props_->moves(prop) ? shown : std::vector<int>{0}) {
        const Points x = props_->close_points(prop, frame);
        framing.add(x);
        widen(x);
      }
    camera_ = framing.camera();
    for (int prop = 0; prop < props_->count(); ++prop)
      if (props_->faces(prop, camera_.eye, frames_.front())) drawn_.push_back(prop);
  }

  void widen(const Points& x) {
    for (const Vec3& p : x) low_ = low_.cwiseMin(p), high_ = high_.cwiseMax(p);
  }

  Image picture(Renderer& renderer, int frame, Pool& pool) const {
    for (int b = 0; b < bodies(); ++b)
      renderer.move(b, shape(b, frame),
                    value_or_refuse(color_values(sequence_, b, frame, options_.coloring)));
    for (std::size_t k = 0; k < drawn_.size(); ++k)
      if (props_->moves(drawn_[k])) renderer.move(bodies() + int(k), props_->positions(drawn_[k], frame));
    return renderer.render(camera_, settings_, pool);
  }

  void write_picture(Renderer& renderer, Pool& pool) const {
    const int frame = frames_.front();
    refuse_on(write_png(picture(renderer, frame, pool), options_.output));
    if (!options_.quiet)
      fmt::print("{}: {} x {}, frame {} (t = {:.4g} s)\n", options_.output, settings_.width, settings_.height,
                 frame, sequence_.times[std::size_t(frame)]);
  }

  void write_video(Renderer& renderer, Pool& pool) const {
    VideoWriter video =
        value_or_refuse(VideoWriter::open(options_.output, settings_.width, settings_.height, rate_));
    const InterruptGuard interrupt;
    int done = 0;
    {
      Progress progress("pictures", 0, int(frames_.size()), options_.quiet);
      for (int frame : frames_) {
        if (interrupt.asked()) break;
        refuse_on(video.add(picture(renderer, frame, pool)));
        progress.show(++done);
      }
    }
    if (done == 0) throw Interrupted{};
    refuse_on(video.finish());
    if (!options_.quiet)
      fmt::print("{}: {} x {}, {} frames at {:.4g} 1/s\n", options_.output, settings_.width, settings_.height,
                 done, rate_);
    if (interrupt.asked()) throw Interrupted{};
  }

  const RenderOptions& options_;
  RenderSettings settings_;
  View view_;
  Camera camera_;
  std::optional<Skeleton> skeleton_;
  Sequence sequence_;
  bool video_ = false;
  double rate_ = 30;         // 1/s, of the video
  std::vector<int> frames_;  // to be pictured, in order
  Vec3 low_ = Vec3::Constant(std::numeric_limits<double>::infinity()), high_ = -low_;  // of what is shown
  std::optional<Props> props_;
  std::vector<int> drawn_;  // of the props
};

}  // namespace

void add_render(CLI::App& app) {
  CLI::App* command = app.add_subcommand("render", "a scene, a run folder or a mesh to a picture or a video");
  auto options = std::make_shared<RenderOptions>();
  command
      ->add_option("WHAT", options->what,
                   "a run folder, an .obj or .ply mesh, a scene file or a shipped scene")
      ->required();
  command->add_option("-o,--output", options->output, "FILE.png or FILE.mp4")->required();
  command->add_option("--skeleton", options->skeleton,
                      "a skeleton (.json, .glb) to show, at the frame's time, in bodies that are cut open");
  command->add_option("--up", options->up, "axis of a mesh and its skeleton that points up: y or z")
      ->check(CLI::IsMember({"y", "z"}))
      ->capture_default_str();
  command->add_option("--frame", options->frame, "which frame to picture (default: the last)");
  command->add_option("--time", options->time, "the frame nearest to this time, s")->excludes("--frame");
  command->add_option("--size", options->size, "WIDTHxHEIGHT in pixels")->capture_default_str();
  add_words(
      *command, "--color", options->coloring,
      {"none", "speed", "stretch", "rotation", "active", "distortion"},
      "what colours show; rotation is that since rest, active where rotations are computed (scenes only)");
  command->add_option("--camera", options->camera, "azimuth,elevation,zoom: degrees, degrees, factor")
      ->delimiter(',')
      ->expected(1, 3)
      ->default_str("35,18,1");
  add_words(*command, "--quality", options->quality, {"draft", "normal", "fine"}, "smoothness against time");
  add_words(*command, "--pattern", options->pattern, {"grid", "none"}, "lines painted on the rest shape");
  add_words(*command, "--fit", options->fit, {"sequence", "frame"},
            "camera and floor fit all frames, so that pictures compare, or only what is pictured");
  command
      ->add_option("--fps", options->fps, "pictures a second of a video (default: as recorded, at most 60)")
      ->check(CLI::Range(0.1, 1000.0));
  command->add_option(
      "--ground", options->ground,
      "height of the floor, m (default: that of a level plane collider, or under the lowest point)");
  command->add_option("--set", options->sets, "PATH=VALUE: change a value of the scene (repeatable)")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option("--threads", options->threads, "0 = one per processor; the picture does not depend on it")
      ->check(CLI::Range(0, 1024))
      ->default_str("0");
  command->add_flag("--quiet", options->quiet, "print only what went wrong");
  command->footer(
      "Example: pliant render out/demo -o twist.mp4 --color speed --camera 30,20,1.1 --quality draft");
  command->callback([options] { RenderJob(*options).go(); });
}

}  // namespace pliant::cli
