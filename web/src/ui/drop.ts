// SPDX-License-Identifier: Apache-2.0
// A mesh file becomes a body: checked here, sent by POST, its report shown, then added with a method of choice, at a
// place of choice. Of several files each is asked about in turn.

import { grouped, number } from '../controls/format';
import { CommandError } from '../net/connection';
import type { V3 } from '../scene3d/geometry';
import type { Stage } from '../scene3d/stage';
import type { Store } from '../store';
import { showDialog } from './dialog';
import { $, h } from './dom';
import { below, Extent, onTop, scaled } from './placement';

const ENDINGS = ['obj', 'ply', 'stl', 'off', 'glb'];
const MOST_BYTES = 64 * 1024 * 1024;

/** What the server found in the file. */
interface Report {
  upload: string | number;
  name?: string;
  vertices?: number;
  /** Of a cloud without faces. */
  points?: number;
  triangles?: number;
  parts?: number;
  watertight?: boolean;
  repairs?: (string | { text?: string; message?: string })[];
  /** Of the bounding box and its lowest corner, in the file's units. */
  size?: V3;
  low?: V3;
  guess?: { units: string; scale: number };
  methods?: Record<string, { ok?: boolean; why?: string; nodes?: number; seconds?: number }>;
}

export class MeshDrop {
  private depth = 0;
  private line: Promise<void> = Promise.resolve();

  constructor(private readonly store: Store, private readonly stage: Stage) {
    const frame = $('#drop-frame');
    const files = (e: DragEvent) => e.dataTransfer?.types.includes('Files');
    window.addEventListener('dragenter', (e) => { if (files(e)) { this.depth++; frame.hidden = false; } });
    window.addEventListener('dragleave', (e) => { if (files(e) && --this.depth <= 0) frame.hidden = true; });
    window.addEventListener('dragover', (e) => { if (files(e)) e.preventDefault(); });
    window.addEventListener('drop', (e) => {
      if (!files(e)) return;
      e.preventDefault();
      this.depth = 0;
      frame.hidden = true;
      void this.takeAll([...(e.dataTransfer?.files ?? [])]);
    });
  }

  choose(): void {
    const input = h('input', { type: 'file', multiple: true, accept: ENDINGS.map((e) => `.${e}`).join() });
    input.addEventListener('change', () => void this.takeAll([...(input.files ?? [])]));
    input.click();
  }

  /** Files that come while others are asked about wait behind them. */
  takeAll(files: File[]): Promise<void> {
    this.line = this.line.then(async () => {
      for (const [i, file] of files.entries()) await this.take(file, files.length > 1 ? `${i + 1} of ${files.length}: ` : '');
    });
    return this.line;
  }

  private async take(file: File, which: string): Promise<void> {
    const { store } = this;
    const ending = file.name.split('.').pop()?.toLowerCase() ?? '';
    const most = Number(store.welcome?.limits?.upload) || MOST_BYTES;
    if (!ENDINGS.includes(ending)) {
      store.notice({ level: 'error', text: `${file.name}: cannot read .${ending}`, detail: `Known are ${ENDINGS.join(', ')}.` });
      return;
    }
    if (file.size > most) {
      store.notice({ level: 'error', text: `${file.name} has ${number(file.size / 2 ** 20)} MB, more than ${number(most / 2 ** 20)} MB.`,
        detail: 'Start with --max-upload to allow more.' });
      return;
    }
    try {
      const report = await this.upload(file);
      const body = report && (await this.ask(which + file.name, report));
      if (body) await this.add(body);
    } catch (error) {
      const e = error as CommandError;
      const text = e.message.startsWith(file.name) ? e.message : `${file.name}: ${e.message}`;
      store.notice({ level: 'error', text, detail: e.advice && text.includes(e.advice) ? undefined : e.advice });
    }
  }

