// SPDX-License-Identifier: Apache-2.0
// A plot of the last ten seconds on a plain canvas: three series of 600 points draw in well under a millisecond.

import { number } from '../controls/format';
import { niceCeil } from '../scene3d/stage';
import { h } from '../ui/dom';

export interface Series {
  name: string;
  values: (number | null)[];
}

export interface PlotOptions {
  title: string;
  stacked?: boolean;
  /** A line with a label, e.g. the 60 Hz line. */
  line?: { at: number; label: string };
  /** Range around a value instead of from zero. */
  around?: number;
  /** The read-out at the top right. */
  readout: (series: Series[]) => string;
  /** The same in words. */
  words: (series: Series[]) => string;
  unit: string;
}

const WINDOW = 600; // samples: ten seconds of steps at 60 Hz

/** How many of so many samples may be above the axis. */
const cutOff = (samples: number) => Math.min(Math.ceil(0.02 * samples) + 1, Math.floor(samples / 4));

export class Plot {
  readonly element: HTMLElement;
  readonly series: Series[] = [];
  private times: number[] = [];
  private readonly canvas = h('canvas', { 'aria-hidden': 'true' });
  private readonly legend = h('span', { class: 'legend' });
  private readonly value = h('span', { class: 'plot-value' });
  private readonly text: HTMLElement;
  private readonly tip = h('div', { class: 'plot-tip', hidden: true });
  private hover = -1;
  private top = 0;

  constructor(private readonly o: PlotOptions) {
    this.text = h('p', { class: 'for-readers' });
    this.element = h('section', { class: 'plot', 'aria-label': o.title },
      h('div', { class: 'plot-head' }, h('h3', {}, o.title), this.legend, this.value), this.canvas, this.text, this.tip);
    this.canvas.addEventListener('pointermove', (e) => {
      const box = this.canvas.getBoundingClientRect();
      this.hover = Math.round(((e.clientX - box.left) / box.width) * (WINDOW - 1)) - (WINDOW - this.times.length);
      this.draw();
    });
    this.canvas.addEventListener('pointerleave', () => { this.hover = -1; this.draw(); });
    this.canvas.title = 'Click: save these ten seconds as CSV';
    this.canvas.addEventListener('click', () => this.saveCsv());
    // The browser would stretch the old pixels, for as long as time stands.
    new ResizeObserver(() => { if (!document.body.classList.contains('unseen')) this.draw(); }).observe(this.canvas);
  }

  clear(): void {
    this.times = [];
    this.series.length = 0;
    this.legend.replaceChildren();
    this.draw();
  }

  /** Adds samples at the given times; a series that is new starts with nothing. */
  add(times: number[], values: Record<string, (number | null)[]>): void {
    const had = this.times.length;
    this.times.push(...times);
    for (const [name, list] of Object.entries(values)) {
      let series = this.series.find((s) => s.name === name);
      if (!series) {
        series = { name, values: new Array<number | null>(had).fill(null) };
        this.series.push(series);
        this.makeLegend();
      }
      series.values.push(...list);
    }
    for (const series of this.series) {
      while (series.values.length < this.times.length) series.values.push(null);
      series.values.splice(0, Math.max(0, series.values.length - WINDOW));
    }
    this.times.splice(0, Math.max(0, this.times.length - WINDOW));
  }

  draw(): void {
    const c = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    const width = c.clientWidth, height = c.clientHeight;
    if (!width || !height) return;
    if (c.width !== Math.round(width * ratio) || c.height !== Math.round(height * ratio)) {
      c.width = Math.round(width * ratio);
      c.height = Math.round(height * ratio);
    }
    // On the CPU: a plot is small, and software GL would take longer for it than for the body.
    const g = c.getContext('2d', { willReadFrequently: true })!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    const css = getComputedStyle(this.element);
    const colour = (name: string) => css.getPropertyValue(name).trim();
    const { lo, hi } = this.extent();
    const y = (v: number) => height - 2 - ((v - lo) / (hi - lo)) * (height - 6);
    const x = (i: number) => ((WINDOW - this.times.length + i) / (WINDOW - 1)) * width;

    g.strokeStyle = colour('--line');
    g.lineWidth = 1;
    for (const v of [lo, (lo + hi) / 2, hi]) {
      const at = Math.round(y(v)) + 0.5;
      g.beginPath();
      g.moveTo(0, at);
      g.lineTo(width, at);
      g.stroke();
    }
    if (this.o.stacked) this.drawStack(g, x, y, colour);
    else this.drawLines(g, x, y, colour);
    g.fillStyle = colour('--dim');
    g.font = `10px ${css.fontFamily}`;
    g.textAlign = 'left';
    if (this.times.length) g.fillText(`${number(hi)} ${this.o.unit}`, 1, y(hi) + 11);
    if (this.o.line && this.o.line.at <= hi) {
      g.strokeStyle = g.fillStyle = colour('--force');
      g.setLineDash([4, 3]);
      g.beginPath();
      g.moveTo(0, y(this.o.line.at));
      g.lineTo(width, y(this.o.line.at));
      g.stroke();
      g.setLineDash([]);
      g.textAlign = 'right';
      const at = y(this.o.line.at);
      g.fillText(this.o.line.label, width - 1, at + 12 < height ? at + 11 : at - 3);
    }
    if (this.hover >= 0 && this.hover < this.times.length) {
      g.strokeStyle = colour('--dim');
      g.beginPath();
      g.moveTo(x(this.hover), 0);
      g.lineTo(x(this.hover), height);
      g.stroke();
    }
    this.tell();
  }

