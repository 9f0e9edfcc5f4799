// SPDX-License-Identifier: Apache-2.0
// Flat binary memory of a state: what `save` writes, `load` reads in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace pliant {

class Writer {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* p = reinterpret_cast<const std::byte*>(&v);
    bytes_.insert(bytes_.end(), p, p + sizeof(T));
  }
  template <class T>
  void array(const std::vector<T>& v) {
    value(std::uint64_t(v.size()));
    if (v.empty()) return;
    const auto* p = reinterpret_cast<const std::byte*>(v.data());
    bytes_.insert(bytes_.end(), p, p + v.size() * sizeof(T));
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what Writer wrote. Any mismatch of size makes ok() false and leaves the targets alone from there on.
class Reader {
 public:
  /// The bytes must outlive the reader.
  explicit Reader(const std::vector<std::byte>& bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  explicit Reader(std::vector<std::byte>&&) = delete;
  template <class T>
  void value(T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!take(sizeof(T))) return;
    std::memcpy(static_cast<void*>(&v), at_ - sizeof(T), sizeof(T));
  }
  /// The array must have the size it had when it was written.
  template <class T>
  void array(std::vector<T>& v) {
    std::uint64_t size = 0;
    value(size);
    if (!ok_ || size != v.size() || !take(v.size() * sizeof(T))) {
      ok_ = false;
      return;
    }
    if (!v.empty())
      std::memcpy(static_cast<void*>(v.data()), at_ - v.size() * sizeof(T), v.size() * sizeof(T));
  }
  /// An array of any size, as long as the bytes for it are there: what is damaged asks for no memory.
  template <class T>
  void list(std::vector<T>& v) {
    std::uint64_t size = 0;
    const std::byte* const begin = at_;
    value(size);
    if (!ok_ || size > std::size_t(end_ - at_) / sizeof(T)) {
      ok_ = false;
      return;
    }
    at_ = begin;
    v.resize(size);
    array(v);
  }
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }

 private:
  bool take(std::size_t size) {
    if (!ok_ || std::size_t(end_ - at_) < size) return ok_ = false;
    at_ += size;
    return true;
  }
  const std::byte* at_;
  const std::byte* end_;
  bool ok_ = true;
};

}  // namespace pliant
