// SPDX-License-Identifier: Apache-2.0
// Random scenes without end, watched: `make soak`.
//
//   soak [--seed N] [--steps BODY_STEPS] [--seconds N] [--from NUMBER] [--shrink SECONDS] [-o FOLDER]
//   soak --repeat CASE.json        one case once more, every step looked at
//   soak --seed N --print NUMBER   the case of that number
//
// Cases run in a process of their own, many in one, so that a crash or an endless step ends one process and is told as
// what it is. What was found is made smaller and written to FOLDER (out/soak) with the command that repeats it; exit 1.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "tests/soak/run.hpp"
#include "tests/soak/shrink.hpp"

namespace {

using namespace pliant::soak;
namespace fs = std::filesystem;
using Time = std::chrono::steady_clock;

constexpr std::uint64_t batch = 20;  // cases in one process
constexpr double endless_s = 20;     // processor time of a step or a set-up: it is ended
constexpr int shrunk_of_a_kind = 3;  // later ones are written as they were
constexpr std::size_t most_memory = std::size_t(4) << 30;

volatile std::sig_atomic_t asked_to_end = 0;

double seconds_since(Time::time_point begin) {
  return std::chrono::duration<double>(Time::now() - begin).count();
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a process that runs cases tells while it does.
struct Shared {
  volatile std::uint64_t number;
  volatile int step;
};

Json told(const Outcome& outcome) {
  Json out{{"body_steps", outcome.body_steps},
           {"shortened", outcome.shortened},
           {"in_contact", outcome.in_contact},
           {"met", outcome.met},
           {"slowest_ms", outcome.slowest_ms},
           {"setup_ms", outcome.setup_ms},
           {"gain", outcome.gain},
           {"methods", outcome.methods}};
  if (!outcome.refused.empty()) out["refused"] = outcome.refused;
  if (!outcome.failed.empty()) out["failed"] = outcome.failed;
  if (outcome.found)
    out["found"] = {
        {"kind", outcome.found->kind}, {"text", outcome.found->text}, {"step", outcome.found->step}};
  return out;
}

/// Runs cases in a process of its own.
class Laboratory {
 public:
  explicit Laboratory(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_);
    shared_ = static_cast<Shared*>(
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  }
  ~Laboratory() {
    munmap(shared_, sizeof(Shared));
    fs::remove_all(folder_);
  }
  Laboratory(const Laboratory&) = delete;

  /// One outcome a case, as long as the process lives; of the one that ended it, how.
  std::vector<Json> run(const std::function<Json(std::uint64_t)>& make, std::uint64_t count,
                        const Limits& limits) {
    const fs::path results = folder_ / "results", errors = folder_ / "errors";
    fs::remove(results);
    shared_->number = 0;
    shared_->step = 0;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) work(make, count, limits, results, errors);
    const std::string end = watch(child);
    std::vector<Json> out;
    std::ifstream lines(results);
    for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
    if (!end.empty())
      out.push_back({{"body_steps", 0},
                     {"found",
                      {{"kind", end.starts_with("endless") ? "endless" : "crashed"},
                       {"text", end + " " + last_lines(errors)},
                       {"step", int(shared_->step)}}}});
    return out;
  }

 private:
  [[noreturn]] void work(const std::function<Json(std::uint64_t)>& make, std::uint64_t count,
                         const Limits& limits, const fs::path& results, const fs::path& errors) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    // Not freopen, which buffers: an abort would leave the message there.
    if (dup2(open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2) < 0) _exit(3);
#ifndef __SANITIZE_ADDRESS__
    const rlimit memory{most_memory, most_memory};
    setrlimit(RLIMIT_AS, &memory);
#endif
    std::ofstream out(results, std::ios::app);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Json soak_case = make(i);
      const auto step = [&](int s) {
        shared_->step = s;
        shared_->number = i * 1000000 + std::uint64_t(s);
      };
      const fs::path folder = folder_ / "case";
      fs::remove_all(folder);  // nothing of the case before
      fs::create_directories(folder);
      out << told(run_case(soak_case, folder, limits, step))
                 .dump(-1, ' ', false, Json::error_handler_t::replace)
          << std::endl;
    }
    std::fflush(stdout);
    _exit(0);
  }

  /// Empty: it ended by itself.
  std::string watch(pid_t child) const {
    clockid_t clock{};
    const bool timed = clock_getcpuclockid(child, &clock) == 0;
    std::uint64_t at = ~std::uint64_t(0);
    double since = 0;
    for (int pause_ms = 1;; pause_ms = std::min(100, 2 * pause_ms)) {
      int status = 0;
      if (waitpid(child, &status, WNOHANG) == child) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
        return WIFSIGNALED(status)
                   ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                   : fmt::format("exit {}", WEXITSTATUS(status));
      }
      timespec used{};
      if (timed && clock_gettime(clock, &used) == 0) {
        const double now = double(used.tv_sec) + 1e-9 * double(used.tv_nsec);
        if (at != shared_->number) at = shared_->number, since = now;
        if (now - since > endless_s) {
          kill(child, SIGKILL);
          waitpid(child, &status, 0);
          return fmt::format("endless: more than {:.0f} s of processor time", endless_s);
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    }
  }

  static std::string last_lines(const fs::path& errors) {
    const std::string text = text_of(errors);
    return text.size() > 1500 ? text.substr(0, 700) + " ... " + text.substr(text.size() - 700) : text;
  }

  fs::path folder_;
  Shared* shared_ = nullptr;
};

