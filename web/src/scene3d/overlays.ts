// SPDX-License-Identifier: Apache-2.0
// Marks over one body: pins, nodes, active rotations, contacts, cage, skeleton, wireframe. Made when first shown.

import * as THREE from 'three';
import { PointFlag } from '../protocol/binary';
import type { Overlay } from '../store';
import type { BodyView } from './body_view';
import { Arrows } from './arrows';
import { Dots, Lines } from './dots';
import { bounds, edgesOf, normalsInto, thinned } from './geometry';
import { CAGE_COLOUR, Theme3D } from './look';

const GOLD = CAGE_COLOUR;

/** A body is marked at every vertex up to so many, then so many along its length. */
const MOST_DOTS = 300, DOTS_ALONG = 48;

export class BodyOverlays {
  readonly group = new THREE.Group();
  /** 1 for cage vertices that face the eye, which alone can be picked. */
  cageFacing = new Float32Array();
  chosenCage: number[] = [];

  private dots = { version: -1, pinned: [] as number[], held: [] as number[] };
  private pins: Dots | null = null;
  private held: Dots | null = null;
  private nodes: Dots | null = null;
  private active: Dots | null = null;
  private contacts: Dots | null = null;
  /** Of contact forces; null until first shown. */
  forces: Arrows | null = null;
  private cageLines: Lines | null = null;
  private cageDots: Dots | null = null;
  private cageChosen: Dots | null = null;
  private bones: Lines | null = null;
  private joints: Dots | null = null;
  private wire: Lines | null = null;
  private cageEdges: Uint32Array = new Uint32Array();
  private wireEdges: Uint32Array | null = null;
  private cageNormals = new Float32Array();

  constructor(private readonly body: BodyView, private theme: Theme3D) {}

  setTheme(theme: Theme3D): void {
    this.theme = theme;
    this.pins?.colour(theme.pin);
    this.cageDots?.colour(theme.panel, GOLD);
    this.cageChosen?.colour(GOLD, theme.panel);
    this.joints?.colour(theme.panel, theme.accent);
    this.held?.colour(theme.accent, theme.panel);
    this.forces?.colour(theme.force);
  }

  /** Brings what is shown to the newest frame. */
  update(shown: ReadonlySet<Overlay>, eye: THREE.Vector3, ratio: number): void {
    const { body, theme } = this;
    const { extra } = body;
    const { pinned, held } = this.heldDots();
    if (pinned.length || this.pins) {
      this.pins ??= this.add(new Dots({ size: 5, fill: theme.pin }));
      this.pins.set(body.positions, pinned, ratio);
    }
    if (held.length || this.held) {
      this.held ??= this.add(new Dots({ size: 6, fill: theme.accent, edge: theme.panel, rim: 1 }));
      this.held.set(body.positions, held, ratio);
    }
    if (this.show(shown.has('nodes'), this.nodes?.points)) {
      this.nodes ??= this.add(new Dots({ size: 4, fill: '#ffffff', edge: '#20262c', rim: 1, opacity: 0.75, onTop: true }));
      this.nodes.set(extra.nodes, null, ratio);
    }
    if (this.show(shown.has('active'), this.active?.points)) {
      this.active ??= this.add(new Dots({ size: 5, fill: '#ffb347', edge: '#4a2b00', rim: 1, onTop: true }));
      this.active.set(body.positions, body.flagged(PointFlag.active), ratio);
    }
    if (this.show(shown.has('contacts'), this.contacts?.points)) {
      this.contacts ??= this.add(new Dots({ size: 6, fill: '#ff6b6b', edge: '#4a0505', rim: 1, onTop: true }));
      this.contacts.set(body.positions, body.flagged(PointFlag.contact), ratio);
    }
    if (this.show(shown.has('forces'), this.forces?.lines)) {
      this.forces ??= this.add(new Arrows(theme.force));
      const { lo, hi } = bounds(body.rest);
      this.forces.set(extra.contacts, Math.max(...hi.map((h, k) => h - lo[k])));
    }
    if (this.show(shown.has('wireframe'), this.wire?.group)) {
      this.wireEdges ??= edgesOf(body.triangles);
      this.wire ??= this.add(new Lines('#101418', 0.5, 0));
      this.wire.set(body.positions, this.wireEdges);
    }
    this.updateCage(shown.has('cage') && extra.cage.length > 0, eye, ratio);
    this.updateSkeleton(shown.has('skeleton') && extra.joints.length > 0, ratio);
  }

