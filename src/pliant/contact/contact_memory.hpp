// SPDX-License-Identifier: Apache-2.0
// The forces that the next step begins with.
#pragma once

#include <span>
#include <vector>

#include "pliant/contact/contact.hpp"

namespace pliant {

/// The force of this contact in the last step; of another feature of the same vertex and collider when this
/// one is new. `memory` is sorted by keys. Null: none.
const ContactMemory* recall(std::span<const ContactMemory> memory, const ContactKey& key);

/// The forces of impulses that are not zero, over a step of h; sorted like the contacts. open: also those that
/// are zero: recall() then finds them, and not another feature.
void remember(std::span<const Contact> contacts, std::span<const Vec3> impulses, double h,
              std::vector<ContactMemory>& memory, bool open = false);

}  // namespace pliant
