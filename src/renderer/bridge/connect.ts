/** The one way from a page to its Parapet, whichever host carries it. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { createBridge } from '#shared/bridge/client.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import { type BrowserWire, openBrowserWire } from './wire-browser.ts';

declare global {
  /** What the preload puts into the page; absent in a browser. `drop` hands a dropped file over: `offered` follows. */
  var parapetWire: (Wire & { drop(file: File): void }) | undefined;
}

export interface Connected {
  bridge: Bridge;
  /** The wire of a browser, which can be opened again; null: a window of its own, whose wire ends with Parapet. */
  wire: BrowserWire | null;
}

/** Rejects with ParapetError `not-allowed` when the browser host does not know this page. */
export async function connectBridge(): Promise<Connected> {
  const own = globalThis.parapetWire;
  if (own !== undefined) return { bridge: createBridge(own), wire: null };
  const wire = await openBrowserWire();
  return { bridge: createBridge(wire), wire };
}
