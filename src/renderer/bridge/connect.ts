/** Connects a page to Parapet, with either host. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { createBridge } from '#shared/bridge/client.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import type { InputOf } from '#shared/bridge/operations.ts';
import { writeClipboard } from './host-dialogs.ts';
import { type BrowserWire, openBrowserWire } from './wire-browser.ts';

declare global {
  /** What the preload puts into the page; absent in a browser. `drop` hands a dropped file over: `offered` follows. */
  var parapetWire: (Wire & { drop(file: File): void }) | undefined;
}

export interface Connected {
  bridge: Bridge;
  /** The browser's wire, which can reconnect, or null in a desktop window, whose wire ends with Parapet. */
  wire: BrowserWire | null;
}

/**
 * The page writes the clipboard itself, within the call: if the host asked it to a moment later, Safari would refuse,
 * and the request could reach another page.
 */
export const withOwnClipboard = (bridge: Bridge): Bridge => ({
  ...bridge,
  call: (operation, input, options) =>
    operation === 'clipboard.write'
      ? (writeClipboard((input as InputOf<'clipboard.write'>).text).then(() => ({})) as never)
      : bridge.call(operation, input, options),
});

/** Rejects with ParapetError `not-allowed` when the browser host does not know this page. */
export async function connectBridge(): Promise<Connected> {
  const ownWire = globalThis.parapetWire;
  if (ownWire !== undefined) return { bridge: createBridge(ownWire), wire: null };
  const wire = await openBrowserWire();
  return { bridge: withOwnClipboard(createBridge(wire)), wire };
}
