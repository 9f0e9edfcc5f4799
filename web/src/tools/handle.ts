// SPDX-License-Identifier: Apache-2.0
// Handle: paint a patch of the surface, Enter makes it a handle; the gizmo moves, turns and scales it.

import * as THREE from 'three';
import { PointFlag } from '../protocol/binary';
import type { HandleInfo, HandlePlace } from '../protocol/types';
import type { V3 } from '../scene3d/geometry';
import { Gizmo } from '../scene3d/gizmo';
import type { Hit } from '../scene3d/stage';
import { within } from './brush';
import { Bench, PerFrame, Press, Tool } from './tool';

const MOST_VERTICES = 8000; // what fits in a message
const AT_REST: HandlePlace = { translate: [0, 0, 0], rotate: [0, 0, 0, 1], scale: [1, 1, 1] };

export class HandleTool implements Tool {
  selected: HandleInfo | null = null;
  painted: { body: number; vertices: Set<number> } | null = null;
  /** Called when painting or selection changed. */
  changed: () => void = () => undefined;
  private centre: V3 = [0, 0, 0];
  private readonly moves = new PerFrame();
  private stroke: { id: number; erase: boolean } | null = null;
  /** Where the handles are: as the scene said, then as this page moved them. */
  private readonly places = new Map<number, HandlePlace>();

  constructor(private readonly bench: Bench, private readonly gizmo: Gizmo) {
    bench.store.sceneChanged.on((scene) => {
      this.places.clear();
      for (const body of scene.bodies) body.handles?.forEach((id, k) => this.places.set(id, body.handle_places?.[k] ?? AT_REST));
    });
  }

  down(press: Press, hit: Hit | null): boolean {
    if (!hit || this.bench.store.readOnly) {
      return false;
    }
    this.stroke = { id: press.id, erase: press.ctrl };
    this.paintAt(hit);
    return true;
  }

  move(press: Press): void {
    if (this.stroke?.id !== press.id || !press.dragged) return;
    const hit = this.bench.stage.pick(press.x, press.y);
    if (hit && hit.body === this.painted?.body) this.paintAt(hit);
  }

  /** A click on an existing handle selects it instead of painting over it. */
  up(press: Press): void {
    if (this.stroke?.id !== press.id) return;
    this.stroke = null;
    if (press.dragged || !this.painted) return;
    const { body, vertices } = this.painted;
    const held = this.bench.stage.bodies.get(body)?.flagged(PointFlag.handle) ?? [];
    const touched = held.filter((v) => vertices.has(v));
    if (!touched.length) return;
    // A handle that another page or the scene made is known only by being the one that is there.
    const all = this.bench.store.handles.filter((h) => h.body === body);
    const found = all.find((h) => h.vertices?.some((v) => vertices.has(v))) ?? (all.length === 1 ? { ...all[0], vertices: held } : undefined);
    if (found) {
      this.clearPaint();
      this.select(found);
    }
  }

  cancel(press: Press): void {
    if (this.stroke?.id === press.id) this.stroke = null;
  }

  /** Paints what faces the eye within a rectangle of the view, in client pixels. */
  box(x0: number, y0: number, x1: number, y1: number): void {
    const { stage, store } = this.bench;
    const id = store.body?.id;
    const body = id === undefined ? undefined : stage.bodies.get(id);
    const view = stage.canvas?.getBoundingClientRect();
    if (!body || id === undefined || !view || store.readOnly) return;
    if (this.painted && this.painted.body !== id) this.clearPaint();
    this.painted ??= { body: id, vertices: new Set() };
    const eye = stage.camera.camera.position;
    for (let v = 0; v < body.positions.length / 3; v++) {
      const at = body.vertex(v);
      const n = body.normals.subarray(v * 3, v * 3 + 3);
      if (n[0] * (eye.x - at[0]) + n[1] * (eye.y - at[1]) + n[2] * (eye.z - at[2]) <= 0) continue;
      const p = stage.project(at);
      const x = p.x + view.left, y = p.y + view.top;
      if (x < Math.min(x0, x1) || x > Math.max(x0, x1) || y < Math.min(y0, y1) || y > Math.max(y0, y1)) continue;
      this.painted.vertices.add(v);
      body.mark[v] = 1;
    }
    body.markChanged();
    stage.requestDraw();
    this.changed();
  }

