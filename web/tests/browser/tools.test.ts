// SPDX-License-Identifier: Apache-2.0
// Every tool and overlay of the page in a real browser: what the hand does, the body does.

import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { differing, open, pixels, Server, shot, Stand, THERE, troubles, vertexAt, visibleTip } from './stand';

describe.runIf(THERE)('the tools of the page', () => {
  const stand = new Stand();
  const settle = () => stand.settle(), play = () => stand.play(), pause = () => stand.pause();
  let browser: Browser, page: Page, server: Server;
  beforeAll(() => { ({ browser, page, server } = stand); });

  const tool = (name: string) => page.locator(`#tools [data-tool=${name}]`).click();
  const load = (name: string) => stand.load(name);
  /** The middle of the top of the first body. */
  const top = () => page.evaluate(() => {
    const { lo, hi } = pliant.bounds(0)!;
    return pliant.at([(lo[0] + hi[0]) / 2, hi[1], (lo[2] + hi[2]) / 2]);
  });
  const picture = async () => {
    await settle();
    return page.locator('#canvas').screenshot({ timeout: 240000 });
  };

  it('a painted patch becomes a handle, and the gizmo moves, turns and scales it', async () => {
    await pause();
    const tip = await visibleTip(page);
    await tool('handle');
    for (let k = 0; k < 6; k++) await page.keyboard.press(']');
    await page.mouse.click(tip.x, tip.y);
    await page.keyboard.press('Enter');
    await page.evaluate(() => pliant.until(() => pliant.gizmo.shown && pliant.held(0) > 0));
    await settle();
    const drag = async (axis: string, key: string, dx: number, dy: number) => {
      await page.keyboard.press(key);
      const c = await page.evaluate(() => pliant.at(pliant.gizmo.at as [number, number, number]));
      // The parts of the gizmo lie around its middle: the pointer looks for the wanted one.
      for (let r = 16; r < 130; r += 5) {
        for (let k = 0; k < 24; k++) {
          const x = c.x + r * Math.cos((k * Math.PI) / 12), y = c.y + r * Math.sin((k * Math.PI) / 12);
          await page.mouse.move(x, y);
          if ((await page.evaluate(() => pliant.gizmo.axis)) !== axis) continue;
          await page.mouse.down();
          await page.mouse.move(x + dx, y + dy, { steps: 4 });
          await page.mouse.up();
          await settle();
          return;
        }
      }
      throw new Error(`the gizmo has no ${axis}`);
    };
    const before = await vertexAt(page, tip.vertex);
    await drag('Y', '1', 0, -50);
    await play();
    await page.evaluate(({ v, y }) => pliant.until(() => pliant.positions(0)![v * 3 + 1] > y + 0.05), { v: tip.vertex, y: before[1] });
    await shot(page, 'gizmo');
    for (const [axis, key, dx, dy] of [['X', '2', 40, 40], ['Y', '3', 0, -30]] as const) {
      const was = await vertexAt(page, tip.vertex);
      await drag(axis, key, dx, dy);
      await page.evaluate(({ v, p }) => pliant.until(() => Math.hypot(...p.map((c, i) => pliant.positions(0)![v * 3 + i] - c)) > 0.01), { v: tip.vertex, p: was });
    }
    for (let k = 0; k < 6 && (await page.evaluate(() => pliant.held(0))) > 0; k++) {
      await page.evaluate(() => pliant.send('undo'));
      await settle();
    }
    expect(await page.evaluate(() => pliant.held(0))).toBe(0);
    await tool('grab');
  });

  it('overlays and looks are drawn, and go again', async () => {
    await pause();
    await page.locator('#tab-1').click();
    for (const name of ['nodes', 'wireframe']) {
      const box = page.locator(`[data-overlay=${name}]`);
      const without = await picture();
      await box.check({ force: true });
      const shown = await picture();
      expect(await differing(browser, without, shown), name).toBeGreaterThan(150);
      await box.uncheck({ force: true });
      expect(await differing(browser, without, await picture()), `${name} goes`).toBeLessThan(20);
    }
    const plain = await picture();
    await page.locator('#page-view input[name=look]').nth(2).check({ force: true });
    await page.evaluate(() => pliant.until(() => (pliant.stretch(0) ?? []).some((s) => s > 0.001)));
    expect(await page.locator('#legend').isVisible()).toBe(true);
    expect(await page.locator('#legend').innerText()).toMatch(/[1-9].*%/);
    expect(await differing(browser, plain, await picture())).toBeGreaterThan(2000);
    await shot(page, 'stretch');
    await page.locator('#page-view input[name=look]').nth(1).check({ force: true });
    await page.locator('#tab-0').click();
  });

  it('a recording begins and ends with K, and is saved with all its frames', async () => {
    await play();
    await page.locator('#view').focus();
    await page.keyboard.press('k');
    await page.evaluate(() => pliant.until(() => !!pliant.transport.recording));
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s + 10), step);
    await page.keyboard.press('k');
    await page.evaluate(() => pliant.until(() => !pliant.transport.recording));
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.toast button', { hasText: 'Save' }).click()]);
    // The rest mesh and its cache, in one archive.
    const tar = readFileSync((await download.path())!);
    expect(tar.subarray(0, 7).toString('latin1')).toBe('bar.obj');
    const at = tar.indexOf('POINTCACHE');
    expect(at % 512).toBe(0);
    const bytes = tar.subarray(at, at + parseInt(tar.subarray(at - 512 + 124, at - 512 + 135).toString('latin1'), 8));
    expect(bytes.subarray(0, 10).toString('latin1')).toBe('POINTCACHE');
    expect(bytes.readInt32LE(16)).toBe(await page.evaluate(() => pliant.positions(0)!.length / 3));
    expect(bytes.readInt32LE(28)).toBeGreaterThan(10);
    expect(bytes.length).toBe(32 + 12 * bytes.readInt32LE(16) * bytes.readInt32LE(28));
  });

  it('the save menu gives the scene, the posed mesh, a picture and the session', async () => {
    await pause();
    // One download a page is what a browser without a window allows: links are read, the picture is taken.
    const saved = async (label: string): Promise<string> => {
      await page.locator('#view').focus();
      await page.keyboard.press('Control+s');
      const text = await page.locator('.menu a', { hasText: label }).evaluate(async (a) => {
        const answer = await fetch((a as HTMLAnchorElement).href);
        return `${answer.status} ${answer.headers.get('content-disposition')}\n${await answer.text()}`;
      });
      await page.keyboard.press('Escape');
      expect(text).toMatch(/^200 attachment; filename="[\w.-]+"\n/);
      return text.slice(text.indexOf('\n') + 1);
    };
    expect(JSON.parse(await saved('Scene with edits')).bodies[0].name).toBe('bar');
    const first = /^v (\S+) (\S+) (\S+)/m.exec(await saved('Posed mesh (OBJ)'))!.slice(1, 4).map(Number);
    const shown = await vertexAt(page, 0);
    first.forEach((v, i) => expect(v).toBeCloseTo(shown[i], 4));
    expect(JSON.parse(await saved('Session')).pliant_session).toBe(1);
    expect(await saved('Metrics')).toMatch(/^step,time,body,/);
    const other = await open(browser, server.address);
    await other.keyboard.press('Control+s');
    const [taken] = await Promise.all([other.waitForEvent('download'), other.locator('.menu button', { hasText: 'Picture' }).click()]);
    const png = readFileSync((await taken.path())!);
    await other.context().close();
    expect(png.readUInt32BE(16)).toBe(2 * (await page.evaluate(() => document.querySelector('#view')!.clientWidth)));
    expect(png.length).toBeGreaterThan(20000);
    await settle();
  });

  it('a dent goes into clay, stays there, and undo takes it out; colliders are drawn', async () => {
    await load('block');
    await play();
    await tool('dent');
    const at = await top();
    const face = await page.evaluate(({ x, y }) => pliant.pick(x, y)!, at);
    const height = () => page.evaluate((f) => {
      const x = pliant.positions(0)!;
      let least = Infinity;
      for (let v = 0; v < x.length / 3; v++) {
        const d = Math.hypot(x[v * 3] - f.point[0], x[v * 3 + 2] - f.point[2]);
        if (d < 0.12 && x[v * 3 + 1] > 0.15) least = Math.min(least, x[v * 3 + 1]);
      }
      return least;
    }, face);
    const before = await height();
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.evaluate((y) => pliant.until(() => {
      const x = pliant.positions(0)!;
      for (let v = 0; v < x.length / 3; v++) if (x[v * 3 + 1] > 0.15 && x[v * 3 + 1] < y - 0.03 && Math.hypot(x[v * 3], x[v * 3 + 2]) < 0.2) return true;
      return false;
    }), before);
    await page.mouse.up();
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s + 60), step);
    await pause();
    await shot(page, 'dent');
    expect(await height()).toBeLessThan(before - 0.01);
    await page.evaluate(() => pliant.send('undo'));
    await settle();
    expect(await height()).toBeCloseTo(before, 2);
    await page.locator('#view').focus();
    const right = await page.evaluate(() => document.querySelector('#view')!.getBoundingClientRect().right);
    const boxAt = () => page.evaluate(() => pliant.at([0.9, 0.4, 0]));
    for (let k = 0; k < 30 && (await boxAt()).x > right - 60; k++) await page.keyboard.press('-');
    await settle();
    // The box that does not move, beside the block: seen, and nothing to grab.
    const box = await boxAt();
    expect(await page.evaluate(({ x, y }) => pliant.pick(x, y), box)).toBeNull();
    const clip = (p: { x: number; y: number }) =>
      page.screenshot({ clip: { x: Math.round(p.x) - 6, y: Math.round(p.y) - 6, width: 12, height: 12 }, timeout: 240000 });
    await shot(page, 'collider');
    const empty = await page.evaluate(() => pliant.at([-0.9, 0.4, 0]));
    expect(await differing(browser, await clip(box), await clip(empty))).toBeGreaterThan(60);
    await tool('grab');
  });

  it('a vertex of the cage is dragged, and the body follows', async () => {
    await load('caged');
    await play();
    await tool('cage');
    await page.evaluate(() => pliant.until(() => (pliant.cage(0)?.length ?? 0) > 0 && (pliant.cageFacing(0) ?? []).some((f) => f > 0)));
    await pause();
    const corner = await page.evaluate(() => {
      const c = pliant.cage(0)!, facing = pliant.cageFacing(0)!;
      let best = -1;
      for (let v = 0; v < facing.length; v++) if (facing[v] && (best < 0 || c[v * 3 + 2] > c[best * 3 + 2] + 1e-6)) best = v;
      return { vertex: best, height: c[best * 3 + 1], ...pliant.at([c[best * 3], c[best * 3 + 1], c[best * 3 + 2]]) };
    });
    await play();
    const high = await page.evaluate(() => pliant.bounds(0)!.hi[1]);
    await page.mouse.move(corner.x, corner.y);
    await page.mouse.down();
    await page.mouse.move(corner.x, corner.y - 80, { steps: 4 });
    await page.evaluate(({ v, y }) => pliant.until(() => pliant.cage(0)![v * 3 + 1] > y + 0.2), { v: corner.vertex, y: corner.height });
    await page.evaluate((y) => pliant.until(() => pliant.bounds(0)!.hi[1] > y + 0.05), high);
    await shot(page, 'cage');
    await page.mouse.up();
    await settle();
    await tool('grab');
  });

  it('a joint is turned, and the flesh follows; undo turns it back', async () => {
    await load('boned');
    await play();
    await tool('joint');
    await page.evaluate(() => pliant.until(() => (pliant.joints(0)?.length ?? 0) === 21));
    await pause();
    const hand = await page.evaluate(() => pliant.at([...pliant.joints(0)!.subarray(14, 17)] as [number, number, number]));
    const before = await page.evaluate(() => [...pliant.joints(0)!.subarray(14, 17)]);
    await play();
    await page.mouse.move(hand.x, hand.y);
    await page.mouse.down();
    await page.mouse.move(hand.x + 70, hand.y + 20, { steps: 5 });
    await page.mouse.up();
    await settle();
    const after = await page.evaluate(() => [...pliant.joints(0)!.subarray(14, 17)]);
    expect(Math.hypot(...after.map((v, i) => v - before[i]))).toBeGreaterThan(0.2);
    // The flesh at the hand goes where the bone went.
    await page.evaluate((to) => pliant.until(() => {
      const x = pliant.positions(0)!;
      let near = Infinity;
      for (let v = 0; v < x.length; v += 3) near = Math.min(near, Math.hypot(x[v] - to[0], x[v + 1] - to[1], x[v + 2] - to[2]));
      return near < 0.35;
    }), after);
    await shot(page, 'joint');
    await page.evaluate(() => pliant.send('undo'));
    await settle();
    const back = await page.evaluate(() => [...pliant.joints(0)!.subarray(14, 17)]);
    expect(Math.hypot(...back.map((v, i) => v - before[i]))).toBeLessThan(0.02);
    await tool('grab');
  });

  it('clicks through a body draw bones in its middle, Enter builds them, and they turn it', async () => {
    await load('scene');
    await pause();
    await tool('joint');
    expect(await page.evaluate(() => pliant.joints(0)!.length)).toBe(0);
    // Midway of the bar as it is now.
    const midway = (at: number) => page.evaluate((z) => {
      const { lo, hi } = pliant.bounds(0)!;
      const x = pliant.positions(0)!;
      let sum = 0, n = 0;
      for (let v = 0; v < x.length; v += 3) if (Math.abs(x[v + 2] - z) < 0.06) { sum += x[v + 1]; n++; }
      return pliant.at([(lo[0] + hi[0]) / 2, sum / n, z]);
    }, at);
    let drawn = 0;
    for (const z of [0.2, 0.5, 0.85]) {
      const p = await midway(z);
      await page.mouse.click(p.x, p.y);
      await page.waitForFunction((n) => document.querySelectorAll('circle.joint').length === n, ++drawn);
    }
    await shot(page, 'bones-drawn');
    await page.keyboard.press('Enter');
    await page.evaluate(() => pliant.until(() => pliant.bodies[0].method === 'meshless' && pliant.joints(0)!.length === 21, 240000));
    await settle();
    // In the middle of the rest bar, which reaches from 0.5 to 0.8 m and from -0.15 to 0.15 m.
    const joints = await page.evaluate(() => pliant.joints(0)!);
    for (let j = 0; j < 3; j++) expect(Math.abs(joints[j * 7]), `joint ${j}`).toBeLessThan(0.12);
    await shot(page, 'bones-built');
    await page.evaluate(() => pliant.send('undo'));
    await page.evaluate(() => pliant.until(() => pliant.bodies[0].method === 'geometric', 240000));
    await tool('grab');
    await settle();
  });

  it('a point of a loaded rod is pulled, the flesh follows, and let go it comes back; a hand at the flesh bends the rod', async () => {
    await load('rod');
    await play();
    await tool('joint');
    await page.evaluate(() => pliant.until(() => (pliant.joints(0)?.length ?? 0) === 77));  // 11 points of the rod
    await pause();
    const joint = (j: number) => page.evaluate((k) => [...pliant.joints(0)!.subarray(k * 7, k * 7 + 3)] as [number, number, number], j);
    const top = () => page.evaluate(() => pliant.bounds(0)!.hi[1]);
    const before = await joint(1), high = await top();
    const at = await page.evaluate((p) => pliant.at(p), before);
    await play();
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x, at.y - 110, { steps: 4 });
    await page.evaluate((y) => pliant.until(() => pliant.joints(0)![8] > y + 0.15), before[1]);
    await page.evaluate((y) => pliant.until(() => pliant.bounds(0)!.hi[1] > y + 0.07), high);
    await shot(page, 'rod-pulled');
    await page.mouse.up();
    await page.evaluate((y) => pliant.until(() => Math.abs(pliant.joints(0)![8] - y) < 0.03), before[1]);
    await tool('grab');
    await page.locator('#tab-1').click();
    await page.locator('[data-overlay=skeleton]').check({ force: true });
    await pause();
    const tip = await visibleTip(page, 0);
    await play();
    await page.mouse.move(tip.x, tip.y);
    await page.mouse.down();
    await page.mouse.move(tip.x, tip.y - 110, { steps: 4 });
    await page.evaluate((y) => pliant.until(() => pliant.joints(0)![8] > y + 0.1), before[1]);
    await shot(page, 'rod-grabbed');
    await page.mouse.up();
    await page.locator('[data-overlay=skeleton]').uncheck({ force: true });
    await page.locator('#tab-0').click();
    await settle();
  });

  it('a cloud of points is drawn as discs, in both themes, and is grabbed', async () => {
    await load('cloud');
    await pause();
    expect(await page.locator('#body-chip').innerText()).toMatch(/2.400 points/);
    const middle = await page.evaluate(() => pliant.at([0, 0.1, 0]));
    const green = async (name: string) => {
      const { data, width } = await pixels(browser, await shot(page, name));
      let n = 0;
      for (let y = Math.round(middle.y) - 30; y < middle.y + 30; y++) {
        for (let x = Math.round(middle.x) - 30; x < middle.x + 30; x++) {
          const i = (y * width + x) * 4;
          if (data[i + 1] > data[i] + 40) n++;
        }
      }
      return n;
    };
    expect(await green('cloud-dark')).toBeGreaterThan(2500);
    await page.locator('#view').focus();
    await page.keyboard.press('l');
    await settle();
    expect(await green('cloud-light')).toBeGreaterThan(2500);
    await page.keyboard.press('l');
    await play();
    const right = await page.evaluate(() => pliant.bounds(0)!.hi[1]);
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    await page.mouse.move(middle.x, middle.y - 90, { steps: 4 });
    await page.evaluate((y) => pliant.until(() => pliant.bounds(0)!.hi[1] > y + 0.1), right);
    expect(await page.evaluate(() => pliant.grab.length)).toBe(1);
    await shot(page, 'cloud-grabbed');
    await page.mouse.up();
    await settle();
  });

  it('a long build is stopped by its button: the old body stays, and the next build is made', async () => {
    const bodies = Array.from({ length: 60 }, (_, k) => ({
      name: `bar${k}`, shape: { box: { size: [0.3, 0.3, 1], nodes: [14, 14, 42], corner: [k, 0, 0] } },
      pins: [{ select: { halfspace: { point: [0, 0, 0.05], normal: [0, 0, -1] } } }],
    }));
    stand.library.write('many.json', { bodies });
    await load('scene');
    await play();
    const epoch = await page.evaluate(() => pliant.frame.epoch);
    const asked = page.evaluate(() => pliant.send('scene.load', { name: 'many' }).then(() => 'done', (e: Error) => e.message));
    await page.evaluate(() => pliant.until(() => pliant.state === 'rebuilding'));
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s), step);  // the old body moves on meanwhile
    await shot(page, 'rebuilding');
    await page.locator('#state-chip .cancel').click({ timeout: 30000 });
    expect(await asked).toMatch(/stopped/);
    await page.evaluate(() => pliant.until(() => pliant.state === 'live'));
    expect(await page.evaluate(() => [pliant.frame.epoch, ...pliant.bodies.map((b) => b.name)])).toEqual([epoch, 'bar']);
    await load('block');
    expect(await page.evaluate(() => pliant.bodies.map((b) => b.name))).toEqual(['block']);
  });

  it('arrows as long as the contact forces stand under a block that rests, and go again', async () => {
    const block = { name: 'block', shape: { box: { size: [0.4, 0.4, 0.4], nodes: [4, 4, 4] } }, geometric: { stiffness: 1e6 }, damping: { mass: 5, stiffness: 0.01 } };
    stand.library.write('rest.json', { bodies: [block], colliders: [{ plane: {} }] });
    await load('rest');
    await play();
    await page.evaluate(() => pliant.until(() => pliant.frame.step > 120));
    await page.locator('#tab-1').click();
    const box = page.locator('[data-overlay=forces]');
    await box.check({ force: true });
    await page.evaluate(() => pliant.until(() => (pliant.contacts(0)?.length ?? 0) >= 6 * 4));
    await pause();
    const shown = await picture();
    const sum = await page.evaluate(() => pliant.contacts(0)!.reduce((s, v, i) => s + (i % 6 === 4 ? v : 0), 0));
    expect(sum / (64 * 9.81)).toBeCloseTo(1, 1); // 0.064 m^3 of 1000 kg/m^3
    const { scale, largest, drawn } = (await page.evaluate(() => pliant.arrows(0)))!;
    expect(drawn).toBe(true);
    expect(scale * largest).toBeGreaterThan(0.2 * 0.4 - 1e-6);
    expect(scale * largest).toBeLessThan(0.5 * 0.4 + 1e-6);
    expect(await page.locator('.contact-force').textContent()).toMatch(/\d+ N/);
    await shot(page, 'contact_forces');
    await box.uncheck({ force: true });
    expect(await differing(browser, shown, await picture())).toBeGreaterThan(100);
    expect(await page.locator('.contact-force').count()).toBe(0);
    await page.locator('#tab-0').click();
  });

  it('a body that is grabbed pushes another with it, and does not pass through', async () => {
    const cube = (name: string, x: number) => ({
      name, density: 300, shape: { box: { size: [0.3, 0.3, 0.3], nodes: [4, 4, 4], corner: [x - 0.15, 0, -0.15] } },
      geometric: { stiffness: 1e6 }, damping: { mass: 2, stiffness: 0.01 }, contact: { bodies: true },
    });
    stand.library.write('push.json', { bodies: [cube('hand', -0.25), cube('other', 0.25)], colliders: [{ plane: { friction: 0.2 } }] });
    await load('push');
    await pause();
    const middle = (body: number) => page.evaluate((b) => { const { lo, hi } = pliant.bounds(b)!; return (lo[0] + hi[0]) / 2; }, body);
    const start = await middle(1);
    // The middle of the upper face, drawn half a metre along x.
    const { from, to } = await page.evaluate(() => {
      const { lo, hi } = pliant.bounds(0)!;
      const p = [(lo[0] + hi[0]) / 2, hi[1], (lo[2] + hi[2]) / 2] as [number, number, number];
      return { from: pliant.at(p), to: pliant.at([p[0] + 0.5, p[1], p[2]]) };
    });
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await settle();
    expect(await page.evaluate(() => pliant.grab.length)).toBe(1);
    await play();
    await page.mouse.move(to.x, to.y, { steps: 20 });
    await page.evaluate((x) => pliant.until(() => { const { lo, hi } = pliant.bounds(1)!; return (lo[0] + hi[0]) / 2 > x + 0.1; }), start);
    await shot(page, 'push');
    await page.mouse.up();
    await settle();
    await pause();
    // They are one beside the other as before: 0.3 m of their middles, less what they are pressed and turned.
    expect((await middle(1)) - (await middle(0))).toBeGreaterThan(0.25);
    await play();
  });

  it('a refused method is greyed with its reason, and a click tries it again', async () => {
    const bar = { name: 'bar', shape: { box: { size: [0.3, 0.3, 1], nodes: [4, 4, 11] } }, method: 'geometric', cage: { file: 'cage.obj' } };
    stand.library.write('bar.json', { gravity: [0, 0, 0], bodies: [bar] });
    await load('bar');
    const cage = page.locator('#methods [data-method=cage]');
    await cage.locator('input').click({ force: true });
    await page.evaluate(() => pliant.until(() => !!document.querySelector('#methods [data-method=cage].refused'), 240000));
    expect(await cage.getAttribute('title')).toMatch(/cage\.obj.*click to try again/s);
    expect(await cage.locator('input').isEnabled()).toBe(true);
    expect(await cage.locator('input').isChecked()).toBe(false);
    const corners = Array.from({ length: 8 }, (_, i) => `v ${i & 1 ? 0.4 : -0.1} ${i & 2 ? 0.4 : -0.1} ${i & 4 ? 1.1 : -0.1}`);
    const faces = ['1 3 4', '1 4 2', '5 6 8', '5 8 7', '1 2 6', '1 6 5', '3 7 8', '3 8 4', '1 5 7', '1 7 3', '2 4 8', '2 8 6'].map((l) => `f ${l}`);
    stand.library.write('cage.obj', [...corners, ...faces].join('\n'));
    await cage.locator('input').click({ force: true });
    await page.evaluate(() => pliant.until(() => pliant.bodies[0].method === 'cage', 240000));
    expect(await page.locator('#methods .refused').count()).toBe(0);
  });

  it('no page had an error of its own', () => {
    expect(troubles).toEqual([]);
  });
});
