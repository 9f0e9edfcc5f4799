// SPDX-License-Identifier: Apache-2.0
// What is around the body in a real browser: start page, dialogs, menus, panel, plots, framing, keys and their focus.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { PLIANT, SCENE, shot, Stand, THERE, troubles, visibleTip } from './stand';

/** Drops files on the page: [name, text]. */
async function drop(page: Page, files: [string, string][]): Promise<void> {
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const [name, text] of list) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page.dispatchEvent('body', 'drop', { dataTransfer: data });
}

/** A cube of 0.4 m whose file has it about the origin. */
const cube = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `v ${(i & 1) * 0.4 - 0.2} ${((i >> 1) & 1) * 0.4 - 0.2} ${(i >> 2) * 0.4 - 0.2}`)
  .concat(['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'].map((l) => `f ${l}`)).join('\n');

describe.runIf(THERE)('around the body', () => {
  const stand = new Stand((library) => {
    library.write('lost.json', { description: 'a scene whose mesh is missing', bodies: [{ shape: { mesh: 'nowhere.off' } }] });
    library.write('fails.json', { gravity: [0, 0, 0], bodies: [{ name: 'bar', method: 'metric',
      shape: { box: { size: [1, 0.2, 0.2], nodes: [11, 3, 3] } }, initial: { stretch: [1.5, 0.8, 1] }, metric: { integrator: 'paper', stiffness: 1e9 } }] });
    return [];
  }, '');
  const settle = () => stand.settle(), play = () => stand.play(), pause = () => stand.pause();
  let page: Page;
  beforeAll(() => { ({ page } = stand); });

  const filter = () => page.locator('#start input[type=search]');
  const card = (name: string) => page.locator(`#start [data-scene="${name}"]`);
  const dialog = () => page.locator('dialog[open]');
  const toast = (text: string | RegExp) => page.locator('.toast', { hasText: text });
  const active = () => page.evaluate(() => document.activeElement?.matches('input[type=text], input[type=number]') ?? false);

  it('a file of another kind is named, on top of the start page', async () => {
    await drop(page, [['paper.obj', '%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\n']]);
    await toast('paper.obj').waitFor();
    expect(await toast('paper.obj').innerText()).toMatch(/PDF/);
    expect(await toast('paper.obj').innerText()).not.toMatch(/reconstruct/);
    const at = (await toast('paper.obj').boundingBox())!;
    expect(await page.evaluate(({ x, y }) => !!document.elementFromPoint(x + 20, y + 10)?.closest('.toast'), at)).toBe(true);
  });

  it('meshes that are dropped together are asked about in turn; the first gets a ground, the next stands on top', async () => {
    await drop(page, [['one.obj', cube], ['two.obj', cube]]);
    await page.locator('.mesh-dialog h2', { hasText: '1 of 2: one.obj' }).waitFor();
    await shot(page, 'drop-empty');
    await page.keyboard.press('Enter');
    await page.evaluate(() => pliant.until(() => pliant.bodies.length === 1, 240000));
    await page.locator('.mesh-dialog h2', { hasText: '2 of 2: two.obj' }).waitFor();
    const first = await page.evaluate(() => pliant.bounds(0)!.lo[1]);
    expect(first).toBeGreaterThan(-0.05);
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s + 25), step);
    expect(await page.evaluate(() => pliant.bounds(0)!.lo[1]), 'without a ground it would be at -0.8').toBeGreaterThan(-0.05);
    await page.evaluate(() => pliant.send('pause'));
    await page.keyboard.press('Enter');
    await page.evaluate(() => pliant.until(() => pliant.bodies.length === 2, 240000));
    await settle();
    const [below, above] = await page.evaluate(() => [pliant.bounds(0)!, pliant.bounds(1)!]);
    expect(above.lo[1]).toBeGreaterThan(below.hi[1]);
    expect(Math.abs(above.lo[0] - below.lo[0])).toBeLessThan(0.1);
    await shot(page, 'dropped-two');
    // A place of one's own: the middle of its underside.
    await drop(page, [['three.obj', cube]]);
    await page.locator('.mesh-dialog').waitFor();
    await dialog().getByLabel('Middle of its underside, x').fill('2');
    await dialog().getByLabel('Middle of its underside, y').fill('0,5');
    await dialog().locator('.add').click();
    await page.evaluate(() => pliant.until(() => pliant.bodies.length === 3, 240000));
    await settle();
    const { lo, hi } = await page.evaluate(() => pliant.bounds(2)!);
    expect((lo[0] + hi[0]) / 2).toBeCloseTo(2, 3);
    expect(lo[1]).toBeCloseTo(0.5, 3);
  });

  it('a card asks before edits are lost, by a dialog of the page; old errors go with the old scene', async () => {
    expect(await toast('paper.obj').count()).toBe(1);
    await page.locator('#scene-button').click();
    await filter().fill('small soft');
    expect(await page.locator('#start [data-scene]').count()).toBe(1);
    await card('scene').click();
    await dialog().locator('h2', { hasText: 'Load scene?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.evaluate(() => pliant.until(() => pliant.bodies[0]?.name === 'bar', 240000));
    await settle();
    expect(await toast('paper.obj').count()).toBe(0);
    expect(await page.locator('h1').allInnerTexts()).toEqual(['pliant: scene']);
  });

  it('a scene without its mesh says what to do, and the chooser forgets its filter', async () => {
    await page.locator('#scene-button').click();
    expect(await filter().inputValue()).toBe('');
    expect(await card('scene').count()).toBe(1);
    await filter().fill('lost');
    expect(await card('lost').innerText()).toMatch(/needs nowhere\.off/);
    await shot(page, 'chooser');
    await card('lost').click();
    expect(await dialog().innerText()).toMatch(/nowhere\.off[\s\S]*make models[\s\S]*Open a mesh/);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => pliant.bodies.map((b) => b.name))).toEqual(['bar']);
  });

  it('a session of a scene that was opened here is replayed bit for bit', async () => {
    await pause();
    const tip = await visibleTip(page);
    await page.mouse.move(tip.x, tip.y);
    await page.mouse.down();
    await page.mouse.move(tip.x + 40, tip.y - 40, { steps: 3 });
    await settle();
    await play();
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s + 10), step);
    await page.mouse.up();
    await pause();
    const session = await page.evaluate(async () => (await fetch('save/session')).text());
    const folder = mkdtempSync(join(tmpdir(), 'pliant-session-'));
    writeFileSync(join(folder, 'a.session.json'), session);
    const { stdout } = await promisify(execFile)(PLIANT, ['replay', join(folder, 'a.session.json')]).catch((e: { stdout: string }) => e);
    rmSync(folder, { recursive: true });
    expect(stdout).not.toMatch(/refused/);
    expect(stdout).toMatch(/the same as when it was saved/);
  });

  it('no page opens a file of the machine', async () => {
    const answer = await page.evaluate((name) => pliant.send('scene.load', { name }).then(() => 'done', (e: Error) => e.message), SCENE);
    expect(answer).toMatch(/no shipped scene/);
    expect(await page.evaluate(() => pliant.send('scene.load', { name: '/etc/passwd' }).catch((e: Error) => e.message))).not.toMatch(/root/);
  });

  it('the save menu works twice', async () => {
    for (let k = 0; k < 2; k++) {
      await page.locator('#save').click();
      await page.locator('.menu [role=menuitem]', { hasText: 'Copy command' }).click({ timeout: 5000 });
      await toast(/Cop(ied|y this line)/).evaluate((t) => t.remove(), null, { timeout: 5000 });  // a click would be a third hand
    }
  });

  it('keys belong to the view after a slider was dragged or a button pressed', async () => {
    await play();
    const row = page.locator('[data-path="bodies.0.geometric.stiffness"]');
    const slider = (await row.locator('input[type=range]').boundingBox())!;
    const y = slider.y + slider.height / 2;
    await page.mouse.move(slider.x + slider.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(slider.x + slider.width * 0.6, y, { steps: 4 });
    await page.mouse.up();
    await settle();
    expect(await active(), 'no text box has the focus').toBe(false);
    const value = await row.locator('.value').inputValue();
    await page.keyboard.press('Space');
    await page.evaluate(() => pliant.until(() => !pliant.transport.playing));
    await page.keyboard.press('1');
    expect(await row.locator('.value').inputValue()).toBe(value);
    for (const pressed of ['#tab-1', '#tab-0', '#page-body summary >> nth=0', '#page-body summary >> nth=0']) {
      const playing = await page.evaluate(() => pliant.transport.playing);
      await page.locator(pressed).click();
      await page.keyboard.press('Space');
      await page.evaluate((was) => pliant.until(() => pliant.transport.playing !== was), playing);
    }
    // Reached by Tab, a button is pressed by Space.
    await page.locator('#save').focus();
    await page.keyboard.press('Space');
    expect(await page.locator('.menu').count()).toBe(1);
    await page.keyboard.press('Escape');
  });

  it('a click below a help line is not lost when the line goes', async () => {
    const row = page.locator('[data-path="bodies.0.geometric.stiffness"]');
    await row.locator('.value').click();
    await row.locator('.help').waitFor();
    const below = page.locator('#page-body details.group >> nth=1').locator('> summary');
    const was = await below.evaluate((s) => (s.parentElement as HTMLDetailsElement).open);
    const at = (await below.boundingBox())!;
    await page.mouse.move(at.x + 40, at.y + 4);
    await page.mouse.down();
    await page.waitForTimeout(50);  // a hand's click takes a while
    await page.mouse.up();
    await page.evaluate(() => pliant.until(() => !document.querySelector('.row.told')));
    expect(await below.evaluate((s) => (s.parentElement as HTMLDetailsElement).open)).toBe(!was);
    expect(await row.locator('.help').isVisible()).toBe(false);
    await below.click();
  });

  it('undo takes gizmo and numbers of a handle back, and away with it', async () => {
    await pause();
    await page.locator('#tools [data-tool=handle]').click();
    const tip = await visibleTip(page);
    await page.mouse.click(tip.x, tip.y);
    await page.keyboard.press('Enter');
    await page.evaluate(() => pliant.until(() => pliant.gizmo.shown));
    await settle();
    const from = await page.evaluate(() => pliant.gizmo.at);
    const box = page.getByLabel('Handle y');
    for (const y of ['0.1', '0.2']) {
      await box.fill(y);
      await box.press('Enter');
      await settle();
    }
    const undo = async () => {
      await page.locator('#view').focus();
      await page.keyboard.press('Control+z');
      await settle();
    };
    await undo();
    expect(await box.inputValue()).toBe('0.1');
    expect((await page.evaluate(() => pliant.gizmo.at))[1]).toBeCloseTo(from[1] + 0.1, 4);
    await undo();
    expect(await box.inputValue()).toBe('0');
    await undo();
    expect(await page.evaluate(() => [pliant.held(0), pliant.gizmo.shown])).toEqual([0, false]);
    expect(await box.count()).toBe(0);
  });

  it('while posing, a drag with the handle tool poses', async () => {
    await page.keyboard.press('o');
    await page.evaluate(() => pliant.until(() => pliant.state === 'posing'));
    await page.locator('#tools [data-tool=handle]').click();
    const tip = await visibleTip(page);
    await page.mouse.move(tip.x, tip.y);
    await page.mouse.down();
    await page.evaluate(() => pliant.until(() => pliant.grab.length === 1, 10000));
    await page.mouse.up();
    await settle();
    expect(await page.getByText('vertices painted').count()).toBe(0);
    await page.keyboard.press('o');
    await page.evaluate(() => pliant.until(() => pliant.state === 'paused'));
    await page.evaluate(() => pliant.send('undo'));
  });

  it('a dent says that it needs time', async () => {
    await pause();
    const tip = await visibleTip(page);
    await page.locator('#tools [data-tool=dent]').click();
    await page.mouse.click(tip.x, tip.y);
    await toast('a dent needs it').locator('button', { hasText: 'Play' }).click();
    await page.evaluate(() => pliant.until(() => pliant.state === 'live'));
    await page.locator('#tools [data-tool=grab]').click();
  });

  it('the legend tells the stretch that is shown, also while time stands', async () => {
    await play();
    const step = await page.evaluate(() => pliant.frame.step);
    await page.evaluate((s) => pliant.until(() => pliant.frame.step > s + 20), step);  // it hangs through
    await pause();
    await page.locator('#tab-1').click();
    await page.locator('#page-view input[name=look]').nth(2).check({ force: true });
    await page.evaluate(() => pliant.until(() => (pliant.stretch(0) ?? []).some((s) => s > 0.001)));
    await settle();
    const most = await page.evaluate(() => [...pliant.stretch(0)!].map(Math.abs).sort((a, b) => a - b).at(-Math.ceil(0.01 * pliant.stretch(0)!.length))!);
    const told = Number(/\+([\d.]+) %/.exec(await page.locator('#legend').innerText())![1]) / 100;
    expect(told).toBeGreaterThan(0.98 * Math.max(most, 0.01));
    expect(told).toBeLessThan(2.6 * Math.max(most, 0.01));
    await page.locator('#page-view input[name=look]').nth(1).check({ force: true });
    await page.locator('#tab-0').click();
  });

  it('plots have the pixels of their place after a resize while time stands', async () => {
    await page.setViewportSize({ width: 1200, height: 640 });
    await page.waitForFunction(() => [...document.querySelectorAll<HTMLCanvasElement>('#dock canvas')].every((c) => c.width === Math.round(c.clientWidth * devicePixelRatio)), null, { timeout: 10000 });
  });

  it('a body is framed clear of what lies over the view, at every size and from every side', async () => {
    for (const [width, height] of [[1280, 720], [1024, 600], [390, 780]]) {
      await page.setViewportSize({ width, height });
      for (let k = 0; k < 2; k++) {
        await page.locator('#view').focus();
        for (let i = 0; i < 3 * k; i++) await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('f');
        await settle();
        const { out, wide } = await page.evaluate(() => {
          const view = document.querySelector('#view')!.getBoundingClientRect();
          const top = document.querySelector('#body-chip')!.getBoundingClientRect().bottom, bottom = view.bottom - 40;
          const x = pliant.positions(0)!;
          let outside = 0, least = Infinity, most = 0;
          for (let v = 0; v < x.length / 3; v++) {
            const p = pliant.screen(0, v)!;
            if (p.x < view.left || p.x > view.right || p.y < top || p.y > bottom) outside++;
            least = Math.min(least, p.x);
            most = Math.max(most, p.x);
          }
          return { out: outside, wide: (most - least) / view.width };
        });
        expect(out, `${width} x ${height}`).toBe(0);
        expect(wide).toBeGreaterThan(0.2);
      }
      await shot(page, `framed-${width}x${height}`);
    }
  });

  it('on a phone everything is large enough for a finger; labels are readable in light', async () => {
    const small = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('button, #methods label, .radios label, .check, .row input, summary')]
      .filter((e) => e.offsetParent !== null && !e.closest('.radios, .check')?.contains(e.parentElement) && getComputedStyle(e).opacity !== '0')
      .map((e) => ({ e, b: e.getBoundingClientRect() })).filter(({ b }) => b.width > 0 && (b.width < 24 || b.height < 24))
      .map(({ e, b }) => `${e.tagName} ${e.className} ${e.textContent} ${b.width} x ${b.height}`));
    expect(small).toEqual([]);
    await page.locator('#view').focus();
    await page.keyboard.press('l');
    await settle();
    const weak = await page.evaluate(() => {
      const rgb = (c: string) => (c.match(/[\d.]+/g) ?? []).map(Number);
      const light = (c: number[]) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => {
        const v = c[i] / 255;
        return sum + w * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      }, 0);
      const behind = (e: Element | null): number[] => {
        if (!e) return [255, 255, 255];
        const [r, g, b, a = 1] = rgb(getComputedStyle(e).backgroundColor);
        return a === 1 ? [r, g, b] : behind(e.parentElement).map((v, i) => v * (1 - a) + [r, g, b][i] * a);
      };
      return [...document.querySelectorAll<HTMLElement>('#tools button, #tabs button, #methods label span, .row .name, summary, .toast button')]
        .filter((e) => e.offsetParent !== null && e.textContent)
        .map((e) => {
          const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((p, q) => q - p);
          return { what: e.textContent, contrast: (a + 0.05) / (b + 0.05) };
        }).filter(({ contrast }) => contrast < 4.5);
    });
    expect(weak).toEqual([]);
    await shot(page, 'phone-light');
    await page.locator('#view').focus();
    await page.keyboard.press('l');
    await page.setViewportSize({ width: 1024, height: 600 });
  });

  it('help opens at its top, names its speed button by what it says', async () => {
    await page.locator('#view').focus();
    await page.keyboard.press('?');
    await dialog().waitFor();
    await shot(page, 'help-1024x600');
    expect(await dialog().evaluate((d) => d.scrollTop)).toBe(0);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 720 });
    const speed = page.locator('#speed');
    expect(await speed.getAttribute('aria-label')).toContain(await speed.innerText());
  });

  it('a failed step says its cause in full, and time stands', async () => {
    await page.setViewportSize({ width: 820, height: 560 });
    await stand.load('fails');
    await page.evaluate(() => pliant.send('speed', { x: 16 }));
    await play();
    await page.evaluate(() => pliant.until(() => pliant.state === 'stopped', 60000));
    const text = page.locator('#state-chip .state-text');
    await shot(page, 'stopped');
    expect(await text.innerText()).toMatch(/^stopped: body bar, step \d+ .*: /);
    expect(await text.innerText()).not.toMatch(/softer grab/);
    expect(await text.evaluate((e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight)).toBe(true);
    expect(await page.locator('#transport .main').getAttribute('aria-label')).toBe('Play');
  });

  it('what the pointer was over is forgotten with its scene', async () => {
    await stand.load('block');
    await page.locator('#tools [data-tool=dent]').click();
    // A face of a number that the next body does not have.
    const at = await page.evaluate(() => {
      for (let v = 0; v < pliant.positions(0)!.length / 3; v++) {
        const s = pliant.screen(0, v)!, c = pliant.screen(0, 0)!;
        const p = { x: s.x + 0.04 * (c.x - s.x), y: s.y + 0.04 * (c.y - s.y) };
        if ((pliant.pick(p.x, p.y)?.face ?? 0) >= 276) return p;
      }
      return null;
    });
    await page.mouse.move(at!.x, at!.y);
    await stand.load('scene');
    expect(troubles.filter((t) => /NaN/.test(t)), 'what a band without a place says on the console').toEqual([]);
  });

  it('no page had an error of its own', () => {
    expect(troubles).toEqual([]);
  });
});
