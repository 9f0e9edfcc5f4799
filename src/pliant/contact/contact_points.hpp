// SPDX-License-Identifier: Apache-2.0
// Contact problems by the vertices that their contacts lie on (point_response.hpp), and which problem has E already: it
// depends on the vertices and a constant matrix alone, and the same contacts are asked for several times in a step.
#pragma once

#include <span>
#include <vector>

#include "pliant/contact/contact_problem.hpp"

namespace pliant {

class ContactPoints {
 public:
  /// The vertices of these contacts.
  void find(std::span<const Contact> contacts);
  /// Ascending, each once.
  const std::vector<Index>& vertices() const { return vertices_; }
  /// Makes the problem of the contacts that find() has seen. True: it has E of the vertices already, row by row.
  bool reset(std::span<const Contact> contacts, Index parts, bool split, ContactProblem& problem,
             bool swells = false);
  /// The matrix has changed.
  void forget() { problem_ = nullptr; }

 private:
  std::vector<Index> vertices_, known_;
  const ContactProblem* problem_ = nullptr;  // that has E of known_
};

}  // namespace pliant
