// SPDX-License-Identifier: Apache-2.0
// Contact problems of islands as they were met, against a solver of their own: Newton's method on the equations of
// [AlartCurnier91] in long double, over a dense W that is put together here from the numbers of the file. Velocities
// agree to 1e-6 m/s. Impulses need not: where more contacts carry than must, they are not unique.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "pliant/island/island_problem.hpp"
#include "tests/support/places.hpp"
#include "tests/support/source_text.hpp"

namespace pliant {
namespace contact_oracle_test {

using Json = nlohmann::json;
using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Vec3l = Eigen::Matrix<Real, 3, 1>;
using Mat3l = Eigen::Matrix<Real, 3, 3>;

template <class Vector3>
Vector3 vector_of(const Json& json) {
  return Vector3(json[0], json[1], json[2]);
}
template <class Matrix3>
Matrix3 matrix_of(const Json& json) {
  Matrix3 m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = json[std::size_t(i)].get<double>();
  return m;
}

/// u = W r + f; axes of row c are at 3c: normal and two across.
struct Dense {
  Matrix w;
  Vector f;
  std::vector<Real> friction;
  std::vector<Mat3l> axes;
  Eigen::Index rows() const { return Eigen::Index(friction.size()); }
};

Mat3l turning_of(const Vec3l& lever) {  // P w = w x lever
  Mat3l p;
  p << 0, lever.z(), -lever.y(), -lever.z(), 0, lever.x(), lever.y(), -lever.x(), 0;
  return p;
}

Dense dense_of(const Json& problem) {
  Dense out;
  const Json& rows = problem["rows"];
  const Eigen::Index m = Eigen::Index(rows.size());
  out.w.setZero(3 * m, 3 * m);
  out.f.resize(3 * m);
  for (const Json& row : rows) {
    const Vec3l normal = vector_of<Vec3l>(row["normal"]).normalized();
    Mat3l axes;
    axes.col(0) = normal;
    axes.col(1) = normal.unitOrthogonal();
    axes.col(2) = normal.cross(Vec3l(axes.col(1)));
    const Vec3l free = vector_of<Vec3l>(row["free"]) + Real(row["bias"].get<double>()) * normal;
    out.f.segment<3>(3 * out.rows()) = axes.transpose() * free;
    out.friction.push_back(row["friction"].get<double>());
    out.axes.push_back(axes);
  }
  for (Eigen::Index c = 0; c < m; ++c)
    for (Eigen::Index d = 0; d < m; ++d) {
      Mat3l block = Mat3l::Zero();
      for (const Json& a : rows[std::size_t(c)]["shares"])
        for (const Json& b : rows[std::size_t(d)]["shares"]) {
          if (a[0] != b[0]) continue;
          const Json& part = problem["parts"][a[0].get<std::size_t>()];
          const std::size_t i = a[1], j = b[1], size = part["rows"].size();
          Mat3l w = Real(part["s"][i * size + j].get<double>()) * Mat3l::Identity();
          const Json &p = part["rows"][i], &q = part["rows"][j];
          if (part["split"].get<bool>() && p["part"] == q["part"]) {
            const Json& turns = part["parts"][p["part"].get<std::size_t>()];
            w += turning_of(vector_of<Vec3l>(p["lever"])) * matrix_of<Mat3l>(turns["inertia"]) *
                 turning_of(vector_of<Vec3l>(q["lever"])).transpose();
            w -= turning_of(vector_of<Vec3l>(p["shadow"])) * matrix_of<Mat3l>(turns["inverse_shadow"]) *
                 turning_of(vector_of<Vec3l>(q["shadow"])).transpose();
          }
          block += w;
        }
      out.w.block<3, 3>(3 * c, 3 * d) =
          out.axes[std::size_t(c)].transpose() * block * out.axes[std::size_t(d)];
    }
  return out;
}

/// The residual of r, over the response of each row; with `slope` its derivative.
Vector residual_of(const Dense& p, const Vector& r, Matrix* slope = nullptr) {
  const Vector u = p.w * r + p.f;
  Vector out(r.size());
  if (slope) slope->setZero(r.size(), r.size());
  for (Eigen::Index c = 0; c < p.rows(); ++c) {
    const Eigen::Index k = 3 * c;
    const Real rho = 1 / p.w.block<3, 3>(k, k).trace(), mu = p.friction[std::size_t(c)];
    const Vec3l a = r.segment<3>(k) - rho * u.segment<3>(k);
    const auto towards = a.tail<2>();
    const Real length = towards.norm();
    if (a[0] <= 0) {
      out.segment<3>(k) = r.segment<3>(k);
      if (slope) slope->block<3, 3>(k, k).setIdentity();
      continue;
    }
    out.segment<3>(k) = rho * u.segment<3>(k);
    if (slope) slope->middleRows(k, 3) = rho * p.w.middleRows(k, 3);
    if (length <= mu * a[0]) continue;
    const Eigen::Matrix<Real, 2, 1> d = towards / length;
    out.segment<2>(k + 1) = r.segment<2>(k + 1) - mu * a[0] * d;
    if (!slope) continue;
    Matrix change = -rho * p.w.middleRows(k, 3);  // of a
    change.block<3, 3>(0, k) += Mat3l::Identity();
    const Eigen::Matrix<Real, 2, 2> across = Eigen::Matrix<Real, 2, 2>::Identity() - d * d.transpose();
    slope->middleRows(k + 1, 2) =
        -mu * d * change.row(0) - mu * a[0] / length * across * change.bottomRows(2);
    slope->block<2, 2>(k + 1, k + 1) += Eigen::Matrix<Real, 2, 2>::Identity();
  }
  return out;
}

/// In velocities, m/s.
Real error_of(const Dense& p, const Vector& r) {
  const Vector residual = residual_of(p, r);
  Real most = 0;
  for (Eigen::Index c = 0; c < p.rows(); ++c)
    most = std::max(most, residual.segment<3>(3 * c).norm() * p.w.block<3, 3>(3 * c, 3 * c).trace());
  return most;
}

/// From nothing, with a step that W bounds, accelerated.
Vector descend(const Dense& p) {
  Vector r = Vector::Zero(p.w.rows()), y = r, before = r;
  Real bound = 0;  // of the eigenvalues of W
  for (Eigen::Index k = 0; k < p.w.rows(); ++k) bound = std::max(bound, p.w.row(k).cwiseAbs().sum());
  Real beta = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vector u = p.w * y + p.f;
    before = r;
    for (Eigen::Index c = 0; c < p.rows(); ++c) {
      Vec3l a = y.segment<3>(3 * c) - u.segment<3>(3 * c) / bound;
      const Real most = p.friction[std::size_t(c)] * std::max<Real>(a[0], 0), length = a.tail<2>().norm();
      if (length > most) a.tail<2>() *= most / length;
      a[0] = std::max<Real>(a[0], 0);
      r.segment<3>(3 * c) = a;
    }
    beta = u.dot(r - before) > 0 ? 0 : std::min<Real>(0.99, beta + Real(0.01));
    y = r + beta * (r - before);
  }
  return r;
}

/// The solution that Newton's method finds from there.
Vector solve(const Dense& p, Vector r) {
  Matrix slope;
  Real error = error_of(p, r);
  for (int k = 0; k < 60 && error > 1e-12; ++k) {
    const Vector residual = residual_of(p, r, &slope);
    const Vector step = slope.completeOrthogonalDecomposition().solve(residual);
    Real share = 1, next = 0;
    while ((next = error_of(p, r - share * step)) > (1 - share / 100) * error && share > 1e-3) share /= 2;
    r -= share * step;
    error = next;
  }
  return r;
}

/// The same problem as the library poses it.
struct Posed {
  std::vector<ContactProblem> problems;
  std::vector<IslandPart> parts;
  IslandProblem island;
};

void pose(const Json& problem, Posed& out) {
  out.problems.resize(problem["parts"].size());
  for (std::size_t k = 0; k < out.problems.size(); ++k) {
    const Json& part = problem["parts"][k];
    ContactProblem& own = out.problems[k];
    const Index n = Index(part["rows"].size());
    own.reset(n, Index(part["parts"].size()), part["split"]);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) own.s(i, j) = part["s"][std::size_t(i * n + j)];
      const Json& row = part["rows"][std::size_t(i)];
      own.row(i).part = row["part"];
      own.row(i).lever = vector_of<Vec3>(row["lever"]);
      own.row(i).shadow = vector_of<Vec3>(row["shadow"]);
    }
    for (std::size_t i = 0; i < part["parts"].size(); ++i) {
      own.part(Index(i)).inverse_inertia = matrix_of<Mat3>(part["parts"][i]["inertia"]);
      own.part(Index(i)).inverse_shadow = matrix_of<Mat3>(part["parts"][i]["inverse_shadow"]);
    }
    own.prepare();
    out.parts.push_back({&own});
  }
  for (const Json& json : problem["rows"]) {
    IslandRow row;
    row.normal = vector_of<Vec3>(json["normal"]);
    row.friction = json["friction"];
    row.bias = json["bias"];
    row.free = vector_of<Vec3>(json["free"]);
    for (std::size_t k = 0; k < json["shares"].size(); ++k)
      row.shares[k] = {json["shares"][k][0], json["shares"][k][1]};
    out.island.rows().push_back(row);
  }
  out.island.prepare(out.parts);
}

