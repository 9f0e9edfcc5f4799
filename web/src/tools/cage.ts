// SPDX-License-Identifier: Apache-2.0
// Cage: its vertices are dots; dragging one moves it (or all that are selected) in the view plane.

import type { V3 } from '../scene3d/geometry';
import type { Hit } from '../scene3d/stage';
import { Bench, onCameraPlane, PerFrame, Press, Tool } from './tool';

const REACH_PX = 14;

interface Drag {
  id: number;
  body: number;
  grabbed: number;
  from: V3;
  starts: Map<number, V3>;
  targets: V3[];
}

export class CageTool implements Tool {
  private drag: Drag | null = null;
  private readonly moves = new PerFrame();

  constructor(private readonly bench: Bench) {}

  down(press: Press, _hit: Hit | null): boolean {
    if (this.bench.store.readOnly) return false;
    const near = this.nearest(press.x, press.y);
    if (!near) {
      if (!press.shift) this.choose(null, []);
      return false;
    }
    const overlay = this.bench.stage.overlays.get(near.body)!;
    const chosen = overlay.chosenCage;
    if (press.ctrl) this.choose(near.body, [...new Set([...chosen, near.vertex])]);
    else if (!chosen.includes(near.vertex)) this.choose(near.body, [near.vertex]);
    const starts = new Map(overlay.chosenCage.map((v) => [v, this.at(near.body, v)]));
    this.drag = { id: press.id, body: near.body, grabbed: near.vertex, from: this.at(near.body, near.vertex), starts, targets: [] };
    return true;
  }

  move(press: Press): void {
    const drag = this.drag;
    if (drag?.id !== press.id || !press.dragged) return;
    const to = onCameraPlane(this.bench.stage, press.x, press.y, drag.from);
    const d = to.map((v, i) => v - drag.from[i]);
    drag.targets = [...drag.starts.values()].map((s) => s.map((v, i) => v + d[i]) as V3);
    this.moves.ask(drag, () => this.send(drag, false));
  }

  up(press: Press): void {
    const drag = this.drag;
    if (drag?.id !== press.id) return;
    this.drag = null;
    this.moves.drop(drag);
    if (drag.targets.length) this.send(drag, true);
  }

  cancel(press: Press): void {
    this.up(press);
  }

  forget(): void {
    this.drag = null;
  }

  /** All cage vertices within a rectangle of the view, in client pixels. */
  box(x0: number, y0: number, x1: number, y1: number): void {
    this.each((body, vertex, x, y) => {
      if (x < Math.min(x0, x1) || x > Math.max(x0, x1) || y < Math.min(y0, y1) || y > Math.max(y0, y1)) return;
      const overlay = this.bench.stage.overlays.get(body)!;
      overlay.chosenCage = [...new Set([...overlay.chosenCage, vertex])];
    });
    this.bench.stage.requestDraw();
  }

  choose(body: number | null, vertices: number[]): void {
    for (const [id, overlay] of this.bench.stage.overlays) overlay.chosenCage = id === body ? vertices : [];
    this.bench.stage.requestDraw();
  }

  private send(drag: Drag, final: boolean): void {
    this.bench.store.do('cage.move', {
      body: drag.body, vertices: [...drag.starts.keys()], targets: drag.targets, final,
    });
  }

  private at(body: number, vertex: number): V3 {
    const c = this.bench.stage.bodies.get(body)!.extra.cage;
    return [c[vertex * 3], c[vertex * 3 + 1], c[vertex * 3 + 2]];
  }

  private nearest(x: number, y: number): { body: number; vertex: number } | null {
    let best: { body: number; vertex: number } | null = null;
    let least = REACH_PX;
    this.each((body, vertex, vx, vy) => {
      const d = Math.hypot(vx - x, vy - y);
      if (d < least) [best, least] = [{ body, vertex }, d];
    });
    return best;
  }

  private each(visit: (body: number, vertex: number, x: number, y: number) => void): void {
    const { stage } = this.bench;
    const box = stage.canvas?.getBoundingClientRect();
    if (!box) return;
    for (const [id, body] of stage.bodies) {
      const facing = stage.overlays.get(id)!.cageFacing;
      for (let v = 0; v < body.extra.cage.length / 3; v++) {
        if (!facing[v]) continue;
        const p = stage.project(this.at(id, v));
        visit(id, v, p.x + box.left, p.y + box.top);
      }
    }
  }
}
