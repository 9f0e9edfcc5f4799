// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { thinned } from '../../src/scene3d/geometry';

describe('marks on a fine surface', () => {
  const x = new Float32Array(3000).map((_, i) => (i % 3 === 0 ? (i / 3) * 0.001 + 1e-5 : 0)); // a thousand along x, 1 mm apart
  const all = Array.from({ length: 1000 }, (_, i) => i);

  it('are one in every cube', () => {
    const some = thinned(all, x, 0.01, 300);
    expect(some.length).toBe(100);
    expect(some.every((p, k) => k === 0 || x[p * 3] - x[some[k - 1] * 3] > 0.005)).toBe(true);
  });
  it('are all there when they are few', () => {
    expect(thinned(all.slice(0, 300), x, 0.01, 300)).toHaveLength(300);
  });
});
