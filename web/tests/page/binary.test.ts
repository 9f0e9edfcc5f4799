// SPDX-License-Identifier: Apache-2.0
// The same recorded bytes that the server's own tests write and read (tests/data/view).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Channel, Format, grabRows, Kind, parse, positionsInto, ProtocolError, sequenceOf } from '../../src/protocol/binary';

const DATA = new URL('../../../tests/data/view/', import.meta.url);

function bytes(name: string): ArrayBuffer {
  const file = readFileSync(new URL(`${name}.bin`, DATA));
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
}

interface Told {
  kind: string | number;
  seq: number;
  epoch: number;
  step: number;
  applied: number;
  time: number;
  blocks: { body: number; channel: number; format: number; count: number; lo: number[]; hi: number[]; values: number[] }[];
}

function told(name: string): Told {
  return JSON.parse(readFileSync(new URL(`${name}.json`, DATA), 'utf8')) as Told;
}

const RECORDED = ['model', 'frame_f32', 'frame_u16_all_channels'];

describe('binary messages', () => {
  it.each(RECORDED)('%s is read as the server says it was written', (name) => {
    const m = parse(bytes(name)), t = told(name);
    expect({ seq: m.seq, epoch: m.epoch, step: m.step, applied: m.applied, time: m.time })
      .toEqual({ seq: t.seq, epoch: t.epoch, step: t.step, applied: t.applied, time: t.time });
    expect(m.blocks.map((b) => [b.body, b.channel, b.format, b.count])).toEqual(t.blocks.map((b) => [b.body, b.channel, b.format, b.count]));
    m.blocks.forEach((b, i) => {
      b.lo.forEach((v, k) => expect(v).toBeCloseTo(t.blocks[i].lo[k], 5));
      b.hi.forEach((v, k) => expect(v).toBeCloseTo(t.blocks[i].hi[k], 5));
    });
  });

  it.each(RECORDED)('%s holds the positions that were written, to the accuracy of its format', (name) => {
    let checked = 0;
    parse(bytes(name)).blocks.forEach((b, i) => {
      const { values } = told(name).blocks[i];
      if (b.format !== Format.F32x3 && b.format !== Format.U16x3) return;
      const out = new Float32Array(b.count * 3);
      positionsInto(b, out);
      const step = Math.max(...b.hi.map((h, k) => h - b.lo[k])) / 65535;
      out.forEach((v, k) => expect(Math.abs(v - values[k])).toBeLessThanOrEqual(b.format === Format.U16x3 ? step : 1e-6));
      checked += out.length;
    });
    expect(checked).toBeGreaterThan(0);
  });

  it('a model has triangles within its vertices', () => {
    const m = parse(bytes('model'));
    expect(m.kind).toBe(Kind.Model);
    const triangles = m.blocks.find((b) => b.channel === Channel.Triangles)!;
    const surface = m.blocks.find((b) => b.channel === Channel.Surface && b.body === triangles.body)!;
    expect(Math.max(...(triangles.data as Uint32Array))).toBeLessThan(surface.count);
  });

  it('grabs of all pages come with their forces', () => {
    const block = parse(bytes('frame_u16_all_channels')).blocks.find((b) => b.channel === Channel.Grabs)!;
    const rows = grabRows(block);
    expect(rows).toHaveLength(block.count);
    for (const row of rows) expect(Number.isInteger(row.id) && row.force >= 0 && row.stiffness > 0).toBe(true);
  });

  it('refuses other magic, version, kind, format and cut messages', () => {
    const change = (at: number, value: number) => {
      const b = bytes('frame_f32');
      new Uint8Array(b)[at] = value;
      return b;
    };
    expect(() => parse(change(0, 0))).toThrow(ProtocolError);
    expect(() => parse(change(4, 2))).toThrow(/version 2/);
    expect(() => parse(change(6, 9))).toThrow(/kind 9/);
    expect(() => parse(change(48 + 3, 77))).toThrow(/format 77/);
    const whole = bytes('frame_f32');
    for (let cut = 0; cut < whole.byteLength; cut += 7) expect(() => parse(whole.slice(0, cut))).toThrow(ProtocolError);
  });

  it('skips a channel it does not know by its size', () => {
    const b = bytes('frame_f32');
    new Uint8Array(b)[48 + 2] = 200;
    const known = parse(bytes('frame_f32')).blocks.length;
    expect(parse(b).blocks).toHaveLength(known - 1);
  });

  it('no byte changed at random makes it read outside the message', () => {
    let seed = 7;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
    for (let k = 0; k < 600; k++) {
      const b = bytes(RECORDED[k % 3]);
      const view = new Uint8Array(b);
      for (let i = 0; i < 1 + random(4); i++) view[random(view.length)] = random(256);
      try {
        for (const block of parse(b).blocks) expect(block.data.byteOffset + block.data.byteLength).toBeLessThanOrEqual(b.byteLength);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
    }
  });

  it('tells the sequence number of a message that is dropped', () => {
    expect(sequenceOf(bytes('frame_f32'))).toBe(told('frame_f32').seq);
  });
});
