// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "libraries.hpp"
#include "pliant/base/layout.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/scene/build_bonds.hpp"
#include "pliant/scene/doubts.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/scene/schema.hpp"
#include "pliant/sim/throw_watch.hpp"
#include "progress.hpp"
#include "run_folder.hpp"

namespace pliant::cli {
namespace {

struct RunOptions {
  std::string scene, folder;
  int frames = -1;  ///< -1: the scene's own
  std::vector<std::string> formats{"pc2"};
  std::vector<std::string> sets;
  int threads = 0;
  int checkpoint = 0;  ///< 0: none
  bool contacts = false, check = false, strict = false, resume = false, quiet = false;
};

void check_formats(const std::vector<std::string>& formats) {
  const std::vector<std::string> known(frame_formats().begin(), frame_formats().end());
  Error error{"--format", {}};
  for (const std::string& format : formats)
    if (std::find(known.begin(), known.end(), format) == known.end())
      error.problems.push_back({"", fmt::format("\"{}\"", format),
                                fmt::format("one or more of {}, or none alone", fmt::join(known, ",")),
                                did_you_mean(format, known)});
  if (!error.problems.empty()) throw InputError(error.text());
}

class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options),
        scene_(load(options, interrupt_)),
        recorder_(scene_.simulation, scene_.probes),
        folder_(options.folder.empty() ? "out/" + scene_.name : options.folder, options.formats) {}

  void go() {
    begin();
    simulate();
    end();
  }

 private:
  static Scene load(const RunOptions& options, InterruptGuard& interrupt) {
    check_formats(options.formats);
    interrupt.end_at_once(true);
    Stages stages(options.quiet);
    auto scene =
        load_scene(options.scene, {options.sets, options.threads, scene_libraries(), stages_shown(stages)});
    if (!scene) throw InputError("the scene has problems\n" + scene.error().text());
    if (options.frames >= 0) scene->spec.frames = options.frames;
    interrupt.end_at_once(false);
    return std::move(*scene);
  }

  void begin() {
    if (options_.resume) frame_ = folder_.resume(scene_, recorder_);
    if (frame_ > scene_.spec.frames)
      throw InputError(
          fmt::format("--resume: found a checkpoint after frame {}, expected one before the last, {}", frame_,
                      scene_.spec.frames));
    // A resumed run can be resumed again, with new checkpoints or from the old one.
    const bool resumable = options_.resume || options_.checkpoint > 0;
    folder_.open(scene_, options_.resume ? frame_ + 1 : 0, resumable);
    if (options_.contacts) folder_.open_contacts(scene_, options_.resume ? frame_ + 1 : 0);
    // Also what a run that is killed leaves: the next one knows that these files are ours to remove.
    folder_.write_summary(scene_, recorder_, {"running", "", frame_, {}});
    if (!options_.quiet) announce();
    if (!options_.resume) keep_frame();
  }

  void announce() const {
    for (const std::string& note : scene_.notes) fmt::print("{}\n", note);
    for (const Body& body : scene_.simulation.bodies()) {
      const MethodDescription method = body.method().describe();
      fmt::print("{}: {}, {} nodes, solver {}\n", body.name(), method.name, method.nodes, method.solver);
    }
    if (options_.resume) fmt::print("resuming after frame {}\n", frame_);
  }

  void simulate() {
    Progress progress("frames", frame_, scene_.spec.frames, options_.quiet);
    while (frame_ < scene_.spec.frames) {
      if (!advance_frame()) return;
      ++frame_;
      keep_frame();
      if (options_.checkpoint > 0 && frame_ % options_.checkpoint == 0) keep_checkpoint();
      progress.show(frame_);
    }
  }

  /// False when the run must stop here: the reason is in outcome_.
  bool advance_frame() {
    for (int s = 0; s < scene_.spec.substeps; ++s) {
      if (interrupt_.asked()) {
        outcome_.status = "interrupted";
        return false;
      }
      if (const auto failure = scene_.simulation.step()) return fail(failure->text());
      if (const auto thrown = throws_.look(scene_.simulation)) return fail(*thrown);
      recorder_.note_step(scene_.simulation);
    }
    for (const Body& body : scene_.simulation.bodies())
      if (!all_finite(body.method().nodes()))
        return fail(fmt::format("body {}, step {}: diverged, a position is not a number", body.name(),
                                scene_.simulation.steps()));
    return true;
  }

  bool fail(const std::string& why) {
    outcome_.status = "failed";
    outcome_.failure = why;
    return false;
  }

  void keep_frame() {
    recorder_.note_frame(scene_.simulation, frame_);
    folder_.write_frame(scene_, frame_);
  }

  void keep_checkpoint() {
    folder_.write_metrics(scene_, recorder_);
    folder_.write_checkpoint(scene_, recorder_);
    checkpointed_ = frame_;
  }

