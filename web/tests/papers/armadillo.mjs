// SPDX-License-Identifier: Apache-2.0
// Martin et al. 2009, Fig. 6, done by hand on the page: the feet are painted with pins, one vertex of each hand becomes a handle
// and is dragged by its gizmo, both handles are taken away, and the body swings back. Every press is a real one of a mouse or a
// key; only where things are on the screen is read from the page. `make view-armadillo` runs it.
//
//   node web/tests/papers/armadillo.mjs [-o PICTURE] [--session FILE]
//
// Writes a picture of the stages and the session, which `pliant replay SESSION` does again, and prints what was measured. Fails when
// a hand is not where it was dragged, or the body does not come back.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const PLIANT = process.env.PLIANT ?? here('../../../build/pliant');
const option = (name, otherwise) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : here(otherwise));
const picture = option('-o', '../../../build/artefacts/armadillo-page.png');
const session = option('--session', '../../../build/artefacts/armadillo-session.json');
const HANDS = [{ vertex: 3, by: [-0.05, 0.3, 0.15] }, { vertex: 969, by: [0.05, -0.25, 0.1] }];
const TURNS = 10; // of the camera, by the arrow key
const ANKLE = 0.06, BRUSH = 0.05; // m

const server = spawn(PLIANT, ['view', here('armadillo.json')], { stdio: ['ignore', 'pipe', 'inherit'] });
const address = await new Promise((resolve, reject) => {
  let said = '';
  server.stdout.on('data', (d) => {
    said += d;
    const found = /http:\/\/127\.0\.0\.1:\d+\/[\w-]+\//.exec(said);
    if (found) resolve(found[0]);
  });
  server.once('exit', () => reject(new Error(`pliant view ended: ${said}`)));
});
process.on('exit', () => server.kill('SIGTERM'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = await (await browser.newContext({ viewport: { width: 900, height: 700 } })).newPage();
page.setDefaultTimeout(120000);
await page.goto(`${address}?lowq&nomotion&theme=light`);
await page.waitForFunction(() => 'pliant' in window);
await page.evaluate(() => window.pliant.until(() => window.pliant.counters.drawn > 0, 120000));

const settle = () => page.evaluate(() => window.pliant.settled());
const key = async (...names) => { for (const name of names) await page.keyboard.press(name); };
const at = (vertex) => page.evaluate((v) => [...window.pliant.positions(0).subarray(3 * v, 3 * v + 3)], vertex);
const onScreen = (point) => page.evaluate((p) => window.pliant.at(p), point);
const steps = (n) => page.evaluate((k) => {
  const from = window.pliant.frame.step;
  return window.pliant.until(() => window.pliant.frame.step >= from + k, 120000);
}, n);
const gap = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]));
const shots = [];
const shoot = async (label) => {
  await settle();
  await page.mouse.move(5, 690);
  await page.evaluate(() => {
    document.activeElement?.blur();
    for (const chip of document.querySelectorAll('#view > :not(canvas)')) chip.style.visibility = 'hidden';
  });
  shots.push({ label, png: (await page.locator('#canvas').screenshot({ timeout: 120000 })).toString('base64') });
};
/** The brush as near to so many metres as its steps allow. */
const brush = async (radius) => {
  for (let k = 0; k < 60; k++) {
    const now = Number(await page.evaluate(() => window.pliant.brush));
    if (now <= radius) return;
    await key('[');
  }
};

