// SPDX-License-Identifier: Apache-2.0
// When the page reached the stations on its way to the first picture, in ms after the load began. `make view-bench`
// prints them.

export type Station = 'script' | 'ready' | 'open' | 'model' | 'frame' | 'drawn' | 'shown' | 'done' | 'bars';

export const marks: Partial<Record<Station, number>> = {};

/** Only the first time counts. */
export function mark(station: Station): void {
  marks[station] ??= performance.now();
}
