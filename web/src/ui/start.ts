// SPDX-License-Identifier: Apache-2.0
// The start page: cards of the shipped scenes, and the place to drop a mesh.

import type { SceneCard } from '../protocol/types';
import type { Store } from '../store';
import { labels } from '../store';
import { ask } from './dialog';
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
    this.filter = '';
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
        h('h2', {}, this.empty ? 'Drop a mesh, or start from one of these' : 'Choose a scene'), search,
        this.empty ? null : h('button', { type: 'button', class: 'chooser-close', 'aria-label': 'Back to the body', onclick: () => this.hide() }, icon('close'))),
      cards);
  }

  private card(s: SceneCard): HTMLElement {
    const picture = h('img', { class: 'thumb', src: `thumb/${s.name.split('/').map(encodeURIComponent).join('/')}.png`, alt: '', loading: 'lazy', width: 240, height: 118 });
    picture.addEventListener('error', () => picture.replaceWith(h('div', { class: 'thumb none' }, s.name)));
    const lacks = s.missing?.length ? `needs ${s.missing.join(', ')}` : '';
    return h('button', { type: 'button', class: `card ${lacks ? 'lacks' : ''}`, 'data-scene': s.name, onclick: () => void this.choose(s) }, picture,
      h('span', { class: 'about' },
        h('span', { class: 'dots' }, ...(s.methods ?? []).map((m) => h('i', { class: `dot m${this.store.methods.indexOf(m)}`, title: m }))),
        h('b', {}, s.name), lacks ? h('small', { class: 'lack' }, lacks) : null, h('small', {}, s.description ?? '')));
  }

  private async choose(s: SceneCard): Promise<void> {
    if (s.missing?.length) {
      const own = await ask({
        title: `${s.name} needs a mesh that is not here`,
        text: `${s.missing.join(', ')} may not be passed on with pliant. In the source folder, “make models” fetches it; start the page again then. ` +
          'A mesh of your own does as well: drop it anywhere on the page.',
        yes: 'Open a mesh', no: 'Close',
      });
      if (own) this.openFile();
      return;
    }
    const edited = labels(this.store.history.undo).length > 0;
    if (edited && !(await ask({ title: `Load ${s.name}?`, text: 'The edits of the present scene are lost.', yes: 'Load', no: 'Cancel' }))) return;
    this.hide();
    this.store.do('scene.load', { name: s.name });
  }
}