  private upload(file: File): Promise<Report | null> {
    const request = new XMLHttpRequest();
    const bar = h('progress', { max: 1, value: 0 });
    const dialog = h('dialog', { 'aria-label': 'Sending' }, h('h2', {}, `Reading ${file.name}`), bar,
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => request.abort() }, 'Cancel')));
    showDialog(dialog, () => request.abort());
    return new Promise<Report | null>((resolve, reject) => {
      request.open('POST', new URL(`mesh?name=${encodeURIComponent(file.name)}`, document.baseURI));
      request.upload.onprogress = (e) => { if (e.lengthComputable) bar.value = e.loaded / e.total; };
      request.onabort = () => resolve(null);
      request.onerror = () => reject(new CommandError('disconnected', 'the simulation did not answer'));
      request.onload = () => {
        let answer: Record<string, unknown> = {};
        try {
          answer = JSON.parse(request.responseText) as Record<string, unknown>;
        } catch {
          // An answer without a body is told by its status alone.
        }
        if (request.status === 200) resolve(answer as unknown as Report);
        else {
          const e = (answer.error ?? answer) as Record<string, string>;
          reject(new CommandError(e.code ?? String(request.status), e.message ?? `refused with status ${request.status}`, e.advice));
        }
      };
      request.send(file);
    }).finally(() => dialog.close());
  }

  /** Until its model is here: the next body may be put on top of it. */
  private async add(args: object): Promise<void> {
    const here = new Promise<void>((resolve) => this.stage.modelChanged.on(resolve));
    const done = await this.store.command('body.add', args).then(() => true, () => false);
    if (done) await here;
  }

  /** Arguments of body.add; null: it is not wanted. */
  private ask(name: string, r: Report): Promise<object | null> {
    const { store, stage } = this;
    const size = r.size;
    const diagonal = (size && Math.hypot(...size)) || 1;
    const guess = r.guess?.units ?? 'm';
    const scale: Record<string, number> = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254, fit: 1 / diagonal };
    const tall = h('p', { class: 'dim' });
    const units = h('select', { 'aria-label': 'Units' }, ...Object.keys(scale).map((u) => h('option', { value: u, selected: u === guess }, u === 'fit' ? 'fit to 1 m' : u === 'in' ? 'inch' : u)));
    const up = h('select', { 'aria-label': 'Up axis' }, ...['y', 'z'].map((a) => h('option', { value: a, selected: a === 'y' }, `${a.toUpperCase()} is up`)));
    const tell = () => {
      if (!size) return;
      const height = size[up.value === 'z' ? 2 : 1] * scale[units.value];
      tall.textContent = `${number(height)} m tall${units.value === guess ? ', a guess by its size' : ''}`;
    };
    const extent = (): Extent | null => (size && r.low ? scaled(r.low, size, scale[units.value], up.value === 'z') : null);
    const empty = !stage.bodies.size;
    const place = h('select', { 'aria-label': 'Place' }, h('option', { value: 'top' }, empty ? 'on the ground' : 'on top of what is there'),
      h('option', { value: 'file' }, 'where the file has it'), h('option', { value: 'point' }, 'at a point'));
    const boxes = ['x', 'y', 'z'].map((a) => h('input', { type: 'text', inputmode: 'decimal', class: 'value', 'aria-label': `Middle of its underside, ${a}` }));
    /** Where the middle of its underside goes. */
    const wanted = (e: Extent): V3 => {
      if (place.value === 'file') return e.foot;
      if (place.value === 'point') return boxes.map((b) => Number(b.value.replace(',', '.')) || 0) as V3;
      return empty ? [0, 0, 0] : onTop(stage, e);
    };
    const tellPlace = () => {
      const e = extent();
      if (e && place.value !== 'point') wanted(e).forEach((v, i) => { boxes[i].value = number(v); });
    };
    for (const box of boxes) box.addEventListener('input', () => { place.value = 'point'; });
    place.addEventListener('change', tellPlace);
    for (const select of [units, up]) select.addEventListener('change', () => { tell(); tellPlace(); });
    tell();
    tellPlace();
    const possible = store.methods.filter((m) => r.methods?.[m]?.ok !== false);
    const current = possible.find((m) => m === store.body?.method) ?? possible[0];
    const methods = store.methods.map((m) => {
      const about = r.methods?.[m];
      const off = about?.ok === false;
      const cost = about?.nodes ? `${grouped(about.nodes)} nodes${about.seconds ? `, about ${number(about.seconds, 2)} s` : ''}` : '';
      return h('label', { class: `method-choice ${off ? 'off' : ''}` },
        h('input', { type: 'radio', name: 'drop-method', value: m, disabled: off, checked: m === current }),
        h('i', { class: `dot m${store.methods.indexOf(m)}` }), m, h('small', {}, off ? about?.why ?? 'not possible' : cost));
    });
    const facts = [
      r.points ? `${grouped(r.points)} points with normals` : '',
      r.vertices !== undefined ? `${grouped(r.vertices)} vertices, ${grouped(r.triangles ?? 0)} triangles` : '',
      r.parts ? `${r.parts} part${r.parts > 1 ? 's' : ''}` : '',
      r.watertight === undefined ? '' : r.watertight ? 'watertight' : 'not watertight',
    ].filter(Boolean).join(', ');
    const repairs = (r.repairs ?? []).map((x) => (typeof x === 'string' ? x : x.text ?? x.message ?? '')).filter(Boolean);
    let args: Record<string, unknown> | null = null;
    const close = () => dialog.close();
    const add = (replace: boolean) => {
      const method = dialog.querySelector<HTMLInputElement>('input[name=drop-method]:checked')?.value ?? current;
      args = { upload: r.upload, units: units.value === 'fit' ? scale.fit : units.value, up: up.value, method };
      const old = replace && store.body ? stage.bodies.get(store.body.id) : undefined;
      const e = extent();
      if (e) {
        // One that takes another's place stands where that stands.
        const at: V3 = old ? [(old.lo[0] + old.hi[0]) / 2, old.lo[1], (old.lo[2] + old.hi[2]) / 2] : wanted(e);
        args.translate = at.map((v, i) => v - e.foot[i]);
        if (empty) args.ground = place.value === 'top' ? 0 : Math.min(0, at[1]);
        else if (!replace) args.ground = below(stage, e, at[1]);
      }
      if (replace && store.body) args.replace = store.body.id;
      close();
    };
    const dialog: HTMLDialogElement = h('dialog', { 'aria-label': name, class: 'mesh-dialog' }, h('h2', {}, name), h('p', { class: 'dim' }, facts),
      repairs.length ? h('ul', { class: 'facts' }, ...repairs.map((x) => h('li', {}, x))) : null,
      h('fieldset', {}, h('legend', {}, 'Size'), units, ' ', up, tall),
      size ? h('fieldset', {}, h('legend', {}, 'Place'), place,
        h('div', { class: 'vector', title: 'The middle of its underside, m' }, ...boxes.map((b, i) => h('span', { class: 'field' }, h('span', { class: 'unit' }, 'xyz'[i]), b)))) : null,
      h('fieldset', {}, h('legend', {}, 'Method'), ...methods),
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: close }, 'Cancel'),
        store.body ? h('button', { type: 'button', class: 'replace', disabled: !current, onclick: () => add(true) }, `Replace ${store.body.name}`) : null,
        h('button', { type: 'button', class: 'primary add', disabled: !current, onclick: () => add(false) }, 'Add')));
    return new Promise((resolve) => showDialog(dialog, () => resolve(args)));
  }
}
