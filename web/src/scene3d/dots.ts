// SPDX-License-Identifier: Apache-2.0
// Round dots of a given size in pixels, with a rim, and lines: the marks of nodes, pins, cages and skeletons.

import * as THREE from 'three';

const VERTEX = /* glsl */ `
attribute float facing;
uniform float uSize, uRatio, uLift;
varying float vFacing;
void main() {
  vFacing = facing;
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  at.xyz *= 1.0 - uLift; // towards the eye: the same pixel, nearer
  gl_Position = projectionMatrix * at;
  gl_PointSize = uRatio * (facing > 0.5 ? uSize : 0.56 * uSize);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 uFill, uEdge;
uniform float uSize, uRatio, uRim, uOpacity;
varying float vFacing;
void main() {
  float size = uRatio * (vFacing > 0.5 ? uSize : 0.56 * uSize);
  float r = length(gl_PointCoord - 0.5) * size;
  float inside = 0.5 * size - r;
  if (inside < 0.0) discard;
  vec3 colour = inside < uRim * uRatio ? uEdge : uFill;
  float alpha = clamp(inside, 0.0, 1.0) * uOpacity * (vFacing > 0.5 ? 1.0 : 0.25);
  gl_FragColor = vec4(colour, alpha);
}`;

export interface DotStyle {
  size: number;
  fill: string;
  edge?: string;
  rim?: number;
  opacity?: number;
  onTop?: boolean;
}

export class Dots {
  readonly points: THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private capacity = 0;

  constructor(style: DotStyle) {
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthTest: !style.onTop, depthWrite: false,
      uniforms: {
        uSize: { value: style.size }, uRatio: { value: 1 }, uRim: { value: style.rim ?? 0 },
        uOpacity: { value: style.opacity ?? 1 }, uLift: { value: style.onTop ? 0 : 0.004 },
        uFill: { value: new THREE.Color() }, uEdge: { value: new THREE.Color() },
      },
    });
    this.points = new THREE.Points(new THREE.BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.renderOrder = style.onTop ? 20 : 10;
    this.colour(style.fill, style.edge ?? style.fill);
  }

  colour(fill: string, edge = fill): void {
    // Marks are not lit: their colours go to the screen as they are.
    (this.points.material.uniforms.uFill.value as THREE.Color).set(fill).convertLinearToSRGB();
    (this.points.material.uniforms.uEdge.value as THREE.Color).set(edge).convertLinearToSRGB();
  }

  /** Places: all of `x`, or the listed ones. */
  set(x: Float32Array, chosen: ArrayLike<number> | null, ratio: number, facing: Float32Array | null = null): void {
    const count = chosen ? chosen.length : x.length / 3;
    this.points.visible = count > 0;
    if (!count) return;
    this.points.material.uniforms.uRatio.value = ratio;
    const geometry = this.points.geometry;
    if (count > this.capacity) {
      this.capacity = Math.ceil(count * 1.25);
      geometry.dispose();
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(this.capacity * 3), 3));
      geometry.setAttribute('facing', new THREE.BufferAttribute(new Float32Array(this.capacity).fill(1), 1));
    }
    const at = geometry.attributes.position.array as Float32Array;
    if (chosen) {
      for (let i = 0; i < count; i++) {
        const v = chosen[i] * 3;
        at[i * 3] = x[v];
        at[i * 3 + 1] = x[v + 1];
        at[i * 3 + 2] = x[v + 2];
      }
    } else {
      at.set(x);
    }
    geometry.attributes.position.needsUpdate = true;
    if (facing) {
      (geometry.attributes.facing.array as Float32Array).set(facing);
      geometry.attributes.facing.needsUpdate = true;
    }
    geometry.setDrawRange(0, count);
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.points.material.dispose();
  }
}

/** Edges twice: in front of the body, and faintly behind it. */
export class Lines {
  readonly group = new THREE.Group();
  private readonly geometry = new THREE.BufferGeometry();
  private readonly front: THREE.LineBasicMaterial;
  private readonly behind: THREE.LineBasicMaterial;

  constructor(colour: string, front: number, behind: number) {
    this.front = new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: front, toneMapped: false });
    this.behind = new THREE.LineBasicMaterial({
      color: colour, transparent: true, opacity: behind, depthFunc: THREE.GreaterDepth, depthWrite: false,
      toneMapped: false,
    });
    for (const material of [this.front, this.behind]) {
      const lines = new THREE.LineSegments(this.geometry, material);
      lines.frustumCulled = false;
      lines.renderOrder = 9;
      this.group.add(lines);
    }
  }

  set(x: Float32Array, pairs: Uint32Array): void {
    const attribute = this.geometry.attributes.position as THREE.BufferAttribute | undefined;
    if (attribute && attribute.array.length === x.length) {
      (attribute.array as Float32Array).set(x);
      attribute.needsUpdate = true;
    } else {
      this.geometry.setAttribute('position', new THREE.BufferAttribute(x.slice(), 3));
    }
    if (this.geometry.index?.array.length !== pairs.length) {
      this.geometry.setIndex(new THREE.BufferAttribute(pairs, 1));
    }
  }

  dispose(): void {
    this.geometry.dispose();
    this.front.dispose();
    this.behind.dispose();
  }
}
