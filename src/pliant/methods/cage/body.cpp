// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/body.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "pliant/base/check.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/math/polar.hpp"
#include "pliant/math/rotation.hpp"

namespace pliant::cage {
namespace {

constexpr int block = 4;                // batches that a part of the pool's work has
constexpr double face_stiffness = 0.1;  // of a face that closes, over mu times its part of the volume
constexpr int rotation_iterations = 3;
static_assert(sizeof(PointBatch<float>) == sizeof(RotationBatch));

Vec3 mean(const Columns& x) { return x.rowwise().mean(); }

/// v with v . w = sum over a, b of w . (e_a x e_b) m_ab.
Vec3 axial(const Mat3& m) { return {m(1, 2) - m(2, 1), m(2, 0) - m(0, 2), m(0, 1) - m(1, 0)}; }

void rotations(PointBatch<float>* batches, int count) {
  nearest_rotations(reinterpret_cast<RotationBatch*>(batches), count, rotation_iterations);
}

void rotations(PointBatch<double>* batches, int count) {
  for (int b = 0; b < count; ++b)
    for (int lane = 0; lane < lanes; ++lane) {
      PointBatch<double>& at = batches[b];
      Mat3 f;
      for (int k = 0; k < 9; ++k) f(k / 3, k % 3) = at.a[k][lane];
      const Eigen::Quaterniond q =
          polar_rotation(f, {at.q[0][lane], at.q[1][lane], at.q[2][lane], at.q[3][lane]});
      const Mat3 r = q.toRotationMatrix();
      at.q[0][lane] = q.w(), at.q[1][lane] = q.x(), at.q[2][lane] = q.y(), at.q[3][lane] = q.z();
      for (int k = 0; k < 9; ++k) at.r[k][lane] = r(k / 3, k % 3);
    }
}

template <class T>
void rest_batches(AlignedVector<PointBatch<T>>& batches) {
  for (PointBatch<T>& b : batches)
    for (int lane = 0; lane < lanes; ++lane) {
      for (int k = 0; k < 4; ++k) b.q[k][lane] = T(k == 0);
      for (int k = 0; k < 9; ++k) b.r[k][lane] = b.a[k][lane] = T(k % 4 == 0);
    }
}

}  // namespace

Body::Body(Model model, const Damping& damping, const Options& options, double setup_ms)
    : model_(std::move(model)), damping_(damping), options_(options), setup_ms_(setup_ms) {
  const Index n = model_.n(), rows = model_.rows();
  hold_stiffness_ = options_.hold * options_.stiffness * model_.size;
  fictitious_ = options_.regularisation * model_.total_mass / double(n);
  opening_ = face_stiffness * model_.mu * model_.volume / double(model_.t());
  mass_blocks_ = blocked(model_.mass);
  state_.x.resize(3, n);
  for (Index i = 0; i < n; ++i) state_.x.col(i) = model_.cage.vertices[std::size_t(i)];
  state_.velocity = Columns::Zero(3, rows);
  if (options_.plasticity) state_.plastic.assign(6 * std::size_t(model_.count()), 0.0);
  for (Columns* c : {&z_, &z1_, &big_, &new_velocity_, &force_, &hat_, &hat_seen_, &start_z_, &told_})
    *c = Columns::Zero(3, rows);
  for (Columns* c : {&new_x_, &local_, &solved_, &shift_, &moved_}) *c = Columns::Zero(3, n);
  y_ = Columns::Zero(3, model_.t());
  modes_.setZero(3 * n, 6);
  product_.assign(std::size_t((rows + lanes - 1) / lanes + 1) * 3 * lanes, 0.0);
  jacobians_.resize(std::size_t(model_.t()));
  choose_contact_points();
  nodes_ = {model_.nodes, Points(model_.nodes.size(), Vec3::Zero()), model_.node_mass};
  if (options_.precision == Precision::single) {
    make_work<float>();
    start_looking<float>(alone_);
  } else {
    make_work<double>();
    start_looking<double>(alone_);
  }
}

template <class T>
void Body::make_work() {
  Work<T>& w = work<T>();
  const std::size_t batches = std::size_t(model_.batches());
  const int n3 = 3 * int(model_.n());
  w.z.assign(3 * std::size_t(model_.rows()), T(0));
  w.stress.assign(batches * 9 * lanes, T(0));
  w.force.assign(3 * std::size_t(model_.rows()), T(0));
  if (options_.normals == Normals::consistent)
    w.rows.assign(std::size_t(n3) * batches * lanes * 6, T(0));
  else
    w.rows.assign(panel_size(n3, int(model_.count())), T(0));
  w.gram.assign(panel_size(n3, padded(n3)), T(0));
  w.system = w.gram;
  w.right.assign(std::size_t(padded(n3)), T(0));
  w.jacobian.assign(9 * model_.around_face.size(), T(0));
  w.energy.assign(batches, 0.0);
  if (options_.plasticity) w.plastic.assign(batches * 6 * lanes, T(0));
  state_.look<T>().batches.resize(batches);
  rest_batches(state_.look<T>().batches);
  w.trial = state_.look<T>();
}

/// z = R^T [x - c | y].
void Body::set_local(const Columns& x, const Vec3& c, const Mat3& rotation, Columns& z) const {
  const Index n = model_.n();
  for (Index i = 0; i < n; ++i) z.col(i) = rotation.transpose() * (x.col(i) - c);
  for (Index j = 0; j < model_.t(); ++j) {
    const FaceRest& face = model_.faces[std::size_t(j)];
    const Vec3 p = z.col(face.corner[0]);
    z.col(n + j) = scaled_normal(face, z.col(face.corner[1]) - p, z.col(face.corner[2]) - p, nullptr);
  }
}

/// Frame, strains, rotations and energy at x. The look's own frame and rotations are where the search starts.
/// z_ is Z in the frame afterwards, the weighted stress is in the work. y: the normals at x, when known.
template <class T>
void Body::look_at(const Columns& x, Look<T>& look, Pool& pool, const Columns* y) {
  Work<T>& w = work<T>();
  const Index n = model_.n(), rows = model_.rows();
  const Vec3 c = mean(x);
  Mat3 spread = Mat3::Zero();
  for (Index i = 0; i < n; ++i) spread += (x.col(i) - c) * model_.rest.col(i).transpose();
  look.frame = polar_rotation(spread / spread.norm(), look.frame);
  const Mat3 frame = look.frame.toRotationMatrix();
  if (y) {
    for (Index i = 0; i < n; ++i) z_.col(i) = frame.transpose() * (x.col(i) - c);
    for (Index j = 0; j < model_.t(); ++j) z_.col(n + j) = frame.transpose() * y->col(j);
  } else {
    set_local(x, c, frame, z_);
  }
  for (Index r = 0; r < rows; ++r)
    for (int k = 0; k < 3; ++k) w.z[std::size_t(3 * r + k)] = T(z_(k, r) - model_.rest(k, r));
  const CageKernels<T>& kernel = kernels<T>();
  const PointFields<T>& fields = model_.fields<T>();
  for_blocks(pool, model_.batches(), block, [&](int begin, int end) {
    kernel.strain(fields.batch(begin, rows), int(rows), int(rows), w.z.data(), T(1), end - begin,
                  &look.batches[std::size_t(begin)]);
    rotations(&look.batches[std::size_t(begin)], end - begin);
  });
  look.energy = stress_of(look, pool);
}

template <class T>
double Body::stress_of(const Look<T>& look, Pool& pool) {
  Work<T>& w = work<T>();
  const CageKernels<T>& kernel = kernels<T>();
  const PointFields<T>& fields = model_.fields<T>();
  const Material<T> material{T(2 * model_.mu), T(model_.lambda)};
  for_blocks(pool, model_.batches(), 4 * block, [&](int begin, int end) {
    for (int b = begin; b < end; ++b) {
      const T* plastic = w.plastic.empty() ? nullptr : w.plastic.data() + std::size_t(b) * 6 * lanes;
      w.energy[std::size_t(b)] =
          kernel.stress(&look.batches[std::size_t(b)].a[0][0], fields.weight.data() + std::size_t(b) * lanes,
                        plastic, material, w.stress.data() + std::size_t(b) * 9 * lanes);
    }
  });
  double sum = 0;
  for (const double e : w.energy) sum += e;
  return sum;
}

template <class T>
void Body::load_plastic() {
  Work<T>& w = work<T>();
  for (std::size_t q = 0; 6 * q < state_.plastic.size(); ++q)
    for (std::size_t k = 0; k < 6; ++k)
      w.plastic[(q / lanes * 6 + k) * lanes + q % lanes] = T(state_.plastic[6 * q + k]);
}

/// Everything that follows from positions, velocities and permanent strain, without memory of before.
template <class T>
void Body::start_looking(Pool& pool) {
  Look<T>& look = state_.look<T>();
  look.frame.setIdentity();
  rest_batches(look.batches);
  load_plastic<T>();
  look_at(state_.x, look, pool);
  work<T>().trial = look;
  state_.whole = whole_of(state_.x, state_.velocity, nullptr);
  shown_ = false;
}

/// second: sum of m (x - c)(x - c)^T about the centre of mass c, when asked for.
Whole Body::whole_of(const Columns& x, const Columns& velocity, Mat3* second) {
  const Vec3 c = mean(x);
  big_.leftCols(model_.n()) = x.colwise() - c;
  scaled_normals(model_.faces, x, big_.rightCols(model_.t()));
  return whole_about(c, velocity, second);
}

/// The same where big_ is Z from c already.
Whole Body::whole_about(const Vec3& c, const Columns& velocity, Mat3* second) {
  const Index rows = model_.rows();
  const CageKernels<double>& kernel = kernels<double>();
  Whole out;
  Vec3 arm = Vec3::Zero();
  Mat3 across = Mat3::Zero(), spread = Mat3::Zero();  // V M Z^T, Z M Z^T
  double* product = product_.data();
  for (Index b = 0; b * lanes < rows; ++b) {
    const double* mass = mass_blocks_.data() + std::size_t(b) * std::size_t(rows) * lanes;
    if (second)
      kernel.gather_two(mass, int(rows), velocity.data(), big_.data(), product);
    else
      kernel.gather(mass, int(rows), velocity.data(), product);
    for (Index r = b * lanes; r < std::min((b + 1) * lanes, rows); ++r) {
      const auto at = [&](int k) { return product[k * lanes + r % lanes]; };
      const Vec3 z = big_.col(r), moving(at(0), at(1), at(2));
      out.kinetic += moving.dot(velocity.col(r)) / 2;
      across += moving * z.transpose();
      if (second) spread += Vec3(at(3), at(4), at(5)) * z.transpose();
      arm += model_.mass_sum[r] / model_.total_mass * z;
      out.momentum += model_.mass_sum[r] * velocity.col(r);
    }
  }
  out.centre = c + arm;
  out.spin = -axial(across) - arm.cross(out.momentum);
  if (second) *second = spread - model_.total_mass * arm * arm.transpose();
  return out;
}

/// The velocity of Z when the vertices have v: normals follow, dy/dt = J v. The normals themselves are in y_.
void Body::follow(const Eigen::Ref<const Columns>& x, const Columns& v, Columns& velocity) {
  const Index n = model_.n();
  normal_jacobians(model_.faces, x, jacobians_, &y_);
  velocity.leftCols(n) = v;
  for (Index j = 0; j < model_.t(); ++j) {
    const Triangle& t = model_.faces[std::size_t(j)].corner;
    const FaceJacobian& dy = jacobians_[std::size_t(j)];
    velocity.col(n + j) = dy[0] * v.col(t[0]) + dy[1] * v.col(t[1]) + dy[2] * v.col(t[2]);
  }
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.nodes.size() && v.size() == model_.nodes.size());
  Columns at(3, model_.count()), rate(3, model_.count());
  const Vec3 origin = x[std::size_t(model_.points[0])];
  for (Index q = 0; q < model_.count(); ++q) {
    at.col(q) = x[std::size_t(model_.points[std::size_t(q)])] - origin;
    rate.col(q) = v[std::size_t(model_.points[std::size_t(q)])];
  }
  state_.x = (at * model_.fit.transpose()).colwise() + origin;
  new_x_ = rate * model_.fit.transpose();
  follow(state_.x, new_x_, state_.velocity);
  state_.contacts.clear();
  state_.sides.clear();
  std::fill(state_.more.begin(), state_.more.end(), -1);
  if (options_.precision == Precision::single)
    start_looking<float>(alone_);
  else
    start_looking<double>(alone_);
}

