// SPDX-License-Identifier: Apache-2.0
// One option as a control, made from its description alone. The page knows no option by name.

import type { Option, Value } from '../protocol/types';
import { PerFrame } from '../tools/tool';
import { h } from '../ui/dom';
import { fromPart, number, Range, spoken, STOPS, toPart, unitText } from './format';

export interface Row {
  element: HTMLElement;
  /** Shows the value the description holds now. */
  refresh(): void;
}

/** What a control does with a new value; final: the drag is over. */
export type Setter = (value: Value, final: boolean) => void;

const perFrame = new PerFrame();
let made = 0;

export function optionRow(option: Option, set: Setter): Row {
  switch (option.type) {
    case 'boolean': return checkRow(option, set);
    case 'choice': return choiceRow(option, set);
    case 'vector3': return vectorRow(option, set);
    case 'text': return textRow(option, set);
    case 'integer': return isStepper(option) ? stepperRow(option, set) : sliderRow(option, set);
    case 'number': return hasRange(option) ? sliderRow(option, set) : numberRow(option, set);
  }
}

function hasRange(o: Option): boolean {
  return Number.isFinite(o.min) && Number.isFinite(o.max) && o.max! > o.min!;
}

function isStepper(o: Option): boolean {
  return !hasRange(o) || o.max! - o.min! <= 12;
}

function frame(o: Option, set: Setter, control: Node, field: Node | null, id: string): HTMLElement {
  const name = h('label', { class: 'name', for: id, title: o.help ?? '' }, o.name);
  if (o.default !== undefined) name.addEventListener('dblclick', () => set(o.default!, true));
  const tag = o.effect === 'rebuild' || o.effect === 'reload'
    ? h('span', { class: 'tag', title: 'A change builds the body anew; it keeps moving meanwhile.' }, 'rebuild') : null;
  const dot = h('span', { class: 'changed-dot', title: 'Changed; double click on the name restores the default' });
  const row = h('div', { class: `row row-${o.type}`, 'data-path': o.path },
    h('div', { class: 'row-head' }, name, dot, tag, field), control,
    o.help ? h('p', { class: 'help', id: `${id}-help` }, o.help) : null);
  if (o.enabled === false) {
    row.classList.add('off');
    row.title = o.why ?? '';
    row.querySelectorAll('input, select, button').forEach((e) => e.setAttribute('disabled', ''));
  }
  // Help by hover and focus on the name, by long press on touch.
  let timer = 0;
  name.addEventListener('pointerdown', () => { timer = window.setTimeout(() => row.classList.toggle('helped'), 500); });
  name.addEventListener('pointerup', () => window.clearTimeout(timer));
  name.addEventListener('pointerleave', () => window.clearTimeout(timer));
  return row;
}

/**
 * Shows the help of the row that has the focus. A press elsewhere takes the focus at its beginning: the line goes when the
 * press is over, or what lies below it would move away from under the pointer.
 */
export function helpByFocus(groups: HTMLElement): void {
  let pressing = false;
  let told: Element | null = null;
  const show = () => {
    const at = groups.contains(document.activeElement) ? document.activeElement : null;
    const row = at?.matches('input:focus-visible') ? at.closest('.row') : null;
    if (row === told) return;
    told?.classList.remove('told');
    row?.classList.add('told');
    told = row;
  };
  const soon = () => { if (!pressing) show(); };
  window.addEventListener('pointerdown', () => { pressing = true; }, true);
  groups.addEventListener('focusin', soon);
  groups.addEventListener('focusout', () => setTimeout(soon));
  for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, () => setTimeout(() => { pressing = false; show(); }), true);
}

function markChanged(row: HTMLElement, o: Option): void {
  const changed = o.default !== undefined && JSON.stringify(o.value) !== JSON.stringify(o.default);
  row.classList.toggle('changed', changed);
}

function newId(): string {
  return `option-${++made}`;
}

function range(o: Option): Range {
  const min = o.min!, max = o.max!;
  return { min, max, log: o.scale === 'log' && min > 0 };
}

