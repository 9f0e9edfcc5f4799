// SPDX-License-Identifier: Apache-2.0
// Who gets a press: the gizmo, then the tool if something is under the pointer, else the camera.
//
// Down on a body: the tool acts. Down on nothing: orbit. Right button or Shift: pan. Alt always orbits. Wheel zooms to
// the pointer; two fingers on a trackpad (fractional or sideways deltas) orbit. Touch: one finger as the mouse, two
// beside the body pan and zoom, each further finger on the body holds its own grab.

import type { Gizmo } from '../scene3d/gizmo';
import type { ToolName } from '../store';
import type { CageTool } from './cage';
import type { DentTool } from './dent';
import type { GrabTool } from './grab';
import type { HandleTool } from './handle';
import type { JointTool } from './joint';
import type { PinTool } from './pin';
import { Bench, Press, Tool } from './tool';

export interface Tools extends Record<ToolName, Tool> {
  grab: GrabTool;
  dent: DentTool;
  pin: PinTool;
  handle: HandleTool;
  cage: CageTool;
  joint: JointTool;
}

type Owner = 'orbit' | 'pan' | 'gizmo' | 'box' | Tool;

const CLICK_PX = 3;

export class PointerRouter {
  /** `B` was pressed: the next drag selects a box. */
  boxNext = false;
  /** The box being drawn, in client pixels. */
  boxDrawn: { x0: number; y0: number; x1: number; y1: number } | null = null;
  lastX = 0;
  lastY = 0;
  private readonly presses = new Map<number, { press: Press; owner: Owner }>();

  constructor(private readonly view: HTMLElement, private readonly bench: Bench, private readonly tools: Tools,
              private readonly gizmo: Gizmo) {
    view.addEventListener('pointerdown', (e) => this.down(e));
    view.addEventListener('pointermove', (e) => this.hover(e));
    window.addEventListener('pointermove', (e) => this.move(e));
    window.addEventListener('pointerup', (e) => this.up(e));
    window.addEventListener('pointercancel', (e) => this.up(e));
    window.addEventListener('blur', () => this.cancelAll());
    view.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    view.addEventListener('keydown', () => view.classList.remove('by-pointer'));
    view.addEventListener('contextmenu', (e) => e.preventDefault());
  }

  get busy(): boolean {
    return this.presses.size > 0;
  }

  cancelAll(): void {
    for (const { press, owner } of this.presses.values()) if (typeof owner === 'object') owner.cancel(press);
    this.presses.clear();
    this.boxDrawn = null;
  }

  private down(e: PointerEvent): void {
    const { stage, store } = this.bench;
    if ((e.target as Element).closest('button, a, input')) return;
    // No ring around the view for a hand on the mouse; the next key brings it back.
    this.view.classList.add('by-pointer');
    this.view.focus({ preventScroll: true });
    const press: Press = {
      id: e.pointerId, x: e.clientX, y: e.clientY, x0: e.clientX, y0: e.clientY, shift: e.shiftKey,
      ctrl: e.ctrlKey || e.metaKey, pressure: e.pointerType === 'pen' ? e.pressure : 0, dragged: false,
    };
    this.presses.set(e.pointerId, { press, owner: this.ownerOf(e, press) });
    try {
      this.view.setPointerCapture(e.pointerId);
    } catch {
      // The pointer ended between the event and now; its pointerup follows on window.
    }
    const owner = this.presses.get(e.pointerId)?.owner;
    if (typeof owner === 'object') {
      const hit = stage.pick(e.clientX, e.clientY);
      if (hit) store.selectBody(store.scene?.bodies.findIndex((b) => b.id === hit.body) ?? 0);
    }
  }

  private ownerOf(e: PointerEvent, press: Press): Owner {
    const { stage, store } = this.bench;
    if (e.button === 1 || e.button === 2) return 'pan';
    if (e.altKey) return 'orbit';
    if (this.gizmo.down(e.clientX, e.clientY)) return 'gizmo';
    if (this.boxNext) {
      this.boxNext = false;
      return 'box';
    }
    const cameras = [...this.presses.values()].filter((p) => p.owner === 'orbit' || p.owner === 'pan');
    // The second finger of a camera gesture belongs to it, wherever it is.
    if (!cameras.length) {
      // While posing every drag of the body is a solve; the gizmo moves the handle that is chosen.
      const poses = store.transport.posing && (store.tool === 'handle' || store.tool === 'dent');
      const tool = poses ? this.tools.grab : this.tools[store.tool];
      const hit = stage.pick(e.clientX, e.clientY);
      if (tool.down(press, hit)) return tool;
      // Touching the body always works: cage and joint tools leave what they do not take to the grab.
      if (hit && (store.tool === 'cage' || store.tool === 'joint') && this.tools.grab.down(press, hit)) {
        return this.tools.grab;
      }
    }
    return e.shiftKey ? 'pan' : 'orbit';
  }

