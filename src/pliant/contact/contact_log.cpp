// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_log.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

void ContactLog::add(const ContactRecord& record) {
  if (record.impulse.isZero(0)) return;
  const auto at = std::lower_bound(records_.begin(), records_.end(), record.key,
                                   [](const ContactRecord& r, const ContactKey& k) { return r.key < k; });
  if (at == records_.end() || at->key != record.key) {
    records_.insert(at, record);
    return;
  }
  const Vec3 sum = at->impulse + record.impulse;
  const double gap = std::isnan(record.gap) ? at->gap : record.gap;
  *at = record;
  at->impulse = sum;
  at->gap = gap;
}

}  // namespace pliant
