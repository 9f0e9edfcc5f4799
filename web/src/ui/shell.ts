// SPDX-License-Identifier: Apache-2.0
// The bars around the view: scene, methods, transport, edits, tools, and the chips over the picture.

import { grouped, number } from '../controls/format';
import type { Stage } from '../scene3d/stage';
import { labels, State, Store, ToolName } from '../store';
import type { Tools } from '../tools/pointer';
import { $, h, icon } from './dom';
import { showHelp } from './help';
import { openMenu } from './menu';
import { saveItems } from './save';
import type { StartPage } from './start';

export const TOOLS: [ToolName, string, string][] = [
  ['grab', 'Grab', 'G'], ['dent', 'Dent', 'D'], ['pin', 'Pin', 'P'], ['handle', 'Handle', 'H'], ['cage', 'Cage', 'C'], ['joint', 'Joint', 'J'],
];
const SPEEDS = [1, 0.25, 0.0625];

const HINTS: Record<ToolName, string> = {
  grab: '*Drag the body* to pull it · drag empty space to orbit · *P* pins what you hold',
  dent: '*Press the body* to push it in · *Ctrl* pulls · *[ ]* radius · the shape stays where the body is plastic',
  pin: '*Click* pins or unpins · drag paints · *Ctrl* erases · *Alt+P* removes all',
  handle: '*Paint* a patch, *Enter* makes it a handle · *1 2 3* move, turn, scale',
  cage: '*Drag a cage vertex* · *Ctrl* adds to the selection · *B* selects a box',
  joint: '*Drag a joint* to turn its bone, or to pull at a rod · the root moves',
};

export class Shell {
  private readonly play: HTMLButtonElement;
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly speed: HTMLButtonElement;
  private readonly pose: HTMLButtonElement;
  private readonly hint = $('#hint');
  private readonly hinted = new Set<ToolName>();
  private readonly buildText = h('span', { class: 'state-text' });
  private readonly buildBar = h('progress', { max: 1, value: 0 });
  private readonly buildCancel: HTMLButtonElement;
  private lostTimer = 0;
  private drawnAt: number[] = [];

  constructor(private readonly store: Store, private readonly stage: Stage, private readonly tools: Tools,
              private readonly start: StartPage, private readonly setTheme: (next?: boolean) => void) {
    const tool = (name: string, label: string, key: string, run: () => void, extra = '') =>
      h('button', { type: 'button', class: `tool ${extra}`, 'aria-label': label, title: `${label} (${key})`, id: extra.includes('id-') ? extra.split('id-')[1] : null, onclick: run }, icon(name));
    this.play = tool('pause', 'Pause', 'Space', () => this.togglePlay(), 'main');
    this.speed = h('button', { type: 'button', class: 'tool wide-only', id: 'speed', title: 'Slow motion (,)', 'aria-label': 'Speed', onclick: () => this.cycleSpeed() }, '1×');
    $('#transport').append(tool('reset', 'Reset', 'R', () => store.do('reset')), this.play,
      tool('step', 'One step', '.', () => this.step()), this.speed);
    this.undo = tool('undo', 'Undo', 'Ctrl+Z', () => store.do('undo'), 'wide-only');
    this.redo = tool('redo', 'Redo', 'Ctrl+Shift+Z', () => store.do('redo'), 'wide-only');
    this.record = h('button', { type: 'button', class: 'tool wide-only', id: 'record', title: 'Record (K)', 'aria-label': 'Record', 'aria-pressed': 'false', onclick: () => this.toggleRecord() }, h('span', { class: 'disc' }));
    const save = tool('save', 'Save', 'Ctrl+S', () => this.openSave());
    save.id = 'save';
    const more = tool('more', 'More', '', () => this.openMore(), 'narrow-only phone-only');
    $('#actions').append(this.undo, this.redo, this.record, save, tool('sun', 'Theme', 'L', () => this.setTheme(true)),
      tool('help', 'Keys', '?', showHelp, 'wide-only'), more);
    $('#scene-button').addEventListener('click', () => (start.shown && !start.empty ? start.hide() : start.show()));
    this.pose = h('button', { type: 'button', 'aria-pressed': 'false', title: 'Pose: time stands, every drag is a static solve (O)', onclick: () => this.togglePose() }, icon('pose'), 'Pose');
    this.buildCancel = h('button', { type: 'button', class: 'cancel', onclick: () => store.do('build.cancel') }, 'Cancel');
    this.makeRail();

    store.stateChanged.on((s) => this.showState(s));
    store.sceneChanged.on(() => this.showScene());
    store.bodyChanged.on(() => this.showScene());
    store.transportChanged.on(() => this.showTransport());
    store.historyChanged.on(() => this.showHistory());
    store.toolChanged.on(() => this.showTool());
    stage.modelChanged.on(() => this.showHint());
    stage.drawn.on(() => this.countDraw());
    store.spoken.on((text) => { $('#speech').textContent = text; });
    setInterval(() => this.showRates(), 500);
    this.showTool();
    this.showHistory();
    this.showTransport();
  }

