// SPDX-License-Identifier: Apache-2.0
// Puts the parts together. The page is a window on the simulation: the server owns the state.

import { FULL_RATE, link, query } from './early';
import { makeHook } from './hook';
import { mark } from './marks';
import { Dock } from './plots/dock';
import { Bands } from './scene3d/bands';
import { Gizmo } from './scene3d/gizmo';
import type { ThemeName } from './scene3d/look';
import { Stage } from './scene3d/stage';
import { Store } from './store';
import { CageTool } from './tools/cage';
import { DentTool } from './tools/dent';
import { GrabTool } from './tools/grab';
import { HandleTool } from './tools/handle';
import { JointTool } from './tools/joint';
import { PinTool } from './tools/pin';
import { PointerRouter, Tools } from './tools/pointer';
import { $, h } from './ui/dom';
import { MeshDrop } from './ui/drop';
import { giveFocusBack } from './ui/focus';
import { Keys } from './ui/keys';
import { channelsFor, Panel } from './ui/panel';
import { Shell } from './ui/shell';
import { StartPage } from './ui/start';
import { Toasts } from './ui/toasts';

const REDUCED_RATE = 20; // software drawing eats the cores the simulation needs

const view = $('#view');

const store = new Store(link);
const stage = new Stage(view, store, query.has('lowq'));
const bench = { store, stage };
const gizmo = new Gizmo(stage);
const tools: Tools = {
  grab: new GrabTool(bench), dent: new DentTool(bench), pin: new PinTool(bench), handle: new HandleTool(bench, gizmo),
  cage: new CageTool(bench), joint: new JointTool(bench),
};
const router = new PointerRouter(view, bench, tools, gizmo);
const bands = new Bands(view, store, stage, tools, router);
const dock = new Dock(store);
const drop = new MeshDrop(store, stage);
const start = new StartPage(store, () => drop.choose());
new Toasts(store);
new Panel(store, stage, tools, dock);

// Bars and controls are painted after the first picture, or when there will be none.
const LONGEST_BOOT_MS = 4000;
function showBars(): void {
  if (!document.body.classList.contains('unseen')) return;
  document.body.classList.remove('unseen');
  drawPlots();
  requestAnimationFrame(() => requestAnimationFrame(() => mark('bars')));
}
let firstPicture = true;
stage.drawn.on(() => {
  if (!firstPicture || !stage.bodies.size) return;
  firstPicture = false;
  stage.whenDone(() => {
    mark('done');
    showBars();
  });
});
store.sceneChanged.on((scene) => { if (!scene.bodies.length) showBars(); });
store.stateChanged.on((state) => { if (state === 'lost' || state === 'refused') showBars(); });
if (stage.missing) showBars();
setTimeout(showBars, LONGEST_BOOT_MS);

// Theme: as asked, else the system's.
const system = matchMedia('(prefers-color-scheme: light)');
let theme: ThemeName = query.get('theme') === 'light' || (query.get('theme') !== 'dark' && system.matches) ? 'light' : 'dark';
function setTheme(next: ThemeName): void {
  theme = next;
  document.documentElement.dataset.theme = next;
  stage.setTheme(next);
  drawPlots();
}
function drawPlots(): void {
  if (!document.body.classList.contains('unseen')) for (const plot of dock.plots) plot.draw();
}
const nextTheme = () => setTheme(theme === 'dark' ? 'light' : 'dark');
system.addEventListener('change', () => { if (!query.has('theme')) setTheme(system.matches ? 'light' : 'dark'); });

const shell = new Shell(store, stage, tools, start, nextTheme);
new Keys({ store, stage, tools, gizmo, router, bands, shell, start, openFile: () => drop.choose(), nextTheme });
giveFocusBack();
setTheme(theme);
if (query.has('nomotion')) document.documentElement.dataset.nomotion = '';
if (query.get('panel') === '0') document.body.classList.add('bare');
if (stage.missing) {
  view.append(h('p', { class: 'notice' }, 'This browser gives no WebGL 2, which the picture needs. Enable hardware or software ',
    'rendering in its settings, or draw pictures with the command pliant render. Options and plots work here.'));
}

// Frames: the newest is decoded and acknowledged, then drawn.
link.model.on((m) => {
  mark('model');
  stage.setModel(m);
  for (const tool of [tools.grab, tools.dent, tools.pin, tools.handle, tools.cage, tools.joint]) tool.forget();
  if (stage.bodies.size && start.shown) start.hide();
});
link.linkChanged.on((l) => { if (l === 'open') mark('open'); });
link.frameWaiting.on(() => stage.frameWaits());
stage.beforeDraw = () => {
  const begin = performance.now();
  const frame = link.takeFrame();
  if (!frame) return;
  mark('frame');
  if (stage.setFrame(frame)) {
    tools.grab.recall();
    store.frameArrived(frame);
  } else {
    link.counters.dropped++;
  }
  stage.time('decode', performance.now() - begin);
};

// What is sent follows what is shown.
let wished = channelsFor(store).join();
function wish(): void {
  const channels = channelsFor(store);
  if (channels.join() === wished) return;
  wished = channels.join();
  link.wish({ channels });
}
store.viewChanged.on(wish);
store.toolChanged.on(wish);

function rate(): number {
  if (document.hidden) return 0;
  return stage.tier === 'low' && !query.has('lowq') ? REDUCED_RATE : FULL_RATE;
}
document.addEventListener('visibilitychange', () => link.wish({ max_rate: rate() }));
stage.tierChanged.on(() => link.wish({ max_rate: rate() }));
if (stage.tier === 'low' && !query.has('lowq')) {
  link.wish({ max_rate: rate() });
  store.notice({ level: 'info', text: 'Reduced quality: software rendering' });
}

window.pliant = makeHook(link, store, stage, tools, gizmo);
mark('ready');
link.listen();
