/** The one way from a page to its Parapet, whichever host carries it. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { createBridge } from '#shared/bridge/client.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import { openBrowserWire } from './wire-browser.ts';

declare global {
  /** What the preload puts into the page; absent in a browser. */
  var parapetWire: Wire | undefined;
}

/** The preload's wire, or null in a browser. */
const electronWire = (): Wire | null => globalThis.parapetWire ?? null;

/** Rejects with ParapetError `not-allowed` when the browser host does not know this page. */
export async function connectBridge(): Promise<Bridge> {
  return createBridge(electronWire() ?? (await openBrowserWire()));
}
