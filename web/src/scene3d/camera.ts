// SPDX-License-Identifier: Apache-2.0
// A camera on a sphere around a target. No damping: what the hand does is what the picture does.

import * as THREE from 'three';
import type { V3 } from './geometry';

const FIELD_OF_VIEW = 32; // degrees, vertical
const FIRST_DIRECTION = new THREE.Vector3(0.46, 0.22, 0.86).normalize();
const LOWEST = 0.495 * Math.PI;
const HIGHEST = 0.02;
/** Of the half height of the picture, at the target: what fitting leaves free above and below a body. */
const LEASH = 0.2;

export class OrbitCamera {
  readonly camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  readonly target = new THREE.Vector3();
  private readonly sphere = new THREE.Spherical(5);
  private radius = 1;
  private following = true;
  /** Nobody zoomed or moved the picture by hand since it was fitted. */
  framed = false;

  constructor() {
    this.sphere.setFromVector3(FIRST_DIRECTION.clone().multiplyScalar(5));
  }

  /**
   * Shows all points (x, y, z, ...) from the present direction, or from the first one. radius: of a ball about the centre
   * that holds them. free: the part of half the width and of half the height that nothing covers.
   */
  fit(centre: V3, radius: number, points: ArrayLike<number>, fresh: boolean, free: { x: number; y: number }): void {
    this.radius = Math.max(radius, 1e-6);
    this.following = true;
    this.framed = true;
    this.target.fromArray(centre);
    if (fresh) this.sphere.setFromVector3(FIRST_DIRECTION);
    this.sphere.radius = this.radius;
    this.place();
    const tan = Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    this.sphere.radius = Math.max(this.distanceFor(points, free.x * tan * this.camera.aspect, free.y * tan), 0.1 * this.radius);
    this.place();
  }

  /** From the target, so that every point lies within the tangents of both fields of view. */
  private distanceFor(points: ArrayLike<number>, across: number, up: number): number {
    const e = this.camera.matrixWorld.elements; // columns: right, up, backwards
    const t = this.target;
    let most = 0;
    for (let i = 0; i + 2 < points.length; i += 3) {
      const x = points[i] - t.x, y = points[i + 1] - t.y, z = points[i + 2] - t.z;
      const side = Math.abs(e[0] * x + e[1] * y + e[2] * z), height = Math.abs(e[4] * x + e[5] * y + e[6] * z);
      most = Math.max(most, e[8] * x + e[9] * y + e[10] * z + Math.max(side / across, height / up));
    }
    return most;
  }

  /** The target follows what is looked at on a leash, until the user moves it by hand. True: the view changed. */
  follow(centre: V3): boolean {
    const away = new THREE.Vector3().fromArray(centre).sub(this.target);
    const leash = LEASH * this.sphere.radius * Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    if (!this.following || away.length() <= leash) return false;
    this.target.addScaledVector(away, 1 - leash / away.length());
    this.place();
    return true;
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(height, 1);
    this.place();
  }

  orbit(dx: number, dy: number, height: number): void {
    const turn = (2 * Math.PI) / height;
    this.sphere.theta -= dx * turn;
    this.sphere.phi = Math.min(LOWEST, Math.max(HIGHEST, this.sphere.phi - dy * turn));
    this.place();
  }

  pan(dx: number, dy: number, height: number): void {
    this.following = this.framed = false;
    const size = this.pixelSize(this.target, height);
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * size).addScaledVector(up, dy * size);
    this.place();
  }

  /** Factor < 1 comes nearer. The point under the pointer (NDC) stays where it is. */
  zoom(factor: number, ndcX = 0, ndcY = 0): void {
    this.framed = false;
    const before = this.sphere.radius;
    const after = Math.min(60 * this.radius, Math.max(0.05 * this.radius, before * factor));
    const h = Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target
      .addScaledVector(right, ndcX * h * this.camera.aspect * (before - after))
      .addScaledVector(up, ndcY * h * (before - after));
    this.sphere.radius = after;
    this.place();
  }

  /** Length of one pixel at the depth of a point. */
  pixelSize(at: THREE.Vector3, height: number): number {
    const forward = this.camera.getWorldDirection(new THREE.Vector3());
    const depth = at.clone().sub(this.camera.position).dot(forward);
    return (2 * Math.abs(depth) * Math.tan((FIELD_OF_VIEW * Math.PI) / 360)) / height;
  }

  private place(): void {
    this.camera.position.setFromSpherical(this.sphere).add(this.target);
    this.camera.lookAt(this.target);
    this.camera.near = Math.max(this.sphere.radius - 12 * this.radius, 0.02 * this.sphere.radius);
    this.camera.far = this.sphere.radius + 24 * this.radius;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }
}
