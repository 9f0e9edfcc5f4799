// SPDX-License-Identifier: Apache-2.0
// Where a mesh that is added may stand: inside another body it would be torn apart.

import type { V3 } from '../scene3d/geometry';
import type { Stage } from '../scene3d/stage';

/** Of a mesh as it will stand, in m, before it is shifted. */
export interface Extent {
  size: V3;
  /** The middle of its underside. */
  foot: V3;
}

const GAP = 0.1; // of its height

/** From the box of a file. zUp: the file's z is turned into y, as the server does. */
export function scaled(low: V3, size: V3, scale: number, zUp: boolean): Extent {
  const lo: V3 = zUp ? [low[0], low[2], -low[1] - size[1]] : low;
  const s: V3 = zUp ? [size[0], size[2], size[1]] : size;
  return { size: s.map((v) => v * scale) as V3, foot: [(lo[0] + s[0] / 2) * scale, lo[1] * scale, (lo[2] + s[2] / 2) * scale] };
}

/** Over the middle of the bodies, a little above all that is below its own footprint. */
export function onTop(stage: Stage, e: Extent): V3 {
  const bodies = [...stage.bodies.values()];
  const middle = (k: number) => (Math.min(...bodies.map((b) => b.lo[k])) + Math.max(...bodies.map((b) => b.hi[k]))) / 2;
  const x = middle(0), z = middle(2);
  const over = (lo: number, hi: number, at: number, size: number) => lo < at + size / 2 && hi > at - size / 2;
  const below = bodies.filter((b) => over(b.lo[0], b.hi[0], x, e.size[0]) && over(b.lo[2], b.hi[2], z, e.size[2])).map((b) => b.hi[1]);
  const props = stage.propVertices;
  for (let i = 0; i < props.length; i += 3) {
    if (Math.abs(props[i] - x) <= e.size[0] / 2 && Math.abs(props[i + 2] - z) <= e.size[2] / 2) below.push(props[i + 1]);
  }
  const floor = below.length ? Math.max(...below) : Math.min(...bodies.map((b) => b.lo[1]));
  return [x, floor + GAP * e.size[1], z];
}

/** Where a ground may be that a scene without one gets: clear of all that hangs and swings there. */
export function below(stage: Stage, e: Extent, foot: number): number {
  const bodies = [...stage.bodies.values()];
  const reach = Math.max(e.size[1], ...bodies.flatMap((b) => b.hi.map((h, k) => h - b.lo[k])));
  return Math.min(foot, ...bodies.map((b) => b.lo[1])) - reach;
}
