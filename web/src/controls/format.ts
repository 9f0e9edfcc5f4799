// SPDX-License-Identifier: Apache-2.0
// Numbers and units as people read them.

/** 100000 -> "1.0e5", 0.0021 -> "0.0021"; no more digits than say something. */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-4)) {
    const [mantissa, exponent] = value.toExponential(Math.max(1, digits - 1)).split('e');
    return `${mantissa.replace(/(\.\d*?[1-9])0+$|\.0+$/, '$1')}e${Number(exponent)}`;
  }
  const text = Number(value.toPrecision(Math.max(digits, 3)));
  return size >= 1000 ? String(Math.round(value)) : String(text);
}

const SAID: Record<string, string> = {
  'Pa': 'pascal', 'm': 'metres', 's': 'seconds', 'kg/m^3': 'kilograms per cubic metre', 'N': 'newton', '1/s': 'per second',
  'm/s^2': 'metres per second squared',
};

/** For readers that speak: "100 000 pascal". */
export function spoken(value: number, unit = ''): string {
  const text = Math.abs(value) >= 1000 ? grouped(Math.round(value), ' ') : number(value);
  return `${text} ${SAID[unit] ?? unit}`.trim();
}

export function unitText(unit = ''): string {
  if (unit === '1') return '';
  return unit.replace(/\^2/g, '²').replace(/\^3/g, '³').replace(/\*/g, '·');
}

/** Thousands apart. By hand: the browser's own way loads its tables of languages first, which delays the first picture. */
export function grouped(n: number, by = ','): string {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, by);
}

/** Between a slider's 0..1 and the value. */
export interface Range {
  min: number;
  max: number;
  log: boolean;
}

export const STOPS = 240;

export function toPart(value: number, r: Range): number {
  if (r.max <= r.min) return 0;
  const part = r.log
    ? Math.log(Math.max(value, r.min) / r.min) / Math.log(r.max / r.min)
    : (value - r.min) / (r.max - r.min);
  return Math.min(1, Math.max(0, part));
}

export function fromPart(part: number, r: Range, digits = 3): number {
  const value = r.log ? r.min * (r.max / r.min) ** part : r.min + part * (r.max - r.min);
  return Number(value.toPrecision(digits));
}
