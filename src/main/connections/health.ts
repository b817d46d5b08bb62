/** Which connections answer, and which are offline: by choice, or because their service does not answer. */
import { type BridgeError, type ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { ConnectionState } from '#shared/bridge/operations.ts';

export interface StatesTuning {
  probeBaseMs: number;
  probeCapMs: number;
}
const DEFAULT_STATES_TUNING: StatesTuning = { probeBaseMs: 2_000, probeCapMs: 60_000 };

export interface States {
  of(connectionId: string | null): ConnectionState;
  isOffline(connectionId: string): boolean;
  starting(connectionId: string): void;
  succeeded(connectionId: string, latencyMs: number | null): void;
  failed(connectionId: string, error: ParapetError): void;
  byChoice(): boolean;
  setByChoice(offline: boolean): void;
  /** Asks once whether a service that is offline by itself answers again. */
  probe(connectionId: string): Promise<void>;
  forget(connectionId: string): void;
  stop(): void;
}

interface Entry {
  phase: 'starting' | 'online' | 'offline-auto' | 'failed';
  since: number;
  latencyMs: number | null;
  error: BridgeError | null;
  attempt: number;
  timer: NodeJS.Timeout | null;
}

/** No call will do better until the analyst changes something. */
const NO_USE = new Set<ParapetError['code']>(['unauthorized', 'tls']);
/** Failures of one call that show the service to be there and willing. */
const ANSWERED = new Set<ParapetError['code']>([
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
  /** Rejects when the service cannot be reached; any answer, an error status too, is an answer. */
  ask(connectionId: string): Promise<number>;
  changed(connectionId: string): void;
  tuning?: StatesTuning;
}

export function createStates({ now, ask, changed, tuning = DEFAULT_STATES_TUNING }: Deps): States {
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
      const before = entries.get(id);
      // Telling every call's latency would be noise: the state keeps that of the call which made it online.
      if (before?.phase === 'online') return;
      put(id, 'online', { latencyMs });
    },
    failed(id, error) {
      if (error.code === 'unreachable') return offlineAuto(id, toBridgeError(error));
      const before = entries.get(id)?.phase;
      const unusable = NO_USE.has(error.code);
      if (unusable || (before === 'starting' && !ANSWERED.has(error.code)))
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