function clampHard(o: Option, v: number): number {
  const lo = o.hard_min ?? -Infinity, hi = o.hard_max ?? Infinity;
  return Math.min(hi, Math.max(lo, v));
}

function sliderRow(o: Option, set: Setter): Row {
  const id = newId();
  const r = range(o);
  const integer = o.type === 'integer';
  const slider = h('input', {
    type: 'range', id, min: 0, max: STOPS, step: 1, 'aria-describedby': o.help ? `${id}-help` : null,
  });
  const box = h('input', { type: 'text', inputmode: 'decimal', class: 'value', 'aria-label': `${o.name}, typed` });
  const unit = unitText(o.unit);
  const field = h('span', { class: 'field' }, box, unit ? h('span', { class: 'unit' }, unit) : null);
  const row = frame(o, set, slider, field, id);
  let dragging = false;

  const show = (value: number) => {
    const part = toPart(value, r);
    slider.value = String(Math.round(part * STOPS));
    slider.style.setProperty('--part', String(part));
    slider.setAttribute('aria-valuetext', spoken(value, o.unit));
    if (document.activeElement !== box) {
      box.value = number(value, o.digits ?? 3);
      box.size = Math.max(3, box.value.length);
    }
  };
  const valueOf = (stop: number) => {
    const v = fromPart(stop / STOPS, r, 4);
    return integer ? Math.round(v) : v;
  };
  const change = (value: number, final: boolean) => {
    show(value);
    perFrame.drop(slider);
    if (final) set(value, true);
    else perFrame.ask(slider, () => set(value, false));
  };
  slider.addEventListener('input', () => { dragging = true; change(valueOf(Number(slider.value)), false); });
  slider.addEventListener('change', () => { dragging = false; change(valueOf(Number(slider.value)), true); });
  // Arrows are one stop by themselves; ten with Shift.
  slider.addEventListener('keydown', (e) => {
    const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[e.key];
    if (!direction || !e.shiftKey) return;
    e.preventDefault();
    change(valueOf(Math.min(STOPS, Math.max(0, Number(slider.value) + 10 * direction))), true);
  });
  box.addEventListener('change', () => {
    const typed = Number(box.value.replace(',', '.'));
    if (box.value.trim() === '' || !Number.isFinite(typed)) show(Number(o.value));
    else change(clampHard(o, integer ? Math.round(typed) : typed), true);
    box.blur();
  });
  box.addEventListener('focus', () => box.select());
  if (typeof o.default === 'number') slider.style.setProperty('--mark', String(toPart(o.default, r)));
  const refresh = () => {
    if (!dragging) show(Number(o.value));
    markChanged(row, o);
  };
  refresh();
  return { element: row, refresh };
}

function numberRow(o: Option, set: Setter): Row {
  const id = newId();
  const box = h('input', { type: 'text', inputmode: 'decimal', class: 'value', id });
  const unit = unitText(o.unit);
  const row = frame(o, set, h('span'), h('span', { class: 'field' }, box, unit ? h('span', { class: 'unit' }, unit) : null), id);
  const refresh = () => {
    if (document.activeElement !== box) box.value = typeof o.value === 'number' ? number(o.value, o.digits ?? 4) : '';
    box.placeholder = o.value === null ? 'none' : '';
    markChanged(row, o);
  };
  box.addEventListener('change', () => {
    const typed = Number(box.value.replace(',', '.'));
    if (box.value.trim() !== '' && Number.isFinite(typed)) set(clampHard(o, typed), true);
    else refresh();
    box.blur();
  });
  refresh();
  return { element: row, refresh };
}

