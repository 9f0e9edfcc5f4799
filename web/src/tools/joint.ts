// SPDX-License-Identifier: Apache-2.0
// Joint: dragging turns it about the camera axis; dragging the root moves it.

import * as THREE from 'three';
import type { V3 } from '../scene3d/geometry';
import type { Hit } from '../scene3d/stage';
import { Bench, onCameraPlane, PerFrame, Press, Tool } from './tool';

const REACH_PX = 16;

interface Turn {
  id: number;
  body: number;
  joint: number;
  root: boolean;
  pivot: V3;
  start: THREE.Quaternion;
  axis: THREE.Vector3;
  angle0: number;
  angle: number;
  target: V3;
}

export class JointTool implements Tool {
  turn: Turn | null = null;
  hovered: { body: number; joint: number } | null = null;
  private readonly moves = new PerFrame();

  constructor(private readonly bench: Bench) {}

  /** A bone is turned by its child joint, about its parent joint. */
  down(press: Press, _hit: Hit | null): boolean {
    if (this.bench.store.readOnly) return false;
    const near = this.nearest(press.x, press.y);
    if (!near) return false;
    const { stage } = this.bench;
    const { joints, bones } = stage.bodies.get(near.body)!.extra;
    let parent = -1;
    for (let b = 0; b < bones.length; b += 2) if (bones[b + 1] === near.joint) parent = bones[b];
    const joint = parent < 0 ? near.joint : parent;
    const pivot = this.at(near.body, joint);
    const q = joints.subarray(joint * 7 + 3, joint * 7 + 7);
    this.turn = {
      id: press.id, body: near.body, joint, root: parent < 0, pivot,
      start: new THREE.Quaternion(q[0], q[1], q[2], q[3]),
      axis: stage.camera.camera.getWorldDirection(new THREE.Vector3()).negate(),
      angle0: this.angle(pivot, press), angle: 0, target: pivot,
    };
    return true;
  }

  move(press: Press): void {
    const turn = this.turn;
    if (turn?.id !== press.id || !press.dragged) return;
    if (turn.root) turn.target = onCameraPlane(this.bench.stage, press.x, press.y, turn.pivot);
    else turn.angle = this.angle(turn.pivot, press) - turn.angle0;
    this.moves.ask(turn, () => this.send(turn, false));
    this.bench.stage.requestDraw();
  }

  up(press: Press): void {
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
    if (turn.root) {
      this.bench.store.do('joint.move', { body: turn.body, joint: turn.joint, target: turn.target, final });
      return;
    }
    const q = new THREE.Quaternion().setFromAxisAngle(turn.axis, turn.angle).multiply(turn.start);
    this.bench.store.do('joint.rotate', {
      body: turn.body, joint: turn.joint, rotation: [q.x, q.y, q.z, q.w], final,
    });
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
        const p = stage.project(this.at(id, j));
        const d = Math.hypot(p.x + box.left - x, p.y + box.top - y);
        if (d < least) [best, least] = [{ body: id, joint: j }, d];
      }
    }
    return best;
  }
}
