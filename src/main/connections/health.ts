/** Which connections are online, and which are offline by choice or because their service does not respond. */
import { type BridgeError, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { ConnectionState } from '#shared/bridge/operations.ts';

export interface HealthTuning {
  probeBaseMs: number;
  probeCapMs: number;
}
/** Minimum interval between reports of a new latency: one per call would flood the screens. */
export const REPORT_LATENCY_MS = 30_000;
const DEFAULT_HEALTH_TUNING: HealthTuning = { probeBaseMs: 2_000, probeCapMs: 60_000 };

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
const FINAL_ERRORS = new Set<ParapetError['code']>(['unauthorized', 'tls', 'proxy']);
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

export class ConnectionHealth {
  readonly #now: Deps['now'];
  readonly #ask: Deps['ask'];
  readonly #changed: Deps['changed'];
  readonly #tuning: Exclude<Deps['tuning'], undefined>;
  readonly #entries = new Map<string, Entry>();
  readonly #checking = new Set<string>();
  #choice = false;
  #choiceSince: number;
  #stopped = false;

  constructor({ now, ask, changed, tuning = DEFAULT_HEALTH_TUNING }: Deps) {
    this.#now = now;
    this.#ask = ask;
    this.#changed = changed;
    this.#tuning = tuning;
    this.#choiceSince = this.#now();
  }

  of(id: string | null): ConnectionState {
    const entry = id === null ? undefined : this.#entries.get(id);
    if (id !== null && this.#choice)
      return {
        connectionId: id,
        phase: 'offline-user',
        since: this.#choiceSince,
        latencyMs: null,
        error: null,
      };
    if (entry === undefined)
      return {
        connectionId: id,
        phase: id === null ? 'none' : 'starting',
        since: this.#choiceSince,
        latencyMs: null,
        error: null,
      };
    const { phase, since, latencyMs, error } = entry;
    return { connectionId: id, phase, since, latencyMs, error };
  }

  isOffline(id: string): boolean {
    return this.#choice || this.#entries.get(id)?.phase === 'offline-auto';
  }

  starting(id: string): void {
    this.#put(id, 'starting');
  }

  succeeded(id: string, latencyMs: number | null): void {
    const entry = this.#entries.get(id);
    if (entry?.phase !== 'online') {
      this.#put(id, 'online', { latencyMs });
      return;
    }
    if (latencyMs === null) return;
    // A call may take long because of its work; the shortest one approximates the network's latency.
    entry.shortestMs = Math.min(entry.shortestMs ?? latencyMs, latencyMs);
    // Also when the clock was set back.
    if (Math.abs(this.#now() - entry.reportedAt) < REPORT_LATENCY_MS) return;
    const isNew = entry.latencyMs === null || Math.round(entry.latencyMs) !== Math.round(entry.shortestMs);
    entry.latencyMs = entry.shortestMs;
    entry.shortestMs = null;
    entry.reportedAt = this.#now();
    if (isNew) this.#changed(id);
  }

  failed(id: string, error: ParapetError): void {
    if (error.code === 'unreachable') {
      this.#offlineAuto(id, toBridgeError(error));
      return;
    }
    const before = this.#entries.get(id)?.phase;
    // Either only the query was slow, or the service hangs: it accepts connections but never responds.
    if (error.code === 'timeout' && before === 'online') void this.#check(id);
    const unusable = FINAL_ERRORS.has(error.code);
    if (unusable || (before === 'starting' && !SERVICE_IS_UP.has(error.code)))
      this.#put(id, 'failed', { error: toBridgeError(error) });
    else if (before !== 'online' && before !== 'failed') this.#put(id, 'online');
  }

  byChoice(): boolean {
    return this.#choice;
  }

  setByChoice(offline: boolean): void {
    if (this.#choice === offline) return;
    this.#choice = offline;
    this.#choiceSince = this.#now();
  }

  /** Checks once whether a service that went offline is back. */
  async probe(id: string): Promise<void> {
    if (this.#choice || this.#stopped || this.#entries.get(id)?.phase !== 'offline-auto') return;
    try {
      this.#put(id, 'online', { latencyMs: await this.#ask(id) });
    } catch (error) {
      if (this.#entries.get(id)?.phase === 'offline-auto') this.#silent(id, error);
    }
  }

  /** Call when the machine wakes from sleep, perhaps on another network: probes every service at once. */
  resumed(): void {
    if (this.#choice || this.#stopped) return;
    for (const [id, entry] of this.#entries) {
      if (entry.phase === 'online') void this.#check(id);
      if (entry.phase !== 'offline-auto') continue;
      this.#clear(entry);
      entry.attempt = 0;
      void this.probe(id);
    }
  }

  forget(id: string): void {
    this.#clear(this.#entries.get(id));
    this.#entries.delete(id);
  }

  stop(): void {
    this.#stopped = true;
    for (const entry of this.#entries.values()) this.#clear(entry);
  }

  #clear(entry: Entry | undefined) {
    if (entry?.timer) clearTimeout(entry.timer);
  }

  #put(id: string, phase: Entry['phase'], change: Partial<Entry> = {}) {
    const before = this.#entries.get(id);
    this.#clear(before);
    const same = before?.phase === phase;
    const entry: Entry = {
      phase,
      since: same ? before.since : this.#now(),
      latencyMs: null,
      shortestMs: null,
      reportedAt: this.#now(),
      error: null,
      attempt: 0,
      timer: null,
      ...change,
    };
    this.#entries.set(id, entry);
    if (!same || before.error?.code !== entry.error?.code) this.#changed(id);
    return entry;
  }

  #offlineAuto(id: string, error: BridgeError) {
    const attempt =
      (this.#entries.get(id)?.phase === 'offline-auto' ? (this.#entries.get(id)?.attempt ?? 0) : 0) + 1;
    const entry = this.#put(id, 'offline-auto', { error, attempt });
    if (this.#stopped) return;
    const wait = Math.min(this.#tuning.probeBaseMs * 2 ** (attempt - 1), this.#tuning.probeCapMs);
    entry.timer = setTimeout(() => void this.probe(id), wait * (0.75 + Math.random() / 2)).unref();
  }

  /** Checks whether an online service still responds; one check at a time. */
  async #check(id: string): Promise<void> {
    if (this.#choice || this.#stopped || this.#checking.has(id)) return;
    this.#checking.add(id);
    try {
      await this.#ask(id);
    } catch (error) {
      if (!this.#stopped && this.#entries.get(id)?.phase === 'online') this.#silent(id, error);
    } finally {
      this.#checking.delete(id);
    }
  }

  /** No probes through a proxy that refused: a repeated wrong password can lock an account. */
  #silent(id: string, error: unknown) {
    if (error instanceof ParapetError && error.code === 'proxy') this.failed(id, error);
    else this.#offlineAuto(id, toBridgeError(error));
  }
}
