// SPDX-License-Identifier: Apache-2.0
// A running `pliant view` and a browser for the tests. PLIANT names the command, ARTEFACTS where pictures go.

import { ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser, chromium, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Hook } from '../../src/hook';

// Functions given to evaluate() run in the page, where window.pliant is a global.
declare global {
  var pliant: Hook;
}

export const PLIANT = process.env.PLIANT ?? fileURLToPath(new URL('../../../build/pliant', import.meta.url));
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARTEFACTS = process.env.ARTEFACTS ?? fileURLToPath(new URL('../../../build/artefacts', import.meta.url));
export const THERE = existsSync(CHROMIUM);
export const SCENE = fileURLToPath(new URL('scene.json', import.meta.url));

/** A folder of scenes that pages may open by name: those of the tests, and what a test writes there. */
export class Library {
  readonly folder = mkdtempSync(join(tmpdir(), 'pliant-page-'));

  constructor() {
    const here = fileURLToPath(new URL('.', import.meta.url)), root = fileURLToPath(new URL('../../..', import.meta.url));
    for (const name of readdirSync(here)) {
      if (name.endsWith('.json')) this.write(name, readFileSync(join(here, name), 'utf8').replaceAll('"../../../', `"${root}`));
    }
  }
  write(name: string, what: string | object): void {
    writeFileSync(join(this.folder, name), typeof what === 'string' ? what : JSON.stringify(what));
  }
  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

export class Server {
  address = '';
  private process: ChildProcess | null = null;

  /** scene: empty for the start page. */
  constructor(readonly scene: string, readonly more: string[] = [], readonly library?: Library) {}

