/** Updates of the desktop app: off by default, silent without a network, and never installed automatically. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppEvent, UpdateState } from '#shared/bridge/operations.ts';
import { type Managed, offReason } from '#shared/model/policy.ts';
import {
  isNewer,
  type Release,
  type ReleaseFile,
  type UpdateChannel,
  updateChannel,
} from '#shared/model/update.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import type { Ports } from '../kernel/ports.ts';
import type { Database } from '../store/database.ts';
import { putValue, storedJson } from '../store/kv.ts';
import { routesTo } from '../upstream/agent.ts';
import { clearPackages, Feed, type FeedLimits } from './feed.ts';

const KEY = 'core:updates';
const stored = z.object({ on: z.boolean(), channel: updateChannel, checkedAt: z.number().nullable() });
const FIRST_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 3_600_000;
const ASK_EVERY_MS = 24 * 3_600_000;

interface Deps {
  ports: Pick<Ports, 'updates' | 'version' | 'paths' | 'now' | 'log' | 'policy' | 'routes'>;
  workspace: Pick<Database, 'get' | 'write'>;
  publish(event: AppEvent): void;
  /** The analyst chose to be offline: no request is sent. */
  isOffline(): boolean;
  limits?: FeedLimits;
}

const NONE = 'This Parapet does not update itself: it runs in a browser, or its build has no update feed.';

export class Updates {
  readonly #deps: Deps;
  readonly #feed: Feed | null;
  readonly #folder: string;
  readonly #ends = new AbortController();
  #settings: z.infer<typeof stored> = { on: false, channel: 'stable', checkedAt: null };
  #phase: UpdateState['phase'] = 'idle';
  #problem: UpdateState['problem'] = null;
  #release: Release | null = null;
  #file: string | null = null;
  #received = 0;
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(deps: Deps) {
    const { updates, paths, policy } = deps.ports;
    this.#deps = deps;
    this.#folder = path.join(paths.profile, 'updates');
    this.#feed =
      updates === undefined
        ? null
        : new Feed(updates.feed, updates.key, policy.authorityPem, deps.limits, (address) =>
            routesTo(deps.ports, address),
          );
  }

