// SPDX-License-Identifier: Apache-2.0
// window.pliant: what tests and curious people may read. Waits are on counters, never on time.

import type { Connection } from './net/connection';
import { mark, marks } from './marks';
import { PointFlag } from './protocol/binary';
import type { Reply } from './protocol/types';
import type { V3 } from './scene3d/geometry';
import type { Gizmo } from './scene3d/gizmo';
import type { Hit, Stage } from './scene3d/stage';
import type { Store } from './store';
import type { Tools } from './tools/pointer';
import { $ } from './ui/dom';

export function makeHook(link: Connection, store: Store, stage: Stage, tools: Tools, gizmo: Gizmo) {
  /** The frame that is on the screen, not only received. */
  let shown = { ...store.frame };
  let drawnFrames = 0;
  stage.drawn.on(() => {
    if (store.frame.seq && store.frame.seq !== shown.seq) drawnFrames++;
    if (drawnFrames === 1 && marks.drawn === undefined) {
      mark('drawn');
      requestAnimationFrame(() => mark('shown'));
    }
    shown = { ...store.frame };
  });
  const until = (predicate: () => boolean, ms = 120000): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = performance.now();
      const look = () => {
        if (predicate()) resolve();
        else if (performance.now() - start > ms) reject(new Error(`not within ${ms} ms: ${predicate}`));
        else setTimeout(look, 10);
      };
      look();
    });
  return {
    get version() { return store.welcome?.version ?? ''; },
    get state() { return store.state; },
    get counters() { return { ...link.counters, drawn: drawnFrames, draws: stage.draws }; },
    get frame() { return { ...shown }; },
    get tier() { return stage.tier; },
    positions: (body: number) => stage.bodies.get(body)?.positions,
    /** Place (m) and force (N) of each contact of the last step, 6 numbers each; there when somebody asked for them. */
    contacts: (body: number) => stage.bodies.get(body)?.extra.contacts,
    /** Of the arrows that are drawn: metres a newton, and the largest force. */
    arrows: (body: number) => {
      const forces = stage.overlays.get(body)?.forces;
      return forces && { scale: forces.scale, largest: forces.largest?.force ?? 0, drawn: forces.lines.visible };
    },
    bounds: (body: number) => {
      const b = stage.bodies.get(body);
      return b && { lo: b.lo, hi: b.hi };
    },
    /** Client coordinates of a surface vertex. */
    screen: (body: number, vertex: number) => {
      const b = stage.bodies.get(body);
      if (!b) return null;
      const p = stage.project(b.vertex(vertex));
      const box = $('#view').getBoundingClientRect();
      return { x: p.x + box.left, y: p.y + box.top };
    },
    /** Client coordinates of a point in m. */
    at: (point: V3) => {
      const p = stage.project(point);
      const box = $('#view').getBoundingClientRect();
      return { x: p.x + box.left, y: p.y + box.top };
    },
    /** Positions of cage vertices; joints as position and quaternion, 7 each; stretch of surface vertices. */
    cage: (body: number) => stage.bodies.get(body)?.extra.cage,
    cageFacing: (body: number) => stage.overlays.get(body)?.cageFacing,
    joints: (body: number) => stage.bodies.get(body)?.extra.joints,
    stretch: (body: number) => stage.bodies.get(body)?.scalar,
    get gizmo() { return { shown: gizmo.shown, at: gizmo.proxy.position.toArray(), axis: gizmo.axis }; },
    /** Surface vertices that are pinned, and those of handles. */
    pinned: (body: number) => stage.bodies.get(body)?.flagged(PointFlag.pinned).length ?? 0,
    held: (body: number) => stage.bodies.get(body)?.flagged(PointFlag.handle).length ?? 0,
    pick: (x: number, y: number): Hit | null => stage.pick(x, y),
    get grab() {
      return [...tools.grab.grabs.values()].map((grab) => ({ ...grab, force: tools.grab.force(grab) }));
    },
    get grabs() { return stage.grabs; },
    get bodies() { return store.scene?.bodies ?? []; },
    get history() { return store.history; },
    get transport() { return store.transport; },
    /** Radius of the brush of dents, pins and handles, m. */
    get brush() { return store.brush; },
    options: () => [...store.options.values()],
    send: (cmd: string, args: object = {}): Promise<Reply> => link.send(cmd, args),
    until,
    /** Everything sent is answered and contained in the drawn frame. */
    settled: () => until(() => link.link === 'open' && link.unanswered === 0 && shown.seq > 0 && shown.epoch === stage.epoch &&
      shown.epoch === store.scene?.epoch && shown.applied >= link.lastId),
    timings: stage.timings,
    marks,
  };
}

export type Hook = ReturnType<typeof makeHook>;

declare global {
  interface Window {
    pliant: Hook;
  }
}
