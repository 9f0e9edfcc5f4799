// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_log.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

void ContactLog::add(const ContactRecord& record) {
  if (record.impulse.isZero(0)) return;
  const auto before = [](const ContactRecord& a, const ContactRecord& b) {
    return a.other != b.other ? a.other < b.other : a.key < b.key;
  };
  const auto at = std::lower_bound(records_.begin(), records_.end(), record, before);
  if (at == records_.end() || at->other != record.other || at->key != record.key) {
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