  private extent(): { lo: number; hi: number } {
    let most = 0, least = Infinity;
    const sums: number[] = [];
    for (let i = 0; i < this.times.length; i++) {
      let sum = 0;
      for (const s of this.series) {
        const v = s.values[i];
        if (v === null || v === undefined) continue;
        sum += v;
        if (!this.o.stacked) most = Math.max(most, v);
        least = Math.min(least, v);
      }
      sums.push(sum);
    }
    // A few long steps (a first one that orders its matrix) are cut off rather than flatten all others.
    if (this.o.stacked && sums.length) most = sums.sort((a, b) => a - b)[Math.max(0, sums.length - 1 - cutOff(sums.length))];
    if (this.o.around !== undefined) {
      const off = niceCeil(Math.max(most - this.o.around, this.o.around - (least === Infinity ? this.o.around : least), 1));
      return { lo: this.o.around - off, hi: this.o.around + off };
    }
    if (this.o.line) most = Math.max(most, this.o.line.at * 1.05);
    const wanted = niceCeil(Math.max(most, 1e-9) * 1.02);
    // The axis grows at once and shrinks only when half of it is unused, so that it does not jump about.
    if (wanted > this.top || wanted < this.top / 2.1) this.top = wanted;
    return { lo: 0, hi: this.top };
  }

  private drawStack(g: CanvasRenderingContext2D, x: (i: number) => number, y: (v: number) => number, colour: (n: string) => string): void {
    const below = new Array<number>(this.times.length).fill(0);
    this.series.forEach((s, k) => {
      g.fillStyle = colour(`--series-${(k % 5) + 1}`);
      g.beginPath();
      for (let i = 0; i < below.length; i++) g.lineTo(x(i), y(below[i]));
      for (let i = below.length - 1; i >= 0; i--) {
        below[i] += s.values[i] ?? 0;
        g.lineTo(x(i), y(below[i]));
      }
      g.fill();
    });
  }

  private drawLines(g: CanvasRenderingContext2D, x: (i: number) => number, y: (v: number) => number, colour: (n: string) => string): void {
    this.series.forEach((s, k) => {
      g.strokeStyle = colour(`--series-${(k % 5) + 1}`);
      g.lineWidth = 1.5;
      g.beginPath();
      let pen = false;
      s.values.forEach((v, i) => {
        // Energies and volume come once a message: what lies between is joined.
        if (v === null) return;
        if (pen) g.lineTo(x(i), y(v));
        else {
          g.moveTo(x(i), y(v));
          pen = true;
        }
      });
      g.stroke();
    });
  }

  private tell(): void {
    this.value.textContent = this.times.length ? this.o.readout(this.series) : '';
    this.text.textContent = this.times.length ? this.o.words(this.series) : 'no data yet';
    const i = this.hover;
    const shown = i >= 0 && i < this.times.length;
    this.tip.hidden = !shown;
    if (!shown) return;
    const parts = this.series.filter((s) => s.values[i] !== null).map((s) => `${s.name} ${number(s.values[i]!)}`);
    this.tip.textContent = `${this.times[i].toFixed(2)} s: ${parts.join(', ')} ${this.o.unit}`;
  }

  private makeLegend(): void {
    if (this.series.length < 2) return;
    this.legend.replaceChildren(...this.series.map((s, k) => h('span', {}, h('i', { class: `swatch s${(k % 5) + 1}` }), s.name)));
  }

  private saveCsv(): void {
    if (!this.times.length) return;
    const head = ['time_s', ...this.series.map((s) => `${s.name} [${this.o.unit}]`)].join(',');
    const lines = this.times.map((t, i) => [t, ...this.series.map((s) => s.values[i] ?? '')].join(','));
    const url = URL.createObjectURL(new Blob([[head, ...lines].join('\n')], { type: 'text/csv' }));
    h('a', { href: url, download: `${this.o.title.toLowerCase().replace(/ /g, '-')}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
}

export function median(list: (number | null)[]): number | null {
  const known = list.filter((v): v is number => v !== null).sort((a, b) => a - b);
  return known.length ? known[known.length >> 1] : null;
}

export function worst(list: (number | null)[]): number | null {
  const known = list.filter((v): v is number => v !== null);
  return known.length ? Math.max(...known) : null;
}

/** The newest value that is known. */
export function last(list: (number | null)[] | undefined): number | null {
  for (let i = (list?.length ?? 0) - 1; i >= 0; i--) if (list![i] !== null) return list![i];
  return null;
}
