// SPDX-License-Identifier: Apache-2.0
// What can be taken away: the scene with its edits, the posed mesh, a picture, a recording, the session.

import type { Stage } from '../scene3d/stage';
import type { Store } from '../store';
import { h } from './dom';
import type { Item } from './menu';

const MESHES = ['obj', 'ply', 'stl', 'glb'];

export async function savePicture(store: Store, stage: Stage): Promise<void> {
  const blob = await stage.picture();
  if (!blob) return;
  const url = URL.createObjectURL(blob);
  const name = (store.scene?.name ?? 'pliant').replace(/[^\w-]+/g, '-');
  h('a', { href: url, download: `${name}.png` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** The line that gives the same options on any machine. */
export function commandLine(store: Store): string {
  const sets = [...store.options.values()]
    .filter((o) => o.default !== undefined && JSON.stringify(o.value) !== JSON.stringify(o.default) && o.value !== null)
    .map((o) => ` --set ${quoted(`${o.path}=${typeof o.value === 'string' ? o.value : JSON.stringify(o.value)}`)}`);
  return `pliant view ${quoted(store.scene?.name ?? '')}${sets.join('')}`;
}

/** For a shell: brackets and spaces mean something there. */
function quoted(text: string): string {
  return /^[\w./=:,+-]*$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

export function saveItems(store: Store, stage: Stage): (Item | string | null)[] {
  const id = store.body?.id;
  const body = id === undefined ? '' : `&body=${id}`;
  return [
    { label: 'Scene with edits (JSON)', file: 'save/scene?format=json' },
    ...MESHES.map((f) => ({ label: `Posed mesh (${f.toUpperCase()})`, file: `save/mesh?format=${f}${body}` })),
    null,
    { label: 'Picture of the view (PNG)', key: 'Shift+K', run: () => void savePicture(store, stage) },
    { label: 'Recording', file: 'save/recording' },
    { label: 'Metrics (CSV)', file: 'save/metrics' },
    { label: 'Session: scene and commands, replays exactly', file: 'save/session' },
    null,
    {
      label: 'Copy command',
      run: () => {
        const line = commandLine(store);
        navigator.clipboard.writeText(line).then(
          () => store.notice({ level: 'info', text: 'Copied', detail: line }),
          () => store.notice({ level: 'info', text: 'Copy this line', detail: line }));
      },
    },
  ];
}