  /** A simulation that a failed step stopped stands, whatever was asked of it. */
  private get runs(): boolean {
    return this.store.transport.playing && this.store.state !== 'stopped';
  }

  togglePlay(): void {
    this.store.do(this.runs ? 'pause' : 'play');
  }

  step(): void {
    this.store.do('step', { n: 1 });
  }

  cycleSpeed(): void {
    const at = SPEEDS.indexOf(this.store.transport.speed);
    this.store.do('speed', { x: SPEEDS[(at + 1) % SPEEDS.length] });
  }

  /** While posing every drag of the body poses it: a tool that would do something else makes room. */
  togglePose(): void {
    const { store, tools } = this;
    const on = !store.transport.posing;
    const paints = store.tool === 'handle' && !tools.handle.selected;
    if (on && (paints || store.tool === 'dent')) store.setTool('grab');
    store.do('pose', { on });
  }

  toggleRecord(): void {
    const on = !this.store.transport.recording;
    this.store.command('record', on ? { on, format: 'pc2' } : { on }).then(() => {
      this.store.notice(on
        ? { level: 'info', text: 'Recording; K ends it' }
        : { level: 'info', text: 'Recorded', actions: [{ label: 'Save', run: () => h('a', { href: 'save/recording', download: '' }).click() }] });
    }, () => undefined);
  }

  nextMethod(by: number): void {
    const { methods, body } = this.store;
    const at = methods.indexOf(body?.method ?? '');
    this.setMethod(methods[(at + by + methods.length) % methods.length]);
  }

  setMethod(name: string): void {
    const body = this.store.body;
    if (!body || body.method === name) return;
    this.store.command('method', { body: body.id, name }).catch(() => this.showMethods());
  }

  openSave(): void {
    openMenu($('#save'), saveItems(this.store, this.stage));
  }

  toggleDock(): void {
    document.body.classList.toggle('dock-closed');
  }

  togglePicture(): void {
    document.body.classList.toggle('bare');
  }

  private openMore(): void {
    const { store } = this;
    openMenu($('#actions').lastElementChild as HTMLElement, [
      { label: 'Scenes', run: () => this.start.show() },
      { label: `Undo ${labels(store.history.undo).at(-1) ?? ''}`, run: () => store.do('undo') },
      { label: 'Redo', run: () => store.do('redo') },
      { label: store.transport.recording ? 'Stop recording' : 'Record', run: () => this.toggleRecord() },
      { label: `Speed ${speedText(store.transport.speed)}`, run: () => this.cycleSpeed() },
      { label: 'Fit the view', run: () => this.stage.fit(false) },
      { label: 'Keys and gestures', run: showHelp },
    ]);
  }

  private makeRail(): void {
    const group = h('div', { role: 'radiogroup', 'aria-label': 'Tool', class: 'rail-group' });
    const buttons = TOOLS.map(([name, word, key]) => h('button', {
      type: 'button', role: 'radio', 'data-tool': name, title: `${word} (${key})`, onclick: () => this.store.setTool(name),
    }, icon(name), word));
    group.append(...buttons);
    group.addEventListener('keydown', (e) => {
      const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
      if (!by) return;
      e.preventDefault();
      e.stopPropagation();
      const at = (buttons.indexOf(document.activeElement as HTMLButtonElement) + by + buttons.length) % buttons.length;
      buttons[at].focus();
    });
    $('#tools').append(group, h('hr'), this.pose);
  }

  /** One button for each method of the server. */
  private makeMethods(): void {
    const { methods } = this.store;
    const shown = [...document.querySelectorAll<HTMLElement>('#methods label')];
    if (shown.map((label) => label.dataset.method).join() === methods.join()) return;
    for (const label of shown) label.remove();
    $('#methods').append(...methods.map((m, i) => {
      const input = h('input', { type: 'radio', name: 'method', value: m, 'aria-label': m });
      input.addEventListener('change', () => this.setMethod(m));
      return h('label', { title: m, 'data-method': m }, h('span', { class: `dot m${i}` }), input, h('span', {}, m));
    }));
  }

