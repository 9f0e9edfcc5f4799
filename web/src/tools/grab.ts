// SPDX-License-Identifier: Apache-2.0
// Grab: a spring from the picked surface point to the pointer, felt from the next step on. The target moves in the
// camera-parallel plane through the hit; the wheel moves it along the view ray; Shift keeps it on the nearest axis.

import type { V3 } from '../scene3d/geometry';
import type { Hit } from '../scene3d/stage';
import { Bench, onCameraPlane, PerFrame, Press, Tool } from './tool';

export interface Hold {
  grab: number;
  body: number;
  face: number;
  bary: V3;
  start: V3;
  target: V3;
  keep: 'none' | 'pin' | 'handle';
}

const MAX_HOLDS = 4;

export class GrabTool implements Tool {
  readonly holds = new Map<number, Hold>();
  /** Whether the user has grabbed at all: the hint goes then. */
  used = false;
  private next = 1;
  private readonly moves = new PerFrame();
  private doubtful = new Set<number>();

  constructor(private readonly bench: Bench) {}

  down(press: Press, hit: Hit | null): boolean {
    if (!hit || this.bench.store.readOnly || this.holds.size >= MAX_HOLDS) return false;
    this.begin(press.id, hit);
    return true;
  }

  move(press: Press): void {
    const hold = this.holds.get(press.id);
    if (!hold) return;
    let target = onCameraPlane(this.bench.stage, press.x, press.y, hold.target);
    if (press.shift) target = onNearestAxis(hold.start, target);
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
    const hold: Hold = {
      grab: this.next, body: hit.body, face: hit.face, bary: hit.bary, start: hit.point, target: hit.point,
      keep: store.transport.posing ? 'handle' : 'none',
    };
    this.next = (this.next % 255) + 1;
    this.holds.set(key, hold);
    this.used = true;
    store
      .command('grab.begin', {
        epoch: this.bench.stage.epoch, grab: hold.grab, body: hold.body, face: hold.face, bary: hold.bary,
        target: hold.target, softness: store.softness, radius: store.radius,
      })
      .catch(() => this.holds.delete(key));
    store.spoken.emit('grabbed');
    this.bench.stage.requestDraw();
  }

  aim(key: number, target: V3): void {
    const hold = this.holds.get(key);
    if (!hold) return;
    hold.target = target;
    this.moves.ask(hold, () => this.bench.store.do('grab.move', { grab: hold.grab, target: hold.target }));
    this.bench.stage.requestDraw();
  }

  /** Along the view ray, by parts of the distance. */
  deeper(key: number, part: number): void {
    const hold = this.holds.get(key);
    if (!hold) return;
    const eye = this.bench.stage.camera.camera.position;
    const { target: t } = hold;
    this.aim(key, [t[0] + (t[0] - eye.x) * part, t[1] + (t[1] - eye.y) * part, t[2] + (t[2] - eye.z) * part]);
  }

  end(key: number): void {
    const hold = this.holds.get(key);
    if (!hold) return;
    this.holds.delete(key);
    this.moves.drop(hold);
    this.bench.store.do('grab.end', { grab: hold.grab, target: hold.target, keep: hold.keep });
    const force = this.force(hold);
    this.bench.store.spoken.emit(force === null ? 'let go' : `let go at ${Math.round(force)} newton`);
    this.bench.stage.requestDraw();
  }

  /** What is held now stays pinned after release. */
  keepPins(): boolean {
    for (const hold of this.holds.values()) hold.keep = 'pin';
    return this.holds.size > 0;
  }

  /** A new model: the next frame tells which grabs live on. One that poses makes a handle, and with it a model. */
  forget(): void {
    this.doubtful = new Set(this.holds.keys());
  }

  /** A frame is there: what it does not name any more, the server has let go. */
  recall(): void {
    for (const key of this.doubtful) {
      const hold = this.holds.get(key);
      if (hold && !this.rowOf(hold)) this.holds.delete(key);
    }
    this.doubtful.clear();
  }

  /** In N, as the newest frame says. */
  force(hold: Hold): number | null {
    return this.rowOf(hold)?.force ?? null;
  }

  private rowOf(hold: Hold) {
    const me = this.bench.store.welcome?.client;
    return this.bench.stage.grabs.find((g) => g.id === hold.grab && g.client === me);
  }
}

function onNearestAxis(from: V3, to: V3): V3 {
  const d = to.map((v, i) => Math.abs(v - from[i]));
  const axis = d.indexOf(Math.max(...d));
  return from.map((v, i) => (i === axis ? to[i] : v)) as V3;
}