  /** Where pins and handles are marked: on a fine surface not at every vertex, or the marks hide it. */
  private heldDots(): { pinned: number[]; held: number[] } {
    const { body } = this;
    if (this.dots.version !== body.extraVersion) {
      const { lo, hi } = bounds(body.rest);
      const cube = Math.max(...hi.map((h, k) => h - lo[k])) / DOTS_ALONG;
      const thin = (points: number[]) => thinned(points, body.rest, cube, MOST_DOTS);
      this.dots = { version: body.extraVersion, pinned: thin(body.pinned), held: thin(body.flagged(PointFlag.handle)) };
    }
    return this.dots;
  }

  dispose(): void {
    for (const part of [this.pins, this.held, this.nodes, this.active, this.contacts, this.forces, this.cageLines, this.cageDots,
      this.cageChosen, this.bones, this.joints, this.wire]) part?.dispose();
  }

  private updateCage(on: boolean, eye: THREE.Vector3, ratio: number): void {
    this.show(on, this.cageDots?.points);
    this.show(on, this.cageLines?.group);
    if (!this.show(on, this.cageChosen?.points)) return;
    const { cage, cageTriangles } = this.body.extra;
    if (!this.cageEdges.length) this.cageEdges = edgesOf(cageTriangles);
    if (this.cageNormals.length !== cage.length) {
      this.cageNormals = new Float32Array(cage.length);
      this.cageFacing = new Float32Array(cage.length / 3);
    }
    normalsInto(cage, cageTriangles, this.cageNormals);
    const n = this.cageNormals;
    for (let i = 0, k = 0; i < cage.length; i += 3, k++) {
      const towards = n[i] * (eye.x - cage[i]) + n[i + 1] * (eye.y - cage[i + 1]) + n[i + 2] * (eye.z - cage[i + 2]);
      this.cageFacing[k] = towards >= 0 ? 1 : 0;
    }
    this.cageLines ??= this.add(new Lines(GOLD, 0.8, 0.14));
    this.cageLines.set(cage, this.cageEdges);
    this.cageDots ??= this.add(new Dots({ size: 9, fill: this.theme.panel, edge: GOLD, rim: 2, onTop: true }));
    this.cageDots.set(cage, null, ratio, this.cageFacing);
    this.cageChosen ??= this.add(new Dots({ size: 12, fill: GOLD, edge: this.theme.panel, rim: 2, onTop: true }));
    this.cageChosen.set(cage, this.chosenCage, ratio);
  }

  private updateSkeleton(on: boolean, ratio: number): void {
    this.show(on, this.joints?.points);
    if (!this.show(on, this.bones?.group)) return;
    const { joints, bones } = this.body.extra;
    const at = new Float32Array((joints.length / 7) * 3);
    for (let i = 0, k = 0; i < joints.length; i += 7, k += 3) at.set(joints.subarray(i, i + 3), k);
    if (bones.length) {
      this.bones ??= this.add(new Lines(this.theme.accent, 1, 0.8));
      this.bones.set(at, bones);
    }
    this.joints ??= this.add(new Dots({ size: 10, fill: this.theme.panel, edge: this.theme.accent, rim: 2, onTop: true }));
    this.joints.set(at, null, ratio);
  }

  private add<T extends Dots | Lines | Arrows>(part: T): T {
    this.group.add(part instanceof Dots ? part.points : part instanceof Arrows ? part.lines : part.group);
    return part;
  }

  private show(on: boolean, object: THREE.Object3D | undefined): boolean {
    if (object) object.visible = on;
    return on;
  }
}