/// Energy and forces (on Z, in the world) in double precision, whatever the precision of the step.
void Body::exact(double* energy, Columns* force) const {
  const Index rows = model_.rows();
  const bool single = options_.precision == Precision::single;
  const Mat3 frame = (single ? state_.single.frame : state_.twice.frame).toRotationMatrix();
  const Vec3 c = mean(state_.x);
  Columns z(3, rows);
  set_local(state_.x, c, frame, z);
  AlignedVector<double> dz(std::size_t(3 * rows)), stress(std::size_t(model_.batches()) * 9 * lanes);
  for (Index r = 0; r < rows; ++r)
    for (int k = 0; k < 3; ++k) dz[std::size_t(3 * r + k)] = z(k, r) - model_.rest(k, r);
  const CageKernels<double>& kernel = kernels<double>();
  const Material<double> material{2 * model_.mu, model_.lambda};
  AlignedVector<double> plastic(state_.plastic.empty() ? 0 : std::size_t(model_.batches()) * 6 * lanes, 0.0);
  for (std::size_t q = 0; 6 * q < state_.plastic.size(); ++q)
    for (std::size_t k = 0; k < 6; ++k)
      plastic[(q / lanes * 6 + k) * lanes + q % lanes] = state_.plastic[6 * q + k];
  double sum = 0;
  for (int b = 0; b < model_.batches(); ++b) {
    PointBatch<double> batch;
    for (int lane = 0; lane < lanes; ++lane)
      for (int k = 0; k < 4; ++k)
        batch.q[k][lane] = single ? double(state_.single.batches[std::size_t(b)].q[k][lane])
                                  : state_.twice.batches[std::size_t(b)].q[k][lane];
    kernel.strain(model_.twice.batch(b, rows), int(rows), int(rows), dz.data(), 1, 1, &batch);
    for (int lane = 0; lane < lanes; ++lane) {
      double square = 0;
      for (int k = 0; k < 4; ++k) square += batch.q[k][lane] * batch.q[k][lane];
      for (int k = 0; k < 4; ++k) batch.q[k][lane] /= std::sqrt(square);
    }
    rotations(&batch, 1);
    sum += kernel.stress(&batch.a[0][0], model_.twice.weight.data() + std::size_t(b) * lanes,
                         plastic.empty() ? nullptr : plastic.data() + std::size_t(b) * 6 * lanes, material,
                         stress.data() + std::size_t(b) * 9 * lanes);
  }
  if (energy) *energy = sum;
  if (!force) return;
  AlignedVector<double> f(std::size_t(3 * rows));
  kernel.forces(model_.twice.gradient.data(), model_.batches(), long(rows) * 3 * lanes, 0, int(rows),
                stress.data(), f.data());
  force->resize(3, rows);
  for (Index r = 0; r < rows; ++r)
    force->col(r) = frame * Vec3(f[std::size_t(3 * r)], f[std::size_t(3 * r + 1)], f[std::size_t(3 * r + 2)]);
}

