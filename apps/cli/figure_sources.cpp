// SPDX-License-Identifier: Apache-2.0
#include "figure_sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "libraries.hpp"
#include "pliant/io/read_file.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/io/skeleton_file.hpp"
#include "pliant/methods/inside.hpp"
#include "pliant/render/stroke_text.hpp"
#include "pliant/render/surface_fields.hpp"
#include "pliant/scene/find_file.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/sim/recorder.hpp"
#include "progress.hpp"
#include "refuse.hpp"

namespace pliant::cli {
namespace {

namespace fs = std::filesystem;

Points upright(Points x, PanelSpec::Up up) {
  if (up == PanelSpec::Up::z)
    for (Vec3& p : x) p = Vec3(p.x(), p.z(), -p.y());
  return x;
}

/// Three digits or a whole number; what is nothing at the scale of a picture is 0.
std::string label_number(double value) {
  if (!std::isfinite(value)) return "none";
  if (std::abs(value) < 5e-4) return "0";
  const bool whole = std::abs(value) >= 100 || value == std::round(value);
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

/// The {words} of a label.
std::vector<std::string> words_in_braces(const std::string& label) {
  std::vector<std::string> words;
  for (std::size_t open = label.find('{'); open != std::string::npos; open = label.find('{', open + 1)) {
    const std::size_t close = label.find('}', open);
    words.push_back(label.substr(open + 1, close == std::string::npos ? close : close - open - 1));
  }
  return words;
}

class PanelReader {
 public:
  PanelReader(Figure& figure, const fs::path& file, Problems& problems)
      : figure_(figure), folder_(file.parent_path()), problems_(problems) {}

  void read_panel(std::size_t i) {
    place_ = fmt::format("panels.{}", i);
    Panel& panel = figure_.panels.emplace_back();
    panel.spec = figure_.spec.panels[i];
    panel.source = source_of(panel.spec);
    if (panel.source < 0) return;
    check_times(panel.spec);
    check_words(panel.spec);
    check_color(panel.spec);
  }

 private:
  void problem(const std::string& key, std::string found, std::string expected, std::string hint = {}) {
    problems_.push_back({place_ + "." + key, std::move(found), std::move(expected), std::move(hint)});
  }
  /// What is wrong with a file that the panel names.
  void take(const std::string& key, const Error& error) {
    for (const Problem& p : error.problems)
      problems_.push_back(
          {fmt::format("{}.{}: {}{}{}", place_, key, error.file, p.place.empty() ? "" : ": ", p.place),
           p.found, p.expected, p.hint});
  }

  int source_of(const PanelSpec& spec) {
    const std::string key = fmt::format("{}\n{}\n{}\n{}\n{} {}\n{}\n{}\n{}", spec.scene, spec.run, spec.mesh,
                                        fmt::join(spec.set, "\n"), spec.mode, spec.amplitude, spec.cage,
                                        spec.skeleton, int(spec.up));
    for (std::size_t s = 0; s < figure_.sources.size(); ++s)
      if (figure_.sources[s]->key == key) return int(s);
    auto source = std::make_unique<Source>();
    source->place = place_;
    source->key = key;
    const std::size_t before = problems_.size();
    if (!spec.scene.empty()) read_scene_of(spec, *source);
    if (!spec.run.empty()) read_run_of(spec, *source);
    if (!spec.mesh.empty()) read_mesh_of(spec, *source);
    read_files_of(spec, *source);
    if (problems_.size() > before) return -1;
    figure_.sources.push_back(std::move(source));
    return int(figure_.sources.size()) - 1;
  }

  void read_scene_of(const PanelSpec& spec, Source& source) {
    std::error_code ignored;
    const fs::path beside = folder_ / spec.scene;
    source.scene_name = fs::is_regular_file(beside, ignored) ? beside.string() : spec.scene;
    source.sets = spec.set;
    source.mode = spec.mode;
    source.amplitude = spec.amplitude;
    Result<ParsedScene> scene = read_scene(source.scene_name, scene_libraries(), spec.set);
    if (!scene) return take("scene", scene.error());
    if (!scene->problems.empty()) take("scene", scene->error());
    source.scene = std::move(*scene);
  }

  void read_run_of(const PanelSpec& spec, Source& source) {
    const fs::path folder = find_file(spec.run, folder_);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
      return problem("run", folder.string(), "a folder that `pliant run` wrote");
    Result<Sequence> run = read_run(folder);
    if (!run) return take("run", run.error());
    source.record.sequence = std::move(*run);
    std::vector<double>& times = source.record.sequence.times;
    for (int k = 0; times.empty() && k < source.record.sequence.frames; ++k) times.push_back(k / 30.0);
  }

  void read_mesh_of(const PanelSpec& spec, Source& source) {
    Result<Sequence> still = read_still(find_file(spec.mesh, folder_));
    if (!still) return take("mesh", still.error());
    SurfaceTrack& track = still->bodies.front();
    track.rest = upright(std::move(track.rest), spec.up);
    track.shape = [x = track.rest](int) -> Result<Points> { return x; };
    source.record.sequence = std::move(*still);
  }

  void read_files_of(const PanelSpec& spec, Source& source) {
    if (!spec.cage.empty()) {
      Result<TriMesh> cage = read_mesh(find_file(spec.cage, folder_));
      if (cage)
        source.cage = {drawn_edges(*cage), upright(cage->vertices, spec.up)};
      else
        take("cage", cage.error());
    }
    if (!spec.skeleton.empty()) {
      Result<Skeleton> skeleton = load_skeleton(find_file(spec.skeleton, folder_).string());
      if (skeleton)
        source.skeleton = std::move(*skeleton);
      else
        take("skeleton", skeleton.error());
    }
  }

  const Source& source() const { return figure_.source(figure_.panels.back()); }

  void check_time(const std::string& key, double time) {
    if (time != not_said && time > source().end() * (1 + 1e-6) + 1e-9)
      problem(key, fmt::format("{:g}", time), fmt::format("0 .. {:g} s", source().end()));
  }

  void check_times(const PanelSpec& spec) {
    check_time("time", spec.time);
    for (std::size_t g = 0; g < spec.ghosts.size(); ++g)
      check_time(fmt::format("ghosts.{}.time", g), spec.ghosts[g].time);
  }

  void check_words(const PanelSpec& spec) {
    if (const std::string lacking = without_glyphs(plain(spec.label)); !lacking.empty())
      problem("label", fmt::format("\"{}\"", lacking), "letters, digits and simple marks");
    std::vector<std::string> known;
    if (source().scene) {
      std::vector<std::string> probes;
      for (const ProbeSpec& probe : source().scene->spec.probes)
        if (probe.body.empty() || probe.body == source().scene->spec.bodies.front().name)
          probes.push_back(probe.name);
      known = metric_columns(probes);
      known.insert(known.end(), {"time", "distortion", "kink"});
    }
    for (const std::string& word : words_in_braces(spec.label))
      if (std::find(known.begin(), known.end(), word) == known.end())
        problem("label", "{" + word + "}",
                known.empty() ? "a scene: runs and meshes tell no metrics"
                              : fmt::format("one of {}", fmt::join(known, ", ")),
                did_you_mean(word, known));
  }

  /// Without what is filled in later.
  static std::string plain(std::string label) {
    std::erase_if(label, [](char c) { return c == '{' || c == '}' || c == '\n'; });
    return label;
  }

  void check_color(const PanelSpec& spec) {
    if (spec.color == Coloring::none) return;
    if (spec.color == Coloring::active && !source().scene)
      problem("color", "active", "a scene: a run folder does not tell");
    if (source().last_frame() == 0) problem("color", "one frame", "several: colours compare frames");
  }

  Figure& figure_;
  fs::path folder_;
  Problems& problems_;
  std::string place_;
};

/// The times of the pictures: none = each panel's own.
std::vector<double> picture_times(Figure& figure, bool animated, Problems& problems) {
  if (!animated) return {};
  const AnimationSpec& spec = figure.spec.animation;
  double end = std::numeric_limits<double>::infinity();
  for (const Panel& panel : figure.panels)
    if (figure.source(panel).last_frame() > 0) end = std::min(end, figure.source(panel).end());
  if (!std::isfinite(end)) {
    problems.push_back({"panels", "nothing that moves", "a scene or a run in one of them, or a .png", {}});
    return {};
  }
  const double to = spec.to == not_said ? end : spec.to;
  if (!(spec.from < to && to <= end * (1 + 1e-6)))
    problems.push_back({"animation",
                        fmt::format("from {:g} to {:g} s", spec.from, to),
                        fmt::format("times that grow within 0 .. {:g} s, when the first panel ends", end),
                        {}});
  const double count = (to - spec.from) / spec.speed * spec.fps;
  constexpr int most = 2000;
  if (count > most)
    problems.push_back(
        {"animation", fmt::format("{:.0f} pictures", count), fmt::format("at most {}", most), {}});
  if (!problems.empty()) return {};
  std::vector<double> times;
  for (int k = 0; k <= int(count + 1e-6); ++k) times.push_back(spec.from + k * spec.speed / spec.fps);
  return times;
}

void choose_frames(Figure& figure, const std::vector<double>& times) {
  for (Panel& panel : figure.panels) {
    Source& source = figure.source(panel);
    for (const double time : times) panel.frames.push_back(source.frame_at(time));
    if (times.empty())
      panel.frames = {panel.spec.time == not_said ? source.last_frame() : source.frame_at(panel.spec.time)};
    if (source.mode > 0) panel.frames.assign(panel.frames.size(), 0);
    for (const GhostSpec& ghost : panel.spec.ghosts)
      panel.ghosts.push_back(ghost.time == not_said ? -1 : source.frame_at(ghost.time));
    for (const std::vector<int>* list : {&panel.frames, &panel.ghosts})
      for (const int frame : *list) {
        if (frame < 0) continue;
        source.frames.insert(frame);
        if (panel.spec.color != Coloring::speed) continue;
        source.frames.insert(std::max(frame - 1, 0));
        source.frames.insert(std::min(frame + 1, source.last_frame()));
      }
    source.activity |= panel.spec.color == Coloring::active;
  }
}

/// What only the bodies can tell.
void check_bodies(const Figure& figure, const Source& source, const Scene& scene, Problems& problems) {
  const auto told = [&](const std::function<bool(const BodySpec&, const Method&)>& tells) {
    for (std::size_t b = 0; b < scene.spec.bodies.size(); ++b)
      if (tells(scene.spec.bodies[b], scene.simulation.bodies()[b].method())) return true;
    return false;
  };
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    if (&figure.source(panel) != &source) continue;
    const auto problem = [&](const char* key, const std::string& found, const std::string& expected) {
      problems.push_back({fmt::format("panels.{}.{}", i, key), found, expected, {}});
    };
    const auto controls = [](const BodySpec& body, const Method& method) {
      return body.entry().controls(body.options(), method);
    };
    if (panel.spec.shows("cage") &&
        !told([&](const BodySpec& b, const Method& m) { return controls(b, m).cage.has_value(); }))
      problem("show", "\"cage\"", "a scene with a body of method " + methods_with(Ability::cage));
    if (panel.spec.shows("skeleton") &&
        !told([&](const BodySpec& b, const Method& m) { return controls(b, m).skeleton != nullptr; }))
      problem("show", "\"skeleton\"", "a scene with a body that has a skeleton");
    if (panel.spec.shows("inverted") &&
        !told([](const BodySpec&, const Method& m) { return inside_of(m).inverted.has_value(); }))
      problem("show", "\"inverted\"", "a scene whose method tells which cells are inside out");
    if (panel.spec.color == Coloring::active &&
        !told([](const BodySpec& b, const Method&) { return b.entry().can(b.options(), Ability::activity); }))
      problem("color", "\"active\"", "a scene with a body of method " + methods_with(Ability::activity));
  }
}

}  // namespace

int Source::last_frame() const {
  return scene ? (mode > 0 ? 0 : scene->spec.frames) : record.sequence.frames - 1;
}

double Source::end() const {
  if (scene) return last_frame() * scene->spec.timestep;
  return record.sequence.times.back();
}

int Source::frame_at(double time) const {
  if (scene) return std::clamp(int(std::lround(time / scene->spec.timestep)), 0, last_frame());
  const std::vector<double>& t = record.sequence.times;
  const auto after = std::lower_bound(t.begin(), t.end(), time);
  if (after == t.begin()) return 0;
  if (after == t.end()) return int(t.size()) - 1;
  return int(after - t.begin()) - (time - *(after - 1) < *after - time ? 1 : 0);
}

int Source::index_of(int frame) const {
  return scene ? int(std::distance(frames.begin(), frames.find(frame))) : frame;
}

Figure read_figure(const fs::path& file, bool animated) {
  const std::string text = value_or_refuse(read_file(file));
  ParsedFigure parsed = parse_figure(text);
  Figure figure;
  figure.spec = std::move(parsed.spec);
  Problems problems = std::move(parsed.problems);
  if (const std::string lacking = without_glyphs(figure.spec.caption); !lacking.empty())
    problems.push_back({"caption", fmt::format("\"{}\"", lacking), "letters, digits and simple marks", {}});
  const auto sound = [&](std::size_t i) {  // a panel that says what it shows
    const PanelSpec& panel = figure.spec.panels[i];
    return !panel.scene.empty() + !panel.run.empty() + !panel.mesh.empty() == 1;
  };
  PanelReader reader(figure, file, problems);
  for (std::size_t i = 0; i < figure.spec.panels.size(); ++i)
    if (sound(i)) reader.read_panel(i);
  const std::vector<double> times =
      problems.empty() ? picture_times(figure, animated, problems) : std::vector<double>{};
  if (!problems.empty())
    throw InputError("the figure has problems\n" + Error{file.string(), problems}.text());
  figure.fps = figure.spec.animation.fps;
  figure.pictures = std::max(int(times.size()), 1);
  choose_frames(figure, times);
  return figure;
}

void run_sources(Figure& figure, const fs::path& file, int threads, bool quiet) {
  int total = 0, done = 0;
  for (const auto& source : figure.sources)
    if (source->scene) total += *source->frames.rbegin();
  Progress progress("frames simulated", 0, total, quiet);
  for (const auto& source : figure.sources) {
    if (!source->scene) continue;
    Result<Scene> scene = load_scene(source->scene_name, {source->sets, threads, scene_libraries()});
    Problems problems;
    if (!scene) {
      for (const Problem& p : scene.error().problems)
        problems.push_back({fmt::format("{}.scene: {}{}{}", source->place, scene.error().file,
                                        p.place.empty() ? "" : ": ", p.place),
                            p.found, p.expected, p.hint});
    } else {
      check_bodies(figure, *source, *scene, problems);
    }
    if (!problems.empty())
      throw InputError("the figure has problems\n" + Error{file.string(), problems}.text());
    try {
      if (source->mode > 0)
        source->record = record_mode(*scene, source->mode, source->amplitude);
      else
        source->record = record(*scene, {.frames = {source->frames.begin(), source->frames.end()},
                                         .activity = source->activity,
                                         .moments = true,
                                         .stepped = [&] { progress.show(++done); }});
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}.{}", file.string(), source->place, error.what()));
    } catch (const RunError& error) {
      throw RunError(fmt::format("{} ({}): {}", source->place, source->scene_name, error.what()));
    }
  }
}

std::string label_of(const Figure& figure, const Panel& panel, int picture) {
  const Source& source = figure.source(panel);
  const int index = source.index_of(panel.frames[std::size_t(picture)]);
  std::string out = panel.spec.label;
  for (const std::string& word : words_in_braces(panel.spec.label)) {
    const std::string mark = "{" + word + "}";
    double value = 0;
    if (word == "distortion" || word == "kink") {
      const SurfaceTrack& track = source.record.sequence.bodies.front();
      const SurfaceDistortion found =
          surface_distortion(track.rest, value_or_refuse(track.shape(index)), track.triangles);
      value = word == "kink" ? found.kink : found.p95;
    } else {
      value = source.record.moments[std::size_t(index)].metrics.at(word);
    }
    out.replace(out.find(mark), mark.size(), label_number(value));
  }
  return out;
}

}  // namespace pliant::cli
