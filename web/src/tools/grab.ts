// SPDX-License-Identifier: Apache-2.0
// Grab: a spring from the picked surface point to the pointer, felt from the next step on. The target moves in the
// camera-parallel plane through the hit; the wheel moves it along the view ray; Shift keeps it on the nearest axis.

import type { V3 } from '../scene3d/geometry';
import type { Hit } from '../scene3d/stage';
import { Bench, onCameraPlane, PerFrame, Press, Tool } from './tool';

/** A spring that this page holds. */
export interface Grab {
  /** The page's own number, 1 to 255. */
  id: number;
  body: number;
  face: number;
  bary: V3;
  start: V3;
  target: V3;
  keep: 'none' | 'pin' | 'handle';
}

const MAX_GRABS = 4;

export class GrabTool implements Tool {
  readonly grabs = new Map<number, Grab>();
  /** Whether the user has grabbed at all: the hint goes then. */
  used = false;
  private next = 1;
  private readonly moves = new PerFrame();
  private doubtful = new Set<number>();

  constructor(private readonly bench: Bench) {}

  down(press: Press, hit: Hit | null): boolean {
    if (!hit || this.bench.store.readOnly || this.grabs.size >= MAX_GRABS) return false;
    this.begin(press.id, hit);
    return true;
  }

  move(press: Press): void {
    const grab = this.grabs.get(press.id);
    if (!grab) return;
    let target = onCameraPlane(this.bench.stage, press.x, press.y, grab.target);
    if (press.shift) target = onNearestAxis(grab.start, target);
    this.aim(press.id, target);
  }

  up(press: Press): void {
    this.end(press.id);
  }

  cancel(press: Press): void {
    this.end(press.id);
  }

  begin(key: number, hit: Hit): void {
    const { store } = this.bench;
    const grab: Grab = {
      id: this.next, body: hit.body, face: hit.face, bary: hit.bary, start: hit.point, target: hit.point,
      keep: store.transport.posing ? 'handle' : 'none',
    };
    this.next = (this.next % 255) + 1;
    this.grabs.set(key, grab);
    this.used = true;
    store
      .command('grab.begin', {
        epoch: this.bench.stage.epoch, grab: grab.id, body: grab.body, face: grab.face, bary: grab.bary,
        target: grab.target, softness: store.softness, radius: store.radius,
      })
      .catch(() => this.grabs.delete(key));
    store.spoken.emit('grabbed');
    this.bench.stage.requestDraw();
  }

  aim(key: number, target: V3): void {
    const grab = this.grabs.get(key);
    if (!grab) return;
    grab.target = target;
    this.moves.ask(grab, () => this.bench.store.do('grab.move', { grab: grab.id, target: grab.target }));
    this.bench.stage.requestDraw();
  }

  /** Along the view ray, by parts of the distance. */
  deeper(key: number, part: number): void {
    const grab = this.grabs.get(key);
    if (!grab) return;
    const eye = this.bench.stage.camera.camera.position;
    const { target: t } = grab;
    this.aim(key, [t[0] + (t[0] - eye.x) * part, t[1] + (t[1] - eye.y) * part, t[2] + (t[2] - eye.z) * part]);
  }

  end(key: number): void {
    const grab = this.grabs.get(key);
    if (!grab) return;
    this.grabs.delete(key);
    this.moves.drop(grab);
    this.bench.store.do('grab.end', { grab: grab.id, target: grab.target, keep: grab.keep });
    const force = this.force(grab);
    this.bench.store.spoken.emit(force === null ? 'let go' : `let go at ${Math.round(force)} newton`);
    this.bench.stage.requestDraw();
  }

  /** What is held now stays pinned after release. */
  keepPins(): boolean {
    for (const grab of this.grabs.values()) grab.keep = 'pin';
    return this.grabs.size > 0;
  }

  /** A new model: the next frame tells which grabs live on. One that poses makes a handle, and with it a model. */
  forget(): void {
    this.doubtful = new Set(this.grabs.keys());
  }

  /** A frame is there: what it does not name any more, the server has let go. */
  recall(): void {
    for (const key of this.doubtful) {
      const grab = this.grabs.get(key);
      if (grab && !this.rowOf(grab)) this.grabs.delete(key);
    }
    this.doubtful.clear();
  }

  /** In N, as the newest frame says. */
  force(grab: Grab): number | null {
    return this.rowOf(grab)?.force ?? null;
  }

  private rowOf(grab: Grab) {
    const me = this.bench.store.welcome?.client;
    return this.bench.stage.grabs.find((g) => g.id === grab.id && g.client === me);
  }
}

function onNearestAxis(from: V3, to: V3): V3 {
  const d = to.map((v, i) => Math.abs(v - from[i]));
  const axis = d.indexOf(Math.max(...d));
  return from.map((v, i) => (i === axis ? to[i] : v)) as V3;
}
