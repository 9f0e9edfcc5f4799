// SPDX-License-Identifier: Apache-2.0
// Groups of generated controls. Options that do not apply are hidden, those behind "More" come last.

import type { Option } from '../protocol/types';
import type { Store } from '../store';
import { h } from '../ui/dom';
import { optionRow, Row } from './row';

const ORDER = ['Material', '', 'Damping', 'Contact', 'Plasticity', 'Grab'];

/** Groups with a place of their own keep it; the method's own groups come after Material. */
function rank(group: string): number {
  const at = ORDER.indexOf(group);
  return at < 0 ? 1 : at;
}

export class OptionGroups {
  readonly element = h('div', { class: 'groups' });
  private rows = new Map<string, Row>();
  private readonly closed = new Set<string>();
  private readonly opened = new Set<string>();
  private shape = '';

  constructor(private readonly store: Store, private readonly mine: (o: Option) => boolean) {
    // The first time after the body is on the screen: building the controls takes as long as drawing it.
    store.sceneChanged.on(() => (this.shape === '' ? requestAnimationFrame(() => this.rebuild()) : this.rebuild()));
    store.bodyChanged.on(() => this.rebuild());
    store.optionsChanged.on((paths) => {
      // A changed value can make other options apply.
      if (this.visible().map((o) => o.path).join() !== this.shape) this.rebuild();
      else for (const path of paths) this.rows.get(path)?.refresh();
    });
  }

  private visible(): Option[] {
    return [...this.store.options.values()].filter((o) => this.mine(o) && this.applies(o));
  }

  private applies(o: Option): boolean {
    return Object.entries(o.when ?? {}).every(([path, value]) => {
      const other = this.store.options.get(path);
      return !other || JSON.stringify(other.value) === JSON.stringify(value);
    });
  }

  private rebuild(): void {
    // A build renews the panel while keys move a slider: they go on with the same control.
    const focused = document.activeElement?.closest<HTMLElement>('.row');
    const control = focused ? [...focused.querySelectorAll('input, select')].indexOf(document.activeElement!) : -1;
    const options = this.visible();
    this.shape = options.map((o) => o.path).join();
    this.rows = new Map();
    const groups = new Map<string, Option[]>();
    for (const o of options) {
      const name = o.group ?? 'Other';
      groups.set(name, [...(groups.get(name) ?? []), o]);
    }
    const names = [...groups.keys()].sort((a, b) => rank(a) - rank(b));
    this.element.replaceChildren(...names.map((name) => this.group(name, groups.get(name)!)));
    const again = focused && this.rows.get(focused.dataset.path ?? '')?.element.querySelectorAll<HTMLElement>('input, select');
    if (again) (again[control] ?? again[0])?.focus();
  }

  private group(name: string, options: Option[]): HTMLElement {
    const by = (a: Option, b: Option) => (a.order ?? 0) - (b.order ?? 0);
    const basic = options.filter((o) => (o.level ?? 'basic') === 'basic').sort(by);
    const more = options.filter((o) => (o.level ?? 'basic') !== 'basic').sort(by);
    const row = (o: Option) => {
      // What builds the body anew is sent once the drag is over: a build a frame would help nobody.
      const slow = o.effect === 'rebuild' || o.effect === 'reload';
      const made = optionRow(o, (value, final) => {
        if (slow && !final) return;
        if (slow) made.element.classList.add('busy');
        this.store.setOption(o.path, value, final);
      });
      this.rows.set(o.path, made);
      return made.element;
    };
    const details = h('details', { class: 'group', open: !this.closed.has(name) && (basic.length > 0 || this.opened.has(name)) },
      h('summary', {}, name), ...basic.map(row));
    if (more.length) {
      const inner = h('details', { class: 'more', open: this.opened.has(name) }, h('summary', {}, basic.length ? 'More' : `All of ${name}`), ...more.map(row));
      inner.addEventListener('toggle', () => (inner.open ? this.opened.add(name) : this.opened.delete(name)));
      details.append(inner);
    }
    details.addEventListener('toggle', (e) => {
      if (e.target === details) details.open ? this.closed.delete(name) : this.closed.add(name);
    });
    return details;
  }
}
