// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Everything lives under the token's prefix, so no address may be absolute.
  base: './',
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1000, modulePreload: { polyfill: false } },
  // Browser tests share one simulation server and two cores: one file after the other.
  test: { environment: 'node', fileParallelism: false, testTimeout: 300000, hookTimeout: 300000 },
});
