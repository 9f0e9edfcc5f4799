// SPDX-License-Identifier: Apache-2.0
// node film.mjs PLAYWRIGHT CHROMIUM FILM.html: lets it play, then stops it at frame 1. Prints what went wrong on the page, the
// frame that is shown, and how many pixels have the orange of a geometric body.
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
await page.fill('#at', '1');
await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const picture = (await page.screenshot()).toString('base64');
const body = await page.evaluate(async (data) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data: rgba } = context.getImageData(0, 0, image.width, image.height);
  let count = 0;
  for (let k = 0; k < rgba.length; k += 4) count += rgba[k] - rgba[k + 2] > 60;
  return count;
}, picture);
console.log(JSON.stringify({ errors, frame: await page.evaluate(() => document.body.dataset.frame), body }));
await browser.close();
