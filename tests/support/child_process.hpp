// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace pliant {

/// A program that runs beside the test; it is ended with the object.
class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& words) {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 1);
      dup2(ends[1], 2);
      ::close(ends[0]);
      ::close(ends[1]);
      std::vector<char*> arguments;
      for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~ChildProcess() {
    if (exit_ == running) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    ::close(output_);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const { return pid_; }
  void signal(int number) const { kill(pid_, number); }

  /// The next line it prints, without its end; what there is when the time is over or the program ended.
  std::string line(int timeout_ms) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    for (;;) {
      const std::size_t end = text_.find('\n');
      if (end != text_.npos) {
        const std::string out = text_.substr(0, end);
        text_.erase(0, end + 1);
        return out;
      }
      pollfd wait{output_, POLLIN, 0};
      char buffer[4096];
      const auto now = std::chrono::steady_clock::now();
      const ssize_t got =
          now < deadline && poll(&wait, 1, 100) > 0 ? read(output_, buffer, sizeof buffer) : -1;
      if (got > 0) text_.append(buffer, std::size_t(got));
      if (got == 0 || now >= deadline) return std::exchange(text_, {});
    }
  }

  /// Its exit code, or -1 when it was killed or does not end in time.
  int wait(int timeout_ms) {
    for (int waited = 0; exit_ == running && waited <= timeout_ms; waited += 10) {
      int status = 0;
      if (waitpid(pid_, &status, WNOHANG) == pid_) exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      if (exit_ == running) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return exit_ == running ? -1 : exit_;
  }

  /// kB in memory now.
  long resident_kb() const {
    std::ifstream in("/proc/" + std::to_string(pid_) + "/status");
    for (std::string row; std::getline(in, row);)
      if (row.rfind("VmRSS:", 0) == 0) return std::stol(row.substr(6));
    return -1;
  }

 private:
  static constexpr int running = -2;
  int pid_ = -1, output_ = -1, exit_ = running;
  std::string text_;
};

}  // namespace pliant
