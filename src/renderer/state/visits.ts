/** When this connection was last visited, for "new since": a pause of half an hour ends a visit. */
import { create } from 'zustand';
import { onConnectionChange } from './connection.ts';
import { loadValue, saveValue } from './workspace.ts';

const PAUSE_MS = 30 * 60_000;
const NOTE_EVERY_MS = 60_000;

interface Visit {
  /** Milliseconds since 1970: the end of the visit before this one, or null if this is the first. */
  since: number | null;
  at: number;
}

const useStore = create<{ since: number | null | undefined }>(() => ({ since: undefined }));
let current: { connectionId: string; visit: Visit } | null = null;

/** The visit at `now`, given the stored one. Pure. */
export function visitAt(now: number, stored: Visit | null): Visit {
  if (stored === null) return { since: null, at: now };
  const since = now - stored.at > PAUSE_MS ? stored.at : stored.since;
  // A time recorded while the clock was ahead would hide everything new.
  return { since: since !== null && since > now ? null : since, at: now };
}

/** Whether the analyst did anything since the last write: a window left open overnight does not count as a visit. */
let isActive = false;
const ACTIVITY = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

function note(): void {
  if (current === null || document.visibilityState === 'hidden') return;
  isActive = false;
  current.visit = { ...current.visit, at: Date.now() };
  saveValue('visit', current.connectionId, current.visit);
}

async function load(connectionId: string | null): Promise<void> {
  current = null;
  useStore.setState({ since: undefined });
  if (connectionId === null) return;
  const stored = await loadValue('visit', connectionId).catch(() => null);
  current = { connectionId, visit: visitAt(Date.now(), stored) };
  useStore.setState({ since: current.visit.since });
  note();
}

export function startVisits(): void {
  onConnectionChange((id) => void load(id));
  for (const kind of ACTIVITY)
    addEventListener(
      kind,
      () => {
        isActive = true;
      },
      { capture: true, passive: true },
    );
  setInterval(() => {
    if (isActive) note();
  }, NOTE_EVERY_MS);
}

/** When the visit before this one ended, in ms, or null if this is the first, or undefined if not known yet. */
export const useLastVisit = (): number | null | undefined => useStore((store) => store.since);
