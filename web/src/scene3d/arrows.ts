// SPDX-License-Identifier: Apache-2.0
// Arrows of contact forces: each ends at its contact and comes from the side that pushes, its length is the force.

import * as THREE from 'three';

/** The longest arrow has this share of the body's size, at most and at least: the scale changes in powers of two. */
const LONGEST = 0.5, SHORTEST = 0.2;
/** Of an arrow's length. */
const HEAD = 0.22, HEAD_WIDTH = 0.07;

/** Metres a newton, so that the largest force is well to be seen; `scale` is kept as long as it is. */
export function arrowScale(scale: number, largest: number, size: number): number {
  if (!(largest > 0)) return scale;
  let now = scale > 0 ? scale : 2 ** Math.floor(Math.log2((LONGEST * size) / largest));
  while (now * largest > LONGEST * size) now /= 2;
  while (now * largest < SHORTEST * size) now *= 2;
  return now;
}

/** The largest force of rows of place and force, and its row; -1: there is none. */
export function largestForce(rows: Float32Array): { row: number; force: number } {
  let row = -1, force = 0;
  for (let i = 0; i + 5 < rows.length; i += 6) {
    const f = Math.hypot(rows[i + 3], rows[i + 4], rows[i + 5]);
    if (f > force) [row, force] = [i / 6, f];
  }
  return { row, force };
}

/** Ends of lines of all arrows: shaft and four strokes of a head each, 10 points. */
export function arrowLines(rows: Float32Array, scale: number): Float32Array {
  const out = new Float32Array((rows.length / 6) * 30);
  const tip = new THREE.Vector3(), way = new THREE.Vector3(), side = new THREE.Vector3(), other = new THREE.Vector3(), at = new THREE.Vector3();
  let k = 0;
  const put = (v: THREE.Vector3) => {
    v.toArray(out, k);
    k += 3;
  };
  for (let i = 0; i + 5 < rows.length; i += 6) {
    way.fromArray(rows, i + 3).multiplyScalar(scale);
    const start = at.fromArray(rows, i).clone();
    tip.copy(start).add(way);
    put(start);
    put(tip);
    side.set(Math.abs(way.y) > Math.abs(way.x) ? 1 : 0, Math.abs(way.y) > Math.abs(way.x) ? 0 : 1, 0).cross(way);
    if (side.lengthSq() > 0) side.setLength(HEAD_WIDTH * way.length());
    other.crossVectors(side, way);
    if (other.lengthSq() > 0) other.setLength(HEAD_WIDTH * way.length());
    for (const [s, o] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      put(tip);
      at.copy(tip).addScaledVector(way, -HEAD).addScaledVector(side, s).addScaledVector(other, o);
      put(at);
    }
  }
  return out;
}

export class Arrows {
  readonly lines: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  /** Metres a newton. */
  scale = 0;
  /** N, and its arrow's tip; null: nothing touches. */
  largest: { force: number; tip: [number, number, number] } | null = null;
  private capacity = 0;

  constructor(colour: string) {
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ color: colour, transparent: true, depthTest: false, toneMapped: false }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 21;
  }

  colour(colour: string): void {
    this.lines.material.color.set(colour);
  }

  set(rows: Float32Array, size: number): void {
    const { row, force } = largestForce(rows);
    this.lines.visible = row >= 0;
    this.largest = null;
    if (row < 0) return;
    this.scale = arrowScale(this.scale, force, size);
    const tip = [0, 1, 2].map((c) => rows[6 * row + c] + this.scale * rows[6 * row + 3 + c]) as [number, number, number];
    this.largest = { force, tip };
    const at = arrowLines(rows, this.scale), { geometry } = this.lines;
    if (at.length > this.capacity) {
      this.capacity = 2 * at.length;
      geometry.dispose();
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(this.capacity), 3));
    }
    (geometry.attributes.position.array as Float32Array).set(at);
    geometry.attributes.position.needsUpdate = true;
    geometry.setDrawRange(0, at.length / 3);
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
}
