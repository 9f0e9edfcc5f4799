// SPDX-License-Identifier: Apache-2.0
// Pin: a click toggles, a drag paints with the brush, Ctrl erases. Pinned vertices are blue dots.

import type { Hit } from '../scene3d/stage';
import { within } from './brush';
import { Bench, Press, Tool } from './tool';

interface Stroke {
  body: number;
  on: boolean;
  vertices: Set<number>;
}

const MOST_VERTICES = 8000;

export class PinTool implements Tool {
  private strokes = new Map<number, Stroke>();

  constructor(private readonly bench: Bench) {}

  down(press: Press, hit: Hit | null): boolean {
    const { store, stage } = this.bench;
    if (!hit || store.readOnly) return false;
    const body = stage.bodies.get(hit.body)!;
    const near = within(body, hit.point, store.brush);
    const pinned = near.some((v) => body.extra.surfaceFlags[v] & 1);
    this.strokes.set(press.id, { body: hit.body, on: !press.ctrl && !pinned, vertices: new Set(near) });
    this.paint(hit.body);
    return true;
  }

  move(press: Press): void {
    const stroke = this.strokes.get(press.id);
    if (!stroke || !press.dragged) return;
    const hit = this.bench.stage.pick(press.x, press.y);
    if (!hit || hit.body !== stroke.body) return;
    for (const v of within(this.bench.stage.bodies.get(hit.body)!, hit.point, this.bench.store.brush)) {
      stroke.vertices.add(v);
    }
    this.paint(stroke.body);
  }

  up(press: Press): void {
    const stroke = this.strokes.get(press.id);
    if (!stroke) return;
    this.strokes.delete(press.id);
    this.unpaint(stroke.body);
    const vertices = [...stroke.vertices].slice(0, MOST_VERTICES);
    this.bench.store.do('pin.set', { epoch: this.bench.stage.epoch, body: stroke.body, vertices, on: stroke.on });
  }

  cancel(press: Press): void {
    const stroke = this.strokes.get(press.id);
    this.strokes.delete(press.id);
    if (stroke) this.unpaint(stroke.body);
  }

  clear(): void {
    const { store, stage } = this.bench;
    for (const [id, body] of stage.bodies) if (body.pinned.length) store.do('pin.clear', { body: id });
  }

  forget(): void {
    this.strokes.clear();
  }

  private paint(id: number): void {
    const body = this.bench.stage.bodies.get(id);
    if (!body) return;
    for (const stroke of this.strokes.values()) {
      if (stroke.body === id) for (const v of stroke.vertices) body.mark[v] = 1;
    }
    body.markChanged();
    this.bench.stage.requestDraw();
  }

  private unpaint(id: number): void {
    const body = this.bench.stage.bodies.get(id);
    if (!body) return;
    body.mark.fill(0);
    body.markChanged();
    this.bench.stage.requestDraw();
  }
}
