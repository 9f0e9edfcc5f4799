// SPDX-License-Identifier: Apache-2.0
// Who the keyboard belongs to. A control that was pressed with the pointer keeps no focus, so that Space plays, arrows
// turn the view and letters choose tools right after it; one that was reached by Tab keeps it. Text boxes and sliders
// keep it either way: one types into the first, and moves the second on by arrows.

import { $ } from './dom';

const BARS = '#top, #tools, #panel, #dock';
const PRESSED = 'button, summary, select, input[type=checkbox], input[type=radio]';

export function giveFocusBack(): void {
  let byPointer = false;
  window.addEventListener('pointerdown', () => { byPointer = true; }, true);
  window.addEventListener('keydown', () => { byPointer = false; }, true);
  const back = () => {
    const at = document.activeElement;
    if (!byPointer || !at?.matches(PRESSED) || !at.closest(BARS)) return;
    const view = $('#view');
    view.classList.add('by-pointer');
    view.focus({ preventScroll: true });
  };
  // A select is opened by its click and chosen from later.
  window.addEventListener('click', (e) => { if (!(e.target as Element).matches?.('select, option')) back(); });
  window.addEventListener('change', back);
}
