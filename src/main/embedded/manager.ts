/**
 * The embedded service of demo and evidence connections: one worker thread per database, started on demand. Starting,
 * stopping and erasing one database are serialised, so that no two workers hold it and none starts on files that are
 * being removed.
 */
import { createHash, hkdfSync } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { access, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Job, OutputOf } from '#shared/bridge/operations.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import { diskFailure, isDenied, withheld } from '#shared/model/disk-errors.ts';
import type { EvidenceState } from '#shared/model/evidence.ts';
import type { RuleEffect, RuleTrial } from '#shared/rules/rule.ts';
import type { Coverage } from '../kernel/context.ts';
import {
  EmbeddedInstance,
  type InstanceDeps,
  type Running,
  type ServiceSettings,
  UNREAD_COVERAGE,
} from './instance.ts';
import type { TrialOptions } from './rule-trials.ts';

export interface EmbeddedDeps extends InstanceDeps {
  /** Folder for databases encrypted with `databaseKey`. */
  sealedDirectory(): string;
  /** Folder for the demo tenant's database, which holds nothing confidential; persistent where possible. */
  clearDirectory(): string;
  databaseKey(): string;
  /** The profile waits for its passphrase or keychain: no evidence is read into it. */
  isLocked(): boolean;
}

/** A database path and the queue of operations on it. */
interface Slot {
  readonly path: string;
  readonly users: Set<string>;
  instance: EmbeddedInstance | null;
  turn: Promise<unknown>;
}

export class Embedded {
  readonly #deps: EmbeddedDeps;
  readonly #slots = new Map<string, Slot>();
  readonly #retired = new Set<string>();
  #versions = 0;
  /** Starts wait for it between `stopAll` and `resume`. */
  #paused: PromiseWithResolvers<void> | null = null;
  #isClosed = false;

  constructor(deps: EmbeddedDeps) {
    this.#deps = deps;
  }

  /** Resolves when the service is ready. Rejects path-missing, no-connection, secrets-locked, or the worker's error. */
  async start(connectionId: string, source: EmbeddedSource, settings: ServiceSettings): Promise<Running> {
    while (this.#paused !== null) await this.#paused.promise;
    this.#requireOpen(connectionId);
    if (source.kind === 'evidence' && this.#deps.isLocked())
      throw new ParapetError('secrets-locked', 'Unlock the profile first: nothing is imported before that.');
    const slot = this.#slotOf(this.#databasePath(source));
    const instance = await inTurn(slot, async () => {
      // Not by a synchronous call: the path may lie on a share that no longer answers.
      if (source.kind === 'evidence' && slot.instance === null && !existsSync(slot.path))
        await access(source.path).catch((error: unknown) => {
          throw unreachable(error);
        });
      this.#requireOpen(connectionId);
      if (this.#paused !== null)
        throw new ParapetError('cancelled', 'The profile is being opened. Try again.', { retryable: true });
      slot.instance ??= this.#launch(slot, source, settings);
      slot.users.add(connectionId);
      slot.instance.setFlags(settings.flags);
      return slot.instance;
    });
    try {
      return await instance.ready;
    } catch (error) {
      // The next attempt starts a new worker.
      await inTurn(slot, () => (slot.instance === instance ? end(slot) : undefined));
      throw error;
    }
  }

  async problems(connectionId: string): Promise<OutputOf<'evidence.problems'>> {
    const report = (await this.#instanceOf(connectionId)?.report()) ?? null;
    return {
      imported: (report?.imported ?? 0) + (report?.unchanged ?? 0),
      notMail: report?.notMail ?? 0,
      problems: report?.problems ?? [],
    };
  }

  /** Null if no service is running for this connection, or it is not evidence. */
  state(connectionId: string): EvidenceState | null {
    return this.#instanceOf(connectionId)?.evidence ?? null;
  }

  /** For an evidence connection. */
  coverage(connectionId: string): Coverage {
    return this.#instanceOf(connectionId)?.coverage ?? UNREAD_COVERAGE;
  }

  /**
   * The analyst's decision about mail that is missing from the evidence. Rejects `conflict` when there is nothing to
   * decide.
   */
  async resolve(connectionId: string, answer: 'keep' | 'remove'): Promise<EvidenceState> {
    const instance = this.#instanceOf(connectionId);
    if (instance === null || instance.evidence?.phase !== 'read' || instance.evidence.gone === 0)
      throw new ParapetError('conflict', 'No decision about this evidence is pending any more.');
    const report = await instance.resolve(answer);
    if (report === null || instance.evidence === null)
      throw new ParapetError('timeout', 'The evidence service did not answer. Try again.', {
        retryable: true,
      });
    return instance.evidence;
  }

  /**
   * Reads new, changed and unread files of the evidence, or all files if it verifies. Its service must run.
   */
  read(connectionId: string, verifies: boolean): EvidenceState {
    const instance = this.#instanceOf(connectionId);
    if (instance === null || instance.evidence === null)
      throw new ParapetError('conflict', 'This connection is not evidence that can be read again.');
    instance.read(verifies);
    return instance.evidence;
  }

  /** Applies enabled rules, or those with these ids, to all mail of open evidence; returns the job. */
  runRules(connectionId: string, ids: readonly string[] | null): Job {
    const instance = this.#instanceOf(connectionId);
    if (instance === null || instance.evidence === null)
      throw new ParapetError('conflict', 'Rules apply to evidence: open a folder or file of mail first.');
    return instance.runRules(ids);
  }

  /** Counts what a rule would find in open evidence. Rejects `invalid-input` if it cannot be applied. */
  tryRule(connectionId: string, trial: RuleTrial, options: TrialOptions): Promise<RuleEffect> {
    const instance = this.#instanceOf(connectionId);
    if (instance === null || instance.evidence === null)
      throw new ParapetError('conflict', 'Rules apply to evidence: open a folder or file of mail first.');
    return instance.tryRule(trial, options);
  }

  /** The rules of the profile changed. */
  rulesChanged(): void {
    for (const { instance } of this.#slots.values()) instance?.setRules();
  }

  /** The service keeps running while another connection uses it. */
  async stop(connectionId: string): Promise<void> {
    await this.#inAllTurns(async (slot) => {
      if (slot.users.delete(connectionId) && slot.users.size === 0) await end(slot);
    });
  }

  /** Stops all services. None starts before `resume`, and after `for-good` none ever. */
  async stopAll(how: 'for-now' | 'for-good'): Promise<void> {
    if (how === 'for-good') {
      this.#isClosed = true;
      this.resume();
    } else this.#paused ??= Promise.withResolvers<void>();
    await this.#inAllTurns(async (slot) => {
      slot.users.clear();
      await end(slot);
    });
  }

  resume(): void {
    const paused = this.#paused;
    this.#paused = null;
    paused?.resolve();
  }

  /** Prevents a service from starting for this connection until the returned function is called. */
  retire(connectionId: string): () => void {
    this.#retired.add(connectionId);
    return () => void this.#retired.delete(connectionId);
  }

  /** Removes an evidence database that no connection uses; the evidence folder itself is never touched. */
  async erase(source: EmbeddedSource): Promise<void> {
    if (source.kind !== 'evidence') return;
    const slot = this.#slotOf(this.#databasePath(source));
    await inTurn(slot, async () => {
      if (slot.users.size > 0) return;
      await end(slot);
      // Damaged ones that were set aside lie beside it under longer names.
      const fileName = basename(slot.path);
      for (const name of await readdir(dirname(slot.path)))
        if (name.startsWith(fileName)) await rm(join(dirname(slot.path), name), { force: true });
    });
  }

  #launch(slot: Slot, source: EmbeddedSource, settings: ServiceSettings): EmbeddedInstance {
    const isEvidence = source.kind === 'evidence';
    return new EmbeddedInstance(this.#deps, {
      source,
      databasePath: slot.path,
      databaseKey: isEvidence ? evidenceKey(this.#deps.databaseKey(), slot.path) : null,
      settings,
      users: slot.users,
      nextVersion: () => ++this.#versions,
      exited: (instance) => {
        if (slot.instance === instance) slot.instance = null;
      },
    });
  }

