// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/camera.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace pliant {
namespace {

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

}  // namespace

Eigen::Vector2d Camera::project(const Vec3& point, double aspect) const {
  const Vec3 d = point - eye;
  const double scale = 1 / (d.dot(forward) * half_height);
  return {d.dot(right) * scale / aspect, d.dot(up) * scale};
}

Framing::Framing(const View& view, double aspect) : view_(view) {
  const double a = radians(view.azimuth), e = radians(std::clamp(view.elevation, -89.0, 89.0));
  camera_.forward = -Vec3(std::sin(a) * std::cos(e), std::sin(e), std::cos(a) * std::cos(e));
  camera_.right = camera_.forward.cross(Vec3::UnitY()).normalized();
  camera_.up = camera_.right.cross(camera_.forward);
  camera_.half_height = std::tan(radians(view.field) / 2);
  const double inside = camera_.half_height * (1 - 2 * view.margin);
  slope_ = Eigen::Vector2d(inside * aspect, inside);
  high_.setConstant(-std::numeric_limits<double>::infinity());
  low_ = high_;
  nearest_ = high_.x();
}

void Framing::add(std::span<const Vec3> points) {
  for (const Vec3& p : points) {
    const Eigen::Vector2d c(p.dot(camera_.right), p.dot(camera_.up));
    const double z = -p.dot(camera_.forward);
    high_ = high_.cwiseMax(c + z * slope_);
    low_ = low_.cwiseMax(-c + z * slope_);
    nearest_ = std::max(nearest_, z);
  }
}

// An eye at (cx, cy, d) sees point (x, y, z) inside when |x - cx| <= (d - z) sx, which is
// x + z sx <= d sx + cx and -x + z sx <= d sx - cx: the two maxima give the smallest d and its centre.
Camera Framing::camera() const {
  Camera camera = camera_;
  if (!std::isfinite(nearest_)) return camera;
  const Eigen::Vector2d center = (high_ - low_) / 2;
  const double fitting = ((high_ + low_).array() / (2 * slope_).array()).maxCoeff();
  camera.half_height /= view_.zoom;
  camera.eye = center.x() * camera.right + center.y() * camera.up -
               std::max(fitting, nearest_ + 1e-9) * camera.forward;
  return camera;
}

}  // namespace pliant