  private showTool(): void {
    for (const b of document.querySelectorAll<HTMLElement>('#tools [data-tool]')) {
      const chosen = b.dataset.tool === this.store.tool;
      b.setAttribute('aria-checked', String(chosen));
      b.tabIndex = chosen ? 0 : -1;
    }
    $('#view').dataset.tool = this.store.tool;
    if (this.store.tool !== 'handle') this.tools.handle.leave();
    this.showHint();
    this.store.viewChanged.emit();
  }

  /** One line until its action was done once. */
  showHint(): void {
    const { tool } = this.store;
    if (tool === 'grab' && this.tools.grab.used) this.hinted.add('grab');
    let text = this.hinted.has(tool) || !this.stage.bodies.size ? '' : HINTS[tool];
    const extras = [...this.stage.bodies.values()].map((b) => b.extra);
    if (tool === 'cage' && extras.every((e) => !e.cage.length)) text = 'This body has no cage · *choose a method that has one*';
    if (tool === 'joint' && extras.every((e) => !e.joints.length)) text = '*Click through the body* to place joints in its middle · click one to branch · *Enter* builds the bones';
    this.hint.hidden = !text;
    this.hint.replaceChildren(...text.split('*').map((part, i) => (i % 2 ? h('b', {}, part) : part)));
  }

  private showScene(): void {
    const { store } = this;
    const body = store.body;
    const name = sceneTitle(store.scene?.name ?? '');
    $('#scene-button').firstElementChild!.textContent = name || 'choose a scene';
    $('#scene-button').title = store.scene?.name ? `${store.scene.name}: choose another scene` : 'Choose a scene';
    document.title = name ? `${name} · pliant` : 'pliant';
    $('#title').textContent = name ? `pliant: ${name}` : 'pliant';
    const chip = $('#body-chip');
    chip.replaceChildren();
    if (body) chip.append(h('b', {}, body.name), `${grouped(body.vertices)} ${body.point_spacing ? 'points' : 'vertices'} · ${grouped(body.nodes)} nodes · ${body.method}`);
    this.showMethods();
    this.pose.disabled = body?.can_pose === false && !store.transport.posing;
    this.showHint();
  }

  /** A refused method stays clickable: its cause may lie outside the scene, as a file that was mended meanwhile. */
  private showMethods(): void {
    const body = this.store.body;
    this.makeMethods();
    for (const label of document.querySelectorAll<HTMLElement>('#methods label')) {
      const method = label.dataset.method!;
      const input = label.querySelector('input')!;
      input.checked = body?.method === method;
      input.disabled = !body || this.store.readOnly;
      const why = input.checked ? undefined : body?.refused_methods?.[method];
      label.classList.toggle('refused', why !== undefined);
      label.title = why === undefined ? method : `${method}: ${why}${input.disabled ? '' : ' (click to try again)'}`;
    }
  }

  private showTransport(): void {
    const t = this.store.transport;
    this.showPlay();
    this.speed.textContent = speedText(t.speed);
    this.speed.setAttribute('aria-label', `Speed ${speedText(t.speed)}`);
    this.pose.setAttribute('aria-pressed', String(t.posing));
    this.record.classList.toggle('on', !!t.recording);
    this.record.setAttribute('aria-pressed', String(!!t.recording));
    this.record.title = t.recording ? 'Stop recording (K)' : 'Record (K)';
    this.showState(this.store.state);
  }

  private showPlay(): void {
    const word = this.runs ? 'Pause' : 'Play';
    this.play.replaceChildren(icon(word.toLowerCase()));
    this.play.setAttribute('aria-label', word);
    this.play.title = `${word} (Space)`;
  }

  private showHistory(): void {
    const undo = labels(this.store.history.undo), redo = labels(this.store.history.redo);
    this.undo.disabled = !undo.length;
    this.redo.disabled = !redo.length;
    this.undo.title = undo.length ? `Undo: ${undo.at(-1) || 'last edit'} (Ctrl+Z)` : 'Nothing to undo';
    this.redo.title = redo.length ? `Redo: ${redo.at(-1) || 'next edit'} (Ctrl+Shift+Z)` : 'Nothing to redo';
  }

