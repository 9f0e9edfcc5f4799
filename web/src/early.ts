// SPDX-License-Identifier: Apache-2.0
// What takes long to begin and needs no three.js: the socket and the drawing context. boot.ts begins both while the rest
// of the page is still being loaded and compiled.

import { Connection } from './net/connection';

export const FULL_RATE = 60;

export const query = new URLSearchParams(location.search);

export const link = new Connection({
  format: query.get('format') === 'u16' ? 'u16' : 'f32', channels: ['surface', 'surface_flags', 'grabs'],
  max_rate: FULL_RATE, watch: query.has('watch'),
});

/** A canvas without antialiasing, as the reduced picture draws on. */
export interface Probe {
  canvas: HTMLCanvasElement;
  gl: WebGL2RenderingContext;
  software: boolean;
}

function makeProbe(): Probe | null {
  const canvas = document.createElement('canvas');
  const gl = canvas.getContext('webgl2', { alpha: true, antialias: false, stencil: false });
  if (!gl) return null;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  return { canvas, gl, software: /swiftshader|llvmpipe|software/i.test(name) };
}

let made: Probe | null | undefined;

/** null: this browser gives no WebGL 2. */
export function probe(): Probe | null {
  made ??= makeProbe();
  return made;
}