struct Wish {
  std::uint64_t seed = 1, from = 0;
  double steps = 1e5, seconds = 1e9;
  double shrink = 60;  ///< s for one finding
  fs::path folder = "out/soak", repeat;
};

class Soak {
 public:
  explicit Soak(Wish wish)
      : wish_(std::move(wish)), lab_(fs::temp_directory_path() / fmt::format("pliant-soak-{}", getpid())) {}

  bool go() {
    std::uint64_t next = wish_.from;
    auto shown = Time::now();
    while (!asked_to_end && double(body_steps_) < wish_.steps && seconds_since(begin_) < wish_.seconds) {
      const std::uint64_t first = next;
      const auto make = [&](std::uint64_t i) { return random_case(wish_.seed, first + i); };
      const std::uint64_t count =
          std::min<std::uint64_t>(batch, 1 + std::uint64_t((wish_.steps - double(body_steps_)) / 300));
      const std::vector<Json> outcomes = lab_.run(make, count, {});
      for (const Json& outcome : outcomes) take(outcome, next++);
      if (seconds_since(shown) > 60) shown = Time::now(), show();
    }
    show();
    tell();
    return findings_.empty();
  }

  bool repeat() {
    const Json soak_case = Json::parse(text_of(wish_.repeat));
    const std::vector<Json> outcomes =
        lab_.run([&](std::uint64_t) { return soak_case; }, 1, {.look_every = 1, .trace = true});
    for (const Json& outcome : outcomes) fmt::print("{}\n", outcome.dump(2));
    return std::none_of(outcomes.begin(), outcomes.end(), [](const Json& o) { return o.contains("found"); });
  }

 private:
  void take(const Json& outcome, std::uint64_t number) {
    ++cases_;
    body_steps_ += outcome.value("body_steps", std::int64_t(0));
    shortened_ += outcome.value("shortened", std::int64_t(0));
    in_contact_ += outcome.value("in_contact", std::int64_t(0));
    met_ += outcome.value("met", std::int64_t(0));
    const Json methods = outcome.value("methods", Json::object());
    for (const auto& [method, steps] : methods.items()) methods_[method] += steps.get<std::int64_t>();
    if (outcome.value("slowest_ms", 0.0) > slowest_ms_)
      slowest_ms_ = outcome["slowest_ms"], slowest_ = number;
    gain_ = std::max(gain_, outcome.value("gain", 0.0));
    if (outcome.contains("refused")) ++refused_, ++refusals_[without_numbers(outcome["refused"])];
    if (outcome.contains("failed")) {
      ++failed_;
      failures_[without_numbers(outcome["failed"])].push_back(number);
    }
    if (outcome.contains("found")) find(outcome["found"], number);
  }