  /** Starts and waits for the address, which is the first line. */
  async start(): Promise<void> {
    const child = spawn(PLIANT, ['view', ...(this.scene ? [this.scene] : []), ...this.more],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...(this.library && { PLIANT_SCENES: this.library.folder }) } });
    this.process = child;
    let said = '', trouble = '';
    child.stderr.on('data', (d: Buffer) => { trouble += d.toString(); });
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (d: Buffer) => {
        said += d.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+\/[\w-]+\//.exec(said);
        if (found) {
          this.address = found[0];
          resolve();
        }
      });
      child.on('exit', (code) => reject(new Error(`pliant view ended with ${code}: ${said}${trouble}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.process;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    await gone;
    this.process = null;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--disable-gpu-rasterization',
      '--disable-accelerated-2d-canvas'],
  });
}

/** What went wrong in the page, for every page that was opened. */
export const troubles: string[] = [];

/** What tests cause and the browser tells as an error: a lost connection, an address that is no longer good, a scene without a
 * picture, a mesh that is refused. */
function isCaused(text: string, url: string): boolean {
  return /WebSocket connection|ERR_CONNECTION/.test(text) || (/\b404\b/.test(text) && /\/(thumb\/[^?]*|health)$/.test(url))
    || (/\b4(15|22)\b/.test(text) && /\/mesh\?/.test(url));
}

export async function open(browser: Browser, address: string, query = '', size = { width: 820, height: 560 }, touch = false): Promise<Page> {
  const context = await browser.newContext({ viewport: size, hasTouch: touch });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.PATIENCE ?? 240000));
  page.on('pageerror', (e) => troubles.push(e.message));
  page.on('console', (m) => {
    if (m.type() === 'error' && !isCaused(m.text(), m.location().url)) troubles.push(`${m.text()} (${m.location().url})`);
  });
  await page.goto(`${address}?lowq&nomotion&theme=dark${query}`);
  await page.waitForFunction(() => 'pliant' in window);  // it comes after the first, small script
  await page.evaluate(() => pliant.until(() => pliant.counters.drawn > 0, 240000));
  return page;
}

export async function shot(page: Page, name: string): Promise<Buffer> {
  mkdirSync(ARTEFACTS, { recursive: true });
  return page.screenshot({ path: `${ARTEFACTS}/${name}.png`, timeout: 240000 });
}

/** A vertex that is in front and in the view, far along an axis from the held end, and where it is on the screen. */
export function visibleTip(page: Page, axis = 2): Promise<{ vertex: number; x: number; y: number }> {
  return page.evaluate((k0) => {
    const x = pliant.positions(0)!;
    let best = { vertex: -1, x: 0, y: 0 }, far = -Infinity;
    for (let v = 0; v < x.length / 3; v++) {
      if (x[v * 3 + k0] <= far) continue;
      const s = pliant.screen(0, v)!;
      // A little towards the middle of the body, so that the hit is on it and not beside its edge.
      const c = pliant.screen(0, 0)!;
      const at = { x: s.x + 0.04 * (c.x - s.x), y: s.y + 0.04 * (c.y - s.y) };
      const hit = pliant.pick(at.x, at.y);
      if (!hit || !document.elementFromPoint(at.x, at.y)?.closest('#view') || Math.hypot(...hit.point.map((p, k) => p - x[v * 3 + k])) > 0.1) continue;
      far = x[v * 3 + k0];
      best = { vertex: v, ...at };
    }
    return best;
  }, axis);
}

export function vertexAt(page: Page, vertex: number): Promise<number[]> {
  return page.evaluate((v) => [...pliant.positions(0)!.subarray(v * 3, v * 3 + 3)], vertex);
}

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue, alpha. */
  data: Buffer;
}

/** The page's own policy forbids reading pictures back; an empty page may. */
export async function pixels(browser: Browser, png: Buffer): Promise<Picture> {
  const blank = await browser.newPage();
  const { width, height, text } = await blank.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    const c = canvas.getContext('2d')!;
    c.drawImage(image, 0, 0);
    const bytes = c.getImageData(0, 0, image.width, image.height).data;
    let out = '';
    for (let i = 0; i < bytes.length; i += 8192) out += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return { width: image.width, height: image.height, text: btoa(out) };
  }, png.toString('base64'));
  await blank.close();
  return { width, height, data: Buffer.from(text, 'base64') };
}

/** Pixels that differ clearly between two pictures. */
export async function differing(browser: Browser, a: Buffer, b: Buffer): Promise<number> {
  const p = (await pixels(browser, a)).data, q = (await pixels(browser, b)).data;
  let different = 0;
  for (let i = 0; i < p.length; i += 4) {
    if (Math.abs(p[i] - q[i]) + Math.abs(p[i + 1] - q[i + 1]) + Math.abs(p[i + 2] - q[i + 2]) > 60) different++;
  }
  return different;
}

/** A simulation, a browser and a page on it for all tests of a file. */
export class Stand {
  browser!: Browser;
  server!: Server;
  page!: Page;
  library!: Library;

  /** prepare: writes scenes of its own and gives arguments of the command. */
  constructor(prepare: (library: Library) => string[] | Promise<string[]> = () => [], scene = SCENE) {
    beforeAll(async () => {
      this.library = new Library();
      this.server = new Server(scene, await prepare(this.library), this.library);
      [this.browser] = await Promise.all([launch(), this.server.start()]);
      this.page = await open(this.browser, this.server.address);
    });
    afterAll(async () => {
      await this.browser?.close();
      await this.server?.stop();
      this.library.remove();
    });
  }

  /** Opens a scene of the library. */
  async load(name: string): Promise<void> {
    await this.page.evaluate((n) => pliant.send('scene.load', { name: n }), name);
    await this.settle();
  }

  /** Everything that this page sent is done and drawn. */
  settle(): Promise<void> {
    return this.page.evaluate(() => pliant.settled());
  }
  async play(): Promise<void> {
    await this.page.evaluate(() => pliant.send('play'));
  }
  async pause(): Promise<void> {
    await this.page.evaluate(() => pliant.send('pause'));
    await this.settle();
  }
}
