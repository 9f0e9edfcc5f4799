// SPDX-License-Identifier: Apache-2.0
// Joint: dragging turns it about the camera axis; dragging the root moves it. Points of a rod that flesh bends are
// pulled, and let go at the end. A body without bones gets them by clicks through it: each is a joint midway between
// where the ray enters and where it leaves, child of the one before or of the one that was clicked last; Enter builds
// them.

import * as THREE from 'three';
import type { V3 } from '../scene3d/geometry';
import type { Hit } from '../scene3d/stage';
import { Bench, onCameraPlane, PerFrame, Press, Tool } from './tool';

const REACH_PX = 16;

interface Turn {
  id: number;
  body: number;
  joint: number;
  /** It goes where the pointer is: a root, or a point of a rod. */
  moves: boolean;
  pivot: V3;
  start: THREE.Quaternion;
  axis: THREE.Vector3;
  angle0: number;
  angle: number;
  target: V3;
}

/** A point of the surface, as the server knows it. */
interface Place {
  face: number;
  bary: V3;
}

/** A joint that is drawn but not built. */
interface Sample {
  in: Place;
  out: Place;
  parent: number;
}

export class JointTool implements Tool {
  turn: Turn | null = null;
  /** The skeleton being drawn; `last` is the joint that the next one belongs to. */
  draft: { body: number; samples: Sample[]; last: number } | null = null;
  /** Called when the drawing changed. */
  changed: () => void = () => undefined;
  private click: { id: number; hit: Hit } | null = null;
  /** A body with bones gets new ones. */
  private anew = false;
  hovered: { body: number; joint: number } | null = null;
  private readonly moves = new PerFrame();

  constructor(private readonly bench: Bench) {}

  /** A bone is turned by its child joint, about its parent joint. */
  down(press: Press, hit: Hit | null): boolean {
    if (this.bench.store.readOnly) return false;
    if (hit && this.draws(hit.body)) {
      this.click = { id: press.id, hit };
      return true;
    }
    const near = this.nearest(press.x, press.y);
    if (!near) return false;
    const { stage } = this.bench;
    const { joints } = stage.bodies.get(near.body)!.extra;
    const parent = this.above(near.body, near.joint);
    const moves = parent < 0 || this.pulled(near.body, near.joint);
    const joint = moves ? near.joint : parent;
    const pivot = this.at(near.body, joint);
    const q = joints.subarray(joint * 7 + 3, joint * 7 + 7);
    this.turn = {
      id: press.id, body: near.body, joint, moves, pivot,
      start: new THREE.Quaternion(q[0], q[1], q[2], q[3]),
      axis: stage.camera.camera.getWorldDirection(new THREE.Vector3()).negate(),
      angle0: this.angle(pivot, press), angle: 0, target: pivot,
    };
    return true;
  }

  move(press: Press): void {
    const turn = this.turn;
    if (turn?.id !== press.id || !press.dragged) return;
    if (turn.moves) turn.target = onCameraPlane(this.bench.stage, press.x, press.y, turn.pivot);
    else turn.angle = this.angle(turn.pivot, press) - turn.angle0;
    this.moves.ask(turn, () => this.send(turn, false));
    this.bench.stage.requestDraw();
  }

  up(press: Press): void {
    const click = this.click;
    this.click = null;
    if (click?.id === press.id && !press.dragged) this.sample(press, click.hit);
    const turn = this.turn;
    if (turn?.id !== press.id) return;
    this.turn = null;
    this.moves.drop(turn);
    if (press.dragged) this.send(turn, true);
  }

  cancel(press: Press): void {
    this.up(press);
  }

  hover(x: number, y: number): void {
    const near = this.nearest(x, y);
    if (near?.joint === this.hovered?.joint && near?.body === this.hovered?.body) return;
    this.hovered = near;
    this.bench.stage.requestDraw();
  }

  forget(): void {
    this.turn = null;
    this.hovered = null;
    this.click = null;
    this.discard();
  }

  /** Whether clicks on this body draw bones. */
  draws(body: number): boolean {
    return this.anew || !this.bench.stage.bodies.get(body)?.extra.joints.length;
  }

  /** New bones for a body that has some. */
  startAnew(): void {
    this.anew = true;
    this.changed();
  }

  discard(): void {
    this.draft = null;
    this.anew = false;
    this.bench.stage.requestDraw();
    this.changed();
  }