  private hover(e: PointerEvent): void {
    this.lastX = e.clientX;
    this.lastY = e.clientY;
    if (this.presses.size || e.pointerType === 'touch') return;
    const { store, stage } = this.bench;
    if (this.gizmo.hover(e.clientX, e.clientY)) {
      this.view.dataset.over = 'gizmo';
      return;
    }
    if (store.tool === 'joint') this.tools.joint.hover(e.clientX, e.clientY);
    const hit = stage.pick(e.clientX, e.clientY);
    this.view.dataset.over = hit ? 'body' : '';
    this.tools.dent.ring = hit;
    if (store.tool === 'dent' || store.tool === 'pin' || store.tool === 'handle') stage.requestDraw();
  }

  private move(e: PointerEvent): void {
    const entry = this.presses.get(e.pointerId);
    if (!entry) return;
    const { press, owner } = entry;
    const dx = e.clientX - press.x, dy = e.clientY - press.y;
    press.x = e.clientX;
    press.y = e.clientY;
    press.shift = e.shiftKey;
    if (e.pointerType === 'pen') press.pressure = e.pressure;
    if (Math.hypot(press.x - press.x0, press.y - press.y0) >= CLICK_PX) press.dragged = true;
    const { stage } = this.bench;
    if (owner === 'gizmo') this.gizmo.move(e.clientX, e.clientY);
    else if (owner === 'box') {
      this.boxDrawn = { x0: press.x0, y0: press.y0, x1: press.x, y1: press.y };
      stage.requestDraw();
    } else if (owner === 'orbit' || owner === 'pan') this.moveCamera(entry.press, owner, dx, dy);
    else owner.move(press);
  }

  private moveCamera(press: Press, owner: 'orbit' | 'pan', dx: number, dy: number): void {
    const { stage } = this.bench;
    const all = [...this.presses.values()];
    // The camera stands still while something is held.
    if (all.some((p) => typeof p.owner === 'object')) return;
    const other = all.find((p) => p.press !== press && (p.owner === 'orbit' || p.owner === 'pan'))?.press;
    if (other) {
      const before = Math.hypot(press.x - dx - other.x, press.y - dy - other.y);
      const after = Math.hypot(press.x - other.x, press.y - other.y);
      const middle = stage.ndc((press.x + other.x) / 2, (press.y + other.y) / 2);
      if (before > 1 && after > 1) stage.camera.zoom(before / after, middle.x, middle.y);
      stage.camera.pan(dx / 2, dy / 2, stage.height);
    } else if (owner === 'pan') stage.camera.pan(dx, dy, stage.height);
    else stage.camera.orbit(dx, dy, stage.height);
    stage.requestDraw();
  }

  private up(e: PointerEvent): void {
    const entry = this.presses.get(e.pointerId);
    if (!entry) return;
    this.presses.delete(e.pointerId);
    const { press, owner } = entry;
    if (owner === 'gizmo') this.gizmo.up(e.clientX, e.clientY);
    else if (owner === 'box') {
      const b = this.boxDrawn;
      this.boxDrawn = null;
      if (b && this.bench.store.tool === 'cage') this.tools.cage.box(b.x0, b.y0, b.x1, b.y1);
      else if (b) this.tools.handle.box(b.x0, b.y0, b.x1, b.y1);
      this.bench.stage.requestDraw();
    } else if (typeof owner === 'object') {
      if (e.type === 'pointercancel') owner.cancel(press);
      else owner.up(press);
    } else if (!press.dragged && owner === 'orbit') {
      this.tools.handle.leave();
      this.tools.cage.choose(null, []);
    }
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    const { stage } = this.bench;
    const grabs = [...this.tools.grab.grabs.keys()];
    const lines = e.deltaMode === 1 ? 16 : 1;
    const dy = e.deltaY * lines, dx = e.deltaX * lines;
    if (grabs.length) {
      for (const key of grabs) this.tools.grab.deeper(key, -dy * 0.0006);
      return;
    }
    // A wheel turns in whole steps of one axis; a trackpad does not.
    const trackpad = !e.ctrlKey && (dx !== 0 || !Number.isInteger(e.deltaY));
    if (trackpad) stage.camera.orbit(-dx, -dy, stage.height);
    else {
      const at = stage.ndc(e.clientX, e.clientY);
      stage.camera.zoom(Math.exp(Math.max(-240, Math.min(240, dy)) * (e.ctrlKey ? 0.01 : 0.0012)), at.x, at.y);
    }
    stage.requestDraw();
  }
}
