/** Which connections are online, and which are offline by choice or because their service does not respond. */
import { type BridgeError, type ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { ConnectionState } from '#shared/bridge/operations.ts';

export interface HealthTuning {
  probeBaseMs: number;
  probeCapMs: number;
}
/** Minimum interval between reports of a new latency: one per call would flood the screens. */
export const TELL_LATENCY_MS = 30_000;
const DEFAULT_HEALTH_TUNING: HealthTuning = { probeBaseMs: 2_000, probeCapMs: 60_000 };

export interface ConnectionHealth {
  of(connectionId: string | null): ConnectionState;
  isOffline(connectionId: string): boolean;
  starting(connectionId: string): void;
  succeeded(connectionId: string, latencyMs: number | null): void;
  failed(connectionId: string, error: ParapetError): void;
  byChoice(): boolean;
  setByChoice(offline: boolean): void;
  /** Checks once whether a service that went offline is back. */
  probe(connectionId: string): Promise<void>;
  /** Call when the machine wakes from sleep, perhaps on another network: probes every service at once. */
  resumed(): void;
  forget(connectionId: string): void;
  stop(): void;
}

interface Entry {
  phase: 'starting' | 'online' | 'offline-auto' | 'failed';
  since: number;
  /** The latency as last reported to the windows. */
  latencyMs: number | null;
  /** The shortest of the calls since. */
  shortestMs: number | null;
  reportedAt: number;
  error: BridgeError | null;
  attempt: number;
  timer: NodeJS.Timeout | null;
}

/** Errors that no further call can overcome until the analyst changes something. */
const FINAL_ERRORS = new Set<ParapetError['code']>(['unauthorized', 'tls']);
/** Failures of a single call that prove the service is up. */
const SERVICE_IS_UP = new Set<ParapetError['code']>([
  'not-implemented',
  'forbidden',
  'not-found',
  'bad-request',
  'conflict',
  'rate-limited',
  'wrong-shape',
  'too-large',
]);

interface Deps {
  now(): number;
  /** Rejects when the service is unreachable; any HTTP status counts as an answer. */
  ask(connectionId: string): Promise<number>;
  changed(connectionId: string): void;
  tuning?: HealthTuning;
}

export function createConnectionHealth({
  now,
  ask,
  changed,
  tuning = DEFAULT_HEALTH_TUNING,
}: Deps): ConnectionHealth {
  const entries = new Map<string, Entry>();
  let choice = false;
  let choiceSince = now();
  let stopped = false;

  const clear = (entry: Entry | undefined) => {
    if (entry?.timer) clearTimeout(entry.timer);
  };

  const put = (id: string, phase: Entry['phase'], change: Partial<Entry> = {}) => {
    const before = entries.get(id);
    clear(before);
    const same = before?.phase === phase;
    const entry: Entry = {
      phase,
      since: same ? before.since : now(),
      latencyMs: null,
      shortestMs: null,
      reportedAt: now(),
      error: null,
      attempt: 0,
      timer: null,
      ...change,
    };
    entries.set(id, entry);
    if (!same || before.error?.code !== entry.error?.code) changed(id);
    return entry;
  };

  const offlineAuto = (id: string, error: BridgeError) => {
    const attempt = (entries.get(id)?.phase === 'offline-auto' ? (entries.get(id)?.attempt ?? 0) : 0) + 1;
    const entry = put(id, 'offline-auto', { error, attempt });
    if (stopped) return;
    const wait = Math.min(tuning.probeBaseMs * 2 ** (attempt - 1), tuning.probeCapMs);
    entry.timer = setTimeout(() => void probe(id), wait * (0.75 + Math.random() / 2)).unref();
  };

  const probe = async (id: string) => {
    if (choice || stopped || entries.get(id)?.phase !== 'offline-auto') return;
    try {
      put(id, 'online', { latencyMs: await ask(id) });
    } catch (error) {
      if (entries.get(id)?.phase === 'offline-auto') offlineAuto(id, toBridgeError(error));
    }
  };

  /** Checks whether a service that is online still answers. */
  const check = (id: string) =>
    ask(id).catch((error: unknown) => {
      if (!stopped && entries.get(id)?.phase === 'online') offlineAuto(id, toBridgeError(error));
    });

  return {
    of(id) {
      const entry = id === null ? undefined : entries.get(id);
      if (id !== null && choice)
        return { connectionId: id, phase: 'offline-user', since: choiceSince, latencyMs: null, error: null };
      if (entry === undefined)
        return {
          connectionId: id,
          phase: id === null ? 'none' : 'starting',
          since: choiceSince,
          latencyMs: null,
          error: null,
        };
      const { phase, since, latencyMs, error } = entry;
      return { connectionId: id, phase, since, latencyMs, error };
    },
    isOffline: (id) => choice || entries.get(id)?.phase === 'offline-auto',
    starting: (id) => void put(id, 'starting'),
    succeeded(id, latencyMs) {
      const entry = entries.get(id);
      if (entry?.phase !== 'online') {
        put(id, 'online', { latencyMs });
        return;
      }
      if (latencyMs === null) return;
      // A call may take long because of its work; the shortest one approximates the network's latency.
      entry.shortestMs = Math.min(entry.shortestMs ?? latencyMs, latencyMs);
      if (now() - entry.reportedAt < TELL_LATENCY_MS) return;
      const isNew = entry.latencyMs === null || Math.round(entry.latencyMs) !== Math.round(entry.shortestMs);
      entry.latencyMs = entry.shortestMs;
      entry.shortestMs = null;
      entry.reportedAt = now();
      if (isNew) changed(id);
    },
    failed(id, error) {
      if (error.code === 'unreachable') return offlineAuto(id, toBridgeError(error));
      const before = entries.get(id)?.phase;
      const unusable = FINAL_ERRORS.has(error.code);
      if (unusable || (before === 'starting' && !SERVICE_IS_UP.has(error.code)))
        put(id, 'failed', { error: toBridgeError(error) });
      else if (before !== 'online' && before !== 'failed') put(id, 'online');
    },
    byChoice: () => choice,
    setByChoice(offline) {
      if (choice === offline) return;
      choice = offline;
      choiceSince = now();
    },
    probe,
    resumed() {
      if (choice || stopped) return;
      for (const [id, entry] of entries) {
        if (entry.phase === 'online') void check(id);
        if (entry.phase !== 'offline-auto') continue;
        clear(entry);
        entry.attempt = 0;
        void probe(id);
      }
    },
    forget(id) {
      clear(entries.get(id));
      entries.delete(id);
    },
    stop() {
      stopped = true;
      for (const entry of entries.values()) clear(entry);
    },
  };
}
