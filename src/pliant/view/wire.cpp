// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace pliant::view::wire {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied to the wire as they are");

template <class T>
void put(std::uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
T take(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

struct Box {
  Float3 lo{}, hi{};
};

/// What is not a number counts as absent; zero when nothing is left.
void include(Box& box, std::size_t k, float value) {
  if (!std::isfinite(value)) return;
  box.lo[k] = std::min(box.lo[k], value);
  box.hi[k] = std::max(box.hi[k], value);
}

Box nothing() {
  Box box;
  box.lo.fill(std::numeric_limits<float>::infinity());
  box.hi.fill(-std::numeric_limits<float>::infinity());
  return box;
}

Box closed(Box box) {
  for (std::size_t k = 0; k < 3; ++k)
    if (!(box.lo[k] <= box.hi[k])) box.lo[k] = box.hi[k] = 0;
  return box;
}

Box box_of(std::span<const Float3> points) {
  Box box = nothing();
  for (const Float3& point : points)
    for (std::size_t k = 0; k < 3; ++k) include(box, k, point[k]);
  return closed(box);
}

Box range_of(std::span<const float> values) {
  Box box = nothing();
  for (const float value : values) include(box, 0, value);
  return closed(box);
}

/// Steps of a quantised range: the difference is taken in double, it may exceed a float.
struct Scale {
  double lo, step;  ///< value = lo + q step
  Scale(float low, float high, int most) : lo(low), step((double(high) - double(low)) / most) {}
  double count(float value) const {
    return step > 0 && std::isfinite(value) ? std::round((double(value) - lo) / step) : 0;
  }
  float value(double q) const { return float(lo + q * step); }
};

int components(Format format) {
  switch (format) {
    case Format::f32x3:
    case Format::u16x3:
    case Format::u32x3:
      return 3;
    case Format::u32x2:
      return 2;
    case Format::u8:
      return 1;
    case Format::f32x7:
      return 7;
    case Format::f32x10:
      return 10;
  }
  return 0;
}

std::vector<float> copy_floats(std::span<const std::uint8_t> payload, std::size_t count) {
  std::vector<float> out(count);
  if (count) std::memcpy(out.data(), payload.data(), count * sizeof(float));
  return out;
}

template <class Q>
std::vector<float> unquantise(const Block& block, std::size_t stride) {
  std::vector<float> out(block.count * stride);
  const int most = std::numeric_limits<Q>::max();
  for (std::size_t k = 0; k < stride; ++k) {
    const Scale scale(block.lo[k], block.hi[k], most);
    for (std::size_t i = k; i < out.size(); i += stride)
      out[i] = scale.value(take<Q>(block.payload.data() + i * sizeof(Q)));
  }
  return out;
}

Header read_header(const std::uint8_t* from) {
  Header header;
  header.kind = Kind(from[6]);
  header.flags = from[7];
  header.seq = take<std::uint32_t>(from + 8);
  header.epoch = take<std::uint32_t>(from + 12);
  header.step = take<std::uint32_t>(from + 16);
  header.applied = take<std::uint32_t>(from + 20);
  header.time = take<double>(from + 24);
  header.step_ms = take<float>(from + 32);
  header.steps_per_second = take<float>(from + 36);
  return header;
}

/// What is wrong with the fixed part, or "".
std::string objection(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < header_bytes) return fmt::format("{} bytes are no header", bytes.size());
  const auto found = take<std::uint32_t>(bytes.data());
  if (found != magic) return fmt::format("magic {:08x}, expected {:08x}", found, magic);
  const auto told = take<std::uint16_t>(bytes.data() + 4);
  if (told != version) return fmt::format("version {}, expected {}", told, version);
  if (bytes[6] != std::uint8_t(Kind::frame) && bytes[6] != std::uint8_t(Kind::model))
    return fmt::format("kind {}, expected 1 or 2", bytes[6]);
  const auto total = take<std::uint32_t>(bytes.data() + 44);
  if (total != bytes.size()) return fmt::format("says {} bytes, has {}", total, bytes.size());
  return "";
}

}  // namespace

std::size_t element_bytes(Format format) {
  const int size = format == Format::u8 ? 1 : format == Format::u16x3 ? 2 : 4;
  return std::size_t(components(format) * size);
}

Writer::Writer(const Header& header) : bytes_(header_bytes) {
  std::uint8_t* to = bytes_.data();
  put(to, magic);
  put(to + 4, version);
  put(to + 6, header.kind);
  put(to + 7, header.flags);
  put(to + 8, header.seq);
  put(to + 12, header.epoch);
  put(to + 16, header.step);
  put(to + 20, header.applied);
  put(to + 24, header.time);
  put(to + 32, header.step_ms);
  put(to + 36, header.steps_per_second);
}

void Writer::block(std::uint16_t body, Channel channel, Format format, std::size_t count, const Float3& lo,
                   const Float3& hi) {
  const std::size_t at = bytes_.size();
  bytes_.reserve(at + block_bytes + padded(count * element_bytes(format)));
  bytes_.resize(at + block_bytes);
  std::uint8_t* to = bytes_.data() + at;
  put(to, body);
  put(to + 2, channel);
  put(to + 3, format);
  put(to + 4, std::uint32_t(count));
  put(to + 8, lo);
  put(to + 20, hi);
  ++blocks_;
}

void Writer::raw(const void* data, std::size_t size) {
  if (size == 0) return;
  const std::size_t at = bytes_.size();
  bytes_.resize(at + size);
  std::memcpy(bytes_.data() + at, data, size);
}

void Writer::pad() { bytes_.resize(padded(bytes_.size())); }

