// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/traced_scene.hpp"

#include <embree3/rtcore.h>

#include <limits>

#include "pliant/base/check.hpp"

namespace pliant {

struct TracedScene::Impl {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;
  std::vector<RTCGeometry> geometries;
  std::vector<float*> vertices;

  ~Impl() {
    for (RTCGeometry geometry : geometries) rtcReleaseGeometry(geometry);
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }
  void copy(std::size_t body, const Points& positions) {
    float* to = vertices[body];
    for (const Vec3& p : positions)
      for (int c = 0; c < 3; ++c) *to++ = float(p[c]);
  }
};

void LightRays::set(int lane, const Eigen::Vector3f& origin, const Eigen::Vector3f& direction, float from,
                    float to) {
  const auto k = std::size_t(lane);
  ox[k] = origin.x(), oy[k] = origin.y(), oz[k] = origin.z();
  dx[k] = direction.x(), dy[k] = direction.y(), dz[k] = direction.z();
  near[k] = from, far[k] = to;
}

// One build thread: a hierarchy that depends on scheduling could settle ties between triangles differently.
TracedScene::TracedScene() : impl_(std::make_unique<Impl>()) {
  impl_->device = rtcNewDevice("threads=1");
  PLIANT_CHECK(impl_->device != nullptr);
  impl_->scene = rtcNewScene(impl_->device);
  rtcSetSceneFlags(impl_->scene, RTC_SCENE_FLAG_ROBUST);
}
TracedScene::~TracedScene() = default;
TracedScene::TracedScene(TracedScene&&) noexcept = default;

int TracedScene::add(const Points& positions, const std::vector<Triangle>& triangles) {
  RTCGeometry geometry = rtcNewGeometry(impl_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), positions.size()));
  auto* corners = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), triangles.size()));
  for (const Triangle& t : triangles)
    for (Index v : t) *corners++ = unsigned(v);
  const auto body = unsigned(impl_->geometries.size());
  impl_->geometries.push_back(geometry);
  impl_->vertices.push_back(vertices);
  impl_->copy(body, positions);
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(impl_->scene, geometry, body);
  return int(body);
}

void TracedScene::move(int body, const Points& positions) {
  impl_->copy(std::size_t(body), positions);
  RTCGeometry geometry = impl_->geometries[std::size_t(body)];
  rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(geometry);
}

void TracedScene::hide(int body) { rtcDisableGeometry(impl_->geometries[std::size_t(body)]); }

void TracedScene::commit() {
  rtcCommitScene(impl_->scene);
  PLIANT_CHECK(rtcGetDeviceError(impl_->device) == RTC_ERROR_NONE);
}

std::optional<TracedHit> TracedScene::nearest(const Eigen::Vector3f& origin,
                                              const Eigen::Vector3f& direction) const {
  RTCRayHit query{};
  query.ray.org_x = origin.x(), query.ray.org_y = origin.y(), query.ray.org_z = origin.z();
  query.ray.dir_x = direction.x(), query.ray.dir_y = direction.y(), query.ray.dir_z = direction.z();
  query.ray.tfar = std::numeric_limits<float>::infinity();
  query.ray.mask = unsigned(-1);
  query.hit.geomID = query.hit.primID = RTC_INVALID_GEOMETRY_ID;
  query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  rtcIntersect1(impl_->scene, &context, &query);
  if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
  return TracedHit{int(query.hit.geomID), Index(query.hit.primID), query.ray.tfar, query.hit.u, query.hit.v};
}

void TracedScene::occlude(LightRays& rays) const {
  RTCRay8 query;
  alignas(32) int valid[LightRays::lanes];
  for (std::size_t k = 0; k < LightRays::lanes; ++k) {
    valid[k] = -1;
    query.org_x[k] = rays.ox[k], query.org_y[k] = rays.oy[k], query.org_z[k] = rays.oz[k];
    query.dir_x[k] = rays.dx[k], query.dir_y[k] = rays.dy[k], query.dir_z[k] = rays.dz[k];
    query.tnear[k] = rays.near[k], query.tfar[k] = rays.far[k];
    query.time[k] = 0;
    query.mask[k] = unsigned(-1), query.id[k] = unsigned(k), query.flags[k] = 0;
  }
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded8(valid, impl_->scene, &context, &query);
  for (std::size_t k = 0; k < LightRays::lanes; ++k) rays.blocked[k] = query.tfar[k] < 0;
}

}  // namespace pliant
