// SPDX-License-Identifier: Apache-2.0
// A menu under a button: arrows move, Escape and a click elsewhere close.

import { h } from './dom';

export interface Item {
  label: string;
  key?: string;
  run?: () => void;
  /** A file of the server: a true link, so that the browser knows that the user wants it. */
  file?: string;
}

let open: HTMLElement | null = null;
let outside: (e: PointerEvent) => void = () => undefined;

export function closeMenu(): boolean {
  if (!open) return false;
  window.removeEventListener('pointerdown', outside, true);
  open.remove();
  open = null;
  return true;
}

export function openMenu(under: HTMLElement, items: (Item | string | null)[]): void {
  if (closeMenu()) return;
  const menu = h('div', { class: 'menu', role: 'menu' }, ...items.map((item) => {
    if (item === null) return h('hr');
    if (typeof item === 'string') return h('p', {}, item);
    const key = item.key ? h('kbd', {}, item.key) : null;
    if (item.file) return h('a', { role: 'menuitem', href: item.file, download: '', onclick: () => setTimeout(closeMenu) }, item.label, key);
    return h('button', { type: 'button', role: 'menuitem', onclick: () => { closeMenu(); item.run?.(); } }, item.label, key);
  }));
  document.body.append(menu);
  open = menu;
  const box = under.getBoundingClientRect();
  menu.style.top = `${Math.min(box.bottom + 4, innerHeight - menu.offsetHeight - 8)}px`;
  menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
  const buttons = [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
  buttons[0]?.focus();
  menu.addEventListener('keydown', (e) => {
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    if (e.key === 'ArrowDown') buttons[(at + 1) % buttons.length]?.focus();
    else if (e.key === 'ArrowUp') buttons[(at + buttons.length - 1) % buttons.length]?.focus();
    else if (e.key === 'Escape') {
      closeMenu();
      under.focus();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  });
  outside = (e) => { if (!menu.contains(e.target as Node) && !under.contains(e.target as Node)) closeMenu(); };
  window.addEventListener('pointerdown', outside, true);
}
