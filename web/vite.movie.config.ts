// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vite';

/** One script that stands in a page of its own: World.movie of the Python module. */
export default defineConfig({
  build: {
    target: 'es2022', chunkSizeWarningLimit: 1000, copyPublicDir: false,
    lib: { entry: 'src/movie.ts', formats: ['iife'], name: 'pliantMovie', fileName: () => 'movie.js' },
  },
});
