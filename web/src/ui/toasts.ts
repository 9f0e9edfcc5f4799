// SPDX-License-Identifier: Apache-2.0
// At most two notices at the bottom of the view; they go after six seconds, errors stay until closed.

import type { Notice, Store } from '../store';
import { $, h, icon } from './dom';

const MOST = 2;
const SHOWN_MS = 6000;

export class Toasts {
  private readonly place = $('#toasts');

  constructor(store: Store) {
    store.noticed.on((n) => this.show(n));
    // What was wrong with a scene says nothing about the next one.
    let scene: string | null = null;
    store.sceneChanged.on(({ name }) => {
      if (scene !== null && scene !== name) for (const toast of this.place.querySelectorAll('.toast.error')) toast.remove();
      scene = name;
    });
  }

  private show(n: Notice): void {
    const same = [...this.place.children].find((t) => (t as HTMLElement).dataset.text === n.text);
    same?.remove();
    const close = () => toast.remove();
    const toast = h('div', { class: `toast ${n.level}`, role: n.level === 'error' ? 'alert' : 'status', 'data-text': n.text },
      h('p', {}, n.text, n.detail ? h('small', {}, n.detail) : null),
      ...(n.actions ?? []).map((a) => h('button', { type: 'button', onclick: () => { a.run(); close(); } }, a.label)),
      h('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: close }, icon('close')));
    this.place.append(toast);
    while (this.place.children.length > MOST) this.place.firstElementChild!.remove();
    if (n.level !== 'error') setTimeout(close, SHOWN_MS);
  }
}
