// SPDX-License-Identifier: Apache-2.0
// Every tool has the same four functions. A press belongs to one finger or button from down to up.

import type { V3 } from '../scene3d/geometry';
import type { Hit, Stage } from '../scene3d/stage';
import type { Store } from '../store';

export interface Press {
  /** Of the pointer; several fingers press at once. */
  id: number;
  x: number;
  y: number;
  /** Where it began. */
  x0: number;
  y0: number;
  shift: boolean;
  ctrl: boolean;
  pressure: number;
  /** Whether it moved further than a click may. */
  dragged: boolean;
}

export interface Tool {
  /** True: the press is the tool's. False: the camera takes it. */
  down(press: Press, hit: Hit | null): boolean;
  move(press: Press): void;
  up(press: Press): void;
  cancel(press: Press): void;
}

export interface Bench {
  store: Store;
  stage: Stage;
}

/** Where the ray through a pixel meets the plane through `at` that faces the camera. */
export function onCameraPlane(stage: Stage, x: number, y: number, at: V3): V3 {
  const { origin, direction } = stage.ray(x, y);
  const camera = stage.camera.camera;
  const e = camera.matrixWorld.elements;
  const f: V3 = [-e[8], -e[9], -e[10]];
  const dot = (a: V3, b: V3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const depth = dot([at[0] - origin[0], at[1] - origin[1], at[2] - origin[2]], f);
  const s = depth / Math.max(dot(direction, f), 1e-6);
  return [origin[0] + s * direction[0], origin[1] + s * direction[1], origin[2] + s * direction[2]];
}

/** Calls at most once per animation frame, with the newest of what was asked. */
export class PerFrame {
  private waiting = new Map<unknown, () => void>();

  ask(key: unknown, run: () => void): void {
    if (!this.waiting.size) requestAnimationFrame(() => this.flush());
    this.waiting.set(key, run);
  }

  drop(key: unknown): void {
    this.waiting.delete(key);
  }

  private flush(): void {
    const runs = [...this.waiting.values()];
    this.waiting.clear();
    for (const run of runs) run();
  }
}
