/**
 * The window's reads: one entry per distinct request, shared by all views that show it.
 * The main process handles age and persistence: an entry is requested on every first use, and main answers from its
 * cache if that is fresh.
 */
import type { EndpointName, ReadEndpoint, Request } from '#shared/api/catalogue.ts';
import { endpointOf } from '#shared/api/catalogue.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import { canonicalJson } from '#shared/model/canonical-json.ts';

export interface ReadState {
  data: unknown;
  freshness: Freshness | null;
  error: BridgeError | null;
  /** A request runs and there is nothing to show yet. */
  loading: boolean;
  /** A request runs while older data is shown. */
  revalidating: boolean;
}

export interface ReadKey {
  connectionId: string;
  endpoint: ReadEndpoint;
  request: Request<EndpointName>;
}

interface Entry {
  key: ReadKey;
  bridge: Bridge;
  state: ReadState;
  listeners: Set<() => void>;
  running: AbortController | null;
  /** When the running request was sent, epoch ms. */
  askedAt: number;
}

export const IDLE: ReadState = {
  data: undefined,
  freshness: null,
  error: null,
  loading: false,
  revalidating: false,
};

/** Entries that no view shows are kept for a quick return; the oldest are dropped first. */
const MAX_ENTRIES = 200;
const entries = new Map<string, Entry>();

/** Identifies a read, whatever the order of its keys. */
export const readKeyText = (key: ReadKey): string =>
  canonicalJson([key.connectionId, key.endpoint, key.request]);

function entryOf(bridge: Bridge, text: string, key: ReadKey): Entry {
  const existingEntry = entries.get(text);
  if (existingEntry) return existingEntry;
  const entry: Entry = { key, bridge, state: IDLE, listeners: new Set(), running: null, askedAt: 0 };
  entries.set(text, entry);
  return entry;
}

/** Entries whose views have not been notified of a change yet. */
const changed = new Set<Entry>();

function tellChanges(): void {
  cancelAnimationFrame(nextFrame);
  clearTimeout(fallback);
  const entries = [...changed];
  changed.clear();
  for (const { listeners } of entries) for (const listener of listeners) listener();
}
let nextFrame = 0;
let fallback: ReturnType<typeof setTimeout> | undefined;
/** A hidden window gets no animation frames, but its data must still update. */
const WITHOUT_FRAMES_MS = 50;

/**
 * Views are notified before the next frame, of everything that changed until then: a profile's ten answers, each with
 * progress events, are rendered once instead of thirty times.
 */
function put(entry: Entry, change: Partial<ReadState>): void {
  const { state } = entry;
  if ((Object.keys(change) as (keyof ReadState)[]).every((key) => state[key] === change[key])) return;
  entry.state = { ...state, ...change };
  if (entry.listeners.size === 0) return;
  if (changed.size === 0) {
    nextFrame = requestAnimationFrame(tellChanges);
    fallback = setTimeout(tellChanges, WITHOUT_FRAMES_MS);
  }
  changed.add(entry);
}

function start(entry: Entry, refresh: boolean): void {
  entry.running?.abort();
  const controller = new AbortController();
  entry.running = controller;
  entry.askedAt = Date.now();
  const hadData = entry.state.freshness !== null;
  put(entry, { loading: !hadData, revalidating: hadData });
  const { connectionId, endpoint, request } = entry.key;
  const current = () => entry.running === controller;
  const end = (change: Partial<ReadState>) => {
    if (!current()) return;
    entry.running = null;
    put(entry, { loading: false, revalidating: false, ...change });
  };
  entry.bridge
    .stream(
      'service.read',
      { connectionId, endpoint, ...request, ...(refresh ? { refresh: true } : {}) },
      ({ data, freshness, revalidating, error }) => {
        if (current()) put(entry, { data, freshness, error, loading: false, revalidating });
      },
      { signal: controller.signal },
    )
    .then(
      () => end({}),
      (reason: unknown) => {
        const error = toBridgeError(reason);
        end(error.code === 'cancelled' ? {} : { error });
      },
    );
}

