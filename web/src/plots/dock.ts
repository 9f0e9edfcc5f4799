// SPDX-License-Identifier: Apache-2.0
// The three plots: step time by stage, energy, volume. Fed ten times a second by `stats`.

import { number } from '../controls/format';
import type { BodyStats, StatsMessage } from '../protocol/types';
import type { Store } from '../store';
import { last, median, Plot, Series, worst } from './plot';

/** Stages beyond this many are one series, "other". */
const MOST_STAGES = 4;

export class Dock {
  readonly time: Plot;
  readonly energy: Plot;
  readonly volume: Plot;
  private seconds = 0;
  private epoch = -1;
  private stages: string[] = [];

  constructor(private readonly store: Store) {
    const total = (series: Series[]) =>
      series.length ? series[0].values.map((_, i) => series.reduce((sum, s) => sum + (s.values[i] ?? 0), 0)) : [];
    this.time = new Plot({
      title: 'Step time', stacked: true, unit: 'ms', line: { at: 1000 / 60, label: '60 Hz · 16.7 ms' },
      readout: (s) => `${number(median(total(s).slice(-60)) ?? 0, 2)} ms`,
      words: (s) => `median ${number(median(total(s)) ?? 0, 2)} ms, worst ${number(worst(total(s)) ?? 0, 2)}`,
    });
    this.energy = new Plot({
      title: 'Energy', unit: 'J',
      readout: (s) => `${number(s.reduce((sum, one) => sum + (last(one.values) ?? 0), 0), 2)} J`,
      words: (s) => s.map((one) => `${one.name} ${number(last(one.values) ?? 0)} joule`).join(', '),
    });
    this.volume = new Plot({
      title: 'Volume', unit: '%', around: 100,
      readout: (s) => `${(last(s[0]?.values) ?? 100).toFixed(1)} %`,
      words: (s) => `${(last(s[0]?.values) ?? 100).toFixed(1)} per cent of the rest volume`,
    });
    store.statsArrived.on((m) => this.take(m));
    store.sceneChanged.on((m) => {
      if (m.epoch !== this.epoch) this.clear();
      this.epoch = m.epoch;
    });
    store.bodyChanged.on(() => this.clear());
  }

  get plots(): Plot[] {
    return [this.time, this.energy, this.volume];
  }

  clear(): void {
    this.stages = [];
    for (const plot of this.plots) plot.clear();
  }

  private take(m: StatsMessage): void {
    const body = m.bodies.find((b) => b.id === this.store.body?.id) ?? m.bodies[0];
    const count = m.step_ms.length;
    if (!count) return;
    // The time axis stops with the simulation: samples follow steps, not the clock.
    const h = m.h ?? 1 / 60;
    const times = m.step_ms.map((_, i) => this.seconds + (i + 1) * h);
    this.seconds += count * h;
    this.time.add(times, this.byStage(m, body));
    if (body) {
      const fill = (list: (number | null)[] | null, scale = 1) =>
        Array.from({ length: count }, (_, i) => (list?.[i] === null || list?.[i] === undefined ? null : list[i]! * scale));
      this.energy.add(times, { kinetic: fill(body.kinetic), elastic: fill(body.elastic) });
      this.volume.add(times, { volume: fill(body.volume, 100) });
    }
    for (const plot of this.plots) plot.draw();
  }

  /** The largest stages by name, then what is left of the step. */
  private byStage(m: StatsMessage, body: BodyStats | undefined): Record<string, (number | null)[]> {
    const all = Object.entries(body?.stages ?? {});
    if (!this.stages.length && all.length) {
      const sum = (list: (number | null)[]) => list.reduce<number>((a, v) => a + (v ?? 0), 0);
      const large = [...all].sort((a, b) => sum(b[1]) - sum(a[1])).slice(0, MOST_STAGES).map(([name]) => name);
      this.stages = all.map(([name]) => name).filter((name) => large.includes(name));
    }
    const out: Record<string, (number | null)[]> = {};
    for (const name of this.stages) out[name] = body?.stages[name] ?? m.step_ms.map(() => null);
    out.other = m.step_ms.map((ms, i) => Math.max(0, ms - this.stages.reduce((sum, n) => sum + (out[n][i] ?? 0), 0)));
    return out;
  }
}