double Body::elastic_energy() const {
  double energy = 0;
  exact(&energy, nullptr);
  return energy;
}

void Body::elastic_forces(std::span<Vec3> out) const {
  Columns big;
  exact(nullptr, &big);
  const Index n = model_.n();
  std::vector<FaceJacobian> dy;
  normal_jacobians(model_.faces, state_.x, dy);
  Columns force = big.leftCols(n);
  for (Index j = 0; j < model_.t(); ++j)
    for (int k = 0; k < 3; ++k)
      force.col(model_.faces[std::size_t(j)].corner[k]) +=
          dy[std::size_t(j)][std::size_t(k)].transpose() * big.col(n + j);
  std::fill(out.begin(), out.end(), Vec3::Zero());
  const Columns at = force * model_.fit;
  for (Index q = 0; q < model_.count(); ++q) out[std::size_t(model_.points[std::size_t(q)])] = at.col(q);
}

std::optional<int> Body::inverted_cells() const {
  int count = 0;
  const auto look = [&](const auto& batches) {
    for (Index q = 0; q < model_.count(); ++q) {
      const auto& batch = batches[std::size_t(q / lanes)];
      Mat3 f;
      for (int k = 0; k < 9; ++k) f(k / 3, k % 3) = double(batch.a[k][q % lanes]);
      count += !(f.determinant() > 0);
    }
  };
  if (options_.precision == Precision::single)
    look(state_.single.batches);
  else
    look(state_.twice.batches);
  return count;
}

