// SPDX-License-Identifier: Apache-2.0
// The look of a body: clay in the method's colour with analytic soft boxes, a rim and ground occlusion, and thin lines
// at constant rest coordinates that make stretch, shear and twist visible. No environment map: making one takes
// seconds in software and gives nothing these terms do not.

import * as THREE from 'three';
import type { Tier } from '../store';

export type ThemeName = 'dark' | 'light';

/** Of the methods, in the order of the server's list; .dot in style.css has the same. */
const METHOD_COLOURS = ['#ef7652', '#8f86f7', '#e3ab2f', '#37b795', '#93a1ae'];
export const OTHER_COLOUR = '#b8b2a6';
export const CAGE_COLOUR = '#e3ab2f';

export function methodColour(method: string, methods: string[]): string {
  return METHOD_COLOURS[methods.indexOf(method)] ?? OTHER_COLOUR;
}

/** Lengths are for a scene of this bounding radius; the stage scales them. */
export const UNIT_RADIUS = 1.75;

export interface Theme3D {
  exposure: number;
  key: number;
  rim: number;
  fill: number;
  hemisphere: number;
  below: string;
  shadow: number;
  line: string;
  lineStrength: number;
  centre: string;
  edge: string;
  pin: string;
  accent: string;
  force: string;
  panel: string;
  rimTerm: number;
  prop: string;
}

export const THEMES: Record<ThemeName, Theme3D> = {
  dark: {
    exposure: 0.92, key: 2.2, rim: 2.2, fill: 0.6, hemisphere: 1.6, below: '#7a5c4e', shadow: 0.62, line: '#8fa3b8',
    lineStrength: 0.13, centre: '#343c45', edge: '#14181c', pin: '#6cb2ff', accent: '#45cdb9', force: '#ffb347', panel: '#15191e',
    rimTerm: 0.22, prop: '#59636e',
  },
  light: {
    exposure: 0.98, key: 1.9, rim: 0.8, fill: 0.7, hemisphere: 2.3, below: '#c2a08e', shadow: 0.32, line: '#6b6558',
    lineStrength: 0.22, centre: '#fcfbf8', edge: '#dcd9d2', pin: '#1f6fd1', accent: '#0a7d70', force: '#d9730d', panel: '#ffffff',
    rimTerm: 0.12, prop: '#c4bdb0',
  },
};

/** Lights of the reduced picture: directions to them (world), colour times intensity. */
export interface LightUniforms {
  uToLight: { value: THREE.Vector3[] };
  uLight: { value: THREE.Color[] };
  uSky: { value: THREE.Color };
  uBelow: { value: THREE.Color };
}

/** Shared by all body materials; per body values are in BodyUniforms. */
export interface LookUniforms extends LightUniforms {
  uGround: { value: number };
  uScale: { value: number };
  uRim: { value: number };
  uLook: { value: number }; // 0 plain, 1 rest grid, 2 stretch
  uGridStrength: { value: number };
  uSaturation: { value: number };
  uRange: { value: number };
}

export interface BodyUniforms {
  uColour: { value: THREE.Color };
  uBare: { value: number }; // 1: a collider: flat faces, no lines, no shine
  uSpacing: { value: number };
  uCentre: { value: THREE.Vector3 };
  uDiameter: { value: number }; // of a point of a cloud, m
  uHeight: { value: number }; // of the picture, pixels
}

const VERTEX_HEAD = /* glsl */ `
attribute vec3 rest;
attribute float scalar;
attribute float mark;
varying vec3 vRest;
varying vec3 vAt;
varying vec3 vNormalW;
varying float vScalar;
varying float vMark;
`;

