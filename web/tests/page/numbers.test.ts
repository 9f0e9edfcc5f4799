// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fromPart, number, spoken, STOPS, toPart, unitText } from '../../src/controls/format';
import { castRay, edgesOf, normalsInto, pointOn, V3 } from '../../src/scene3d/geometry';

describe('numbers and sliders', () => {
  it('numbers have no more digits than say something', () => {
    expect(number(100000)).toBe('1e5');
    expect(number(0.002)).toBe('0.002');
    expect(number(1000)).toBe('1000');
    expect(number(0.00001234)).toBe('1.23e-5');
    expect(number(12.3456)).toBe('12.3');
  });
  it('readers hear units', () => {
    expect(spoken(100000, 'Pa')).toBe('100 000 pascal');
    expect(unitText('kg/m^3')).toBe('kg/m³');
    expect(unitText('1')).toBe('');
  });
  it.each([{ min: 1e3, max: 1e7, log: true }, { min: -2, max: 5, log: false }])('every stop of a slider keeps its place: %o', (r) => {
    for (let stop = 0; stop <= STOPS; stop++) {
      expect(Math.round(toPart(fromPart(stop / STOPS, r, 6), r) * STOPS)).toBe(stop);
    }
  });
});

// A cube of two triangles a side.
const X = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]);
const T = new Uint32Array([0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 2, 3, 7, 2, 7, 6, 0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5]);

describe('geometry loops', () => {
  it('a ray hits the nearest front face where it points', () => {
    const hit = castRay(X, T, [0.25, 0.6, 5], [0, 0, -1])!;
    expect(hit.distance).toBeCloseTo(4);
    const p = pointOn(X, T, hit.face, hit.bary);
    [0.25, 0.6, 1].forEach((v, i) => expect(p[i]).toBeCloseTo(v));
  });
  it('a ray from inside hits nothing: only front faces count', () => {
    for (const d of [[0, 0, 1], [1, 0, 0], [0, -1, 0]] as V3[]) expect(castRay(X, T, [0.5, 0.4, 0.3], d)).toBeNull();
  });
  it('a ray beside the body hits nothing', () => {
    expect(castRay(X, T, [2, 2, 5], [0, 0, -1])).toBeNull();
  });
  it('vertex normals of a cube point outward', () => {
    const n = new Float32Array(X.length);
    normalsInto(X, T, n);
    for (let v = 0; v < 8; v++) for (let k = 0; k < 3; k++) expect(Math.sign(n[v * 3 + k])).toBe(X[v * 3 + k] > 0.5 ? 1 : -1);
  });
  it('a cube of triangles has 18 edges', () => {
    expect(edgesOf(T).length / 2).toBe(18);
  });
});