  /** The parts stay while the build goes on: a button that is made anew between press and release is never clicked. */
  private showBuild(chip: HTMLElement): void {
    const b = this.store.build;
    const left = b?.eta_s ? `, about ${number(b.eta_s, 1)} s` : '';
    // Without news of it, it is built, but its first frame is not here yet.
    this.buildText.textContent = b ? `rebuilding: ${b.stage} ${Math.round(b.fraction * 100)} %${left}` : 'rebuilding';
    this.buildBar.value = b?.fraction ?? 1;
    this.buildBar.hidden = !b;
    this.buildCancel.hidden = !b || b.cancel === false || this.store.readOnly;
    if (this.buildText.parentElement !== chip) chip.replaceChildren(this.buildText, this.buildBar, this.buildCancel);
  }

  private showState(state: State): void {
    const { store } = this;
    const chip = $('#state-chip');
    window.clearInterval(this.lostTimer);
    chip.className = 'chip';
    this.showPlay();
    const say = (...parts: (Node | string)[]) => chip.replaceChildren(h('span', { class: 'state-text' }, ...parts));
    this.stage.setSaturation(state === 'lost' ? 0.5 : state === 'rebuilding' ? 0.6 : 1);
    for (const row of document.querySelectorAll('.row.busy')) if (state !== 'rebuilding') row.classList.remove('busy');
    switch (state) {
      case 'boot': case 'connecting': say('connecting'); break;
      case 'loading': say('loading the scene'); break;
      case 'live':
        if (store.transport.recording) chip.replaceChildren(h('span', { class: 'rec' }), 'recording');
        else if (store.transport.speed !== 1) say(`slow motion ${speedText(store.transport.speed)}`);
        else chip.classList.add('quiet');
        break;
      case 'paused': say('paused'); break;
      case 'posing': say(store.poseText ? `posing: ${store.poseText}` : 'posing: drag to pose'); break;
      case 'rebuilding':
        this.showBuild(chip);
        break;
      case 'stopped': {
        const s = store.stopped;
        chip.classList.add('bad');
        say('stopped', s ? `: ${s.message}${s.advice ? `. ${s.advice}.` : ''}` : '');
        if (labels(store.history.undo).length) chip.append(h('button', { type: 'button', onclick: () => store.do('undo') }, 'Undo'));
        chip.append(h('button', { type: 'button', onclick: () => store.do('reset') }, 'Reset'));
        break;
      }
      case 'lost': {
        chip.classList.add('bad');
        const tell = () => {
          const left = Math.max(0, store.link.nextTry - performance.now()) / 1000;
          say(store.link.link === 'lost' && left > 0.05 ? `disconnected, next try in ${left.toFixed(0)} s` : 'disconnected, trying');
        };
        tell();
        this.lostTimer = window.setInterval(tell, 250);
        break;
      }
      case 'refused': {
        say('disconnected');
        const page = $('#refused');
        page.hidden = false;
        page.replaceChildren(h('h2', {}, 'This page is no longer connected'), h('p', {}, store.link.refusal),
          h('p', {}, 'To start again: ', h('code', {}, commandToStart(store))));
        break;
      }
    }
    if (state === 'lost' || state === 'stopped' || state === 'refused') store.spoken.emit(chip.textContent ?? '');
    if (store.scene && !store.scene.bodies.length && state !== 'rebuilding' && !this.start.shown) this.start.show();
  }

  private countDraw(): void {
    const now = performance.now();
    this.drawnAt.push(now);
    while (this.drawnAt.length && this.drawnAt[0] < now - 1000) this.drawnAt.shift();
    if (!this.hint.hidden && this.tools.grab.used && this.store.tool === 'grab') this.showHint();
  }

  private showRates(): void {
    const { store } = this;
    const now = performance.now();
    const page = this.drawnAt.filter((t) => t > now - 1000).length;
    const place = $('#rates');
    if (store.state !== 'live' && store.state !== 'rebuilding') {
      place.replaceChildren();
      return;
    }
    const rate = store.frame.rate;
    const slow = rate < 50 * store.transport.speed;
    place.replaceChildren(h('i', { class: slow ? 'slow' : '' }), 'sim ', h('b', {}, rate.toFixed(0)), ' Hz',
      h('span', { class: 'page-rate' }, ' · page ', h('b', {}, String(page)), ' fps'));
  }
}

/** A shipped scene by its name, a file by its last part. */
function sceneTitle(name: string): string {
  return /\.json$/.test(name) ? name.replace(/^.*[\\/]/, '').replace(/\.json$/, '') : name;
}

function speedText(speed: number): string {
  if (speed === 0.25) return '¼×';
  if (speed === 0.0625) return '1⁄16×';
  return `${number(speed)}×`;
}

function commandToStart(store: Store): string {
  return `pliant view ${store.scene?.name ?? ''}`.trim();
}