const FRAGMENT_HEAD = /* glsl */ `
uniform float uGround, uScale, uRim, uLook, uGridStrength, uSaturation, uRange, uSpacing;
uniform vec3 uCentre;
varying vec3 vRest;
varying vec3 vAt;
varying vec3 vNormalW;
varying float vScalar;
varying float vMark;

// Lines one and a half pixels wide wherever a rest coordinate is a multiple of the spacing; they fade where they
// would be closer than two pixels, and vanish on faces along which that coordinate does not change.
float restLines() {
  vec3 g = (vRest - uCentre) / uSpacing + 0.5;
  vec3 w = fwidth(g);
  vec3 d = abs(fract(g - 0.5) - 0.5);
  vec3 line = 1.0 - smoothstep(w * 0.45, w * 1.35, d);
  line *= (1.0 - smoothstep(0.18, 0.5, w)) * step(1e-4, w);
  return max(line.x, max(line.y, line.z));
}

vec3 stretchColour(float s) {
  vec3 cold = vec3(0.028, 0.159, 0.716), clay = vec3(0.686, 0.644, 0.578), hot = vec3(0.578, 0.032, 0.010);
  float t = clamp(s / uRange, -1.0, 1.0);
  return t < 0.0 ? mix(clay, cold, -t) : mix(clay, hot, t);
}
`;

const COLOUR = /* glsl */ `
#include <color_fragment>
if (uLook > 1.5) diffuseColor.rgb = stretchColour(vScalar);
diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.03, 0.30, 0.26), 0.55 * smoothstep(0.25, 0.75, vMark));
if (uLook > 0.5) diffuseColor.rgb *= 1.0 - uGridStrength * restLines();
diffuseColor.rgb = mix(vec3(dot(diffuseColor.rgb, vec3(0.2126, 0.7152, 0.0722))), diffuseColor.rgb, uSaturation);
`;

const SHINE = /* glsl */ `{
  vec3 nW = normalize(vNormalW);
  vec3 vW = normalize(cameraPosition - vAt);
  vec3 rW = reflect(-vW, nW);
  float top = smoothstep(0.60, 0.96, dot(rW, normalize(vec3(0.10, 1.0, 0.16))));
  float side = smoothstep(0.82, 0.97, dot(rW, normalize(vec3(-0.78, 0.36, 0.52))));
  float rim = pow(1.0 - clamp(dot(nW, vW), 0.0, 1.0), 3.0);
  outgoingLight += vec3(1.0, 0.98, 0.95) * (0.20 * top + 0.10 * side) + vec3(0.70, 0.84, 1.0) * uRim * rim;
  float above = max(vAt.y - uGround, 0.0) / uScale;
  outgoingLight *= 1.0 - (0.18 + 0.42 * max(-nW.y, 0.0)) * exp(-above / 0.28);
}`;

const LIGHT = /* glsl */ `
${SHINE}
#include <opaque_fragment>
`;

// The reduced picture: the same terms with plain Lambert light, in a shader of its own. Software drawing compiles it in a
// fraction of the time that one of three.js' materials takes, and that is most of the wait for the first picture.
const LOW_VERTEX = /* glsl */ `
${VERTEX_HEAD}
void main() {
  vRest = rest; vAt = position; vScalar = scalar; vMark = mark;
  vNormalW = normal / max(length(normal), 1e-30);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const LOW_HEAD = /* glsl */ `
${FRAGMENT_HEAD}
uniform vec3 uColour, uSky, uBelow, uToLight[3], uLight[3];
uniform float uBare;

