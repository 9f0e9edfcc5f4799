// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('every shipped scene has a picture for its card (scripts/thumbs makes them)', () => {
  const scenes = fileURLToPath(new URL('../../../scenes/', import.meta.url));
  const names = readdirSync(scenes, { recursive: true }).map(String).filter((n) => n.endsWith('.json') && !n.startsWith('assets'));
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((n) => !existsSync(`${scenes}thumbs/${n.replace(/json$/, 'png')}`))).toEqual([]);
});