/** The vertex nearest to one that can be seen, for a click to hit it. */
const seenNear = (vertex) => page.evaluate((v0) => {
  const x = window.pliant.positions(0), far = (v, p) => Math.hypot(...[0, 1, 2].map((k) => x[3 * v + k] - p[k]));
  const from = [...x.subarray(3 * v0, 3 * v0 + 3)];
  const near = Array.from({ length: x.length / 3 }, (_, v) => v).filter((v) => far(v, from) < 0.1).sort((a, b) => far(a, from) - far(b, from));
  return near.find((v) => {
    const s = window.pliant.screen(0, v), hit = window.pliant.pick(Math.round(s.x), Math.round(s.y));
    // The click must mean this one: no other is as near to where it hits.
    return hit && far(v, hit.point) < 0.0015 && near.every((w) => w === v || far(w, hit.point) > 0.0021);
  });
}, vertex);
/** A pixel (a mouse has whole ones) beside a vertex where a click hits the body. */
const beside = (vertex) => page.evaluate((v) => {
  const x = window.pliant.positions(0), s = window.pliant.screen(0, v);
  for (let r = 0; r < 14; r++) {
    for (let k = 0; k < 16; k++) {
      const p = { x: Math.round(s.x + r * Math.cos((k * Math.PI) / 8)), y: Math.round(s.y + r * Math.sin((k * Math.PI) / 8)) }, hit = window.pliant.pick(p.x, p.y);
      if (hit && Math.hypot(...hit.point.map((c, i) => c - x[3 * v + i])) < 0.03) return p;
    }
  }
  throw new Error('the vertex cannot be reached');
}, vertex);

const rest = await page.evaluate(() => [...window.pliant.positions(0)]);
await page.locator('#view').focus();

// From the front, a little farther away: keys turn the camera.
for (let k = 0; k < TURNS; k++) await key('ArrowRight');
for (let k = 0; k < 2; k++) await key('-');
await settle();

// Pins on the feet: one stroke of the brush a foot, through all of its vertices that can be seen.
await key('p');
await brush(BRUSH);
for (const side of [-1, 1]) {
  const way = await page.evaluate(([ankle, s]) => {
    const x = window.pliant.positions(0), out = [];
    for (let v = 0; v < x.length / 3; v += 7) {
      if (x[3 * v + 1] > 0.7 * ankle || s * x[3 * v] < 0) continue;
      const p = window.pliant.screen(0, v), hit = window.pliant.pick(p.x, p.y);
      if (hit && Math.hypot(hit.point[0] - x[3 * v], hit.point[1] - x[3 * v + 1], hit.point[2] - x[3 * v + 2]) < 0.01) out.push(p);
    }
    return out.sort((a, b) => a.x - b.x).filter((_, k) => k % Math.ceil(out.length / 24) === 0);
  }, [ANKLE, side]);
  await page.mouse.move(way[0].x, way[0].y);
  await page.mouse.down();
  for (const p of way.slice(1)) await page.mouse.move(p.x, p.y);
  await page.mouse.up();
  await settle();
}
const pinned = await page.evaluate(() => window.pliant.pinned(0));
await shoot('feet pinned');

await page.locator('#view').focus();
// One vertex of each hand becomes a handle; the middle of its gizmo is dragged, which moves it in the plane of the screen.
await key('h');
await brush(0.002);
for (const hand of HANDS) {
  await key('Space'); // time stands, so that the click meets the vertex
  await settle();
  hand.vertex = await seenNear(hand.vertex);
  const from = await at(hand.vertex), spot = await onScreen(from);
  await page.mouse.click(Math.round(spot.x), Math.round(spot.y));
  await key('Enter');
  await page.evaluate(() => window.pliant.until(() => window.pliant.gizmo.shown, 20000));
  await key('Space');
  await settle();
  const start = await page.evaluate(() => window.pliant.gizmo.at), grip = await onScreen(start);
  const goal = await onScreen(start.map((v, i) => v + hand.by[i]));
  await page.mouse.move(grip.x, grip.y);
  const axis = await page.evaluate(() => window.pliant.gizmo.axis);
  if (axis !== 'XYZ') throw new Error(`the middle of the gizmo is not under the pointer but ${axis}`);
  await page.mouse.down();
  await page.mouse.move(goal.x, goal.y, { steps: 12 });
  await page.mouse.up();
  await settle();
  hand.from = from;
  hand.goal = await page.evaluate(() => window.pliant.gizmo.at);
}
await steps(240);
await key('g');
await shoot('one vertex a hand dragged');
for (const hand of HANDS) hand.got = await at(hand.vertex);

