// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/video.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include "pliant/base/check.hpp"

extern char** environ;

namespace pliant {
namespace {

Error failure(const std::filesystem::path& file, std::string found, std::string expected, std::string hint) {
  return Error{file.string(), {{"", std::move(found), std::move(expected), std::move(hint)}}};
}

/// An encoder that died must show as an error of write, not as a signal that ends the program.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipeSignal() {
    const timespec now{0, 0};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

bool write_all(int to, const std::uint8_t* data, std::size_t size) {
  const NoBrokenPipeSignal guard;
  while (size > 0) {
    const ssize_t wrote = ::write(to, data, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    data += wrote;
    size -= std::size_t(wrote);
  }
  return true;
}

/// What comes after the frames, all but the output file. quality: 0 .. 100, of an animation.
std::string codec(const std::filesystem::path& file, int quality) {
  if (file.extension() == ".webp")
    return fmt::format("-c:v libwebp_anim -quality {} -compression_level 5 -loop 0", quality);
  if (file.extension() == ".gif")
    return fmt::format(
        "-filter_complex "
        "split[a][b];[a]palettegen=max_colors={}[p];[b][p]paletteuse=dither=bayer:bayer_scale=4 "
        "-loop 0",
        std::clamp(quality * 256 / 100, 16, 256));
  return "-vf scale=out_color_matrix=bt709:out_range=tv -c:v libx264 -preset medium -crf 17 -pix_fmt yuv420p "
         "-colorspace bt709 -color_primaries bt709 -color_trc bt709 -movflags +faststart";
}

std::vector<std::string> encoder_words(const std::filesystem::path& file, int width, int height, double fps,
                                       int quality) {
  std::istringstream line(
      fmt::format("ffmpeg -v error -nostdin -y -f rawvideo -pixel_format rgb24 -video_size {}x{} -framerate "
                  "{:.6g} -i - {}",
                  width, height, fps, codec(file, quality)));
  return {std::istream_iterator<std::string>(line), {}};
}

}  // namespace

struct VideoWriter::Encoder {
  std::filesystem::path file, beside;
  int width = 0, height = 0, frames = 0, pipe = -1;
  pid_t process = -1;

  bool close_and_wait() {
    if (pipe >= 0) ::close(pipe);
    pipe = -1;
    int status = 0;
    if (process < 0) return false;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    process = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  ~Encoder() {
    if (process >= 0) close_and_wait();
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
  }
};

VideoWriter::VideoWriter(std::unique_ptr<Encoder> encoder) : encoder_(std::move(encoder)) {}
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;
VideoWriter::~VideoWriter() = default;

Result<VideoWriter> VideoWriter::open(const std::filesystem::path& file, int width, int height, double fps,
                                      int quality) {
  if (width % 2 != 0 || height % 2 != 0)
    return failure(file, fmt::format("a picture of {} x {}", width, height), "an even width and height", "");
  auto encoder = std::make_unique<Encoder>();
  encoder->file = file;
  encoder->beside = file;
  encoder->beside += ".part" + file.extension().string();
  encoder->width = width;
  encoder->height = height;

  std::error_code trouble;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), trouble);
  if (trouble) return failure(file, trouble.message(), "a folder that can be written", "");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failure(file, std::strerror(errno), "a pipe to ffmpeg", "");
  std::vector<std::string> words = encoder_words(file, width, height, fps, quality);
  words.push_back(encoder->beside.string());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  // Its own process group: Ctrl-C reaches us alone, and the frames so far still become a whole file.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int status =
      ::posix_spawnp(&encoder->process, "ffmpeg", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  encoder->pipe = ends[1];
  if (status != 0) {
    ::close(ends[1]);
    encoder->process = -1;
    return failure(file, fmt::format("no ffmpeg on the PATH ({})", std::strerror(status)),
                   "the ffmpeg program to write a video", "apt-get install ffmpeg, or write a .png");
  }
  return VideoWriter(std::move(encoder));
}

std::optional<Error> VideoWriter::add(const Image& image) {
  PLIANT_CHECK(image.width == encoder_->width && image.height == encoder_->height);
  if (!write_all(encoder_->pipe, image.rgb.data(), image.rgb.size()))
    return failure(encoder_->file, fmt::format("ffmpeg stopped at frame {}", encoder_->frames),
                   "a running encoder", "its message is above");
  ++encoder_->frames;
  return {};
}

std::optional<Error> VideoWriter::finish() {
  if (!encoder_->close_and_wait())
    return failure(encoder_->file, fmt::format("ffmpeg failed after {} frames", encoder_->frames),
                   "an encoder that ends well", "its message is above");
  std::error_code trouble;
  std::filesystem::rename(encoder_->beside, encoder_->file, trouble);
  if (trouble) return failure(encoder_->file, trouble.message(), "a file that can be replaced", "");
  return {};
}

namespace {

/// A file that is gone in the end, unless it was renamed.
struct TrialFile {
  std::filesystem::path path;
  ~TrialFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

Result<std::uintmax_t> write_animation(const std::vector<Image>& frames, const std::filesystem::path& file,
                                       double fps, std::uintmax_t most_bytes) {
  PLIANT_CHECK(!frames.empty());
  // Beside the file until its size is known.
  std::filesystem::path hidden = file;
  hidden.replace_filename("." + file.filename().string());
  const TrialFile trial{hidden};
  std::uintmax_t bytes = 0;
  for (const int quality : {80, 60, 40, 20, 5}) {
    Result<VideoWriter> video =
        VideoWriter::open(trial.path, frames[0].width, frames[0].height, fps, quality);
    if (!video) return video.error();
    for (const Image& frame : frames)
      if (const auto error = video->add(frame)) return *error;
    if (const auto error = video->finish()) return *error;
    std::error_code trouble;
    bytes = std::filesystem::file_size(trial.path, trouble);
    if (!trouble && bytes >= most_bytes) continue;
    if (!trouble) std::filesystem::rename(trial.path, file, trouble);
    if (trouble) return failure(file, trouble.message(), "a file that can be replaced", "");
    return bytes;
  }
  return failure(file, fmt::format("{} kB at the lowest quality", bytes / 1000),
                 fmt::format("less than {} kB", most_bytes / 1000),
                 "fewer pictures a second, a shorter time, or a smaller figure");
}

}  // namespace pliant