  /** What is painted becomes a handle. */
  async make(): Promise<void> {
    const { store, stage } = this.bench;
    if (!this.painted?.vertices.size) return;
    const { body, vertices } = this.painted;
    const list = [...vertices];
    if (list.length > MOST_VERTICES) {
      store.notice({ level: 'warning', text: `A handle takes at most ${MOST_VERTICES} vertices; paint a smaller patch.` });
      return;
    }
    this.clearPaint();
    const reply = await store.command('handle.add', { epoch: stage.epoch, body, select: { vertices: list } });
    const handle = Number(reply.result?.handle);
    if (!Number.isFinite(handle)) return;
    store.handleVertices.set(handle, list);
    this.select({ handle, body, vertices: list });
  }

  select(handle: HandleInfo | null): void {
    this.selected = handle;
    if (!handle) this.gizmo.hide();
    else {
      const { translate } = this.places.get(handle.handle) ?? AT_REST;
      this.centre = this.mean(handle.body, handle.vertices ?? []).map((v, i) => v - translate[i]) as V3;
      this.gizmo.onChange = () => this.moves.ask(this, () => this.send(false));
      this.gizmo.onEnd = () => this.send(true);
      this.showGizmo();
    }
    this.changed();
  }

  /** Where the selected handle is now. */
  private showGizmo(): void {
    const { translate, rotate, scale } = this.places.get(this.selected!.handle) ?? AT_REST;
    this.gizmo.show(this.centre.map((v, i) => v + translate[i]) as V3, rotate, scale);
  }

  remove(): void {
    if (!this.selected) return;
    this.bench.store.do('handle.remove', { handle: this.selected.handle });
    this.select(null);
  }

  /** From the panel: a displacement typed in metres. */
  place(translate: V3): void {
    this.gizmo.proxy.position.fromArray(translate.map((t, i) => t + this.centre[i]));
    this.gizmo.proxy.updateMatrixWorld();
    this.send(true);
    this.bench.stage.requestDraw();
  }

  get translation(): V3 {
    const p = this.gizmo.proxy.position;
    return [p.x - this.centre[0], p.y - this.centre[1], p.z - this.centre[2]];
  }

  leave(): void {
    this.clearPaint();
    this.select(null);
  }

  forget(): void {
    this.painted = null;
    this.stroke = null;
    if (!this.selected || this.gizmo.dragging) return;
    // The same handle may live on in the new model, elsewhere after an undo.
    if (!this.places.has(this.selected.handle)) return this.select(null);
    this.showGizmo();
    this.changed();
  }

  clearPaint(): void {
    const body = this.painted && this.bench.stage.bodies.get(this.painted.body);
    if (body) {
      body.mark.fill(0);
      body.markChanged();
    }
    this.painted = null;
    this.bench.stage.requestDraw();
    this.changed();
  }

  private send(final: boolean): void {
    if (!this.selected) return;
    const { quaternion: q, scale: s } = this.gizmo.proxy;
    const place: HandlePlace = { translate: this.translation, rotate: [q.x, q.y, q.z, q.w], scale: [s.x, s.y, s.z] };
    this.places.set(this.selected.handle, place);
    this.bench.store.do('handle.move', { handle: this.selected.handle, ...place, final });
    this.changed();
  }

  private paintAt(hit: Hit): void {
    const { stage, store } = this.bench;
    if (this.selected) this.select(null);
    if (this.painted && this.painted.body !== hit.body) this.clearPaint();
    this.painted ??= { body: hit.body, vertices: new Set() };
    const body = stage.bodies.get(hit.body)!;
    for (const v of within(body, hit.point, store.brush)) {
      body.mark[v] = this.stroke?.erase ? 0 : 1;
      if (this.stroke?.erase) this.painted.vertices.delete(v);
      else this.painted.vertices.add(v);
    }
    body.markChanged();
    stage.requestDraw();
    this.changed();
  }

  private mean(body: number, vertices: number[]): V3 {
    const view = this.bench.stage.bodies.get(body);
    const sum = new THREE.Vector3();
    if (!view || !vertices.length) return [0, 0, 0];
    for (const v of vertices) sum.add(new THREE.Vector3().fromArray(view.positions, v * 3));
    return sum.divideScalar(vertices.length).toArray();
  }
}
