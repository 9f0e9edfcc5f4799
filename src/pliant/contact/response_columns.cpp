// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/response_columns.hpp"

namespace pliant {

void ResponseColumns::flush() {
  for (Column& column : columns_) column.vertex = -1;
  std::fill(slot_of_.begin(), slot_of_.end(), -1);
}

void ResponseColumns::begin(std::span<const Index> vertices, Index rows) {
  slot_of_.resize(std::size_t(rows), -1);
  ++uses_;
  for (const Index v : vertices)
    if (const Index at = slot_of_[std::size_t(v)]; at >= 0) columns_[std::size_t(at)].used = uses_;
}

Index ResponseColumns::slot(std::size_t length, std::size_t needed) {
  const std::size_t most = std::max(most_bytes_ / (sizeof(float) * std::max<std::size_t>(1, length)), needed);
  Index oldest = -1;
  for (Index s = 0; s < Index(columns_.size()); ++s) {
    if (columns_[std::size_t(s)].vertex < 0) return s;
    if (oldest < 0 || columns_[std::size_t(s)].used < columns_[std::size_t(oldest)].used) oldest = s;
  }
  if (columns_.size() < most) {
    columns_.emplace_back();
    return Index(columns_.size()) - 1;
  }
  slot_of_[std::size_t(columns_[std::size_t(oldest)].vertex)] = -1;
  return oldest;
}

std::size_t ResponseColumns::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Column& column : columns_) bytes += sizeof(float) * column.value.size();
  return bytes;
}

}  // namespace pliant
