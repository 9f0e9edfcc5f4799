// SPDX-License-Identifier: Apache-2.0
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The page's main part is imported by a small first script: the browser hears of both at once. */
const preload: Plugin = {
  name: 'preload',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) =>
      Object.values(bundle ?? {}).flatMap((c) => c.type === 'chunk' && !c.isEntry
        ? [{ tag: 'link', attrs: { rel: 'modulepreload', href: `./${c.fileName}` }, injectTo: 'head' as const }] : []),
  },
};

export default defineConfig({
  // Everything lives under the token's prefix, so no address may be absolute.
  base: './',
  plugins: [preload],
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1000, modulePreload: { polyfill: false } },
  // Browser tests share one simulation server and two cores: one file after the other.
  test: { environment: 'node', fileParallelism: false, testTimeout: 300000, hookTimeout: 300000 },
});
