// SPDX-License-Identifier: Apache-2.0
// The page in a real browser, against the real simulation. Waits are on counters and states, never on time.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, freePort, open, pixels, SCENE, Server, shot, Stand, THERE, troubles, vertexAt, visibleTip } from './stand';

if (!THERE) console.log(`skipped: no chromium at ${CHROMIUM}`);

describe.runIf(THERE)('the page', () => {
  const stand = new Stand(async () => ['--port', String(await freePort()), '--token', 'browser-test-token-0001']);
  const settle = () => stand.settle(), play = () => stand.play(), pause = () => stand.pause();
  let page: Page, server: Server;
  beforeAll(() => { ({ page, server } = stand); });

  it('shows the body: pixels of its colour, and it moves', async () => {
    expect(await page.evaluate(() => pliant.bodies.map((b) => [b.name, b.method]))).toEqual([['bar', 'geometric']]);
    const { data, width } = await pixels(stand.browser, await shot(page, 'first-frame'));
    let orange = 0;
    for (let y = 90; y < 390; y++) {  // without bars and panel
      for (let i = (y * width + 60) * 4; i < (y * width + 540) * 4; i += 4) {
        if (data[i] > data[i + 1] + 50 && data[i] > data[i + 2] + 50) orange++;
      }
    }
    expect(orange).toBeGreaterThan(3000);
    expect(orange).toBeLessThan(100000);
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s + 5), step);
  });

  it('a grabbed point follows the mouse, and is let go', async () => {
    await pause();
    const tip = await visibleTip(page);
    expect(tip.vertex).toBeGreaterThanOrEqual(0);
    const before = await vertexAt(page, tip.vertex);
    await page.mouse.move(tip.x, tip.y);
    await page.mouse.down();
    await page.mouse.move(tip.x + 60, tip.y - 60, { steps: 4 });
    await settle();
    expect(await page.evaluate(() => pliant.grab.length)).toBe(1);
    await play();
    await page.evaluate(({ v, y }) => pliant.until(() => pliant.positions(0)![v * 3 + 1] > y + 0.02), { v: tip.vertex, y: before[1] });
    await page.evaluate(() => pliant.until(() => (pliant.grab[0]?.force ?? 0) > 0));
    await shot(page, 'grab');
    const after = await vertexAt(page, tip.vertex);
    const target = await page.evaluate(() => pliant.grab[0].target);
    const gap = (p: number[]) => Math.hypot(...p.map((v, k) => v - target[k]));
    expect(gap(after)).toBeLessThan(gap(before));
    await page.mouse.up();
    await settle();
    expect(await page.evaluate(() => [pliant.grab.length, pliant.grabs.length])).toEqual([0, 0]);
  });

  it('a grab is contained in a drawn frame no earlier than the step its reply names', async () => {
    const result = await page.evaluate(async () => {
      const hit = { face: 0, bary: [0.3, 0.3, 0.4] };
      const epoch = pliant.frame.epoch;
      const was = pliant.frame.applied;
      const reply = await pliant.send('grab.begin', { epoch, grab: 77, body: 0, ...hit, softness: 0.5, radius: 0 });
      await pliant.until(() => pliant.frame.applied > was);
      const frame = pliant.frame;
      await pliant.send('grab.end', { grab: 77, keep: 'none' });
      return { step: frame.step, reply: reply.step!, applied: frame.applied, want: reply.id };
    });
    expect(result.applied).toBeGreaterThanOrEqual(result.want);
    // Frames are dropped on a slow page, so the upper bound (two steps) is tested at the server (tests/view).
    expect(result.step).toBeGreaterThanOrEqual(result.reply - 1);
  });

  it('a slider changes the running simulation, and undo brings it back', async () => {
    await play();
    const path = 'bodies.0.geometric.stiffness';
    const value = () => page.evaluate((p) => pliant.options().find((o) => o.path === p)!.value as number, path);
    const before = await value();
    const lowest = () => page.evaluate(() => pliant.bounds(0)!.lo[1]);
    const level = await lowest();
    const slider = page.locator(`[data-path="${path}"] input[type=range]`);
    await slider.focus();
    for (let k = 0; k < 6; k++) await page.keyboard.press('Shift+ArrowLeft');
    // The slider tells its newest value once a drawn frame.
    await page.evaluate(({ p, half }) => pliant.until(() => (pliant.options().find((o) => o.path === p)!.value as number) < half), { p: path, half: before / 2 });
    await settle();
    // A softer bar sags deeper.
    await page.evaluate((y) => pliant.until(() => pliant.bounds(0)!.lo[1] < y - 0.02), level);
    for (let k = 0; k < 6; k++) {
      await page.evaluate(() => pliant.send('undo'));
      await settle();
      if ((await value()) === before) break;
    }
    expect(await value()).toBe(before);
  });

  it('the method is switched on the same body, and undo switches back', async () => {
    await page.locator('#methods [data-method=metric] input').check({ force: true });
    await page.evaluate(() => pliant.until(() => pliant.bodies[0].method === 'metric', 240000));
    await settle();
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s + 2), step);
    await shot(page, 'metric');
    await page.locator('#view').focus();
    await page.keyboard.press('Control+z');
    await page.evaluate(() => pliant.until(() => pliant.bodies[0].method === 'geometric', 240000));
    await settle();
  });

  it('a dropped mesh becomes a body, and undo takes it away', async () => {
    const data = await page.evaluateHandle(() => {
      const v: string[] = [];
      for (let i = 0; i < 8; i++) v.push(`v ${1 + (i & 1) * 0.4} ${1 + ((i >> 1) & 1) * 0.4} ${(i >> 2) * 0.4}`);
      const f = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'].map((l) => `f ${l}`);
      const transfer = new DataTransfer();
      transfer.items.add(new File([[...v, ...f].join('\n')], 'cube.obj'));
      return transfer;
    });
    await page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await page.locator('.mesh-dialog').waitFor();
    expect(await page.locator('.mesh-dialog').innerText()).toMatch(/8 vertices, 12 triangles/);
    await shot(page, 'drop-dialog');
    await page.locator('.mesh-dialog .add').click();
    await page.evaluate(() => pliant.until(() => pliant.bodies.length === 2, 240000));
    await settle();
    expect(await page.evaluate(() => pliant.positions(1)!.length)).toBeGreaterThan(0);
    await page.evaluate(() => pliant.send('undo'));
    await page.evaluate(() => pliant.until(() => pliant.bodies.length === 1, 240000));
    await settle();
  });

  it('a click with the pin tool pins, undo unpins', async () => {
    await pause();
    const pinned = () => page.evaluate(() => pliant.pinned(0));
    const before = await pinned();
    expect(before).toBeGreaterThan(0);
    const tip = await visibleTip(page);
    await page.locator('#tools [data-tool=pin]').click();
    await page.mouse.click(tip.x, tip.y);
    await page.evaluate((n) => pliant.until(() => pliant.pinned(0) > n), before);
    await page.evaluate(() => pliant.send('undo'));
    await page.evaluate((n) => pliant.until(() => pliant.pinned(0) === n), before);
    await page.locator('#tools [data-tool=grab]').click();
  });

  it('works by the keyboard: pause, one step, grab, pull, let go', async () => {
    await play();
    await page.evaluate(() => pliant.until(() => pliant.state === 'live'));
    await page.locator('#view').focus();
    await page.keyboard.press('Space');
    await page.evaluate(() => pliant.until(() => pliant.state === 'paused'));
    await settle();
    const step = await page.evaluate(() => pliant.frame.step);
    await page.keyboard.press('.');
    await page.evaluate((s) => pliant.until(() => pliant.frame.step === s + 1), step);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.evaluate(() => pliant.until(() => pliant.grab.length === 1));
    const before = await page.evaluate(() => pliant.grab[0].target);
    await page.keyboard.press('Shift+ArrowUp');
    expect((await page.evaluate(() => pliant.grab[0].target))[1]).toBeGreaterThan(before[1]);
    await page.keyboard.press('Escape');
    await settle();
    expect(await page.evaluate(() => pliant.grabs.length)).toBe(0);
    await page.keyboard.press('Space');
    await page.evaluate(() => pliant.until(() => pliant.state === 'live'));
  });

  it('posing: time stands, a drag bends the body, and it stays when time goes on', async () => {
    await page.keyboard.press('o');
    await page.evaluate(() => pliant.until(() => pliant.state === 'posing'));
    await settle();
    const time = await page.evaluate(() => pliant.frame.time);
    const tip = await visibleTip(page);
    const before = await vertexAt(page, tip.vertex);
    await page.mouse.move(tip.x, tip.y);
    await page.mouse.down();
    await settle(); // a slow hand: the handle that the grab made is there before it moves
    await page.mouse.move(tip.x, tip.y - 70, { steps: 3 });
    await page.evaluate(({ v, y }) => pliant.until(() => pliant.positions(0)![v * 3 + 1] > y + 0.03), { v: tip.vertex, y: before[1] });
    await page.mouse.up();
    await settle();
    expect(await page.evaluate(() => pliant.frame.time)).toBe(time);
    await shot(page, 'posing');
    await page.keyboard.press('o');
    await page.evaluate(() => pliant.until(() => pliant.state === 'live'));
    expect(await page.evaluate(() => pliant.held(0))).toBeGreaterThan(0);
    for (let k = 0; k < 4 && (await page.evaluate(() => pliant.held(0))) > 0; k++) {
      await page.evaluate(() => pliant.send('undo'));
      await settle();
    }
  });

  it('two pages see one simulation: the grab of one is drawn by the other', async () => {
    const other = await open(stand.browser, server.address);
    await play();
    await page.evaluate(() => pliant.send('grab.begin', { epoch: pliant.frame.epoch, grab: 5, body: 0, face: 3, bary: [0.4, 0.3, 0.3], softness: 0.5, radius: 0 }));
    await other.evaluate(() => pliant.until(() => pliant.grabs.some((g) => g.id === 5)));
    await other.evaluate(async () => { await pliant.send('pause'); await pliant.settled(); });
    // What the other page asked for is drawn there; here it is when the same step is.
    const last = await other.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step === s), last);
    const read = (p: Page) => p.evaluate(() => [pliant.frame.step, ...pliant.positions(0)!.subarray(0, 30)]);
    expect(await read(other)).toEqual(await read(page));
    await page.evaluate(() => pliant.send('grab.end', { grab: 5, keep: 'none' }));
    await other.context().close();
    await play();
  });

  it('two fingers hold two grabs at once', async () => {
    const touch = await open(stand.browser, server.address, '', { width: 390, height: 780 }, true);
    await touch.evaluate(async () => { await pliant.send('pause'); await pliant.settled(); });
    const tip = await visibleTip(touch);
    const cdp = await touch.context().newCDPSession(touch);
    const points = [{ x: tip.x, y: tip.y, id: 1 }, { x: tip.x - 6, y: tip.y + 3, id: 2 }];
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [points[0]] });
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points });
    await touch.evaluate(() => pliant.until(() => pliant.grab.length === 2));
    await touch.evaluate(() => pliant.settled());
    expect(await touch.evaluate(() => pliant.grabs.length)).toBe(2);
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await touch.evaluate(() => pliant.until(() => pliant.grab.length === 0));
    await shot(touch, 'phone');
    await touch.context().close();
    await play();
  });

  it('every layout has its parts in reach', async () => {
    for (const [width, height] of [[1280, 720], [1024, 600], [390, 780]]) {
      await page.setViewportSize({ width, height });
      const out = await page.evaluate(() => ['#top', '#view', '#tools', '#panel', '#transport .main', '#save'].filter((s) => {
        const b = document.querySelector(s)!.getBoundingClientRect();
        return b.width < 20 || b.height < 20 || b.left < -1 || b.top < -1 || b.right > innerWidth + 1 || b.bottom > innerHeight + 1;
      }));
      expect(out, `outside at ${width} x ${height}`).toEqual([]);
      expect(await page.evaluate(() => document.querySelector('#view')!.clientHeight)).toBeGreaterThan(height / 3);
      await shot(page, `layout-${width}x${height}`);
    }
    await page.setViewportSize({ width: 820, height: 560 });
  });

  it('comes back by itself after the simulation was started again', async () => {
    await server.stop();
    await page.evaluate(() => pliant.until(() => pliant.state === 'lost', 240000));
    await shot(page, 'lost');
    await server.start();
    await page.evaluate(() => pliant.until(() => pliant.counters.reconnects > 0 && pliant.state === 'live', 240000));
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s + 2), step);
  });

  it('says so when the address is no longer good', async () => {
    const port = new URL(server.address).port;
    await server.stop();
    const stranger = new Server(SCENE, ['--port', port, '--token', 'browser-test-token-0002']);
    await stranger.start();
    await page.evaluate(() => pliant.until(() => pliant.state === 'refused', 240000));
    expect(await page.locator('#refused').innerText()).toMatch(/another address/);
    await stranger.stop();
  });

  it('no page had an error of its own', () => {
    expect(troubles).toEqual([]);
  });
});
