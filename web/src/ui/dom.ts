// SPDX-License-Identifier: Apache-2.0
// Small helpers for plain DOM. No inline style attributes: the server's policy refuses them.

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | ((e: never) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2).toLowerCase(), value as EventListener);
    else if (value === true) element.setAttribute(key, '');
    else element.setAttribute(key, String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function $<T extends HTMLElement = HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[name] ?? '');
  svg.append(path);
  return svg;
}

const ICONS: Record<string, string> = {
  grab: 'M6 10V5.2a1.2 1.2 0 0 1 2.4 0V9m0-4.6a1.2 1.2 0 0 1 2.4 0V9m0-3.9a1.2 1.2 0 0 1 2.4 0V9.6m0-2.6a1.2 1.2 0 0 1 2.4 0V12a5.6 5.6 0 0 1-5.6 5.6c-2.4 0-3.7-1-4.8-2.8L3.3 11.400a1.200 1.200 0 0 1 2-1.300L6.600 12',
  dent: 'M10 2v8m0 0L7 7m3 3 3-3M2.500 13c3 0 3.500 4 7.500 4s4.500-4 7.500-4',
  pin: 'M7 2.500h6M8 2.500v5L6 10.500h8l-2-3v-5M10 10.500V17.500',
  handle: 'M10 2v16M2 10h16M10 2 8 4m2-2 2 2M10 18l-2-2m2 2 2-2M2 10l2-2m-2 2 2 2M18 10l-2-2m2 2-2 2',
  cage: 'M10 2 17 6v8l-7 4-7-4V6ZM3 6l7 4 7-4M10 10v8',
  joint: 'M4 16.500a1.800 1.800 0 1 1 .1 0ZM16 7a1.800 1.800 0 1 1 .1 0ZM10 11.500a1.600 1.600 0 1 1 .1 0ZM5.400 13.500l3.200-2.300M11.500 9l3-2.500',
  pose: 'M10 4.800a1.700 1.700 0 1 1 .1 0ZM10 6.500v5.500M4.500 8.500 10 7.500l5.500 1M10 12l-3.500 6M10 12l3.500 6',
  reset: 'M4.500 8A6 6 0 1 1 4 11.500M4.500 3.500V8H9',
  play: 'M6 4v12l10-6Z',
  pause: 'M7.500 4.500v11M12.500 4.500v11',
  step: 'M5 4v12l8-6ZM15.500 4v12',
  undo: 'M7.500 4.500 4 8l3.500 3.500M4 8h7.500a4 4 0 0 1 0 8H9',
  redo: 'M12.500 4.500 16 8l-3.500 3.500M16 8H8.500a4 4 0 0 0 0 8H11',
  save: 'M10 3v9m0 0L6.500 8.500M10 12l3.500-3.500M3.500 16.500h13',
  sun: 'M10 6.800a3.200 3.200 0 1 1-.1 0ZM10 1.800v1.600M10 16.600v1.600M1.800 10h1.600M16.600 10h1.600M4.200 4.200l1.100 1.100M14.700 14.700l1.100 1.100M4.200 15.800l1.100-1.100M14.700 5.300l1.100-1.100',
  help: 'M7.300 7.300a2.700 2.700 0 1 1 3.900 2.500c-.9.500-1.200 1-1.200 2M10 15v.3',
  more: 'M4.500 10v.1M10 10v.1M15.500 10v.1',
  open: 'M3 16.500V5h5l2 2h7v9.500Z',
  close: 'M5 5l10 10M15 5 5 15',
};
