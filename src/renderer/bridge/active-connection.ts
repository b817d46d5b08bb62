/** The id of the connection that reads go to when none is named. Set by state/connection.ts alone. */
import { useSyncExternalStore } from 'react';

let active: string | null = null;
const listeners = new Set<() => void>();

const activeConnectionId = (): string | null => active;

export function setActiveConnectionId(id: string | null): void {
  if (id === active) return;
  active = id;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export const useActiveConnectionId = (): string | null => useSyncExternalStore(subscribe, activeConnectionId);