namespace {

template <class T>
void write_look(Writer& writer, const Look<T>& look) {
  for (int k = 0; k < 4; ++k) writer.value(look.frame.coeffs()[k]);
  writer.value(look.energy);
  for (const PointBatch<T>& batch : look.batches) writer.value(batch);
}

template <class T>
void read_look(Reader& reader, Look<T>& look) {
  for (int k = 0; k < 4; ++k) reader.value(look.frame.coeffs()[k]);
  reader.value(look.energy);
  for (PointBatch<T>& batch : look.batches) reader.value(batch);
}

void write_columns(Writer& writer, const Columns& c) {
  writer.array(std::vector<double>(c.data(), c.data() + c.size()));
}
void read_columns(Reader& reader, Columns& c) {
  std::vector<double> numbers(std::size_t(c.size()));
  reader.array(numbers);
  std::copy(numbers.begin(), numbers.end(), c.data());
}

}  // namespace

void Body::save(Writer& writer) const {
  write_columns(writer, state_.x);
  write_columns(writer, state_.velocity);
  if (options_.precision == Precision::single)
    write_look(writer, state_.single);
  else
    write_look(writer, state_.twice);
  for (const Vec3* v : {&state_.whole.centre, &state_.whole.momentum, &state_.whole.spin})
    for (int k = 0; k < 3; ++k) writer.value((*v)[k]);
  writer.value(state_.whole.kinetic);
  writer.array(state_.plastic);
  writer.array(state_.contacts);
  writer.array(state_.sides);
  writer.array(state_.more);
}

