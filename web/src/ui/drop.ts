// SPDX-License-Identifier: Apache-2.0
// A mesh file becomes a body: checked here, sent by POST, its report shown, then added with a method of choice.

import { grouped, number } from '../controls/format';
import { CommandError } from '../net/connection';
import type { Store } from '../store';
import { $, h } from './dom';

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
  size?: number[];
  guess?: { units: string; scale: number };
  methods?: Record<string, { ok?: boolean; why?: string; nodes?: number; seconds?: number }>;
}

export class MeshDrop {
  private depth = 0;

  constructor(private readonly store: Store) {
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
      const file = e.dataTransfer?.files[0];
      if (file) void this.take(file);
    });
  }

  choose(): void {
    const input = h('input', { type: 'file', accept: ENDINGS.map((e) => `.${e}`).join() });
    input.addEventListener('change', () => { if (input.files?.[0]) void this.take(input.files[0]); });
    input.click();
  }

  async take(file: File): Promise<void> {
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
      if (report) this.ask(file.name, report);
    } catch (error) {
      const e = error as CommandError;
      store.notice({ level: 'error', text: `${file.name}: ${e.message}`, detail: e.advice });
    }
  }

  private upload(file: File): Promise<Report | null> {
    const request = new XMLHttpRequest();
    const bar = h('progress', { max: 1, value: 0 });
    const dialog = h('dialog', { 'aria-label': 'Sending' }, h('h2', {}, `Reading ${file.name}`), bar,
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => request.abort() }, 'Cancel')));
    document.body.append(dialog);
    dialog.showModal();
    dialog.addEventListener('cancel', () => request.abort());
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
    }).finally(() => dialog.remove());
  }

  private ask(name: string, r: Report): void {
    const { store } = this;
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
    units.addEventListener('change', tell);
    up.addEventListener('change', tell);
    tell();
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
    const close = () => dialog.remove();
    const add = (replace: boolean) => {
      const method = dialog.querySelector<HTMLInputElement>('input[name=drop-method]:checked')?.value ?? current;
      close();
      const args: Record<string, unknown> = { upload: r.upload, units: units.value === 'fit' ? scale.fit : units.value, up: up.value, method };
      if (replace && store.body) args.replace = store.body.id;
      store.do('body.add', args);
    };
    const dialog = h('dialog', { 'aria-label': name, class: 'mesh-dialog' }, h('h2', {}, name), h('p', { class: 'dim' }, facts),
      repairs.length ? h('ul', { class: 'facts' }, ...repairs.map((x) => h('li', {}, x))) : null,
      h('fieldset', {}, h('legend', {}, 'Size'), units, ' ', up, tall),
      h('fieldset', {}, h('legend', {}, 'Method'), ...methods),
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: close }, 'Cancel'),
        store.body ? h('button', { type: 'button', class: 'replace', disabled: !current, onclick: () => add(true) }, `Replace ${store.body.name}`) : null,
        h('button', { type: 'button', class: 'primary add', disabled: !current, onclick: () => add(false) }, 'Add')));
    dialog.addEventListener('cancel', close);
    document.body.append(dialog);
    dialog.showModal();
  }
}