  void find(const Json& found, std::uint64_t number) {
    const std::string kind = found.at("kind");
    Json soak_case = random_case(wish_.seed, number);
    const int nth = ++findings_[kind];
    if (nth <= shrunk_of_a_kind && wish_.shrink > 0)
      soak_case = smaller(std::move(soak_case), kind, found.at("step"));
    fs::create_directories(wish_.folder);
    const fs::path file = wish_.folder / fmt::format("{}-{}-{}.json", kind, wish_.seed, number);
    soak_case["found"] = found;
    std::ofstream(file) << soak_case.dump(2) << "\n";
    fmt::print("{}: scene {} of seed {}, step {}: {}\n    again: soak --repeat {}\n", kind, number,
               wish_.seed, found.at("step").get<int>(), found.at("text").get<std::string>(), file.string());
    std::fflush(stdout);
  }

  Json smaller(Json soak_case, const std::string& kind, int step) {
    const auto begin = Time::now();
    const auto shows = [&](const Json& candidate) {
      for (const Json& outcome : lab_.run([&](std::uint64_t) { return candidate; }, 1, {}))
        if (outcome.contains("found") && outcome["found"].at("kind") == kind) return true;
      return false;
    };
    const auto more = [&] { return seconds_since(begin) < wish_.shrink; };
    Json cut = soak_case;
    cut["steps"] = step + 8;
    if (shows(cut)) soak_case = std::move(cut);
    return shrink(std::move(soak_case), shows, more);
  }

  static std::string without_numbers(const std::string& text) {
    std::string out;
    for (const char c : text.substr(0, text.find('\n')))
      if (!(c >= '0' && c <= '9')) out += c;
    const auto colon = out.find("json: ");
    return colon == std::string::npos ? out : out.substr(colon + 6);
  }

  void show() const {
    fmt::print(
        "{:.0f} s: {} scenes, {:.3g} body steps ({:.3g} in contact, {:.3g} in islands), {} scenes refused, "
        "{} "
        "ended by a step that failed, {} findings\n",
        seconds_since(begin_), cases_, double(body_steps_), double(in_contact_), double(met_), refused_,
        failed_, count());
    std::fflush(stdout);
  }

  void tell() const {
    for (const auto& [method, steps] : methods_) fmt::print("  {:<10} {:>10} steps\n", method, steps);
    fmt::print("  slowest step {:.0f} ms (scene {}), largest gain of energy {:.2g}, {} steps shortened\n",
               slowest_ms_, slowest_, gain_, shortened_);
    for (const auto& [why, numbers] : failures_)
      fmt::print("  failed {} times, first scene {}: {}\n", numbers.size(), numbers.front(), why);
    for (const auto& [why, times] : refusals_)
      if (times > 2) fmt::print("  refused {} times: {}\n", times, why);
    for (const auto& [kind, times] : findings_) fmt::print("  found {} {}\n", times, kind);
  }

  int count() const {
    int sum = 0;
    for (const auto& [kind, times] : findings_) sum += times;
    return sum;
  }

  const Wish wish_;
  Laboratory lab_;
  const Time::time_point begin_ = Time::now();
  std::int64_t cases_ = 0, body_steps_ = 0, shortened_ = 0, in_contact_ = 0, met_ = 0, refused_ = 0,
               failed_ = 0;
  double slowest_ms_ = 0, gain_ = 0;
  std::uint64_t slowest_ = 0;
  std::map<std::string, std::int64_t> methods_;
  std::map<std::string, int> findings_, refusals_;
  std::map<std::string, std::vector<std::uint64_t>> failures_;
};

}  // namespace

int main(int argc, char** argv) {
  Wish wish;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--seed")
      wish.seed = std::stoull(value);
    else if (key == "--steps")
      wish.steps = std::stod(value);
    else if (key == "--seconds")
      wish.seconds = std::stod(value);
    else if (key == "--from")
      wish.from = std::stoull(value);
    else if (key == "--print")
      return fmt::print("{}\n", random_case(wish.seed, std::stoull(value)).dump(2)), 0;
    else if (key == "--shrink")
      wish.shrink = std::stod(value);
    else if (key == "-o")
      wish.folder = value;
    else if (key == "--repeat")
      wish.repeat = value;
    else
      return fmt::print(stderr, "soak: unknown option {}\n", key), 2;
  }
  if (argc % 2 == 0) return fmt::print(stderr, "soak: {} has no value\n", argv[argc - 1]), 2;
  // The batch at hand is finished first.
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, [](int) { asked_to_end = 1; });
  Soak soak(wish);
  return (wish.repeat.empty() ? soak.go() : soak.repeat()) ? 0 : 1;
}
