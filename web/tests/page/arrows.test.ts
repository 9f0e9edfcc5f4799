// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { arrowLines, arrowScale, largestForce } from '../../src/scene3d/arrows';

describe('arrows of contact forces', () => {
  const rows = new Float32Array([1, 2, 3, 0, 10, 0, 0, 0, 0, 3, 0, 4]);

  it('are as long as the force, from the contact on', () => {
    const at = arrowLines(rows, 0.1);
    expect(at.length).toBe(2 * 10 * 3);
    expect([...at.subarray(0, 6)]).toEqual([1, 2, 3, 1, 3, 3]);
    const [x, y, z] = at.subarray(33, 36);
    expect(Math.hypot(x, y, z)).toBeCloseTo(0.5, 6);
    expect(at.every(Number.isFinite)).toBe(true);
  });
  it('have heads behind their tips', () => {
    const at = arrowLines(rows, 0.1);
    for (let p = 2; p < 10; p += 2) {
      expect([...at.subarray(3 * p, 3 * p + 3)]).toEqual([1, 3, 3]);
      expect(at[3 * p + 4]).toBeCloseTo(3 - 0.22, 5);
      expect(Math.hypot(at[3 * p + 3] - 1, at[3 * p + 5] - 3)).toBeCloseTo(0.07, 5);
    }
  });
  it('name the largest', () => {
    expect(largestForce(rows)).toEqual({ row: 0, force: 10 });
    expect(largestForce(new Float32Array())).toEqual({ row: -1, force: 0 });
  });
  it('keep their scale until the largest is too long or too short', () => {
    const scale = arrowScale(0, 10, 2);
    expect(scale * 10).toBeLessThanOrEqual(1);
    expect(scale * 10).toBeGreaterThanOrEqual(0.4);
    expect(arrowScale(scale, 9, 2)).toBe(scale);
    expect(arrowScale(scale, 30, 2)).toBeLessThan(scale);
    expect(arrowScale(scale, 1, 2) * 1).toBeGreaterThanOrEqual(0.4);
    expect(arrowScale(scale, 0, 2)).toBe(scale);
  });
});
