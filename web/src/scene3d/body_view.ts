// SPDX-License-Identifier: Apache-2.0
// One body on the stage. Its buffers are made once per epoch and updated in place; nothing is rebuilt for a frame.

import * as THREE from 'three';
import { Block, Channel, Format, Message, PointFlag, positionsInto } from '../protocol/binary';
import type { BodyInfo } from '../protocol/types';
import type { Tier } from '../store';
import { bounds, castRay, normalsInto, pointOn, RayHit, V3 } from './geometry';
import { bodyMaterial, BodyUniforms, LookUniforms, OTHER_COLOUR, pointMaterial } from './look';

/** What the optional channels of a body hold; empty until asked for and received. */
export interface Extra {
  nodes: Float32Array;
  cage: Float32Array;
  cageTriangles: Uint32Array;
  joints: Float32Array; // position and quaternion xyzw, 7 each
  restJoints: Float32Array;
  bones: Uint32Array;
  nodeFlags: Uint8Array;
  surfaceFlags: Uint8Array;
  contacts: Float32Array; // place in m and force in N, 6 each
}

/** Diameter of a point of a cloud, of its distance to the next. */
const DISC = 1.5;

export class BodyView {
  readonly rest: Float32Array;
  readonly triangles: Uint32Array;
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly scalar: Float32Array;
  /** 1 where the vertex is painted for a handle. */
  readonly mark: Float32Array;
  /** Its surface, or the points of a cloud. */
  readonly mesh: THREE.Mesh | THREE.Points;
  readonly extra: Extra;
  /** Bounding box of the newest frame, as the server sent it. */
  lo: V3;
  hi: V3;
  /** Rises when flags, nodes, cage or joints arrived. */
  extraVersion = 0;

  private readonly geometry = new THREE.BufferGeometry();
  private readonly own: BodyUniforms;

