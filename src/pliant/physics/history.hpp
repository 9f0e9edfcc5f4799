// SPDX-License-Identifier: Apache-2.0
// What a step of BDF2 knows of the step before it (implicit_scheme.hpp), as a part of a method's state.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "pliant/base/archive.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

/// Numbers of a matrix whose size both sides know.
template <class Derived>
void write(Writer& writer, const Eigen::PlainObjectBase<Derived>& m) {
  writer.array(std::vector<double>(m.data(), m.data() + m.size()));
}
template <class Derived>
void read(Reader& reader, Eigen::PlainObjectBase<Derived>& m) {
  std::vector<double> numbers(std::size_t(m.size()));
  reader.array(numbers);
  std::copy(numbers.begin(), numbers.end(), m.data());
}
inline void write(Writer& writer, const Points& points) { writer.array(points); }
inline void read(Reader& reader, Points& points) { reader.array(points); }

/// Places: nodes, or the columns of a matrix.
template <class Places>
struct History {
  Places x_before, v_before;  ///< one step earlier
  Past past = Past::unknown;  ///< of the next step, if it is as long and holds the same nodes
  double h = 0;               ///< of the last step, s
  std::vector<Index> held;    ///< nodes held in the last step

  /// Whether the next step may use x_before and v_before.
  bool continues(const StepInput& next) const {
    return past == Past::known && h == next.h &&
           std::equal(held.begin(), held.end(), next.held.begin(), next.held.end());
  }
  /// After a step.
  void remember(const StepInput& last, Past next) {
    past = next;
    h = last.h;
    held.assign(last.held.begin(), last.held.end());
  }

  void save_history(Writer& writer) const {
    write(writer, x_before);
    write(writer, v_before);
    writer.value(past);
    writer.value(h);
    writer.array(held);
  }
  void load_history(Reader& reader) {
    read(reader, x_before);
    read(reader, v_before);
    reader.value(past);
    reader.value(h);
    reader.list(held);
  }
};

}  // namespace pliant
