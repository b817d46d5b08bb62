/** The window's bridge for stores, which live outside of React. Set once, before the first render. */
import type { Bridge } from '#shared/bridge/bridge.ts';

let current: Bridge | null = null;

export function setWindowBridge(bridge: Bridge): void {
  current = bridge;
}

export function windowBridge(): Bridge {
  if (current === null) throw new Error('The bridge is not connected yet');
  return current;
}
