/** The one way from a page to its Parapet, whichever host carries it. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { createBridge } from '#shared/bridge/client.ts';
import { openBrowserWire } from './wire-browser.ts';
import { electronWire } from './wire-electron.ts';

/** Rejects with ParapetError `not-allowed` when the browser host does not know this page. */
export async function connectBridge(): Promise<Bridge> {
  return createBridge(electronWire() ?? (await openBrowserWire()));
}
