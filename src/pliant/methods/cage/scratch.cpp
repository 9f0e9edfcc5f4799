// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/scratch.hpp"

#include "pliant/math/dense_system.hpp"

namespace pliant::cage {

Scratch::Scratch(const Model& model) {
  const Index n = model.n(), rows = model.rows();
  for (Columns* c : {&z, &force, &new_velocity, &new_z, &world_z, &start_z, &hat, &told, &to_hat, &rate})
    *c = Columns::Zero(3, rows);
  for (Columns* c :
       {&solved, &shift, &new_x, &new_v, &begin, &apart, &x, &free, &local, &resisted, &undeformed})
    *c = Columns::Zero(3, n);
  new_y = Columns::Zero(3, model.t());
  modes.setZero(3 * n, 6);
  jacobians.resize(std::size_t(model.t()));
}

template <class T>
void Scratch::make(const Model& model, bool follow) {
  Work<T>& w = work<T>();
  const std::size_t batches = std::size_t(model.batches());
  const int n3 = 3 * int(model.n());
  w.dz.assign(3 * std::size_t(model.rows()), T(0));
  w.stress.assign(batches * 9 * lanes, T(0));
  w.force.assign(3 * std::size_t(model.rows()), T(0));
  w.rows.assign(follow ? std::size_t(n3) * batches * lanes * 6 : panel_size(n3, int(model.count())), T(0));
  w.gram.assign(panel_size(n3, padded(n3)), T(0));
  w.system = w.gram;
  w.right.assign(std::size_t(padded(n3)), T(0));
  w.jacobian.assign(9 * model.around_face.size(), T(0));
  w.energy.assign(batches, 0.0);
  set_rest(model.batches(), w.trial);
}

template void Scratch::make<float>(const Model&, bool);
template void Scratch::make<double>(const Model&, bool);

}  // namespace pliant::cage
