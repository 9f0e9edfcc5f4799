// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Vector3 } from 'three';
import { OrbitCamera } from '../../src/scene3d/camera';

const corners = [-1, 1].flatMap((x) => [-0.2, 0.2].flatMap((y) => [-0.5, 0.5].flatMap((z) => [x, y, z])));
const show = (camera: OrbitCamera, fresh: boolean, free = { x: 0.9, y: 0.8 }) => camera.fit([0, 0, 0], 1.14, corners, fresh, free);
/** Of the corners, the farthest from the middle of the picture, in parts of half its width and height. */
const farthest = (camera: OrbitCamera) => {
  let x = 0, y = 0;
  for (let i = 0; i < corners.length; i += 3) {
    const p = new Vector3().fromArray(corners, i).project(camera.camera);
    x = Math.max(x, Math.abs(p.x));
    y = Math.max(y, Math.abs(p.y));
  }
  return { x, y };
};

describe('the camera', () => {
  it('shows a body as large as what nothing covers, from every side', () => {
    const camera = new OrbitCamera();
    for (const [width, height] of [[900, 500], [400, 400], [300, 600]]) {
      camera.resize(width, height);
      for (let k = 0; k < 7; k++) {
        camera.orbit(height / 7, k % 2 ? 40 : -40, height);
        show(camera, false);
        const { x, y } = farthest(camera);
        expect(x).toBeLessThan(0.9001);
        expect(y).toBeLessThan(0.8001);
        expect(Math.max(x / 0.9, y / 0.8)).toBeGreaterThan(0.9999);
      }
    }
  });
  it('knows whether its picture was changed by hand', () => {
    const camera = new OrbitCamera();
    show(camera, true);
    camera.orbit(50, 0, 700);
    expect(camera.framed).toBe(true);
    camera.zoom(0.9);
    expect(camera.framed).toBe(false);
  });
  it('lets a body move a little without moving itself', () => {
    const camera = new OrbitCamera();
    show(camera, true);
    expect(camera.follow([0.2, 0, 0])).toBe(false);
    expect(camera.target.x).toBe(0);
  });
  it('keeps a body that tumbles away in the picture', () => {
    const camera = new OrbitCamera();
    show(camera, true);
    for (let x = 0; x < 30; x += 0.5) camera.follow([x, -x, 0]);
    const p = new Vector3(29.5, -29.5, 0).project(camera.camera);
    expect(Math.hypot(p.x, p.y), 'of half the picture').toBeLessThan(0.35);
  });
  it('stays where the user moved it until it is fitted again', () => {
    const camera = new OrbitCamera();
    show(camera, true);
    camera.pan(40, 0, 700);
    expect(camera.follow([30, 0, 0])).toBe(false);
    show(camera, false);
    expect(camera.follow([30, 0, 0])).toBe(true);
  });
});