function stepperRow(o: Option, set: Setter): Row {
  const id = newId();
  const lo = o.hard_min ?? o.min ?? -Infinity, hi = o.hard_max ?? o.max ?? Infinity;
  const box = h('input', { type: 'number', id, class: 'value', min: Number.isFinite(lo) ? lo : null, max: Number.isFinite(hi) ? hi : null, step: 1 });
  const by = (d: number) => set(Math.min(hi, Math.max(lo, Number(o.value) + d)), true);
  const field = h('span', { class: 'stepper' },
    h('button', { type: 'button', 'aria-label': `${o.name} less`, onclick: () => by(-1) }, '−'), box,
    h('button', { type: 'button', 'aria-label': `${o.name} more`, onclick: () => by(1) }, '+'));
  const row = frame(o, set, h('span'), field, id);
  const refresh = () => {
    if (document.activeElement !== box) box.value = String(o.value ?? '');
    markChanged(row, o);
  };
  box.addEventListener('change', () => {
    const typed = Math.round(Number(box.value));
    if (box.value !== '' && Number.isFinite(typed)) set(Math.min(hi, Math.max(lo, typed)), true);
    else refresh();
  });
  refresh();
  return { element: row, refresh };
}

function checkRow(o: Option, set: Setter): Row {
  const id = newId();
  const box = h('input', { type: 'checkbox', id });
  const row = frame(o, set, h('span'), box, id);
  const refresh = () => {
    box.checked = o.value === true;
    markChanged(row, o);
  };
  box.addEventListener('change', () => set(box.checked, true));
  refresh();
  return { element: row, refresh };
}

function choiceRow(o: Option, set: Setter): Row {
  const id = newId();
  const choices = o.choices ?? [];
  if (choices.length > 3) {
    const select = h('select', { id }, ...choices.map((c) => h('option', { value: String(c.value), title: c.help ?? '' }, c.name ?? String(c.value))));
    const row = frame(o, set, h('span'), select, id);
    const refresh = () => {
      select.value = String(o.value);
      markChanged(row, o);
    };
    select.addEventListener('change', () => set(choices[select.selectedIndex].value, true));
    refresh();
    return { element: row, refresh };
  }
  const inputs = choices.map((c) => h('input', { type: 'radio', name: id, value: String(c.value), 'aria-label': c.name ?? String(c.value) }));
  const group = h('div', { class: 'radios', role: 'radiogroup', 'aria-label': o.name },
    ...choices.map((c, i) => h('label', { title: c.help ?? '' }, inputs[i], h('span', {}, c.name ?? String(c.value)))));
  const row = frame(o, set, group, null, id);
  const refresh = () => {
    inputs.forEach((input, i) => { input.checked = choices[i].value === o.value; });
    markChanged(row, o);
  };
  inputs.forEach((input, i) => input.addEventListener('change', () => set(choices[i].value, true)));
  refresh();
  return { element: row, refresh };
}

function vectorRow(o: Option, set: Setter): Row {
  const id = newId();
  const axes = ['x', 'y', 'z'];
  const boxes = axes.map((a, i) => h('input', { type: 'text', inputmode: 'decimal', class: 'value', id: i ? null : id, 'aria-label': `${o.name} ${a}` }));
  const unit = unitText(o.unit);
  const row = frame(o, set, h('div', { class: 'vector' }, ...boxes.map((b, i) => h('span', { class: 'field' }, h('span', { class: 'unit' }, axes[i]), b))),
    unit ? h('span', { class: 'unit' }, unit) : null, id);
  const refresh = () => {
    const v = Array.isArray(o.value) ? o.value : [0, 0, 0];
    boxes.forEach((b, i) => { if (document.activeElement !== b) b.value = number(v[i], 4); });
    markChanged(row, o);
  };
  for (const box of boxes) {
    box.addEventListener('change', () => {
      const typed = boxes.map((b) => Number(b.value.replace(',', '.')));
      if (typed.every(Number.isFinite)) set(typed, true);
      else refresh();
    });
  }
  refresh();
  return { element: row, refresh };
}

function textRow(o: Option, set: Setter): Row {
  const id = newId();
  const box = h('input', { type: 'text', class: 'value wide', id });
  const row = frame(o, set, h('span'), box, id);
  const refresh = () => {
    if (document.activeElement !== box) box.value = String(o.value ?? '');
    markChanged(row, o);
  };
  box.addEventListener('change', () => set(box.value, true));
  refresh();
  return { element: row, refresh };
}