  constructor(readonly id: number, readonly info: BodyInfo | undefined, model: Message, tier: Tier,
              private readonly shared: LookUniforms, readonly colour: string = OTHER_COLOUR) {
    const find = (channel: Channel) => model.blocks.find((b) => b.body === id && b.channel === channel);
    const surface = find(Channel.Surface), triangles = find(Channel.Triangles);
    if (!surface || !triangles) throw new Error(`the model of body ${id} has no surface`);
    this.rest = new Float32Array(surface.count * 3);
    positionsInto(surface, this.rest);
    this.triangles = (triangles.data as Uint32Array).slice();
    this.positions = this.rest.slice();
    this.normals = new Float32Array(this.rest.length);
    this.scalar = new Float32Array(surface.count);
    this.mark = new Float32Array(surface.count);
    const copy = (channel: Channel) => (find(channel)?.data.slice() ?? new Float32Array()) as Float32Array;
    const indices = (channel: Channel) => (find(channel)?.data.slice() ?? new Uint32Array()) as Uint32Array;
    const nodes = find(Channel.Nodes);
    const nodeRest = new Float32Array((nodes?.count ?? 0) * 3);
    if (nodes) positionsInto(nodes, nodeRest);
    this.extra = {
      nodes: nodeRest, cage: copy(Channel.Cage), cageTriangles: indices(Channel.CageTriangles),
      joints: copy(Channel.Joints), restJoints: copy(Channel.Joints), bones: indices(Channel.Bones),
      nodeFlags: new Uint8Array(nodes?.count ?? 0), surfaceFlags: new Uint8Array(surface.count),
      contacts: new Float32Array(),
    };
    const box = bounds(this.rest);
    this.lo = box.lo;
    this.hi = box.hi;
    const size = Math.max(...box.hi.map((h, i) => h - box.lo[i]), 1e-9);
    this.own = {
      uColour: { value: new THREE.Color() },
      uBare: { value: 0 },
      uSpacing: { value: size / 16 },
      uCentre: { value: new THREE.Vector3().fromArray(box.lo.map((l, i) => (l + box.hi[i]) / 2)) },
      uDiameter: { value: DISC * (info?.point_spacing ?? 0) },
      uHeight: { value: 1 },
    };
    const attribute = (array: Float32Array, width: number) =>
      new THREE.BufferAttribute(array, width).setUsage(THREE.DynamicDrawUsage);
    if (!this.isCloud) this.geometry.setIndex(new THREE.BufferAttribute(this.triangles, 1));
    this.geometry.setAttribute('position', attribute(this.positions, 3));
    this.geometry.setAttribute('normal', attribute(this.normals, 3));
    this.geometry.setAttribute('rest', new THREE.BufferAttribute(this.rest, 3));
    this.geometry.setAttribute('scalar', attribute(this.scalar, 1));
    this.geometry.setAttribute('mark', attribute(this.mark, 1));
    // Not needed for anything here, and computed by the renderer if it is not there.
    this.geometry.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 0);
    this.mesh = this.isCloud ? new THREE.Points(this.geometry) : new THREE.Mesh(this.geometry);
    const pixels = new THREE.Vector2();
    if (this.isCloud) this.mesh.onBeforeRender = (renderer) => { this.own.uHeight.value = renderer.getDrawingBufferSize(pixels).y; };
    this.mesh.frustumCulled = false; // its bounds change with every frame
    this.setTier(tier);
    this.moved();
  }

  /** One triangle, for what is made of a body's buffers before there is one. */
  static empty(tier: Tier, shared: LookUniforms): BodyView {
    const block = (channel: Channel, data: Float32Array | Uint32Array) =>
      ({ body: 0, channel, format: channel === Channel.Surface ? Format.F32x3 : Format.U32x3, count: data.length / 3, lo: [0, 0, 0], hi: [1, 1, 0], data }) as Block;
    const blocks = [block(Channel.Surface, new Float32Array(9)), block(Channel.Triangles, new Uint32Array([0, 1, 2]))];
    return new BodyView(0, undefined, { blocks } as Message, tier, shared);
  }

  setTier(tier: Tier): void {
    (this.mesh.material as THREE.Material | undefined)?.dispose();
    this.mesh.material = this.isCloud ? pointMaterial(this.colour, this.shared, this.own) : bodyMaterial(tier, this.colour, this.shared, this.own);
    this.mesh.castShadow = this.mesh.receiveShadow = tier === 'high' && !this.isCloud;
  }

  /** Points without a surface: its triangles join neighbours, for normals and picking. */
  get isCloud(): boolean {
    return (this.info?.point_spacing ?? 0) > 0;
  }

  /** Takes the blocks of a frame that are about this body. */
  take(block: Block): void {
    switch (block.channel) {
      case Channel.Surface:
        positionsInto(block, this.positions);
        this.lo = block.lo;
        this.hi = block.hi;
        this.moved();
        return;
      case Channel.Scalar: {
        const [lo] = block.lo, s = (block.hi[0] - lo) / 255;
        const q = block.data as Uint8Array;
        for (let i = 0; i < Math.min(q.length, this.scalar.length); i++) this.scalar[i] = lo + q[i] * s;
        this.geometry.attributes.scalar.needsUpdate = true;
        return;
      }
      case Channel.Nodes:
        if (block.count * 3 === this.extra.nodes.length) positionsInto(block, this.extra.nodes);
        break;
      case Channel.Cage:
        this.extra.cage = (block.data as Float32Array).slice();
        break;
      case Channel.Joints:
        this.extra.joints = (block.data as Float32Array).slice();
        break;
      case Channel.Contacts:
        this.extra.contacts = (block.data as Float32Array).slice();
        break;
      case Channel.NodeFlags:
        this.extra.nodeFlags = (block.data as Uint8Array).slice();
        break;
      case Channel.SurfaceFlags:
        this.extra.surfaceFlags = (block.data as Uint8Array).slice();
        break;
    }
    this.extraVersion++;
  }

  markChanged(): void {
    this.geometry.attributes.mark.needsUpdate = true;
  }

  /** Vertices of the surface that carry a flag. */
  flagged(flag: number): number[] {
    const found: number[] = [];
    const f = this.extra.surfaceFlags;
    for (let i = 0; i < f.length; i++) if (f[i] & flag) found.push(i);
    return found;
  }

  get pinned(): number[] {
    return this.flagged(PointFlag.pinned);
  }

  pick(origin: V3, direction: V3): RayHit | null {
    return castRay(this.positions, this.triangles, origin, direction);
  }

  /** Where a ray that enters at `hit` leaves the body. */
  exit(origin: V3, direction: V3, hit: RayHit): RayHit | null {
    return castRay(this.positions, this.triangles, origin, direction, true, hit.distance);
  }

  point(face: number, bary: V3): V3 {
    return pointOn(this.positions, this.triangles, face, bary);
  }

  vertex(index: number): V3 {
    return [this.positions[index * 3], this.positions[index * 3 + 1], this.positions[index * 3 + 2]];
  }

  /** Distance of the farthest vertex from a point. */
  reach(from: V3): number {
    let most = 0;
    for (let i = 0; i < this.positions.length; i += 3) {
      most = Math.max(most, Math.hypot(this.positions[i] - from[0], this.positions[i + 1] - from[1], this.positions[i + 2] - from[2]));
    }
    return most;
  }

  faceNormal(face: number): V3 {
    const [a, b, c] = [0, 1, 2].map((k) => this.vertex(this.triangles[face * 3 + k]));
    const u = new THREE.Vector3(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    const v = new THREE.Vector3(c[0] - a[0], c[1] - a[1], c[2] - a[2]);
    return u.cross(v).normalize().toArray();
  }

  dispose(): void {
    this.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }

  private moved(): void {
    normalsInto(this.positions, this.triangles, this.normals);
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.attributes.normal.needsUpdate = true;
  }
}