vec3 painted() {
  vec3 colour = uColour;
  if (uLook > 1.5) colour = stretchColour(vScalar);
  return mix(colour, vec3(0.03, 0.30, 0.26), 0.55 * smoothstep(0.25, 0.75, vMark));
}
vec3 saturated(vec3 colour) {
  return mix(vec3(dot(colour, vec3(0.2126, 0.7152, 0.0722))), colour, uSaturation);
}`;

const LOW_LIGHT = /* glsl */ `
  vec3 light = mix(uBelow, uSky, 0.5 * n.y + 0.5);
  for (int i = 0; i < 3; i++) light += uLight[i] * max(dot(n, uToLight[i]), 0.0);
  vec3 outgoingLight = colour * light * 0.3183098861837907; // 1/pi: diffuse reflection
  if (uBare < 0.5) ${SHINE}
  gl_FragColor = vec4(outgoingLight, 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
`;

const LOW_FRAGMENT = /* glsl */ `
${LOW_HEAD}
void main() {
  vec3 colour = uColour;
  vec3 n = uBare > 0.5 ? cross(dFdx(vAt), dFdy(vAt)) : vNormalW;
  n = normalize(n) * (uBare > 0.5 || gl_FrontFacing ? 1.0 : -1.0);
  if (uBare < 0.5) {
    colour = painted();
    if (uLook > 0.5) colour *= 1.0 - uGridStrength * restLines();
    colour = saturated(colour);
  }
${LOW_LIGHT}
}`;

// A point of a cloud: a disc across its normal, with a darker rim. Points seen from behind are not drawn, so that the far
// side does not show through the gaps.
const POINT_VERTEX = /* glsl */ `
${VERTEX_HEAD}
uniform float uDiameter, uHeight;
varying vec3 vNormalV;
void main() {
  vRest = rest; vAt = position; vScalar = scalar; vMark = mark;
  vNormalW = normal / max(length(normal), 1e-30);
  vNormalV = mat3(viewMatrix) * vNormalW;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = uDiameter * projectionMatrix[1][1] * 0.5 * uHeight / gl_Position.w;
}`;

const POINT_FRAGMENT = /* glsl */ `
${LOW_HEAD}
varying vec3 vNormalV;
void main() {
  vec3 n = normalize(vNormalW);
  if (dot(n, cameraPosition - vAt) < 0.0) discard;
  vec3 across = normalize(vNormalV);
  vec2 p = vec2(2.0, -2.0) * (gl_PointCoord - 0.5);
  float r = length(vec3(p, dot(across.xy, p) / max(across.z, 0.25)));
  if (r > 1.0) discard;
  vec3 colour = saturated(painted() * (1.0 - 0.35 * smoothstep(0.72, 0.95, r)));
${LOW_LIGHT}
}`;

/** Grid, rim and occlusion in three.js' own material, for the full picture. */
function patch(material: THREE.Material, shared: LookUniforms, own: BodyUniforms): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, shared, own);
    shader.vertexShader = VERTEX_HEAD + shader.vertexShader
      .replace('#include <beginnormal_vertex>', `
        vec3 objectNormal = normal / max(length(normal), 1e-30);
        vNormalW = objectNormal;`)
      .replace('#include <begin_vertex>', `
        #include <begin_vertex>
        vRest = rest; vAt = position; vScalar = scalar; vMark = mark;`);
    shader.fragmentShader = FRAGMENT_HEAD + shader.fragmentShader
      .replace('#include <color_fragment>', COLOUR)
      .replace('#include <opaque_fragment>', LIGHT);
  };
  material.customProgramCacheKey = () => `pliant-${material.type}`;
}

function lowMaterial(shared: LookUniforms, own: BodyUniforms): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    vertexShader: LOW_VERTEX, fragmentShader: LOW_FRAGMENT, uniforms: { ...shared, ...own } as Record<string, { value: unknown }>,
  });
}

/** The points of a cloud. */
export function pointMaterial(colour: string, shared: LookUniforms, own: BodyUniforms): THREE.Material {
  own.uColour.value.set(colour);
  return new THREE.ShaderMaterial({
    vertexShader: POINT_VERTEX, fragmentShader: POINT_FRAGMENT, uniforms: { ...shared, ...own } as Record<string, { value: unknown }>,
  });
}

export function bodyMaterial(tier: Tier, colour: string, shared: LookUniforms, own: BodyUniforms): THREE.Material {
  own.uColour.value.set(colour);
  if (tier === 'low') return lowMaterial(shared, own);
  const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.46, metalness: 0 });
  patch(material, shared, own);
  return material;
}

/** What bodies touch. */
export function propMaterial(tier: Tier, colour: string, shared: LookUniforms): THREE.Material {
  if (tier === 'high') return new THREE.MeshLambertMaterial({ color: colour, flatShading: true });
  return lowMaterial(shared, {
    uSpacing: { value: 1 }, uCentre: { value: new THREE.Vector3() }, uColour: { value: new THREE.Color(colour) }, uBare: { value: 1 },
    uDiameter: { value: 0 }, uHeight: { value: 1 },
  });
}
