// SPDX-License-Identifier: Apache-2.0
import type { BodyView } from '../scene3d/body_view';
import type { V3 } from '../scene3d/geometry';

/** Vertices within a distance of a point; the nearest one at least. */
export function within(body: BodyView, at: V3, radius: number): number[] {
  const found: number[] = [];
  const x = body.positions;
  let nearest = -1, least = Infinity;
  for (let i = 0, v = 0; i < x.length; i += 3, v++) {
    const d = (x[i] - at[0]) ** 2 + (x[i + 1] - at[1]) ** 2 + (x[i + 2] - at[2]) ** 2;
    if (d <= radius * radius) found.push(v);
    if (d < least) [nearest, least] = [v, d];
  }
  return found.length || nearest < 0 ? found : [nearest];
}
