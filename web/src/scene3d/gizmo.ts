// SPDX-License-Identifier: Apache-2.0
// The gizmo for handles and cage vertices: moves, turns or scales a proxy object; tools read the difference.

import * as THREE from 'three';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import type { V3 } from './geometry';
import type { Stage } from './stage';

export type GizmoMode = 'translate' | 'rotate' | 'scale';

interface PointerLike {
  x: number;
  y: number;
  button: number;
}

export class Gizmo {
  readonly proxy = new THREE.Object3D();
  onChange: () => void = () => undefined;
  onEnd: () => void = () => undefined;
  private readonly controls: TransformControls;

  constructor(private readonly stage: Stage) {
    this.controls = new TransformControls(stage.camera.camera);
    this.controls.size = 0.8;
    const helper = this.controls.getHelper();
    helper.renderOrder = 30;
    stage.gizmos.add(helper, this.proxy);
    this.controls.addEventListener('objectChange', () => this.onChange());
    this.controls.addEventListener('change', () => stage.requestDraw());
  }

  get shown(): boolean {
    return this.controls.object !== undefined;
  }

  get dragging(): boolean {
    return this.controls.dragging;
  }

  /** The part under the pointer. */
  get axis(): string | null {
    return this.controls.axis;
  }

  get mode(): GizmoMode {
    return this.controls.mode as GizmoMode;
  }

  set mode(mode: GizmoMode) {
    this.controls.setMode(mode);
    this.stage.requestDraw();
  }

  toggleSpace(): void {
    this.controls.setSpace(this.controls.space === 'world' ? 'local' : 'world');
    this.stage.requestDraw();
  }

  show(at: V3, rotation: readonly number[], scale: V3): void {
    this.proxy.position.fromArray(at);
    this.proxy.quaternion.fromArray(rotation);
    this.proxy.scale.fromArray(scale);
    this.proxy.updateMatrixWorld();
    this.controls.attach(this.proxy);
    this.stage.requestDraw();
  }

  hide(): void {
    if (!this.shown) return;
    this.controls.detach();
    this.stage.requestDraw();
  }

  /** True when the pointer is over one of its parts and the drag is the gizmo's. */
  down(clientX: number, clientY: number): boolean {
    if (!this.shown) return false;
    const p = this.pointer(clientX, clientY, 0);
    this.controls.pointerHover(p as never);
    this.controls.pointerDown(p as never);
    return this.controls.dragging;
  }

  move(clientX: number, clientY: number): void {
    this.controls.pointerMove(this.pointer(clientX, clientY, -1) as never);
  }

  hover(clientX: number, clientY: number): boolean {
    if (!this.shown || this.controls.dragging) return false;
    this.controls.pointerHover(this.pointer(clientX, clientY, -1) as never);
    return this.controls.axis !== null;
  }

  up(clientX: number, clientY: number): void {
    const was = this.controls.dragging;
    this.controls.pointerUp(this.pointer(clientX, clientY, 0) as never);
    if (was) this.onEnd();
  }

  private pointer(clientX: number, clientY: number, button: number): PointerLike {
    return { ...this.stage.ndc(clientX, clientY), button };
  }
}