// Both handles are taken away at the same moment of the simulation.
await page.locator('#view').focus();
await key('Space');
await settle();
const released = await page.evaluate(() => window.pliant.frame.step);
await key('h');
for (let k = 0; k < 15; k++) await key(']');
for (const hand of HANDS) {
  const shown = () => page.evaluate(() => window.pliant.until(() => window.pliant.gizmo.shown, 3000).then(() => true, () => false));
  for (let k = 0; k < 4; k++) {
    await settle();
    const spot = await beside(hand.vertex);
    await page.mouse.click(spot.x, spot.y);
    if (await shown()) break;
  }
  await key('Delete');
  await settle();
}
await key('g');
let swung = await at(HANDS[0].vertex);
for (let k = 0; k < 120 && swung[1] > HANDS[0].from[1] - 0.01; k++) { // until it swings through
  await key('.');
  await settle();
  swung = await at(HANDS[0].vertex);
}
const after = await page.evaluate(() => window.pliant.frame.step) - released;
await shoot(`${(after / 60).toFixed(2)} s after letting go`);
await page.locator('#view').focus();
await key('Space');
await steps(600);
await key('Space');
await settle();
await shoot('at rest again');
const end = await page.evaluate(() => [...window.pliant.positions(0)]);

mkdirSync(dirname(session), { recursive: true });
writeFileSync(session, await page.evaluate(async () => (await fetch(new URL('save/session', document.baseURI))).text()));
const blank = await browser.newPage();
const png = await blank.evaluate(async (all) => {
  const images = await Promise.all(all.map(async ({ png }) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    return image;
  }));
  const [width, text] = [270, 26];
  // The middle of the view, where the body is.
  const cut = images.map((i) => ({ w: Math.min(i.width, 0.72 * i.height), h: 0.84 * i.height }));
  const height = Math.round((width * cut[0].h) / cut[0].w);
  const canvas = document.createElement('canvas');
  canvas.width = all.length * (width + 6) - 6;
  canvas.height = height + text;
  const c = canvas.getContext('2d');
  c.fillStyle = '#ffffff';
  c.fillRect(0, 0, canvas.width, canvas.height);
  c.fillStyle = '#1b2025';
  c.font = '14px sans-serif';
  c.textAlign = 'center';
  images.forEach((image, k) => {
    c.drawImage(image, (image.width - cut[k].w) / 2, 0.05 * image.height, cut[k].w, cut[k].h, k * (width + 6), 0, width, height);
    c.fillText(all[k].label, k * (width + 6) + width / 2, height + 18);
  });
  return canvas.toDataURL('image/png').slice('data:image/png;base64,'.length);
}, shots);
writeFileSync(picture, Buffer.from(png, 'base64'));
await browser.close();
server.kill('SIGTERM');

let failed = false;
const say = (text, good) => {
  console.log(`${good ? 'ok ' : 'NOT'}  ${text}`);
  failed ||= !good;
};
let far = 0;
for (let i = 0; i < end.length; i += 3) far = Math.max(far, gap(end.slice(i, i + 3), rest.slice(i, i + 3)));
say(`${pinned} vertices of the feet are pinned`, pinned > 30);
HANDS.forEach((hand, k) => {
  const missed = gap(hand.got, hand.goal), way = gap(hand.from, hand.goal);
  say(`hand ${k + 1} was dragged by ${way.toFixed(3)} m and is ${(1000 * missed).toFixed(1)} mm from there`, way > 0.15 && missed < 0.01);
});
say(`${(after / 60).toFixed(2)} s after it was let go hand 1 swings ${(1000 * (HANDS[0].from[1] - swung[1])).toFixed(0)} mm below where it rests`, swung[1] < HANDS[0].from[1] - 0.01);
say(`at the end no vertex is farther than ${(1000 * far).toFixed(1)} mm from where it was`, far < 0.03);
try {
  console.log(execFileSync(PLIANT, ['replay', session]).toString().trim());
} catch (error) {
  say(`pliant replay: ${error.stdout ?? error}`, false);
}
process.exit(failed ? 1 : 0);