  #databasePath(source: EmbeddedSource): string {
    if (source.kind === 'demo')
      return join(this.#deps.clearDirectory(), `demo-${source.emails}-${source.seed}.sqlite`);
    const directory = join(this.#deps.sealedDirectory(), 'evidence');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = createHash('sha256').update(source.path).digest('hex').slice(0, 32);
    return join(directory, `${name}.sqlite`);
  }

  #slotOf(path: string): Slot {
    const slot = this.#slots.get(path) ?? {
      path,
      users: new Set(),
      instance: null,
      turn: Promise.resolve(),
    };
    this.#slots.set(path, slot);
    return slot;
  }

  #instanceOf(connectionId: string): EmbeddedInstance | null {
    return [...this.#slots.values()].find(({ users }) => users.has(connectionId))?.instance ?? null;
  }

  async #inAllTurns(work: (slot: Slot) => Promise<void>): Promise<void> {
    await Promise.all([...this.#slots.values()].map((slot) => inTurn(slot, () => work(slot))));
  }

  #requireOpen(connectionId: string): void {
    if (this.#isClosed) throw new ParapetError('cancelled', 'Parapet is closing.', { retryable: true });
    if (this.#retired.has(connectionId))
      throw new ParapetError('no-connection', 'That connection is being removed.', {
        data: { connectionId },
      });
  }
}

/** Why evidence that was never read cannot be read. */
function unreachable(error: unknown): ParapetError {
  const isMissing =
    error instanceof Error && 'code' in error && /^(?:ENOENT|ENOTDIR)$/.test(String(error.code));
  if (isMissing)
    return new ParapetError(
      'path-missing',
      'The evidence no longer exists: the folder or file was moved, renamed or unplugged. Choose it again.',
    );
  if (isDenied(error))
    return new ParapetError(
      'permission-denied',
      'The evidence cannot be read: access to it is denied. Give your account access to it, then try again.',
      { retryable: true, cause: error },
    );
  const reason =
    withheld(error) ?? diskFailure(error) ?? (error instanceof Error ? error.message : String(error));
  return new ParapetError('bad-file', `The evidence cannot be read: ${reason}. Try again.`, {
    retryable: true,
    cause: error,
  });
}

/** Runs `work` after all earlier operations on the slot. */
function inTurn<T>(slot: Slot, work: () => T | Promise<T>): Promise<T> {
  const result = slot.turn.then(work);
  slot.turn = result.catch(() => undefined);
  return result;
}

/** Resolves when the slot's worker, if any, has closed the database. */
async function end(slot: Slot): Promise<void> {
  const { instance } = slot;
  slot.instance = null;
  await instance?.stop();
}

/** Each evidence database has its own key, so that one can be handed over without the others. */
function evidenceKey(databaseKey: string, path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return Buffer.from(
    hkdfSync('sha256', Buffer.from(databaseKey, 'hex'), Buffer.alloc(0), `parapet evidence ${name}`, 32),
  ).toString('hex');
}
