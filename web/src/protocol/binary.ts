// SPDX-License-Identifier: Apache-2.0
// Binary messages of the server: a header of 48 bytes, then blocks of 32 bytes plus payload, little endian.
// Payloads are views into the received buffer, never copies.

export const MAGIC = 0x544e4c50; // "PLNT"
export const VERSION = 1;
export const HEADER_BYTES = 48;
export const BLOCK_BYTES = 32;
export const SCENE_BODY = 0xffff;

export enum Kind { Frame = 1, Model = 2 }

export const Flag = { paused: 1, posing: 2, stopped: 4, recording: 8, keyframe: 16 } as const;
export const PointFlag = { pinned: 1, handle: 2, active: 4, contact: 8 } as const;

export enum Channel {
  Surface = 0,
  Triangles = 1,
  Nodes = 2,
  Cage = 3,
  CageTriangles = 4,
  Joints = 5,
  Bones = 6,
  Scalar = 7,
  NodeFlags = 8,
  SurfaceFlags = 9,
  Grabs = 10,
  Contacts = 11,
}

export enum Format { F32x3 = 0, U16x3 = 1, U32x3 = 2, U32x2 = 3, U8 = 4, F32x7 = 5, F32x10 = 6 }

/** Bytes of one entry, by format. */
const ENTRY_BYTES = [12, 6, 12, 8, 1, 28, 40];

export interface Block {
  body: number;
  channel: number;
  format: Format;
  count: number;
  lo: [number, number, number];
  hi: [number, number, number];
  data: Float32Array | Uint16Array | Uint32Array | Uint8Array;
}

export interface Message {
  kind: Kind;
  flags: number;
  seq: number;
  epoch: number;
  step: number;
  applied: number;
  time: number;
  stepMs: number;
  rate: number;
  blocks: Block[];
}

export class ProtocolError extends Error {}

function view(buffer: ArrayBuffer, offset: number, format: Format, count: number): Block['data'] {
  switch (format) {
    case Format.F32x3: return new Float32Array(buffer, offset, count * 3);
    case Format.U16x3: return new Uint16Array(buffer, offset, count * 3);
    case Format.U32x3: return new Uint32Array(buffer, offset, count * 3);
    case Format.U32x2: return new Uint32Array(buffer, offset, count * 2);
    case Format.U8: return new Uint8Array(buffer, offset, count);
    case Format.F32x7: return new Float32Array(buffer, offset, count * 7);
    case Format.F32x10: return new Float32Array(buffer, offset, count * 10);
  }
}

/** Sequence number of a message without reading the rest: what is dropped must be acknowledged all the same. */
export function sequenceOf(buffer: ArrayBuffer): number {
  if (buffer.byteLength < HEADER_BYTES) throw new ProtocolError(`message of ${buffer.byteLength} bytes has no header`);
  return new DataView(buffer).getUint32(8, true);
}

export function parse(buffer: ArrayBuffer): Message {
  const size = buffer.byteLength;
  if (size < HEADER_BYTES) throw new ProtocolError(`message of ${size} bytes has no header`);
  const d = new DataView(buffer);
  if (d.getUint32(0, true) !== MAGIC) throw new ProtocolError('not a pliant message');
  const version = d.getUint16(4, true);
  if (version !== VERSION) throw new ProtocolError(`binary version ${version}, this page reads ${VERSION}`);
  const kind = d.getUint8(6);
  if (kind !== Kind.Frame && kind !== Kind.Model) throw new ProtocolError(`unknown kind ${kind}`);
  const total = d.getUint32(44, true);
  if (total !== size) throw new ProtocolError(`header says ${total} bytes, message has ${size}`);

  const blocks: Block[] = [];
  let at = HEADER_BYTES;
  const count = d.getUint16(40, true);
  for (let i = 0; i < count; i++) {
    if (at + BLOCK_BYTES > size) throw new ProtocolError(`block ${i} is cut`);
    const format = d.getUint8(at + 3);
    const bytes = ENTRY_BYTES[format];
    if (bytes === undefined) throw new ProtocolError(`unknown format ${format} in block ${i}`);
    const entries = d.getUint32(at + 4, true);
    const payload = entries * bytes;
    const next = at + BLOCK_BYTES + Math.ceil(payload / 4) * 4;
    if (next > size) throw new ProtocolError(`payload of block ${i} is cut`);
    const channel = d.getUint8(at + 2);
    // An unknown channel is skipped by its size, so that a newer server can add some.
    if (channel <= Channel.Contacts) {
      const f = (o: number) => d.getFloat32(at + o, true);
      blocks.push({
        body: d.getUint16(at, true), channel, format, count: entries,
        lo: [f(8), f(12), f(16)], hi: [f(20), f(24), f(28)],
        data: view(buffer, at + BLOCK_BYTES, format, entries),
      });
    }
    at = next;
  }
  if (at !== size) throw new ProtocolError(`${size - at} bytes after the last block`);
  return {
    kind, flags: d.getUint8(7), seq: d.getUint32(8, true), epoch: d.getUint32(12, true),
    step: d.getUint32(16, true), applied: d.getUint32(20, true), time: d.getFloat64(24, true),
    stepMs: d.getFloat32(32, true), rate: d.getFloat32(36, true), blocks,
  };
}

/** Writes the positions of a block into `out`, whatever their format. */
export function positionsInto(block: Block, out: Float32Array): void {
  if (block.count * 3 !== out.length) {
    throw new ProtocolError(`block has ${block.count} positions, the model ${out.length / 3}`);
  }
  if (block.format === Format.F32x3) {
    out.set(block.data as Float32Array);
    return;
  }
  if (block.format !== Format.U16x3) throw new ProtocolError(`format ${block.format} holds no positions`);
  const q = block.data as Uint16Array;
  const [x0, y0, z0] = block.lo;
  const sx = (block.hi[0] - x0) / 65535, sy = (block.hi[1] - y0) / 65535, sz = (block.hi[2] - z0) / 65535;
  for (let i = 0; i < q.length; i += 3) {
    out[i] = x0 + q[i] * sx;
    out[i + 1] = y0 + q[i + 1] * sy;
    out[i + 2] = z0 + q[i + 2] * sz;
  }
}

export interface GrabRow {
  id: number;
  client: number;
  point: [number, number, number];
  target: [number, number, number];
  force: number;
  stiffness: number;
}

/** Format 6: id, client, point, target, force in N, stiffness in N/m. */
export function grabRows(block: Block): GrabRow[] {
  const d = block.data as Float32Array;
  const rows: GrabRow[] = [];
  for (let i = 0; i < block.count; i++) {
    const o = i * 10;
    rows.push({
      id: d[o], client: d[o + 1], point: [d[o + 2], d[o + 3], d[o + 4]],
      target: [d[o + 5], d[o + 6], d[o + 7]], force: d[o + 8], stiffness: d[o + 9],
    });
  }
  return rows;
}
