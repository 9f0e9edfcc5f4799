// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/meshes.hpp"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <vector>

namespace pliant::soak {
namespace {

struct Obj {
  std::string text;
  int vertices = 0;

  int vertex(const Vec3& p) {
    text += fmt::format("v {:.6g} {:.6g} {:.6g}\n", p.x(), p.y(), p.z());
    return ++vertices;
  }
  void face(std::initializer_list<int> corners) {
    text += "f";
    for (const int c : corners) text += fmt::format(" {}", c);
    text += "\n";
  }
};

/// A ball with a radius of its own for every vertex.
void lump(Dice& dice, Obj& obj) {
  const int rings = dice.from(3, 6), around = dice.from(4, 9);
  const double noise = dice.one_of({0.0, 0.05, 0.3});
  const auto at = [&](double polar, double turn) {
    const double r = 0.5 * (1 + dice.between(-noise, noise));
    return Vec3(r * std::sin(polar) * std::cos(turn), r * std::cos(polar),
                r * std::sin(polar) * std::sin(turn));
  };
  const int top = obj.vertex(at(0, 0)), bottom = obj.vertex(at(std::numbers::pi, 0));
  const int first = obj.vertices + 1;
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < around; ++j)
      obj.vertex(at(std::numbers::pi * i / rings, 2 * std::numbers::pi * j / around));
  const auto ring = [&](int i, int j) { return first + (i - 1) * around + j % around; };
  for (int j = 0; j < around; ++j) {
    obj.face({top, ring(1, j + 1), ring(1, j)});
    for (int i = 1; i + 1 < rings; ++i)
      obj.face({ring(i, j), ring(i, j + 1), ring(i + 1, j + 1), ring(i + 1, j)});
    obj.face({bottom, ring(rings - 1, j), ring(rings - 1, j + 1)});
  }
}

/// Open, with bumps.
void strip(Dice& dice, Obj& obj) {
  const int along = dice.from(2, 7), across = dice.from(1, 4);
  const int first = obj.vertices + 1;
  for (int i = 0; i <= along; ++i)
    for (int j = 0; j <= across; ++j)
      obj.vertex({double(i) / along - 0.5, dice.between(-0.03, 0.03), 0.4 * j / across - 0.2});
  const auto at = [&](int i, int j) { return first + i * (across + 1) + j; };
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < across; ++j) obj.face({at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
}

void cube(Obj& obj, const Vec3& centre, double edge) {
  const int first = obj.vertices + 1;
  for (int k = 0; k < 8; ++k)
    obj.vertex(centre + edge * Vec3(double(k & 1) - 0.5, double(k >> 1 & 1) - 0.5, double(k >> 2 & 1) - 0.5));
  constexpr std::array<std::array<int, 4>, 6> faces{
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (const auto& f : faces) obj.face({first + f[0], first + f[1], first + f[2], first + f[3]});
}

/// Triangles anywhere.
void soup(Dice& dice, Obj& obj) {
  for (int k = dice.from(1, 20); k > 0; --k) {
    const Vec3 at = dice.in_cube(0.4);
    const int a = obj.vertex(at + dice.in_cube(0.2)), b = obj.vertex(at + dice.in_cube(0.2));
    obj.face({a, b, obj.vertex(at + dice.in_cube(0.2))});
  }
}

/// Both ends are open.
void tube(Dice& dice, Obj& obj) {
  const int around = dice.from(3, 8), along = dice.from(1, 5), first = obj.vertices + 1;
  for (int i = 0; i <= along; ++i)
    for (int j = 0; j < around; ++j) {
      const double turn = 2 * std::numbers::pi * j / around;
      obj.vertex({0.2 * std::cos(turn), double(i) / along - 0.5, 0.2 * std::sin(turn)});
    }
  const auto at = [&](int i, int j) { return first + i * around + j % around; };
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < around; ++j) obj.face({at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
}

}  // namespace

std::string random_mesh(Dice& dice) {
  Obj obj;
  switch (dice.below(8)) {
    case 0:
      strip(dice, obj);
      break;
    case 1:
      soup(dice, obj);
      break;
    case 2:
      tube(dice, obj);
      break;
    case 3:  // apart, or through each other
      cube(obj, {-0.25, 0, 0}, 0.4);
      cube(obj, {dice.between(-0.1, 0.4), 0.1, 0.05}, 0.35);
      break;
    case 4:
      cube(obj, {0, 0, 0}, 0.8);
      break;
    default:
      lump(dice, obj);
  }
  return obj.text;
}

}  // namespace pliant::soak