  void end() {
    const bool done = outcome_.status == "done";
    if (done && options_.checkpoint > 0 && checkpointed_ != frame_) keep_checkpoint();
    folder_.finish_frames();
    folder_.finish_contacts(scene_);
    outcome_.warnings = doubts_of(scene_, recorder_);
    if (done) {
      outcome_.expectations = evaluate(scene_.spec, recorder_);
      const auto announced = evaluate_warnings(scene_.spec, outcome_.warnings);
      outcome_.expectations.insert(outcome_.expectations.end(), announced.begin(), announced.end());
    }
    outcome_.frames = frame_;
    folder_.write_metrics(scene_, recorder_);
    folder_.write_summary(scene_, recorder_, outcome_);
    tell();
    if (outcome_.status == "failed")
      throw RunError(fmt::format("the simulation failed: {}\nframes up to {} are in {}", outcome_.failure,
                                 frame_, folder_.path().string()));
    if (outcome_.status == "interrupted") throw Interrupted{};
    const auto unmet = std::count_if(outcome_.expectations.begin(), outcome_.expectations.end(),
                                     [](const ExpectationResult& result) { return !result.met; });
    if (options_.strict && !recorder_.stops().empty()) throw RunError(stopped());
    if (options_.check && unmet > 0)
      throw RunError(fmt::format("{} of {} expectations not met", unmet, outcome_.expectations.size()));
    const auto unexpected = unexpected_warnings(scene_.spec, outcome_.warnings).size();
    if (options_.check && unexpected > 0)
      throw RunError(fmt::format("{} of {} warnings are not among the scene's expect_warnings", unexpected,
                                 outcome_.warnings.size()));
  }

  /// Why a strict run is none.
  std::string stopped() const {
    std::string text = "--strict: surfaces did not get through their whole motion without crossing";
    for (const StopNote& note : recorder_.stops()) text += "\n  " + stop_text(scene_.simulation, note);
    return text;
  }

  void tell() const {
    for (const std::string& warning : outcome_.warnings) fmt::print(stderr, "warning: {}\n", warning);
    for (const ExpectationResult& result : outcome_.expectations)
      if (!options_.quiet || !result.met) fmt::print("{}\n", result.text());
    if (options_.quiet) return;
    for (std::size_t i = 0; i < scene_.simulation.bonds().size(); ++i)
      fmt::print("bond {}\n", bond_text(scene_.simulation, i));
    if (outcome_.status == "interrupted") fmt::print("stopped after frame {}\n", frame_);
    for (int b = 0; b < int(scene_.simulation.bodies().size()); ++b) {
      const StepStatistics steps = recorder_.statistics(b);
      const Body& body = scene_.simulation.bodies()[std::size_t(b)];
      // Known after the first step only: what is held, and the factor that it makes.
      const MethodDescription method = body.method().describe();
      fmt::print(
          "{}: {} unknowns, set-up {:.1f} ms, {} steps, {:.3f} ms a step (min {:.3f}, p95 {:.3f}), "
          "frame hash {:016x}\n",
          body.name(), method.freedoms, scene_.setup_ms(std::size_t(b)), steps.steps, steps.median, steps.min,
          steps.p95, recorder_.hash(b));
    }
    fmt::print("{}", folder_.listing(checkpointed_ >= 0));
  }

  InterruptGuard interrupt_;  ///< before any thread
  const RunOptions& options_;
  Scene scene_;
  Recorder recorder_;
  RunFolder folder_;
  RunOutcome outcome_;
  ThrowWatch throws_;
  int frame_ = 0;          ///< the last one that is complete
  int checkpointed_ = -1;  ///< frame of the last checkpoint of this run
};

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "simulate a scene offline");
  auto options = std::make_shared<RunOptions>();
  command->add_option("SCENE", options->scene, "a scene file, or the name of a shipped scene")->required();
  command->add_option("-o,--output", options->folder, "folder for the results (default out/SCENE)");
  command->add_option("--frames", options->frames, "how many frames (default: the scene's)")
      ->check(CLI::Range(0, 100000000));
  command->add_option("--format", options->formats, "comma-separated: obj,ply,pc2,mdd,glb,vtu,usda, or none")
      ->delimiter(',')
      ->default_str("pc2");
  command->add_option("--set", options->sets, "PATH=VALUE: change a value of the scene (repeatable)")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option("--threads", options->threads, "0 = one per processor; the result does not depend on it")
      ->check(CLI::Range(0, 1024))
      ->default_str("0");
  command->add_flag(
      "--contacts", options->contacts,
      "write contacts.csv: every contact of every frame with its place and force; with format vtu "
      "points for ParaView, too");
  command->add_flag(
      "--check", options->check,
      "exit 1 when an expectation of the scene is not met, or at a warning that it does not expect");
  command->add_flag("--strict", options->strict,
                    "exit 1 when a step was shortened because surfaces would have crossed, or bodies came to "
                    "cross that did not before");
  command->add_option("--checkpoint", options->checkpoint, "write a checkpoint every N frames")
      ->check(CLI::Range(1, 100000000));
  command->add_flag("--resume", options->resume, "continue from the checkpoint in the folder");
  command->add_flag("--quiet", options->quiet, "print only what went wrong");
  command->footer("");  // not that of the whole program as well
  command->footer([] {
    return fmt::format(
        "Example: pliant run geometric/bar --frames 120 --format glb,obj --set "
        "bodies.bar.{}.stiffness=1e6\n\n"
        "Keys for --set (docs/scene-format.md has ranges and defaults):\n{}",
        method_names().front(), scene_keys_help());
  });
  command->callback([options] {
    if (options->formats == std::vector<std::string>{"none"}) options->formats.clear();
    Run(*options).go();
  });
}

}  // namespace pliant::cli
