// SPDX-License-Identifier: Apache-2.0
// The keyboard, and grabbing without a pointer: Enter puts a cross-hair at the centre, arrows move it, Enter grabs,
// arrows and PageUp/PageDown move the target by parts of the size, Enter or Escape lets go.

import type { Bands } from '../scene3d/bands';
import type { V3 } from '../scene3d/geometry';
import type { Gizmo } from '../scene3d/gizmo';
import type { Stage } from '../scene3d/stage';
import type { Look, Store, ToolName } from '../store';
import type { PointerRouter, Tools } from '../tools/pointer';
import { $ } from './dom';
import { showHelp } from './help';
import { closeMenu } from './menu';
import { savePicture } from './save';
import type { Shell } from './shell';
import type { StartPage } from './start';

const TOOL_KEYS: Record<string, ToolName> = { g: 'grab', d: 'dent', h: 'handle', c: 'cage', j: 'joint' };
const LOOKS: Look[] = ['grid', 'stretch', 'plain'];
/** The keyboard's grab among those of the pointers, whose ids are not negative. */
const KEYBOARD = -1;

/** What a focused control does with a key itself. */
function isKeyOf(control: HTMLElement, key: string): boolean {
  if (control.matches?.('input[type=range]')) return /^(Arrow|Page|Home|End)/.test(key);
  return !!control.matches?.('button, input, summary, a') && (key === ' ' || key === 'Enter' || key.startsWith('Arrow'));
}

export interface KeyParts {
  store: Store;
  stage: Stage;
  tools: Tools;
  gizmo: Gizmo;
  router: PointerRouter;
  bands: Bands;
  shell: Shell;
  start: StartPage;
  openFile: () => void;
  nextTheme: () => void;
}

export class Keys {
  constructor(private readonly p: KeyParts) {
    window.addEventListener('keydown', (e) => this.key(e));
    $('#view').addEventListener('blur', () => this.letGo());
  }

  private key(e: KeyboardEvent): void {
    const { p } = this;
    const typing = (e.target as HTMLElement).matches?.('input:not([type=range], [type=radio], [type=checkbox]), select, textarea');
    if (document.querySelector('dialog[open]')) return;
    if (e.ctrlKey || e.metaKey) {
      if (this.control(e)) e.preventDefault();
      return;
    }
    if (e.key === 'Escape' && p.start.shown) { // also from its filter
      this.escape();
      return;
    }
    if (typing || isKeyOf(e.target as HTMLElement, e.key)) return;
    if (e.key === 'Escape') {
      this.escape();
      return;
    }
    if (e.target === $('#view') && this.onView(e)) {
      e.preventDefault();
      return;
    }
    if (e.altKey) {
      if (e.key.toLowerCase() === 'p') {
        p.tools.pin.clear();
        e.preventDefault();
      }
      return;
    }
    if (this.letter(e)) e.preventDefault();
  }

  private control(e: KeyboardEvent): boolean {
    const { p } = this;
    switch (e.key.toLowerCase()) {
      case 'z': p.store.do(e.shiftKey ? 'redo' : 'undo'); return true;
      case 'y': p.store.do('redo'); return true;
      case 's': p.shell.openSave(); return true;
      case 'o': p.openFile(); return true;
    }
    return false;
  }

