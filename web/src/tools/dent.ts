// SPDX-License-Identifier: Apache-2.0
// Dent: pushes a disc of the surface inwards along the normal, deeper the longer it is held (or the harder a pen
// presses). Ctrl pulls. The shape stays only where the body is plastic.

import type { Hit } from '../scene3d/stage';
import { Bench, Press, Tool } from './tool';

interface Push {
  dent: number;
  hit: Hit;
  began: number;
  sign: number;
  pressure: number;
  timer: number;
}

const FULL_AFTER_MS = 1200;

export class DentTool implements Tool {
  private pushes = new Map<number, Push>();
  private next = 1;
  /** Where the ring is drawn while the pointer hovers. */
  ring: Hit | null = null;

  constructor(private readonly bench: Bench) {}

  down(press: Press, hit: Hit | null): boolean {
    const { store, stage } = this.bench;
    if (!hit || store.readOnly) return false;
    if (!store.transport.playing) {
      store.notice({ level: 'info', text: 'Time stands: a dent needs it to go on', actions: [{ label: 'Play', run: () => store.do('play') }] });
      return true;
    }
    const push: Push = {
      dent: this.next, hit, began: performance.now(), sign: press.ctrl ? -1 : 1, pressure: press.pressure, timer: 0,
    };
    this.next = (this.next % 255) + 1;
    this.pushes.set(press.id, push);
    store
      .command('dent.begin', {
        epoch: stage.epoch, dent: push.dent, body: hit.body, face: hit.face, bary: hit.bary, radius: store.brush, depth: 0,
      })
      .catch(() => this.stop(press.id));
    push.timer = window.setInterval(() => {
      store.do('dent.move', { dent: push.dent, depth: this.depth(push) });
    }, 33);
    return true;
  }

  move(press: Press): void {
    const push = this.pushes.get(press.id);
    if (push) push.pressure = press.pressure;
  }

  up(press: Press): void {
    const push = this.pushes.get(press.id);
    if (!push) return;
    this.stop(press.id);
    this.bench.store.do('dent.end', { dent: push.dent, depth: this.depth(push) });
  }

  cancel(press: Press): void {
    this.up(press);
  }

  forget(): void {
    this.ring = null;
    for (const id of [...this.pushes.keys()]) this.stop(id);
  }

  private stop(id: number): void {
    const push = this.pushes.get(id);
    if (push) window.clearInterval(push.timer);
    this.pushes.delete(id);
  }

  /** In m, at most the radius; a pen gives its pressure, a mouse the time held. */
  private depth(push: Push): number {
    const held = Math.min(1, (performance.now() - push.began) / FULL_AFTER_MS);
    const part = push.pressure > 0 && push.pressure !== 0.5 ? push.pressure : held;
    return push.sign * part * this.bench.store.brush;
  }
}
