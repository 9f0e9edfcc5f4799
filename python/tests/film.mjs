// SPDX-License-Identifier: Apache-2.0
// node film.mjs PLAYWRIGHT CHROMIUM FILM.html: lets it play, then stops it at frame 1. Prints what went wrong on the page, the
// frame that is shown, and how many colours its picture has.
const [playwright, executablePath, film] = process.argv.slice(2);
const { chromium } = await import(playwright);
const browser = await chromium.launch({
  executablePath, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-first-run'],
});
const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
const errors = [];
page.on('pageerror', (error) => errors.push(error.message));
await page.goto(`file://${film}`);
await page.waitForFunction(() => Number(document.body.dataset.frame) > 1, { timeout: 120000 });
await page.click('#play');
const colours = await page.evaluate(() => new Promise((done) => {
  const slider = document.getElementById('at'), canvas = document.querySelector('#view canvas');
  slider.value = '1';
  slider.dispatchEvent(new Event('input'));
  // drawn in the next animation frame, and readable until that one ends
  requestAnimationFrame(() => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height), context = copy.getContext('2d');
    context.drawImage(canvas, 0, 0);
    done(new Set(new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer)).size);
  });
}));
console.log(JSON.stringify({ errors, frame: await page.evaluate(() => document.body.dataset.frame), colours }));
await browser.close();
