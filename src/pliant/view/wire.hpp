// SPDX-License-Identifier: Apache-2.0
// The binary messages from server to page (protocol version 1, little endian).
//
// A message is a header of 48 bytes and blocks. A block is 32 bytes and a payload padded to 4 bytes; its size
// follows from format and count, so a reader skips channels it does not know.
//
//   header   0 u32 magic   4 u16 version   6 u8 kind   7 u8 flags   8 u32 seq   12 u32 epoch   16 u32 step
//           20 u32 applied   24 f64 time, s   32 f32 step, ms   36 f32 steps per s   40 u16 blocks   42 u16 0
//           44 u32 total bytes
//   block    0 u16 body   2 u8 channel   3 u8 format   4 u32 count   8 f32[3] lo   20 f32[3] hi   32 payload
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/view/snapshot.hpp"

namespace pliant::view::wire {

inline constexpr std::uint32_t magic = 0x544E4C50;  ///< "PLNT"
inline constexpr std::uint16_t version = 1;
inline constexpr std::size_t header_bytes = 48, block_bytes = 32;
inline constexpr std::size_t most_bytes = std::size_t(64) << 20;  ///< of a message
inline constexpr std::uint16_t whole_scene = 0xFFFF;              ///< as body: the block belongs to no body

enum class Kind : std::uint8_t { frame = 1, model = 2 };

/// Of Header::flags. A keyframe holds every channel the page asked for, also those sent only when they
/// change.
enum HeaderFlag : std::uint8_t { paused = 1, posing = 2, stopped = 4, recording = 8, keyframe = 16 };

enum class Format : std::uint8_t {
  f32x3 = 0,
  u16x3 = 1,  ///< value = lo + q (hi - lo) / 65535
  u32x3 = 2,
  u32x2 = 3,
  u8 = 4,      ///< value = lo + q (hi - lo) / 255
  f32x7 = 5,   ///< position, quaternion xyzw
  f32x10 = 6,  ///< id, client, point, target, force N, stiffness N/m
};

/// Bytes of one element; 0 for a format this version does not know.
std::size_t element_bytes(Format format);

struct Header {
  Kind kind = Kind::frame;
  std::uint8_t flags = 0;     ///< of HeaderFlag
  std::uint32_t seq = 0;      ///< counts the binary messages of a connection; the page acks it
  std::uint32_t epoch = 0;    ///< rises with every change of structure; a frame belongs to its model's
  std::uint32_t step = 0;     ///< steps done
  std::uint32_t applied = 0;  ///< highest command id of this connection that the state contains
  double time = 0;            ///< simulated, s
  float step_ms = 0;          ///< what the last step took
  float steps_per_second = 0;
};

/// Puts a message together. What it holds is ready after every call; bytes() seals it.
class Writer {
 public:
  explicit Writer(const Header& header);

  /// Positions as 32-bit floats or, with `quantised`, as 16 bits within their box.
  void positions(std::uint16_t body, Channel channel, std::span<const Float3> points, bool quantised);
  void triangles(std::uint16_t body, Channel channel, std::span<const Triangle3> triangles);
  void bones(std::uint16_t body, std::span<const Bone2> bones);
  void joints(std::uint16_t body, std::span<const Joint> joints);
  void grabs(std::span<const GrabView> grabs);
  /// Numbers as 8 bits within their range; the range is in lo[0], hi[0].
  void scalars(std::uint16_t body, std::span<const float> values);
  /// Bits, sent as they are (lo 0, hi 255).
  void flags(std::uint16_t body, Channel channel, std::span<const std::uint8_t> bits);

  std::size_t size() const { return bytes_.size(); }
  std::vector<std::uint8_t> bytes() &&;

 private:
  void block(std::uint16_t body, Channel channel, Format format, std::size_t count, const Float3& lo,
             const Float3& hi);
  void raw(const void* data, std::size_t size);
  void pad();

  std::vector<std::uint8_t> bytes_;
  std::uint16_t blocks_ = 0;
};

struct Block {
  std::uint16_t body = 0;
  Channel channel{};
  Format format{};
  std::uint32_t count = 0;
  Float3 lo{}, hi{};
  std::span<const std::uint8_t> payload;  ///< into the message

  /// f32 and quantised formats as numbers, count * components of them; empty for integers.
  std::vector<float> numbers() const;
  /// u32 formats; empty for others.
  std::vector<std::uint32_t> integers() const;
};

struct Message {
  Header header;
  std::vector<Block> blocks;

  const Block* find(std::uint16_t body, Channel channel) const;
};

/// What a page does: an unknown magic, version, kind or format, or sizes that do not fit, is refused. The
/// blocks point into `bytes`. Otherwise nothing, and `why` says what is wrong.
std::optional<Message> read(std::span<const std::uint8_t> bytes, std::string& why);

}  // namespace pliant::view::wire