  private letter(e: KeyboardEvent): boolean {
    const { p } = this;
    const { store, stage } = p;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (key in TOOL_KEYS && !e.shiftKey) {
      store.setTool(TOOL_KEYS[key]);
      return true;
    }
    switch (key) {
      case ' ': p.shell.togglePlay(); return true;
      case '.': p.shell.step(); return true;
      case ',': p.shell.cycleSpeed(); return true;
      case 'r': store.do('reset'); return true;
      case 'p':
        if (!p.tools.grab.keepPins()) store.setTool('pin');
        return true;
      case 'o': p.shell.togglePose(); return true;
      case '1': p.gizmo.mode = 'translate'; return true;
      case '2': p.gizmo.mode = 'rotate'; return true;
      case '3': p.gizmo.mode = 'scale'; return true;
      case 'x': p.gizmo.toggleSpace(); return true;
      case 'b': p.router.boxNext = true; return true;
      case '[': case ']':
        store.brush = Number((store.brush * (key === '[' ? 0.8 : 1.25)).toPrecision(3));
        store.viewChanged.emit();
        return true;
      case 'f': stage.fit(false); return true;
      case 'Home': stage.fit(true); return true;
      case 'm': p.shell.nextMethod(e.shiftKey ? -1 : 1); return true;
      case 'v': store.setLook(LOOKS[(LOOKS.indexOf(store.look) + 1) % LOOKS.length]); return true;
      case 'n': store.toggleOverlay('nodes'); return true;
      case 't': p.shell.toggleDock(); return true;
      case 'l': p.nextTheme(); return true;
      case 'k':
        if (e.shiftKey) void savePicture(store, stage);
        else p.shell.toggleRecord();
        return true;
      case '\\': p.shell.togglePicture(); return true;
      case '?': showHelp(); return true;
      case '+': case '=': stage.camera.zoom(0.9); stage.requestDraw(); return true;
      case '-': stage.camera.zoom(1 / 0.9); stage.requestDraw(); return true;
      case 'Delete': case 'Backspace': p.tools.handle.remove(); return true;
      case 'Enter':
        if (store.tool === 'handle') void p.tools.handle.make().catch(() => undefined);
        else if (store.tool === 'joint' && p.tools.joint.draft) void p.tools.joint.build().catch(() => undefined);
        else return false;
        return true;
    }
    return this.arrows(e);
  }

  private arrows(e: KeyboardEvent): boolean {
    const by: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const d = by[e.key];
    if (!d) return false;
    const { stage } = this.p;
    if (e.shiftKey) stage.camera.pan(-24 * d[0], -24 * d[1], stage.height);
    else stage.camera.orbit(-24 * d[0], -24 * d[1], stage.height);
    stage.requestDraw();
    return true;
  }

  /** Keys of the focused view: the grab without a pointer. */
  private onView(e: KeyboardEvent): boolean {
    const { bands, stage, store, tools } = this.p;
    const grab = tools.grab.grabs.get(KEYBOARD);
    const by: Record<string, V3> = {
      ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, -1], PageDown: [0, 0, 1],
    };
    const d = by[e.key];
    if (grab) {
      if (e.key === 'Enter') {
        this.letGo();
        return true;
      }
      if (!d) return false;
      const step = (e.shiftKey ? 0.1 : 0.01) * 2 * stage.radius;
      const m = stage.camera.camera.matrixWorld.elements;
      const t = grab.target.map((v, i) => v + step * (d[0] * m[i] + d[1] * m[4 + i] + d[2] * m[8 + i])) as V3;
      tools.grab.aim(KEYBOARD, t);
      return true;
    }
    if (bands.cross) {
      if (d && d[2] === 0) {
        const px = e.shiftKey ? 40 : 8;
        bands.cross = { x: bands.cross.x + px * d[0], y: bands.cross.y - px * d[1] };
        stage.requestDraw();
        return true;
      }
      if (e.key !== 'Enter') return false;
      const box = $('#view').getBoundingClientRect();
      const hit = stage.pick(bands.cross.x + box.left, bands.cross.y + box.top);
      if (!hit) {
        store.spoken.emit('nothing under the cross-hair');
        return true;
      }
      bands.cross = null;
      tools.grab.begin(KEYBOARD, hit);
      return true;
    }
    if (e.key === 'Enter' && store.tool !== 'handle' && !(store.tool === 'joint' && tools.joint.draft)) {
      const view = $('#view');
      bands.cross = { x: view.clientWidth / 2, y: view.clientHeight / 2 };
      store.spoken.emit('cross-hair; arrows move it, Enter grabs');
      stage.requestDraw();
      return true;
    }
    return false;
  }

  private escape(): void {
    const { p } = this;
    if (closeMenu()) return;
    if (p.start.shown && !p.start.empty) p.start.hide();
    else if (p.bands.cross || p.tools.grab.grabs.size) this.letGo();
    else if (p.router.busy) p.router.cancelAll();
    else if (p.tools.joint.draft) p.tools.joint.discard();
    else if (document.body.classList.contains('bare')) p.shell.togglePicture();
    else {
      p.tools.handle.leave();
      p.tools.cage.choose(null, []);
    }
  }

  private letGo(): void {
    const { bands, stage, tools } = this.p;
    if (bands.cross) {
      bands.cross = null;
      stage.requestDraw();
    }
    tools.grab.end(KEYBOARD);
  }
}
