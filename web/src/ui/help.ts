// SPDX-License-Identifier: Apache-2.0
import { showDialog } from './dialog';
import { h } from './dom';

const KEYS: [string, string][] = [
  ['drag the body', 'pull it; wheel: nearer or farther; Shift: one axis'], ['drag beside it', 'orbit; right button or Shift: pan'],
  ['wheel, pinch', 'zoom to the pointer'], ['Space', 'play or pause'], ['.', 'one step'], ['R', 'reset'], [',', 'slow motion: 1, ¼, 1/16'],
  ['G D P H C J', 'grab, dent, pin, handle, cage, joint'], ['O', 'pose: static solves while time stands'], ['P while holding', 'leaves a pin there'],
  ['Alt+P', 'removes all pins'], ['Enter', 'makes the painted patch a handle, the drawn bones a skeleton'], ['1 2 3, X', 'gizmo: move, turn, scale; local or world'],
  ['B', 'select a box'], ['[ ]', 'brush radius'], ['Delete', 'removes the handle'], ['F, Home', 'fit; first camera'],
  ['Arrows', 'orbit; Shift pans; + and - zoom'], ['M', 'next method; Shift: previous'], ['V', 'surface look'], ['N', 'nodes'], ['T', 'plots'],
  ['L', 'theme'], ['K, Shift+K', 'record; picture'], ['Ctrl+Z', 'undo; with Shift: redo'], ['Ctrl+S, Ctrl+O', 'save; open a mesh'],
  ['\\', 'picture mode'], ['Esc', 'ends the gesture, then deselects'],
  ['Enter on the view', 'cross-hair; arrows move it, Enter grabs, arrows and PageUp/Down pull, Enter lets go'],
];

export function showHelp(): void {
  const close = () => dialog.close();
  const dialog = h('dialog', { class: 'help-dialog', 'aria-label': 'Keys and gestures' }, h('h2', {}, 'Keys and gestures'),
    h('dl', { class: 'keys' }, ...KEYS.map(([key, what]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)))),
    h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'primary', onclick: close }, 'Close')));
  dialog.addEventListener('click', (e) => { if (e.target === dialog) close(); });
  showDialog(dialog);
}
