// SPDX-License-Identifier: Apache-2.0
// pliant view: a running simulation that people touch in their browser.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

#include "commands.hpp"
#include "interrupt.hpp"
#include "libraries.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/view/free_memory.hpp"
#include "pliant/view/server.hpp"
#include "pliant/view/session.hpp"

namespace pliant::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct ViewArguments {
  std::string scene, token;
  int port = 0;
  int max_upload = 64;  ///< MB
  std::vector<std::string> sets;
  int threads = 0;
  bool allow_shutdown = false, paused = false, quiet = false;
};

constexpr std::chrono::milliseconds poll{50};  ///< how soon Ctrl-C is seen
constexpr std::chrono::seconds first_rate{3}, next_rate{10};

/// The card of a shipped scene: thumbs/NAME.png beside it. Only names of the list are looked up, so no name
/// can lead elsewhere.
std::optional<std::string> card_of(std::string_view name) {
  for (const fs::path& library : scene_libraries())
    for (const ShippedScene& scene : shipped_scenes({library})) {
      if (scene.name != name) continue;
      std::ifstream in(library / "thumbs" / (scene.name + ".png"), std::ios::binary);
      if (in) return std::string(std::istreambuf_iterator<char>(in), {});
    }
  return std::nullopt;
}

/// One is left to the browser: a picture that waits for its turn helps nobody.
int processors_but_one() { return std::max(1, int(std::thread::hardware_concurrency()) - 1); }

std::unique_ptr<view::Server> open_server(const ViewArguments& arguments) {
  view::ServerOptions options;
  options.port = std::uint16_t(arguments.port);
  options.token = arguments.token;
  options.limits.upload_bytes = std::size_t(arguments.max_upload) * 1000000;
  options.picture = card_of;
  auto server = view::Server::open(options);
  if (!server) throw InputError(server.error().text());
  return std::move(*server);
}

class View {
 public:
  explicit View(const ViewArguments& arguments) : quiet_(arguments.quiet), server_(open_server(arguments)) {
    view::SessionOptions options;
    options.threads = arguments.threads > 0 ? arguments.threads : processors_but_one();
    options.libraries = scene_libraries();
    options.sets = arguments.sets;
    options.playing = !arguments.paused;
    options.wait_for_page = true;
    options.allow_shutdown = arguments.allow_shutdown;
    options.on_shutdown = [this] { shutdown_ = true; };
    auto session = view::Session::open(arguments.scene, options, server_->output());
    if (!session) throw InputError("the scene has problems\n" + session.error().text());
    session_ = std::move(*session);
  }

  ~View() {
    server_->stop();
    session_->stop();
  }

  void go() {
    server_->serve(*session_);
    say(server_->address());
    if (!quiet_) say("open it in a browser; Ctrl-C ends");
    Clock::time_point next = Clock::now() + first_rate;
    while (!interrupt_.asked() && !shutdown_) {
      std::this_thread::sleep_for(poll);
      if (quiet_ || Clock::now() < next) continue;
      next += next_rate;
      say(rate());
    }
    if (!quiet_) say(fmt::format("ended after {} steps", session_->step()));
  }

 private:
  /// At once, also into a pipe: who starts us reads the address from it.
  static void say(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  std::string rate() const {
    const auto newest = session_->newest();
    const int pages = int(server_->counters().pages);
    const std::string who = fmt::format("{} page{}", pages, pages == 1 ? "" : "s");
    if (session_->waiting()) return "waits for a page";
    if (newest->stopped) return fmt::format("step {}: stopped, {}", newest->step, who);
    if (newest->paused) return fmt::format("step {}: paused, {}", newest->step, who);
    return fmt::format("step {}: {:.1f} steps a second, {:.2f} ms a step, {}", newest->step, session_->rate(),
                       newest->step_ms, who);
  }

  const InterruptGuard interrupt_;  ///< before any thread
  bool quiet_;
  std::atomic<bool> shutdown_{false};
  std::unique_ptr<view::Server> server_;
  std::unique_ptr<view::Session> session_;
};

}  // namespace

void add_view(CLI::App& app) {
  CLI::App* command = app.add_subcommand("view", "interactive, in the browser, on the loopback address");
  auto arguments = std::make_shared<ViewArguments>();
  command->add_option("SCENE", arguments->scene,
                      "a scene file, or the name of a shipped scene; without: the start page");
  command->add_option("--port", arguments->port, "port on 127.0.0.1; 0 = one that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->add_option("--token", arguments->token,
                      "secret part of the address, 16 to 64 of A-Z a-z 0-9 - _ (default: random)");
  command->add_option("--max-upload", arguments->max_upload, "largest mesh file a page may send, MB")
      ->check(CLI::Range(1, 2000))
      ->capture_default_str();
  command->add_option("--set", arguments->sets, "PATH=VALUE: change a value of the scene (repeatable)")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option("--threads", arguments->threads,
                   "0 = one per processor but one, for the browser; the result does not depend on it")
      ->check(CLI::Range(0, 1024))
      ->default_str("0");
  command->add_flag("--paused", arguments->paused, "start paused");
  command->add_flag("--allow-shutdown", arguments->allow_shutdown, "a page may end the program");
  command->add_flag("--quiet", arguments->quiet, "print only the address");
  command->footer("Example: pliant view creature");
  command->callback([arguments] {
    view::keep_one_heap();
    View(*arguments).go();
  });
}

}  // namespace pliant::cli