bool Body::load(Reader& reader) {
  State next = state_;
  read_columns(reader, next.x);
  read_columns(reader, next.velocity);
  if (options_.precision == Precision::single)
    read_look(reader, next.single);
  else
    read_look(reader, next.twice);
  for (Vec3* v : {&next.whole.centre, &next.whole.momentum, &next.whole.spin})
    for (int k = 0; k < 3; ++k) reader.value((*v)[k]);
  reader.value(next.whole.kinetic);
  reader.array(next.plastic);
  reader.list(next.contacts);
  reader.list(next.sides);
  reader.array(next.more);
  if (!reader.ok()) return false;
  for (const Index vertex : next.more)
    if (vertex < -1 || vertex >= model_.embedding.rows()) return false;
  state_ = std::move(next);
  if (options_.precision == Precision::single)
    load_plastic<float>();
  else
    load_plastic<double>();
  shown_ = false;
  return true;
}

double Body::step_flops() const {
  const double n3 = 3.0 * model_.n(), q = model_.count(), rows = model_.rows();
  const bool consistent = options_.normals == Normals::consistent;
  const double gram = n3 * n3 * q * (consistent ? 6 : 1);
  return gram + 18 * rows * q + 18 * (consistent ? rows : double(model_.n())) * q + n3 * n3 * n3 / 3;
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "cage";
  out.nodes = Index(model_.nodes.size());
  out.freedoms = 3 * model_.n();
  out.solver = "dense";
  out.setup_ms = setup_ms_;
  const auto bytes = [](const auto& w) {
    using T = typename std::decay_t<decltype(w.z)>::value_type;
    return sizeof(T) * (w.stress.size() + w.rows.size() + w.gram.size() + w.system.size());
  };
  out.bytes = sizeof(double) * std::size_t(model_.value.size() + 2 * model_.mass.size() + model_.fit.size()) +
              sizeof(double) * (model_.twice.gradient.size() + contact_blocks_.size()) +
              sizeof(float) * (model_.single.gradient.size() + model_.skin_value.size()) + bytes(single_) +
              bytes(twice_) + model_.nodes.size() * 4 * sizeof(Vec3);
  return out;
}

template void Body::look_at(const Columns&, Look<float>&, Pool&, const Columns*);
template void Body::look_at(const Columns&, Look<double>&, Pool&, const Columns*);
template double Body::stress_of(const Look<float>&, Pool&);
template double Body::stress_of(const Look<double>&, Pool&);
template void Body::make_work<double>();
template void Body::load_plastic<float>();
template void Body::load_plastic<double>();
template void Body::start_looking<float>(Pool&);
template void Body::start_looking<double>(Pool&);

}  // namespace pliant::cage