void Writer::positions(std::uint16_t body, Channel channel, std::span<const Float3> points, bool quantised) {
  static_assert(sizeof(Float3) == 12 && sizeof(Triangle3) == 12 && sizeof(Bone2) == 8);
  const Box box = box_of(points);
  if (!quantised) {
    block(body, channel, Format::f32x3, points.size(), box.lo, box.hi);
    raw(points.data(), points.size_bytes());
    return;
  }
  block(body, channel, Format::u16x3, points.size(), box.lo, box.hi);
  const std::size_t at = bytes_.size();
  bytes_.resize(at + points.size() * 6);
  for (std::size_t k = 0; k < 3; ++k) {
    const Scale scale(box.lo[k], box.hi[k], 65535);
    for (std::size_t i = 0; i < points.size(); ++i)
      put(bytes_.data() + at + 6 * i + 2 * k, std::uint16_t(scale.count(points[i][k])));
  }
  pad();
}

void Writer::triangles(std::uint16_t body, Channel channel, std::span<const Triangle3> triangles) {
  block(body, channel, Format::u32x3, triangles.size(), {}, {});
  raw(triangles.data(), triangles.size_bytes());
}

void Writer::bones(std::uint16_t body, std::span<const Bone2> bones) {
  block(body, Channel::bones, Format::u32x2, bones.size(), {}, {});
  raw(bones.data(), bones.size_bytes());
}

void Writer::joints(std::uint16_t body, std::span<const Joint> joints) {
  static_assert(sizeof(Joint) == 28);
  Box box = nothing();
  for (const Joint& joint : joints)
    for (std::size_t k = 0; k < 3; ++k) include(box, k, joint.position[k]);
  box = closed(box);
  block(body, Channel::joints, Format::f32x7, joints.size(), box.lo, box.hi);
  raw(joints.data(), joints.size_bytes());
}

void Writer::grabs(std::span<const GrabView> grabs) {
  block(whole_scene, Channel::grabs, Format::f32x10, grabs.size(), {}, {});
  for (const GrabView& grab : grabs) {
    const float row[10] = {float(grab.id), float(grab.client), grab.point[0],  grab.point[1], grab.point[2],
                           grab.target[0], grab.target[1],     grab.target[2], grab.force,    grab.stiffness};
    raw(row, sizeof row);
  }
}

void Writer::scalars(std::uint16_t body, std::span<const float> values) {
  const Box box = range_of(values);
  block(body, Channel::scalar, Format::u8, values.size(), {box.lo[0], 0, 0}, {box.hi[0], 0, 0});
  const Scale scale(box.lo[0], box.hi[0], 255);
  const std::size_t at = bytes_.size();
  bytes_.resize(at + values.size());
  for (std::size_t i = 0; i < values.size(); ++i) bytes_[at + i] = std::uint8_t(scale.count(values[i]));
  pad();
}

void Writer::flags(std::uint16_t body, Channel channel, std::span<const std::uint8_t> bits) {
  block(body, channel, Format::u8, bits.size(), {}, {255, 0, 0});
  raw(bits.data(), bits.size());
  pad();
}

std::vector<std::uint8_t> Writer::bytes() && {
  put(bytes_.data() + 40, blocks_);
  put(bytes_.data() + 44, std::uint32_t(bytes_.size()));
  return std::move(bytes_);
}

std::vector<float> Block::numbers() const {
  switch (format) {
    case Format::f32x3:
    case Format::f32x7:
    case Format::f32x10:
      return copy_floats(payload, count * std::size_t(components(format)));
    case Format::u16x3:
      return unquantise<std::uint16_t>(*this, 3);
    case Format::u8:
      return unquantise<std::uint8_t>(*this, 1);
    default:
      return {};
  }
}

std::vector<std::uint32_t> Block::integers() const {
  if (format != Format::u32x3 && format != Format::u32x2) return {};
  std::vector<std::uint32_t> out(count * std::size_t(components(format)));
  if (!out.empty()) std::memcpy(out.data(), payload.data(), out.size() * sizeof out[0]);
  return out;
}

const Block* Message::find(std::uint16_t body, Channel channel) const {
  for (const Block& block : blocks)
    if (block.body == body && block.channel == channel) return &block;
  return nullptr;
}

std::optional<Message> read(std::span<const std::uint8_t> bytes, std::string& why) {
  why = objection(bytes);
  if (!why.empty()) return std::nullopt;
  Message message{read_header(bytes.data()), {}};
  const int count = take<std::uint16_t>(bytes.data() + 40);
  std::size_t at = header_bytes;
  for (int b = 0; b < count; ++b) {
    if (bytes.size() - at < block_bytes) {
      why = fmt::format("block {} of {} has no header", b, count);
      return std::nullopt;
    }
    const std::uint8_t* from = bytes.data() + at;
    Block block{take<std::uint16_t>(from),
                Channel(from[2]),
                Format(from[3]),
                take<std::uint32_t>(from + 4),
                take<Float3>(from + 8),
                take<Float3>(from + 20),
                {}};
    const std::size_t element = element_bytes(block.format), size = element * block.count;
    if (element == 0 || padded(size) > bytes.size() - at - block_bytes) {
      why = element == 0 ? fmt::format("block {}: unknown format {}", b, from[3])
                         : fmt::format("block {}: {} elements do not fit", b, block.count);
      return std::nullopt;
    }
    block.payload = bytes.subspan(at + block_bytes, size);
    at += block_bytes + padded(size);
    message.blocks.push_back(block);
  }
  if (at == bytes.size()) return message;
  why = fmt::format("{} bytes after the last block", bytes.size() - at);
  return std::nullopt;
}

}  // namespace pliant::view::wire
