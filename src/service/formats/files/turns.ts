import { setImmediate } from 'node:timers/promises';

const AT_LEAST_EVERY_MS = 10;

/** Synchronous reading blocks the thread, so this yields now and then. */
export class Turns {
  #last = performance.now();

  async give(): Promise<void> {
    if (performance.now() - this.#last < AT_LEAST_EVERY_MS) return;
    await setImmediate();
    this.#last = performance.now();
  }
}
