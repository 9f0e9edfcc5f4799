// SPDX-License-Identifier: Apache-2.0

/** A list of listeners. */
export class Signal<T = void> {
  private listeners: ((value: T) => void)[] = [];

  on(listener: (value: T) => void): void {
    this.listeners.push(listener);
  }

  emit(value: T): void {
    for (const listener of this.listeners) listener(value);
  }
}
