/** The wire of Electron's window: the preload carries the frames. */
import type { Wire } from '#shared/bridge/frames.ts';

declare global {
  /** What the preload puts into the page; absent in a browser. */
  var parapetWire: Wire | undefined;
}

/** The preload's wire, or null in a browser. */
export const electronWire = (): Wire | null => globalThis.parapetWire ?? null;