function forget(text: string, entry: Entry): void {
  if (entry.listeners.size > 0) return;
  entry.running?.abort();
  entry.running = null;
  if (entry.state.loading || entry.state.revalidating) {
    entry.state = { ...entry.state, loading: false, revalidating: false };
  }
  // The entry was dropped or replaced in the meantime.
  if (entries.get(text) !== entry) return;
  entries.delete(text);
  if (entry.state.freshness !== null) entries.set(text, entry);
  for (const [oldText, old] of entries) {
    if (entries.size <= MAX_ENTRIES) break;
    if (old.listeners.size === 0) entries.delete(oldText);
  }
}

/** When other calls that wait for the service were sent, epoch ms. */
const waits = new Set<{ readonly since: number }>();

/** Counts a call as waiting for the service until it is answered. */
export async function whileWaiting<T>(answer: Promise<T>): Promise<T> {
  const wait = { since: Date.now() };
  waits.add(wait);
  try {
    return await answer;
  } finally {
    waits.delete(wait);
  }
}

/** When the oldest unanswered request was sent that a visible view waits for, epoch ms, or null if none is waiting. */
export function oldestWaiting(): number | null {
  let oldest: number | null = null;
  for (const { since } of waits) oldest = Math.min(oldest ?? since, since);
  for (const { running, listeners, askedAt } of entries.values())
    if (running !== null && listeners.size > 0) oldest = Math.min(oldest ?? askedAt, askedAt);
  return oldest;
}

/** The current state of a read, without requesting anything. */
export function readState(text: string): ReadState {
  return entries.get(text)?.state ?? IDLE;
}

/** Subscribes to a read: the first subscriber starts the request, the last one to leave cancels it. */
export function showRead(bridge: Bridge, text: string, key: ReadKey, listener: () => void): () => void {
  const entry = entryOf(bridge, text, key);
  entry.listeners.add(listener);
  if (entry.listeners.size === 1) start(entry, false);
  return () => {
    entry.listeners.delete(listener);
    // React may subscribe again at once (a key change, strict mode): cancel only if it did not.
    queueMicrotask(() => forget(text, entry));
  };
}

/** Delay before retrying a failed renewal. */
const RETRY_MS = 60_000;

/** A visible read is requested again once its answer is no longer fresh. */
export function renewIfAged(text: string, now: number): void {
  const entry = entries.get(text);
  const { freshness } = entry?.state ?? IDLE;
  if (!entry || entry.running !== null || entry.listeners.size === 0 || freshness === null) return;
  const { cache } = endpointOf(entry.key.endpoint);
  if (freshness.fetchedAt === null || freshness.offline || cache.mode !== 'fresh') return;
  const age = now - freshness.fetchedAt;
  // After the clock was set back, the age is not known.
  const isYoung = age >= 0 && age < cache.ttlMs;
  if (!isYoung && Math.abs(now - entry.askedAt) >= RETRY_MS) start(entry, false);
}

/** Asks the service again whatever the age; the data shown stays until the answer. */
export function refreshRead(text: string): void {
  const entry = entries.get(text);
  if (entry) start(entry, true);
}

function again(isAffected: (entry: Entry) => boolean): void {
  for (const [text, entry] of entries) {
    if (!isAffected(entry)) continue;
    if (entry.listeners.size > 0) start(entry, false);
    else entries.delete(text);
  }
}

/** Requests reads with these tags again: main has marked its copies stale. */
export function invalidateReads(connectionId: string, tags: readonly string[]): void {
  again(
    ({ key }) =>
      key.connectionId === connectionId &&
      endpointOf(key.endpoint).provides.some((tag) => tags.includes(tag)),
  );
}

/** Drops everything read from a connection; visible reads start over. */
export function dropReads(connectionId: string): void {
  for (const [text, entry] of entries) {
    if (entry.key.connectionId !== connectionId) continue;
    entry.running?.abort();
    entry.running = null;
    entry.state = IDLE;
    if (entry.listeners.size > 0) start(entry, false);
    else entries.delete(text);
  }
}

/** Parapet itself was restarted: all visible reads are requested again. */
export const renewAllReads = (): void => again(() => true);

/** The connection went offline or online: all visible reads are requested again. */
export function renewReads(connectionId: string): void {
  again(({ key }) => key.connectionId === connectionId);
}