  /** The analyst's settings, read again whenever another workspace is opened. */
  async load(): Promise<void> {
    const row = await this.#deps.workspace.get<{ value: string }>('SELECT value FROM kv WHERE key = ?', [
      KEY,
    ]);
    const read = row === undefined ? null : stored.safeParse(storedJson(row.value));
    if (read?.success) this.#settings = read.data;
    this.#publish();
  }

  /** Starts automatic checks, if enabled. A package that was not installed is downloaded again. */
  start(): void {
    if (this.#feed === null) return;
    void clearPackages(this.#folder).catch(() => {});
    const check = () => {
      if (this.#isDue()) void this.#check().catch(() => {});
    };
    this.#timers = [setTimeout(check, FIRST_AFTER_MS), setInterval(check, LOOK_EVERY_MS)];
    for (const timer of this.#timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#ends.abort();
  }

  #isDue(): boolean {
    const { checkedAt } = this.#settings;
    const age = checkedAt === null ? ASK_EVERY_MS : Math.abs(this.#deps.ports.now() - checkedAt);
    return this.#isOn() && !this.#deps.isOffline() && this.#phase === 'idle' && age >= ASK_EVERY_MS;
  }

  /** The fleet policy, or null if there is none. */
  #managed(): Managed | null {
    return this.#deps.ports.policy.managed;
  }

  #isOn(): boolean {
    return this.#managed()?.updates.on ?? this.#settings.on;
  }

  #channel(): UpdateChannel {
    return this.#managed()?.updates.channel ?? this.#settings.channel;
  }

  #state(): UpdateState {
    const managed = this.#managed();
    const release = this.#release;
    return {
      unavailable: this.#feed === null ? NONE : null,
      on: this.#feed !== null && this.#isOn(),
      channel: this.#channel(),
      managed: {
        on: typeof managed?.updates.on === 'boolean',
        channel: typeof managed?.updates.channel === 'string',
        by: managed?.file ?? null,
      },
      phase: this.#phase,
      checkedAt: this.#settings.checkedAt,
      problem: this.#problem,
      newest: release && {
        version: release.version,
        date: release.date,
        notes: release.notes,
        bytes: this.#package(release)?.bytes ?? null,
      },
      done: this.#received,
      kind: this.#deps.ports.updates?.kind ?? null,
    };
  }

  /** The package of a release for this machine. */
  #package({ files }: Release): ReleaseFile | undefined {
    const { kind, arch } = this.#deps.ports.updates ?? {};
    return files.find((file) => file.kind === kind && file.arch === arch);
  }

  #publish(): UpdateState {
    const state = this.#state();
    this.#deps.publish({ type: 'updates', state });
    return state;
  }

  /** The feed, if requests are allowed. */
  #allowed(): Feed {
    const managed = this.#managed();
    if (managed?.updates.on === false) throw new ParapetError('not-allowed', offReason('updates', managed));
    if (this.#feed === null) throw new ParapetError('not-allowed', NONE);
    if (this.#deps.isOffline())
      throw new ParapetError(
        'offline',
        'Parapet is offline by your choice, so it sends no request. Go online first.',
      );
    return this.#feed;
  }

  async #keep(change: Partial<z.infer<typeof stored>>): Promise<void> {
    this.#settings = { ...this.#settings, ...change };
    await this.#deps.workspace.write([putValue(KEY, JSON.stringify(this.#settings), this.#deps.ports.now())]);
  }

  /** Does one thing at a time, and reports how it ended. */
  async #during(
    phase: UpdateState['phase'],
    work: () => Promise<UpdateState['phase']>,
  ): Promise<UpdateState> {
    if (this.#phase === 'checking' || this.#phase === 'fetching') return this.#state();
    const before = this.#phase;
    this.#phase = phase;
    this.#problem = null;
    this.#publish();
    try {
      this.#phase = await work();
    } catch (error) {
      this.#phase = before;
      this.#problem = toBridgeError(error);
      this.#deps.ports.log.info('updates', { code: this.#problem.code });
    }
    return this.#publish();
  }

  async #check(): Promise<UpdateState> {
    const feed = this.#allowed();
    const channel = this.#channel();
    return this.#during('checking', async () => {
      const release = await feed.newest(channel, this.#ends.signal);
      await this.#keep({ checkedAt: this.#deps.ports.now() });
      const isNews = isNewer(release.version, this.#deps.ports.version);
      const isFetched = this.#file !== null && release.version === this.#release?.version;
      this.#release = isNews ? release : null;
      if (isNews && isFetched) return 'ready';
      await this.#forget();
      return 'idle';
    });
  }

  async #forget(): Promise<void> {
    this.#file = null;
    this.#received = 0;
    await clearPackages(this.#folder);
  }

  readonly handlers: HandlersIn<'updates'> = {
    'updates.state': async () => this.#state(),

    'updates.choose': async (chosen) => {
      const { on = null, channel = null } = this.#managed()?.updates ?? {};
      if ((on !== null && chosen.on !== on) || (channel !== null && chosen.channel !== channel))
        throw new ParapetError('not-allowed', 'Your organisation manages updates.');
      const another = chosen.channel !== this.#settings.channel;
      // The other channel has not been checked yet.
      await this.#keep({ ...chosen, ...(another ? { checkedAt: null } : {}) });
      if (another && this.#phase !== 'fetching') {
        this.#release = null;
        this.#phase = 'idle';
        await this.#forget();
      }
      return this.#publish();
    },

    'updates.check': () => this.#check(),

    'updates.fetch': async () => {
      const feed = this.#allowed();
      const releaseFile = this.#release && this.#package(this.#release);
      if (!releaseFile) throw new ParapetError('not-allowed', 'There is no package for this machine.');
      let publishedAt = 0;
      return this.#during('fetching', async () => {
        await this.#forget();
        this.#file = await feed.fetch(
          releaseFile,
          this.#folder,
          (received) => {
            this.#received = received;
            if (received - publishedAt < releaseFile.bytes / 100) return;
            publishedAt = received;
            this.#publish();
          },
          this.#ends.signal,
        );
        return 'ready';
      });
    },

    'updates.install': async () => {
      this.#allowed();
      const releaseFile = this.#release && this.#package(this.#release);
      const { updates } = this.#deps.ports;
      if (this.#phase !== 'ready' || this.#file === null || !releaseFile || updates === undefined)
        throw new ParapetError('not-allowed', 'No update is ready to be installed.');
      // The package may have been on disk for days, so it is verified again.
      const hash = createHash('sha512');
      await pipeline(createReadStream(this.#file), hash);
      if (hash.digest('hex') !== releaseFile.sha512) {
        this.#phase = 'idle';
        await this.#forget();
        this.#publish();
        throw new ParapetError(
          'damaged',
          'The fetched package was changed since and has been removed. Fetch it again.',
        );
      }
      await updates.install(this.#file);
      return {};
    },
  };
}
