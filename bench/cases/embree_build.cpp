// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/embree_build.hpp"

#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bench/harness/timing.hpp"

namespace pliant::bench {

Time embree_build(const TriMesh& mesh, int threads) {
  const RTCDevice device = rtcNewDevice(fmt::format("threads={}", threads).c_str());
  if (!device) throw std::runtime_error("Embree gives no device");
  const RTCScene scene = rtcNewScene(device);
  const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), mesh.vertices.size()));
  auto* corners = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), mesh.triangles.size()));
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    for (int c = 0; c < 3; ++c) vertices[3 * i + std::size_t(c)] = float(mesh.vertices[i][c]);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) corners[3 * i + c] = unsigned(mesh.triangles[i][c]);
  const Stopwatch watch;
  const CpuStopwatch cpu;
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcCommitScene(scene);
  const Time time{watch.ms(), cpu.ms()};
  rtcReleaseGeometry(geometry);
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
  return time;
}

}  // namespace pliant::bench
