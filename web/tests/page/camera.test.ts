// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { OrbitCamera } from '../../src/scene3d/camera';

const distance = (camera: OrbitCamera, to: [number, number, number]) =>
  Math.hypot(camera.target.x - to[0], camera.target.y - to[1], camera.target.z - to[2]);

describe('the camera', () => {
  it('lets a body move a little without moving itself', () => {
    const camera = new OrbitCamera();
    camera.fit([0, 0, 0], 1, true);
    expect(camera.follow([0.2, 0, 0])).toBe(false);
    expect(camera.target.x).toBe(0);
  });
  it('keeps a body that tumbles away in the picture', () => {
    const camera = new OrbitCamera();
    camera.fit([0, 0, 0], 1, true);
    for (let x = 0; x < 30; x += 0.5) camera.follow([x, -x, 0]);
    expect(distance(camera, [29.5, -29.5, 0])).toBeLessThan(0.6);
  });
  it('stays where the user moved it until it is fitted again', () => {
    const camera = new OrbitCamera();
    camera.fit([0, 0, 0], 1, true);
    camera.pan(40, 0, 700);
    expect(camera.follow([30, 0, 0])).toBe(false);
    camera.fit([0, 0, 0], 1, false);
    expect(camera.follow([30, 0, 0])).toBe(true);
  });
});
