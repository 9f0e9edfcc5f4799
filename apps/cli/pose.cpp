// SPDX-License-Identifier: Apache-2.0
// pliant pose: where a scene's bodies rest, without simulating how they get there.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "interrupt.hpp"
#include "libraries.hpp"
#include "pliant/io/write_mesh.hpp"
#include "pliant/scene/doubts.hpp"
#include "pliant/scene/library.hpp"
#include "progress.hpp"
#include "refuse.hpp"

namespace pliant::cli {
namespace {

namespace fs = std::filesystem;

struct PoseArguments {
  std::string scene;
  std::vector<std::string> outputs;
  std::optional<double> time;  ///< s
  PoseOptions solve;
  std::vector<std::string> sets;
  int threads = 0;
  bool quiet = false;
};

Scene load(const PoseArguments& arguments) {
  for (const std::string& output : arguments.outputs)
    if (!can_write_mesh(output)) refuse("-o", output, "a name that ends in " + mesh_formats(), "");
  Stages stages(arguments.quiet);
  auto scene = load_scene(arguments.scene,
                          {arguments.sets, arguments.threads, scene_libraries(), stages_shown(stages)});
  if (!scene) throw InputError("the scene has problems\n" + scene.error().text());
  return std::move(*scene);
}

double time_of(const PoseArguments& arguments, const Simulation& simulation) {
  double last = 0;
  for (const Body& body : simulation.bodies()) last = std::max(last, body.last_key());
  return arguments.time.value_or(last);
}

void check(const Scene& scene, double time) {
  const Simulation& simulation = scene.simulation;
  if (!simulation.colliders().empty())
    refuse("colliders", fmt::format("{}", simulation.colliders().size()),
           "none: a static solve has no contact",
           "let `pliant run` with damping bring the body to rest on them");
  const auto is_loaded = [&](const Body& body) {
    return simulation.options().gravity.norm() > 0 ||
           std::any_of(simulation.forces().begin(), simulation.forces().end(),
                       [&](const WorldForce& force) { return force.acts_on(body.name()); });
  };
  for (std::size_t b = 0; b < simulation.bodies().size(); ++b)
    if (is_loaded(simulation.bodies()[b]) && !simulation.bodies()[b].held_at(time))
      refuse(fmt::format("bodies.{}", b), fmt::format("nothing that holds it at t = {:g} s", time),
             "a pin or a handle",
             "under a load a free body falls: pin it, or --set gravity=[0,0,0] and --set forces=[]");
}

/// "x.obj", or "x_BODY.obj" when there are several bodies.
fs::path file_of(const fs::path& output, const Simulation& simulation, const Body& body) {
  if (simulation.bodies().size() == 1) return output;
  fs::path file = output;
  return file.replace_filename(output.stem().string() + "_" + body.name() + output.extension().string());
}

void write(const PoseArguments& arguments, const Scene& scene) {
  std::vector<std::string> outputs = arguments.outputs;
  if (outputs.empty()) outputs.push_back("out/" + scene.name + "-pose.obj");
  for (const Body& body : scene.simulation.bodies())
    for (const std::string& output : outputs) {
      const fs::path file = file_of(output, scene.simulation, body);
      const SurfaceInfo surface{body.name(), body.triangles(), body.rest_surface(), body.faces()};
      if (const auto error = write_mesh(file, surface, body.surface())) throw InputError(error->text());
      if (!arguments.quiet) fmt::print("wrote {}\n", file.string());
    }
}

/// A name usable in a message: what one Newton step more would not change.
void tell(const Body& body, const PoseResult& result) {
  const std::optional<double> volume = body.volume_ratio();
  fmt::print(
      "{}: at rest after {} Newton steps in {} increment{}; unbalanced force {:.2g} N, {:.1e} of those "
      "that act{}\n",
      body.name(), result.iterations, result.increments, result.increments == 1 ? "" : "s", result.force,
      result.residual, volume ? fmt::format("; volume ratio {:.5f}", *volume) : "");
}

void pose(PoseArguments& arguments) {
  InterruptGuard interrupt;
  interrupt.end_at_once(true);  // a Newton step may take minutes, and nothing is written yet
  Scene scene = load(arguments);
  const double time = time_of(arguments, scene.simulation);
  check(scene, time);
  if (!arguments.quiet)
    for (const std::string& note : scene.notes) fmt::print("{}\n", note);
  for (int b = 0; b < int(scene.simulation.bodies().size()); ++b) {
    std::optional<Progress> progress;
    PoseOptions options = arguments.solve;
    options.progress = [&](int done, int of) {
      if (!progress) progress.emplace("increments", 0, of, arguments.quiet);
      progress->show(done);
      return true;
    };
    const PoseResult result = scene.simulation.pose(b, time, options);
    progress.reset();
    const Body& body = scene.simulation.bodies()[std::size_t(b)];
    if (!result.ok())
      throw RunError(
          fmt::format("the static solve failed: body {}, t = {:g} s: {}", body.name(), time, result.trouble));
    if (!arguments.quiet) tell(body, result);
    if (result.kept_rotations > 0)
      fmt::print(stderr, "warning: {}: {}\n", body.name(),
                 kept_rotations_text(scene.spec.bodies[std::size_t(b)], result.kept_rotations));
  }
  interrupt.end_at_once(false);
  if (interrupt.asked()) throw Interrupted{};
  write(arguments, scene);
}

}  // namespace

void add_pose(CLI::App& app) {
  CLI::App* command = app.add_subcommand("pose", "static solve: the scene's bodies at rest, one mesh each");
  auto arguments = std::make_shared<PoseArguments>();
  command->add_option("SCENE", arguments->scene, "a scene file, or the name of a shipped scene")->required();
  command
      ->add_option("-o,--output", arguments->outputs,
                   "FILE." + std::string("obj, .ply, .stl, .glb, .vtu or .usda (repeatable; default "
                                         "out/SCENE-pose.obj; several bodies: FILE_BODY)"))
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option("--time", arguments->time,
                   "handles and pins as at this time, s (default: when the last handle reaches its last key)")
      ->check(CLI::Range(0.0, 1e9));
  command
      ->add_option("--tolerance", arguments->solve.tolerance,
                   "unbalanced force that may be left, over the forces that act")
      ->check(CLI::Range(1e-10, 0.1))
      ->capture_default_str();
  command->add_option("--iterations", arguments->solve.iterations, "Newton steps at most")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--set", arguments->sets, "PATH=VALUE: change a value of the scene (repeatable)")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option("--threads", arguments->threads, "0 = one per processor; the result does not depend on it")
      ->check(CLI::Range(0, 1024))
      ->default_str("0");
  command->add_flag("--quiet", arguments->quiet, "print only what went wrong");
  command->footer("Example: pliant pose geometric/bar-twist -o twisted.obj -o twisted.glb");
  command->callback([arguments] { pose(*arguments); });
}

}  // namespace pliant::cli