/// The largest difference of velocities, m/s, between the library's answer and the oracle's: the solution that it finds
/// from nothing, or the one next to the library's.
double difference(Json problem, bool from_nothing) {
  const Dense dense = dense_of(problem);
  Posed posed;
  pose(problem, posed);
  posed.island.solve(20000, 1e-9);
  Vector found(dense.w.rows());
  for (Eigen::Index c = 0; c < dense.rows(); ++c)
    found.segment<3>(3 * c) =
        dense.axes[std::size_t(c)].transpose() * posed.island.rows()[std::size_t(c)].impulse.cast<Real>();
  const Vector exact = solve(dense, from_nothing ? descend(dense) : found);
  EXPECT_LT(double(error_of(dense, exact)), 1e-11);
  const Vector expected = dense.w * exact + dense.f;
  EXPECT_GT(double((dense.w * exact).norm()), 0.1);  // they push
  double most = 0;
  for (Eigen::Index c = 0; c < dense.rows(); ++c) {
    const IslandRow& row = posed.island.rows()[std::size_t(c)];
    const Vec3 u = posed.island.velocity(Index(c)) + row.bias * row.normal;
    const Vec3l wanted = dense.axes[std::size_t(c)] * Vec3l(expected.segment<3>(3 * c));
    most = std::max(most, (u - wanted.cast<double>()).norm());
  }
  return most;
}

Json read_problem(const std::string& name) {
  return Json::parse(text_of_file(source_folder() + "/tests/data/contact_problems/" + name + ".json"));
}

TEST(ContactOracle, agrees_with_the_velocities_of_islands_to_1e_6) {
  for (const char* name : {"stack", "hundredfold"})
    EXPECT_LT(difference(read_problem(name), true), 1e-6) << name;
}

TEST(ContactOracle, agrees_without_friction_where_there_is_one_answer) {
  for (const char* name : {"stack", "hundredfold", "impact"}) {
    Json problem = read_problem(name);
    for (Json& row : problem["rows"]) row["friction"] = 0;
    EXPECT_LT(difference(problem, true), 1e-6) << name;
  }
}

// Coulomb's law gives bodies that hit each other and turn more than one answer.
TEST(ContactOracle, finds_the_answer_of_an_impact_to_be_one) {
  EXPECT_LT(difference(read_problem("impact"), false), 1e-6);
}

}  // namespace contact_oracle_test
}  // namespace pliant
