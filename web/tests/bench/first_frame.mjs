// SPDX-License-Identifier: Apache-2.0
// How long until the body is seen, and how often it is drawn: `make view-bench`. Prints, judges nothing.
//
//   node web/tests/bench/first_frame.mjs [SCENE] [LOADS] [QUERY]
//
// Every load meets a command that was just started, in a fresh context of the browser; the first one meets a cold browser.
// The time runs in the page, from the beginning of its load; `shown` is the browser's next frame after the one that drew
// the body, `done` is when the pixels of that drawing were there (a fence behind its commands), `bars` when the controls
// around it are painted, too.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const PLIANT = process.env.PLIANT ?? fileURLToPath(new URL('../../../build/pliant', import.meta.url));
const [scene = 'creature', loads = '5', query = ''] = process.argv.slice(2);
const STATIONS = ['response', 'script', 'ready', 'open', 'model', 'frame', 'drawn', 'shown', 'done', 'bars'];

let server = null, address = '';
async function start() {
  server?.kill('SIGINT');
  server = spawn(PLIANT, ['view', scene], { stdio: ['ignore', 'pipe', 'inherit'] });
  address = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (d) => {
      said += d;
      const found = /http:\/\/127\.0\.0\.1:\d+\/[\w-]+\//.exec(said);
      if (found) resolve(found[0]);
    });
    server.on('exit', () => reject(new Error(said)));
  });
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage',
    '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const rows = [];
let last = null;
for (let k = 0; k < Number(loads); k++) {
  await last?.context().close();
  await start();
  last = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
  await last.goto(`${address}?theme=dark${query}`, { waitUntil: 'commit' });
  await last.waitForFunction(() => window.pliant?.marks.bars !== undefined, undefined, { polling: 100, timeout: 60000 });
  rows.push(await last.evaluate(() => ({
    response: performance.getEntriesByType('navigation')[0].responseEnd, ...window.pliant.marks,
  })));
}

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
const cell = (v) => String(Math.round(v)).padStart(9);
console.log(`${scene}, ms after the load began`);
console.log(['          ', ...STATIONS.map((s) => s.padStart(9))].join(''));
rows.forEach((r, k) => console.log([k ? `load ${k + 1}    ` : 'cold      ', ...STATIONS.map((s) => cell(r[s]))].join('').trimEnd()));
console.log(['median    ', ...STATIONS.map((s) => cell(median(rows.map((r) => r[s]))))].join(''));

const read = () => last.evaluate(() => ({ draws: window.pliant.counters.drawn, step: window.pliant.frame.step, at: performance.now() }));
const a = await read();
await new Promise((r) => setTimeout(r, 3000));
const b = await read();
const s = (b.at - a.at) / 1000;
const health = await (await fetch(`${address}health`)).json();
const bodies = await last.evaluate(() => window.pliant.bodies.map((x) => `${x.nodes} nodes, ${x.vertices} vertices`).join('; '));
console.log(`running (${bodies}): page ${((b.draws - a.draws) / s).toFixed(1)} frames a second (${await last.evaluate(() => window.pliant.tier)} tier), ` +
  `simulation ${((b.step - a.step) / s).toFixed(1)} steps a second (the server says ${health.rate})`);

await browser.close();
server.kill('SIGINT');
