// SPDX-License-Identifier: Apache-2.0
// What is drawn over the picture in pixels: the band of each grab with its force, the ring of the brush, the box and
// the cross-hair. The own band goes to the local pointer, so the ring never lags; only the body follows by the wire.

import type { PointerRouter, Tools } from '../tools/pointer';
import type { Store } from '../store';
import type { V3 } from './geometry';
import type { Stage } from './stage';

const SVG = 'http://www.w3.org/2000/svg';

export class Bands {
  /** The keyboard's cross-hair, in pixels of the view. */
  cross: { x: number; y: number } | null = null;
  private readonly svg: SVGSVGElement;
  private used = 0;
  private readonly pool: SVGElement[] = [];

  constructor(view: HTMLElement, private readonly store: Store, private readonly stage: Stage,
              private readonly tools: Tools, private readonly router: PointerRouter) {
    this.svg = document.createElementNS(SVG, 'svg');
    this.svg.setAttribute('class', 'bands');
    this.svg.setAttribute('aria-hidden', 'true');
    view.append(this.svg);
    stage.drawn.on(() => this.draw());
  }

  private draw(): void {
    this.used = 0;
    const me = this.store.welcome?.client;
    for (const grab of this.tools.grab.grabs.values()) {
      const body = this.stage.bodies.get(grab.body);
      if (body) this.band(body.point(grab.face, grab.bary), grab.target, this.tools.grab.force(grab), 'own');
    }
    for (const row of this.stage.grabs) {
      if (row.client !== me) this.band(row.point, row.target, row.force, 'other');
    }
    this.forces();
    this.brush();
    this.joint();
    const b = this.router.boxDrawn;
    const view = this.svg.getBoundingClientRect();
    if (b) {
      this.put('rect', {
        x: Math.min(b.x0, b.x1) - view.left, y: Math.min(b.y0, b.y1) - view.top, width: Math.abs(b.x1 - b.x0),
        height: Math.abs(b.y1 - b.y0), class: 'box',
      });
    }
    if (this.cross) {
      const { x, y } = this.cross;
      this.put('path', { d: `M${x - 14} ${y}H${x - 4}M${x + 4} ${y}H${x + 14}M${x} ${y - 14}V${y - 4}M${x} ${y + 4}V${y + 14}`, class: 'cross' });
    }
    while (this.pool.length > this.used) this.pool.pop()!.remove();
  }

  private band(from: V3, to: V3, force: number | null, who: 'own' | 'other'): void {
    const a = this.stage.project(from), b = this.stage.project(to);
    if (a.z > 1 || b.z > 1) return;
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length > 9) {
      const part = (length - 9) / length;
      this.put('line', { x1: a.x, y1: a.y, x2: a.x + (b.x - a.x) * part, y2: a.y + (b.y - a.y) * part, class: `band ${who}` });
    }
    this.put('circle', { cx: a.x, cy: a.y, r: 5, class: `dot ${who}` });
    this.put('circle', { cx: b.x, cy: b.y, r: 9, class: `ring ${who}` });
    if (force === null || who === 'other') return;
    const text = newton(force);
    const width = 16 + 7 * text.length;
    this.put('rect', { x: b.x + 14, y: b.y - 12, width, height: 23, rx: 5, class: 'force-back' });
    this.put('text', { x: b.x + 14 + width / 2, y: b.y + 4, class: 'force-text' }, text);
  }

  /** The largest contact force of each body, at the tip of its arrow: the measure of the others. */
  private forces(): void {
    if (!this.store.overlays.has('forces')) return;
    for (const overlay of this.stage.overlays.values()) {
      const largest = overlay.forces?.largest;
      if (!largest) continue;
      const p = this.stage.project(largest.tip);
      if (p.z <= 1) this.put('text', { x: p.x + 8, y: p.y - 6, class: 'force-text contact-force' }, newton(largest.force));
    }
  }

  private brush(): void {
    const hit = this.tools.dent.ring;
    const { tool } = this.store;
    if (!hit || (tool !== 'dent' && tool !== 'pin' && tool !== 'handle')) return;
    const body = this.stage.bodies.get(hit.body);
    if (!body) return;
    // A circle of the brush's radius in the plane of the face.
    const n = body.faceNormal(hit.face);
    const helper: V3 = Math.abs(n[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0];
    const u = unit(cross(n, helper)), v = cross(n, u);
    let d = '';
    for (let k = 0; k < 40; k++) {
      const c = Math.cos((k / 40) * 2 * Math.PI) * this.store.brush, s = Math.sin((k / 40) * 2 * Math.PI) * this.store.brush;
      const p = this.stage.project(hit.point.map((x, i) => x + c * u[i] + s * v[i]) as V3);
      d += `${k ? 'L' : 'M'}${p.x.toFixed(1)} ${p.y.toFixed(1)}`;
    }
    this.put('path', { d: `${d}Z`, class: 'brush' });
  }

  private joint(): void {
    if (this.store.tool !== 'joint') return;
    this.bones();
    const { turn, hovered } = this.tools.joint;
    const at = turn ?? hovered;
    if (!at || !this.stage.bodies.has(at.body)) return;
    const p = this.stage.project(this.tools.joint.at(at.body, at.joint));
    const name = this.tools.joint.name(at.body, at.joint);
    const text = turn && !turn.moves ? `${name} ${Math.round((turn.angle * 180) / Math.PI)}°` : name;
    this.put('text', { x: p.x + 14, y: p.y - 10, class: 'joint-text' }, text);
  }

  /** The skeleton being drawn. */
  private bones(): void {
    const { draft } = this.tools.joint;
    const at = this.tools.joint.drawn().map((p) => this.stage.project(p));
    draft?.samples.forEach((s, k) => {
      const from = at[s.parent];
      if (from) this.put('line', { x1: from.x, y1: from.y, x2: at[k].x, y2: at[k].y, class: 'bone' });
    });
    at.forEach((p, k) => this.put('circle', { cx: p.x, cy: p.y, r: 6, class: k === draft?.last ? 'joint last' : 'joint' }));
  }

  private put(tag: string, attributes: Record<string, string | number>, text = ''): void {
    let element = this.pool[this.used];
    if (!element || element.tagName !== tag) {
      const made = document.createElementNS(SVG, tag) as SVGElement;
      if (element) element.replaceWith(made);
      else this.svg.append(made);
      this.pool[this.used] = element = made;
    }
    this.used++;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (element.textContent !== text) element.textContent = text;
  }
}

export function newton(force: number): string {
  if (force >= 9950) return `${(force / 1000).toPrecision(3)} kN`;
  if (force >= 10) return `${Math.round(force)} N`;
  return `${force.toPrecision(2)} N`;
}

function cross(a: V3, b: V3): V3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(a: V3): V3 {
  const l = Math.hypot(...a) || 1;
  return [a[0] / l, a[1] / l, a[2] / l];
}
