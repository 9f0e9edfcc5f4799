// SPDX-License-Identifier: Apache-2.0
// Dialogs: the top is seen first, Enter presses the main button, Escape closes.

import { h } from './dom';

/** The heading takes the focus: a first control far below would scroll the dialog down. */
export function showDialog(dialog: HTMLDialogElement, closed: () => void = () => undefined): void {
  const heading = dialog.querySelector('h2');
  heading?.setAttribute('tabindex', '-1');
  heading?.setAttribute('autofocus', '');
  dialog.addEventListener('close', () => {
    dialog.remove();
    closed();
  });
  dialog.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter' || (e.target as HTMLElement).matches('button, a')) return;
    e.preventDefault();
    dialog.querySelector<HTMLButtonElement>('button.primary:not(:disabled)')?.click();
  });
  document.body.append(dialog);
  dialog.showModal();
}

export interface Question {
  title: string;
  text: string;
  /** What the main button says, and the other one. */
  yes: string;
  no: string;
}

/** True: the main button was pressed. */
export function ask(q: Question): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const choose = (yes: boolean) => () => {
      answer = yes;
      dialog.close();
    };
    const dialog: HTMLDialogElement = h('dialog', { class: 'question', 'aria-label': q.title }, h('h2', {}, q.title), h('p', {}, q.text),
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: choose(false) }, q.no),
        h('button', { type: 'button', class: 'primary', onclick: choose(true) }, q.yes)));
    showDialog(dialog, () => resolve(answer));
  });
}
