// SPDX-License-Identifier: Apache-2.0
// The panel: Body (generated controls of the chosen body, then the grab's own), View, Scene.

import { optionRow, Row } from '../controls/row';
import { grouped, number } from '../controls/format';
import { OptionGroups } from '../controls/panel';
import type { Dock } from '../plots/dock';
import type { Option } from '../protocol/types';
import type { V3 } from '../scene3d/geometry';
import type { Stage } from '../scene3d/stage';
import type { Look, Overlay, Store } from '../store';
import type { Tools } from '../tools/pointer';
import { $, h } from './dom';

const LOOKS: [Look, string][] = [['plain', 'Plain'], ['grid', 'Rest grid'], ['stretch', 'Stretch']];
const OVERLAYS: [Overlay, string, string, string[]][] = [
  ['nodes', 'Nodes', 'N', ['nodes']], ['cage', 'Cage', '', ['cage']], ['skeleton', 'Skeleton', '', ['joints']],
  ['active', 'Active rotations', '', []], ['contacts', 'Contacts', '', []], ['forces', 'Contact forces', '', ['contacts']], ['wireframe', 'Wireframe', '', []],
];

/** Channels the present looks and tools need. */
export function channelsFor(store: Store): string[] {
  const wanted = new Set(['surface', 'surface_flags', 'grabs']);
  for (const [name, , , channels] of OVERLAYS) if (store.overlays.has(name)) channels.forEach((c) => wanted.add(c));
  if (store.look === 'stretch') wanted.add('scalar');
  if (store.tool === 'cage') wanted.add('cage');
  if (store.tool === 'joint') wanted.add('joints');
  return [...wanted];
}

export class Panel {
  private readonly viewPage = h('div', { class: 'page' });
  private readonly handleBox = h('div', {});
  private readonly jointBox = h('div', {});
  private readonly bodies = h('div', { class: 'body-list' });
  private readonly people = h('p', { class: 'dim' });
  private readonly notes = h('div', {});

  constructor(private readonly store: Store, private readonly stage: Stage, private readonly tools: Tools, dock: Dock) {
    const body = new OptionGroups(store, (o) => this.ofBody(o));
    const scene = new OptionGroups(store, (o) => !/^bodies\./.test(o.path));
    const bodyPage = h('div', { class: 'page' }, this.handleBox, this.jointBox, body.element, this.grabGroup());
    const plot = h('div', { class: 'narrow-plot' });
    const scenePage = h('div', { class: 'page' }, plot,
      h('details', { class: 'group', open: true }, h('summary', {}, 'Bodies'), this.bodies, this.people, this.notes), scene.element);
    this.makeTabs([['Body', bodyPage], ['View', this.viewPage], ['Scene', scenePage]]);
    this.makeSheet();
    this.showView();
    this.showBodies();
    store.viewChanged.on(() => this.showView());
    store.sceneChanged.on(() => this.showBodies());
    store.bodyChanged.on(() => this.showBodies());
    store.presenceChanged.on(() => this.showBodies());
    stage.tierChanged.on(() => this.showView());
    tools.handle.changed = () => this.showHandle();
    tools.joint.changed = () => this.showSkeleton();
    store.toolChanged.on(() => this.showSkeleton());
    stage.modelChanged.on(() => this.showSkeleton());
    // On a phone the dock has no room: its first plot lives here.
    const small = matchMedia('(max-width: 760px)');
    const move = () => (small.matches ? plot : $('#dock')).prepend(dock.time.element);
    $('#dock').append(...dock.plots.map((p) => p.element));
    small.addEventListener('change', move);
    move();
  }

  private ofBody(o: Option): boolean {
    const at = this.store.current;
    const body = this.store.body;
    return !!body && [at, body.name, body.id].some((key) => o.path.startsWith(`bodies.${key}.`));
  }

