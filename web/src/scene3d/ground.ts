// SPDX-License-Identifier: Apache-2.0
// The ground: a shadow catcher and a grid that fades out. Lengths are in units of the stage (look.ts, UNIT_RADIUS).

import * as THREE from 'three';
import type { Theme3D } from './look';

const FADE = 7;

const VERTEX = /* glsl */ `
varying vec2 vAt;
void main() {
  vAt = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 uLine;
uniform float uStrength;
varying vec2 vAt;
float lines(float spacing) {
  vec2 g = vAt / spacing;
  vec2 w = fwidth(g);
  vec2 d = abs(fract(g - 0.5) - 0.5);
  vec2 line = (1.0 - smoothstep(w * 0.4, w * 1.3, d)) * (1.0 - smoothstep(0.2, 0.6, w));
  return max(line.x, line.y);
}
void main() {
  float fade = 1.0 - smoothstep(0.25 * ${FADE}.0, ${FADE}.0, length(vAt));
  float alpha = uStrength * fade * max(0.5 * lines(0.5), lines(2.5));
  if (alpha < 0.003) discard;
  gl_FragColor = vec4(uLine, alpha);
}`;

export class Ground {
  readonly group = new THREE.Group();
  private readonly grid: THREE.ShaderMaterial;
  private readonly catcher: THREE.ShadowMaterial;
  private readonly shadow: THREE.Mesh;

  constructor() {
    this.grid = new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      uniforms: { uLine: { value: new THREE.Color() }, uStrength: { value: 0.2 } },
    });
    this.catcher = new THREE.ShadowMaterial({ opacity: 0.5 });
    const plane = new THREE.PlaneGeometry(2 * FADE, 2 * FADE);
    const grid = new THREE.Mesh(plane, this.grid);
    const catcher = this.shadow = new THREE.Mesh(plane, this.catcher);
    catcher.receiveShadow = true;
    catcher.position.z = -0.002;
    grid.renderOrder = 1;
    this.group.add(grid);
    this.group.rotation.x = -Math.PI / 2;
  }

  /** Without shadows there is nothing to catch. */
  setShadow(on: boolean): void {
    if (on) this.group.add(this.shadow);
    else this.shadow.removeFromParent();
  }

  setTheme(theme: Theme3D): void {
    (this.grid.uniforms.uLine.value as THREE.Color).set(theme.line).convertLinearToSRGB();
    this.grid.uniforms.uStrength.value = theme.lineStrength;
    this.catcher.opacity = theme.shadow;
  }

  place(y: number, centre: THREE.Vector3, scale: number): void {
    this.group.position.set(centre.x, y, centre.z);
    this.group.scale.setScalar(scale);
  }
}