  /** Where the joints of the drawing are now. */
  drawn(): V3[] {
    const { draft } = this;
    const body = draft && this.bench.stage.bodies.get(draft.body);
    if (!draft || !body) return [];
    return draft.samples.map((s) => {
      const a = body.point(s.in.face, s.in.bary), b = body.point(s.out.face, s.out.bary);
      return [0, 1, 2].map((i) => (a[i] + b[i]) / 2) as V3;
    });
  }

  /** What is drawn becomes the body's skeleton. */
  async build(): Promise<void> {
    const { draft } = this;
    const { store, stage } = this.bench;
    if (!draft || draft.samples.length < 2) {
      store.notice({ level: 'info', text: 'A bone needs two joints: click through the body once more.' });
      return;
    }
    await store.command('skeleton.set', { epoch: stage.epoch, body: draft.body, samples: draft.samples });
    this.discard();
  }

  private sample(press: Press, hit: Hit): void {
    const { stage } = this.bench;
    if (this.draft && this.draft.body !== hit.body) this.draft = null;
    this.draft ??= { body: hit.body, samples: [], last: -1 };
    const box = stage.canvas!.getBoundingClientRect();
    const known = this.drawn().findIndex((p) => {
      const at = stage.project(p);
      return Math.hypot(at.x + box.left - press.x, at.y + box.top - press.y) < REACH_PX;
    });
    if (known >= 0) this.draft.last = known;
    else {
      const { origin, direction } = stage.ray(press.x, press.y);
      const out = stage.bodies.get(hit.body)!.exit(origin, direction, hit);
      if (!out) return;
      const { samples, last } = this.draft;
      samples.push({ in: { face: hit.face, bary: hit.bary }, out: { face: out.face, bary: out.bary }, parent: last });
      this.draft.last = samples.length - 1;
    }
    stage.requestDraw();
    this.changed();
  }

  at(body: number, joint: number): V3 {
    const j = this.bench.stage.bodies.get(body)!.extra.joints;
    return [j[joint * 7], j[joint * 7 + 1], j[joint * 7 + 2]];
  }

  name(body: number, joint: number): string {
    const info = this.bench.store.scene?.bodies.find((b) => b.id === body);
    return info?.joints?.[joint] ?? `joint ${joint}`;
  }

  private send(turn: Turn, final: boolean): void {
    if (turn.moves) {
      this.bench.store.do('joint.move', { body: turn.body, joint: turn.joint, target: turn.target, final });
      return;
    }
    const q = new THREE.Quaternion().setFromAxisAngle(turn.axis, turn.angle).multiply(turn.start);
    this.bench.store.do('joint.rotate', {
      body: turn.body, joint: turn.joint, rotation: [q.x, q.y, q.z, q.w], final,
    });
  }

  /** The joint before it on the way from the root, -1 at the root; points of a rod between the two are none. */
  private above(body: number, joint: number): number {
    const { bones } = this.bench.stage.bodies.get(body)!.extra;
    let at = joint;
    do {
      let before = -1;
      for (let b = 0; b < bones.length; b += 2) if (bones[b + 1] === at) before = bones[b];
      at = before;
    } while (at >= 0 && !this.turns(body, at));
    return at;
  }

  /** A point of a rod that is no joint does not turn. */
  private turns(body: number, joint: number): boolean {
    return joint < (this.bench.stage.bodies.get(body)!.info?.joints?.length ?? Infinity);
  }

  private pulled(body: number, joint: number): boolean {
    return this.bench.stage.bodies.get(body)!.info?.pulled_joints?.includes(joint) ?? false;
  }

  private angle(pivot: V3, press: Press): number {
    const box = this.bench.stage.canvas!.getBoundingClientRect();
    const p = this.bench.stage.project(pivot);
    return -Math.atan2(press.y - box.top - p.y, press.x - box.left - p.x);
  }

  private nearest(x: number, y: number): { body: number; joint: number } | null {
    const { stage } = this.bench;
    const box = stage.canvas?.getBoundingClientRect();
    let best: { body: number; joint: number } | null = null;
    let least = REACH_PX;
    if (!box) return null;
    for (const [id, body] of stage.bodies) {
      for (let j = 0; j < body.extra.joints.length / 7; j++) {
        if (!this.turns(id, j) && !this.pulled(id, j)) continue;
        const p = stage.project(this.at(id, j));
        const d = Math.hypot(p.x + box.left - x, p.y + box.top - y);
        if (d < least) [best, least] = [{ body: id, joint: j }, d];
      }
    }
    return best;
  }
}