  private makeTabs(pages: [string, HTMLElement][]): void {
    const tabs = pages.map(([name, page], i) => {
      page.id = `page-${name.toLowerCase()}`;
      page.setAttribute('role', 'tabpanel');
      page.setAttribute('aria-label', name);
      return h('button', { type: 'button', role: 'tab', 'aria-controls': page.id, id: `tab-${i}`, onclick: () => choose(i) }, name);
    });
    const choose = (at: number) => {
      tabs.forEach((tab, i) => {
        tab.setAttribute('aria-selected', String(i === at));
        tab.tabIndex = i === at ? 0 : -1;
        pages[i][1].hidden = i !== at;
      });
    };
    tabs.forEach((tab, i) => tab.addEventListener('keydown', (e) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!by) return;
      e.preventDefault();
      e.stopPropagation();
      const at = (i + by + tabs.length) % tabs.length;
      choose(at);
      tabs[at].focus();
    }));
    $('#tabs').append(...tabs);
    $('#pages').append(...pages.map(([, page]) => page));
    choose(0);
  }

  /** On a phone the panel is a sheet that snaps to three heights. */
  private makeSheet(): void {
    const panel = $('#panel');
    const grip = $('.sheet-grip');
    let from = 0;
    grip.addEventListener('pointerdown', (e) => { from = e.clientY; grip.setPointerCapture(e.pointerId); });
    grip.addEventListener('pointerup', (e) => {
      const by = e.clientY - from;
      const at = panel.classList.contains('low') ? 0 : panel.classList.contains('tall') ? 2 : 1;
      const next = Math.abs(by) < 8 ? (at + 1) % 3 : Math.max(0, Math.min(2, at + (by < 0 ? 1 : -1)));
      panel.classList.toggle('low', next === 0);
      panel.classList.toggle('tall', next === 2);
    });
  }

  /** The page's own settings, shown by the same rows as the simulation's. */
  private grabGroup(): HTMLElement {
    const { store } = this;
    const row = (o: Omit<Option, 'path' | 'type' | 'value'>, get: () => number, set: (v: number) => void): Row => {
      const option: Option = { ...o, path: `page.${o.name}`, type: 'number', value: get() };
      const made = optionRow(option, (value) => {
        set(Number(value));
        option.value = get();
        made.refresh();
      });
      store.viewChanged.on(() => { option.value = get(); made.refresh(); });
      return made;
    };
    const softness = row({ name: 'Softness', min: 0, max: 1, default: 0.35, help: 'Of the grab: 0 pulls hard, 1 a hundred times softer.' },
      () => store.softness, (v) => { store.softness = Math.min(1, Math.max(0, v)); });
    const brush = row({ name: 'Brush radius', min: 0.001, max: 10, scale: 'log', unit: 'm', help: 'Of dent, pin and handle painting; [ and ] change it.' },
      () => store.brush, (v) => { store.brush = Math.max(1e-6, v); this.stage.requestDraw(); });
    return h('details', { class: 'group', open: true }, h('summary', {}, 'Grab'), softness.element, brush.element);
  }

  private showView(): void {
    const { store, stage } = this;
    const looks = h('div', { class: 'radios', role: 'radiogroup', 'aria-label': 'Surface' }, ...LOOKS.map(([look, name]) => {
      const input = h('input', { type: 'radio', name: 'look', checked: store.look === look, 'aria-label': name });
      input.addEventListener('change', () => store.setLook(look));
      return h('label', {}, input, h('span', {}, name));
    }));
    const checks = OVERLAYS.map(([name, word, key]) => {
      const input = h('input', { type: 'checkbox', checked: store.overlays.has(name), 'data-overlay': name });
      input.addEventListener('change', () => store.toggleOverlay(name, input.checked));
      return h('label', { class: 'check' }, input, word, key ? h('kbd', {}, key) : null);
    });
    const quality = h('div', { class: 'radios', role: 'radiogroup', 'aria-label': 'Quality' }, ...(['high', 'low'] as const).map((tier) => {
      const input = h('input', { type: 'radio', name: 'tier', checked: stage.tier === tier, 'aria-label': tier });
      input.addEventListener('change', () => stage.setTier(tier, true));
      return h('label', {}, input, h('span', {}, tier === 'high' ? 'High' : 'Reduced'));
    }));
    const focused = this.viewPage.contains(document.activeElement) ? [...this.viewPage.querySelectorAll('input')].indexOf(document.activeElement as HTMLInputElement) : -1;
    this.viewPage.replaceChildren(
      h('details', { class: 'group', open: true }, h('summary', {}, 'Surface'), looks),
      h('details', { class: 'group', open: true }, h('summary', {}, 'Show'), ...checks),
      h('details', { class: 'group', open: true }, h('summary', {}, 'Quality'), quality,
        h('p', { class: 'dim' }, stage.software ? 'Software rendering: reduced by default.' : 'Reduced: no shadow, no antialiasing.')));
    if (focused >= 0) this.viewPage.querySelectorAll('input')[focused]?.focus();
    const legend = $('#legend');
    legend.hidden = store.look !== 'stretch';
    const r = Math.round(stage.stretchRange * 1000) / 10;
    if (!legend.hidden) {
      legend.replaceChildren(h('div', { class: 'bar' }), h('div', { class: 'ends' }, h('span', {}, `−${r} %`), h('span', {}, 'stretch'), h('span', {}, `+${r} %`)));
    }
  }

  private showBodies(): void {
    const { store } = this;
    const bodies = store.scene?.bodies ?? [];
    this.bodies.replaceChildren(...bodies.map((b, i) => h('button', { type: 'button', 'aria-pressed': String(i === store.current), onclick: () => store.selectBody(i) },
      h('i', { class: `dot m${store.methods.indexOf(b.method)}` }), b.name, h('small', {}, `${grouped(b.nodes)} nodes`))));
    if (store.body && bodies.length > 1) {
      const body = store.body;
      this.bodies.append(h('button', { type: 'button', class: 'wide-button', onclick: () => store.do('body.remove', { body: body.id }) }, `Remove ${body.name}`));
    }
    this.notes.replaceChildren(...store.notes.map((note) => h('p', { class: 'dim' }, note)));
    this.people.textContent = store.clients > 1 ? `${store.clients} pages watch this simulation.` : '';
  }

  /** With the joint tool: the skeleton being drawn, or the offer to draw one. */
  private showSkeleton(): void {
    const { joint } = this.tools;
    const { store } = this;
    this.jointBox.replaceChildren();
    if (store.tool !== 'joint' || !store.body || store.readOnly) return;
    const drawn = joint.draft?.samples.length ?? 0;
    const button = (text: string, run: () => void, kind = '') =>
      h('button', { type: 'button', class: `wide-button ${kind}`, onclick: run }, text);
    const parts = joint.draws(store.body.id)
      ? [h('p', { class: 'dim' }, drawn ? `${drawn} joint${drawn > 1 ? 's' : ''} drawn; click one to go on from it` : 'Click through the body: each click is a joint in its middle.'),
        drawn > 1 ? button('Build the bones (Enter)', () => void joint.build().catch(() => undefined), 'primary') : null,
        drawn ? button('Discard', () => joint.discard()) : null]
      : [button('Draw a new skeleton', () => joint.startAnew())];
    this.jointBox.append(h('details', { class: 'group', open: true }, h('summary', {}, 'Skeleton'), ...parts));
  }

  private showHandle(): void {
    const { handle } = this.tools;
    const parts: (Node | string)[] = [];
    if (handle.painted?.vertices.size) {
      parts.push(h('p', { class: 'dim' }, `${grouped(handle.painted.vertices.size)} vertices painted`),
        h('button', { type: 'button', class: 'wide-button primary', onclick: () => void handle.make().catch(() => undefined) }, 'Make a handle (Enter)'));
    }
    if (handle.selected) {
      const t = handle.translation;
      const boxes = ['x', 'y', 'z'].map((a, i) => {
        const box = h('input', { type: 'text', class: 'value', 'aria-label': `Handle ${a}`, value: number(t[i]) });
        box.addEventListener('change', () => {
          const typed = boxes.map((b) => Number(b.querySelector('input')!.value));
          if (typed.every(Number.isFinite)) handle.place(typed as V3);
        });
        return h('span', { class: 'field' }, h('span', { class: 'unit' }, a), box);
      });
      parts.push(h('p', { class: 'dim' }, 'Moved by, in m'), h('div', { class: 'vector' }, ...boxes),
        h('button', { type: 'button', class: 'wide-button', onclick: () => handle.remove() }, 'Remove the handle'));
    }
    if (this.handleBox.contains(document.activeElement) && parts.length) return;
    this.handleBox.replaceChildren();
    if (parts.length) this.handleBox.append(h('details', { class: 'group', open: true }, h('summary', {}, 'Handle'), ...parts));
  }
}
