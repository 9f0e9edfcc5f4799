// SPDX-License-Identifier: Apache-2.0
// The start page: cards of the shipped scenes, and the place to drop a mesh.

import type { SceneCard } from '../protocol/types';
import type { Store } from '../store';
import { labels } from '../store';
import { $, h, icon } from './dom';

export class StartPage {
  private readonly place = $('#start');
  private filter = '';

  constructor(private readonly store: Store, private readonly openFile: () => void) {}

  get shown(): boolean {
    return !this.place.hidden;
  }

  get empty(): boolean {
    return (this.store.scene?.bodies.length ?? 0) === 0;
  }

  show(): void {
    this.place.hidden = false;
    document.body.classList.add('bare');
    this.render();
    this.place.querySelector('input')?.focus();
  }

  hide(): void {
    this.place.hidden = true;
    document.body.classList.toggle('bare', false);
  }

  private render(): void {
    const search = h('input', { type: 'search', placeholder: 'Filter scenes', 'aria-label': 'Filter scenes', value: this.filter });
    const cards = h('div', { class: 'cards' });
    const fill = () => {
      const wanted = this.filter.toLowerCase();
      const found = this.store.scenes.filter((s) => `${s.name} ${s.description ?? ''} ${(s.methods ?? []).join(' ')}`.toLowerCase().includes(wanted));
      cards.replaceChildren(
        h('button', { type: 'button', class: 'card drop', onclick: () => this.openFile() }, icon('open'),
          h('span', {}, h('b', {}, 'Drop a mesh'), h('small', {}, 'obj, ply, stl, off, glb'))),
        ...found.map((s) => this.card(s)));
      if (!found.length) cards.append(h('p', { class: 'dim' }, 'No scene has that in its name or description.'));
    };
    search.addEventListener('input', () => { this.filter = search.value; fill(); });
    fill();
    this.place.replaceChildren(
      h('div', { class: 'start-head' },
        h('h1', {}, this.empty ? 'Drop a mesh, or start from one of these' : 'Choose a scene'), search,
        this.empty ? null : h('button', { type: 'button', class: 'chooser-close', 'aria-label': 'Back to the body', onclick: () => this.hide() }, icon('close'))),
      cards);
  }

  private card(s: SceneCard): HTMLElement {
    const picture = h('img', { class: 'thumb', src: `thumb/${s.name.split('/').map(encodeURIComponent).join('/')}.png`, alt: '', loading: 'lazy', width: 240, height: 118 });
    picture.addEventListener('error', () => picture.replaceWith(h('div', { class: 'thumb none' }, s.name)));
    return h('button', { type: 'button', class: 'card', 'data-scene': s.name, onclick: () => this.load(s.name) }, picture,
      h('span', { class: 'about' },
        h('span', { class: 'dots' }, ...(s.methods ?? []).map((m) => h('i', { class: `dot m${this.store.methods.indexOf(m)}`, title: m }))),
        h('b', {}, s.name), h('small', {}, s.description ?? '')));
  }

  private load(name: string): void {
    const edited = labels(this.store.history.undo).length > 0;
    if (edited && !window.confirm(`Loading ${name} forgets the edits of this scene. Load it?`)) return;
    this.hide();
    this.store.do('scene.load', { name });
  }
}
