// SPDX-License-Identifier: Apache-2.0
// Files that are read by name: point caches (PC2, MDD), directions of fibres, the stored basis of a reduced body.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "pliant/base/seal.hpp"
#include "pliant/io/point_cache.hpp"
#include "pliant/methods/geometric/reduced/stored_basis.hpp"
#include "pliant/scene/build_fibres.hpp"
#include "tests/fuzz/check_mesh.hpp"

namespace {

using namespace pliant;

void check_cache(const Result<PointCache>& cache) {
  if (!cache) return demand(!cache.error().text().empty());
  demand(cache->positions.size() == 3 * cache->vertices * cache->frames);
  for (std::size_t k = 0; k < cache->frames && cache->vertices > 0; ++k)
    demand(cache->points(k).size() == cache->vertices);
}

/// A file in memory that keeps its name.
struct MemoryFile {
  int descriptor = memfd_create("fuzz", 0);
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  void fill(const unsigned char* data, std::size_t size) const {
    demand(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, data, size, 0) == ssize_t(size));
  }
};

void check_basis(const unsigned char* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size), why;
  if (size < sizeof(Seal) + 8) return;
  const Seal seal{.magic = {'p', 'l', 'i', 'a', 'n', 't', 'p', 'h'}, .version = 1, .key = 3};
  std::memcpy(text.data(), &seal, sizeof seal);
  const std::uint64_t checksum = hash_bytes(text.data(), size - 8);
  std::memcpy(text.data() + size - 8, &checksum, 8);
  const auto basis = geometric::unpack_basis(text, 3, why);
  demand(basis.has_value() == why.empty());
  if (basis) demand(geometric::unpack_basis(geometric::pack_basis(*basis, 3), 3, why).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const MemoryFile file;
  if (size < 1) return -1;
  if (data[0] % 4 == 3) return check_basis(data + 1, size - 1), 0;
  file.fill(data + 1, size - 1);
  if (data[0] % 4 == 0) check_cache(read_pc2(file.path));
  if (data[0] % 4 == 1) check_cache(read_mdd(file.path));
  if (data[0] % 4 == 2) {
    Problems problems;
    const Points directions = read_directions(file.path, 3, "place", problems);
    demand(problems.empty() == (directions.size() == 3));
  }
  return 0;
}
