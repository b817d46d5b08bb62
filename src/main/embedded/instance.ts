/** One embedded service: its worker thread, the import that it runs, and how far the evidence was read. */
import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import type {
  EmbeddedCommand,
  EmbeddedMessage,
  EmbeddedSource,
  EmbeddedSpec,
  EvidenceReport,
  Unwatched,
} from '#shared/embedded.ts';
import { type EvidenceState, readWords, whyIncomplete } from '#shared/model/evidence.ts';
import type { RuleEffect, RuleHead, RuleTrial } from '#shared/rules/rule.ts';
import { outOfMemory } from '#workers/restarts.ts';
import type { Coverage, JobHandle, Jobs } from '../kernel/context.ts';
import { native } from '../kernel/native-calls.ts';
import { RuleTrials, type TrialOptions } from './rule-trials.ts';
import { RulesJob } from './rules-job.ts';

export interface InstanceDeps {
  entry: URL;
  jobs(): Jobs;
  /** The rules of the profile, and the text of one, or null if it is gone. */
  rules(): readonly RuleHead[];
  ruleText(id: string): Promise<string | null>;
  /** The service's rows changed without a call of Parapet. */
  changed(connectionId: string): void;
  /** Progress of reading a connection's evidence, at most once a second. */
  evidence(connectionId: string, state: EvidenceState): void;
  /** The database at this path was unusable and was created again: the notice about it. */
  replaced(databasePath: string, notice: { level: 'error' | 'warning'; message: string }): void;
  /** Not every folder of the evidence at `path` is watched. */
  unwatched(databasePath: string, path: string, limit: Unwatched): void;
  /** The service ended unexpectedly. */
  died(connectionId: string, error: ParapetError): void;
}

export interface Running {
  base: string;
  token: string;
}

/** What a connection asks of its service. */
export interface ServiceSettings {
  /** Authserv-ids that the analyst trusts; when several connections share a folder, those of the first apply. */
  believed: readonly string[];
  /** Feature flags; those of the connection that asked last apply. */
  flags: EmbeddedSpec['flags'];
}

interface InstanceOptions {
  source: EmbeddedSource;
  databasePath: string;
  databaseKey: string | null;
  settings: ServiceSettings;
  /** Connections that use it; the set changes while it runs. */
  users: ReadonlySet<string>;
  /** A number that no state of any evidence has had yet. */
  nextVersion(): number;
  exited(instance: EmbeddedInstance): void;
}

type Answer = 'report' | 'resolved';

const STOP_MS = 4_000;
/** How long a thread takes at most to end; one that reads from a share which never answers does not end at all. */
const END_MS = 2_000;
const REPORT_MS = 10_000;
/** Minimum interval between notifications of new rows during an import. */
const CHANGED_MS = 3_000;
const STATE_MS = 1_000;
const UNREAD: EvidenceState = {
  phase: 'reading',
  files: 0,
  totalFiles: null,
  unreadable: 0,
  known: 0,
  gone: 0,
  unreachable: 0,
  reason: null,
};

/** Coverage of evidence whose service is not running. */
export const UNREAD_COVERAGE: Coverage = { version: -1, lack: whyIncomplete(UNREAD) };

export class EmbeddedInstance {
  readonly #deps: InstanceDeps;
  readonly #options: InstanceOptions;
  readonly #worker: Worker;
  readonly #token = randomBytes(32).toString('base64url');
  readonly #exited: Promise<void>;
  readonly #ready = Promise.withResolvers<Running>();
  /** The feature flags last sent to the worker. */
  #flags: EmbeddedSpec['flags'];
  #job: JobHandle | null = null;
  #report: EvidenceReport | null = null;
  #evidence: EvidenceState | null;
  #version: number;
  /** Pending answers of the worker, or null if it ended without answering. */
  #waiting: {
    answer: Answer;
    resolve: (report: EvidenceReport | null) => void;
    reject: (error: ParapetError) => void;
  }[] = [];
  readonly #rules: RulesJob;
  readonly #trials = new RuleTrials((command) => this.#post(command));
  #isUp = false;
  /** The current job verifies all evidence. */
  #verifies = false;
  /** The next job verifies all evidence. */
  #toVerify = false;
  #isStopping = false;
  #changedAt = Number.NEGATIVE_INFINITY;
  #publishedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: InstanceDeps, options: InstanceOptions) {
    const { source, databasePath, databaseKey, settings } = options;
    this.#deps = deps;
    this.#options = options;
    this.#rules = new RulesJob({
      jobs: deps.jobs,
      connectionId: () => [...options.users][0] ?? null,
      cancel: () => this.#post({ type: 'cancel-rules' }),
      again: () => this.runRules(null),
    });
    this.#evidence = source.kind === 'evidence' ? UNREAD : null;
    this.#version = options.nextVersion();
    this.#ready.promise.catch(() => {});
    const rules = source.kind === 'evidence' ? deps.rules() : [];
    const spec: EmbeddedSpec = { source, databasePath, databaseKey, ...settings, rules, token: this.#token };
    this.#flags = settings.flags;
    this.#worker = new Worker(deps.entry, { workerData: spec, name: `embedded-${source.kind}` });
    this.#exited = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
    this.#worker.on('message', (message: EmbeddedMessage) => this.#receive(message));
    this.#worker.on('error', (cause) =>
      this.#lose(
        outOfMemory('The embedded service', cause) ??
          new ParapetError('internal', `The embedded service failed: ${cause.message}`, {
            retryable: true,
            cause,
          }),
      ),
    );
    this.#worker.once('exit', () =>
      this.#lose(
        new ParapetError(this.#isStopping ? 'cancelled' : 'internal', 'The embedded service ended.', {
          retryable: true,
        }),
      ),
    );
  }

  /** Resolves when the service answers requests. */
  get ready(): Promise<Running> {
    return this.#ready.promise;
  }
  get evidence(): EvidenceState | null {
    return this.#evidence;
  }
  get coverage(): Coverage {
    if (this.#evidence === null) return UNREAD_COVERAGE;
    return { version: this.#version, lack: whyIncomplete(this.#evidence) };
  }

  /** What the last reading found; null when the worker does not answer in time. Rejects when the index fails. */
  async report(): Promise<EvidenceReport | null> {
    return this.#report ?? this.#ask({ type: 'report' }, 'report');
  }

  /** Keeps or removes mail that is missing from the evidence; null when the worker does not answer in time. */
  resolve(answer: 'keep' | 'remove'): Promise<EvidenceReport | null> {
    return this.#ask({ type: 'resolve', answer }, 'resolved');
  }

  /** Reads new, changed and unread files, or verifies everything; returns the job. */
  read(verifies = false): Job {
    const isReading = this.#evidence?.phase === 'reading';
    this.#toVerify ||= verifies;
    const handle = this.#jobOf('bytes', null);
    if (!isReading) this.#become({ phase: 'reading', files: 0, totalFiles: null, reason: null });
    this.#post({ type: 'import', verifies });
    return handle.current();
  }

  /** Applies the rules of the profile after a change. */
  setRules(): void {
    if (this.#evidence !== null) this.#post({ type: 'rules', rules: this.#deps.rules() });
  }

  /** Applies enabled rules, or those with these ids, to all mail again; returns the job. */
  runRules(ids: readonly string[] | null): Job {
    const job = this.#rules.begin();
    this.#post({ type: 'run-rules', ids });
    return job;
  }

  /** Counts what a rule would find. Rejects `invalid-input` if it cannot be applied. */
  async tryRule(trial: RuleTrial, options: TrialOptions): Promise<RuleEffect> {
    await this.#ready.promise;
    return this.#trials.begin(trial, options);
  }

  setFlags(flags: EmbeddedSpec['flags']): void {
    if (JSON.stringify(this.#flags) === JSON.stringify(flags)) return;
    this.#flags = flags;
    this.#post({ type: 'flags', flags });
  }

  /** Resolves when the worker has closed the database, or does not respond. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#post({ type: 'stop' });
    const givenUp = Promise.withResolvers<void>();
    const timers = [
      setTimeout(() => void this.#worker.terminate(), STOP_MS),
      setTimeout(givenUp.resolve, STOP_MS + END_MS),
    ];
    await Promise.race([native(this.#exited), givenUp.promise]);
    for (const timer of timers) clearTimeout(timer);
  }

  #post(command: EmbeddedCommand): void {
    this.#worker.postMessage(command);
  }

  #ask(command: EmbeddedCommand, answer: Answer): Promise<EvidenceReport | null> {
    const { promise, resolve, reject } = Promise.withResolvers<EvidenceReport | null>();
    const late = setTimeout(resolve, REPORT_MS, null).unref();
    this.#waiting.push({
      answer,
      resolve: (report) => {
        clearTimeout(late);
        resolve(report);
      },
      reject: (error) => {
        clearTimeout(late);
        reject(error);
      },
    });
    this.#post(command);
    return promise;
  }

  #receive(message: EmbeddedMessage): void {
    switch (message.type) {
      case 'ready':
        this.#isUp = true;
        this.#ready.resolve({ base: `http://127.0.0.1:${message.port}`, token: this.#token });
        break;
      case 'replaced':
        this.#deps.replaced(this.#options.databasePath, { level: message.level, message: message.message });
        break;
      case 'unwatched':
        if (this.#options.source.kind === 'evidence')
          this.#deps.unwatched(this.#options.databasePath, this.#options.source.path, message.limit);
        break;
      case 'reading':
        if (this.#evidence?.phase !== 'reading')
          this.#become({ phase: 'reading', files: 0, totalFiles: null, reason: null });
        break;
      case 'progress':
        this.#progressed(message);
        break;
      case 'imported':
        this.#imported(message.report);
        break;
      case 'failed':
        this.#failed(fromBridgeError(message.error));
        break;
      case 'rule-wanted':
        void this.#answerRule(message.ruleId);
        break;
      case 'rules-progress':
        this.#rules.progress(message);
        break;
      case 'rules-applied':
        this.#rules.applied(message.report);
        this.#notifyChanged();
        break;
      case 'rules-failed':
        this.#rules.failed(fromBridgeError(message.error));
        this.#notifyChanged();
        break;
      case 'trial-progress':
      case 'tried':
      case 'trial-failed':
        this.#trials.receive(message);
        break;
      case 'report':
        this.#answered('report', message.report);
        break;
      case 'resolved':
        this.#report = message.report;
        this.#readToEnd(message.report);
        this.#notifyChanged();
        this.#answered('resolved', message.report);
        break;
      case 'refused':
        for (const { answer, reject } of this.#waiting)
          if (answer === message.answer) reject(fromBridgeError(message.error));
        this.#waiting = this.#waiting.filter(({ answer }) => answer !== message.answer);
        break;
    }
  }

  async #answerRule(ruleId: string): Promise<void> {
    const text = await this.#deps.ruleText(ruleId).catch(() => null);
    this.#post({ type: 'rule-text', ruleId, text });
  }

  #answered(type: Answer, report: EvidenceReport): void {
    for (const { answer, resolve } of this.#waiting) if (answer === type) resolve(report);
    this.#waiting = this.#waiting.filter(({ answer }) => answer !== type);
  }

  #progressed({
    files,
    totalFiles,
    unit,
    done,
    total,
    file,
  }: Extract<EmbeddedMessage, { type: 'progress' }>) {
    if (this.#options.source.kind !== 'evidence') return;
    this.#become({ files, totalFiles });
    this.#jobOf(unit, total).update({ done, total, note: file });
    if (performance.now() - this.#changedAt < CHANGED_MS) return;
    this.#changedAt = performance.now();
    this.#notifyChanged();
  }

  #imported(report: EvidenceReport): void {
    this.#report = report;
    const { imported, unchanged, removed, notMail, problems } = report;
    const outcome = { imported, unchanged, removed, notMail, problems: problems.length };
    this.#readToEnd(report);
    const lack = this.#evidence === null ? null : whyIncomplete(this.#evidence);
    if (this.#job?.signal.aborted) this.#job.fail(new ParapetError('cancelled', 'Cancelled.'));
    else if (lack !== null) this.#job?.partial(lack, outcome);
    else this.#job?.done(outcome, readWords(report, this.#verifies));
    this.#job = null;
    if (imported > 0 || removed > 0) this.#notifyChanged();
  }

  #failed(error: ParapetError): void {
    // The service runs with its data but could not read the evidence again, which a failed job makes visible. If it was
    // stopped first, it reads the evidence at its next start.
    if (this.#isUp && this.#options.source.kind === 'evidence' && !this.#isStopping)
      this.#jobOf('messages', null).fail(error);
    else this.#job?.fail(error);
    this.#job = null;
    this.#toVerify = false;
    this.#become({ phase: error.code === 'cancelled' ? 'cancelled' : 'failed', reason: error.message });
    this.#ready.reject(error);
  }

  /** The worker ended, or is about to. */
  #lose(error: ParapetError): void {
    this.#options.exited(this);
    this.#job?.fail(error);
    this.#job = null;
    this.#rules.failed(error);
    this.#trials.lose(error);
    this.#ready.reject(error);
    for (const { resolve } of this.#waiting.splice(0)) resolve(null);
    if (!this.#isStopping) for (const id of this.#options.users) this.#deps.died(id, error);
    this.#isStopping = true;
  }

  #notifyChanged(): void {
    for (const id of this.#options.users) this.#deps.changed(id);
  }

  #readToEnd({ unreadable, known, gone, unreachable }: EvidenceReport): void {
    this.#become({ phase: 'read', unreadable, known, gone, unreachable, reason: null });
  }

  /** Changes the state of the evidence; progress within one phase is published at most once a second. */
  #become(change: Partial<EvidenceState>): void {
    if (this.#evidence === null) return;
    const before = this.#evidence;
    const state = { ...before, ...change };
    this.#evidence = state;
    if (state.phase !== 'reading' || before.phase !== 'reading') this.#version = this.#options.nextVersion();
    else if (performance.now() - this.#publishedAt < STATE_MS) return;
    this.#publishedAt = performance.now();
    for (const id of this.#options.users) this.#deps.evidence(id, state);
  }

  #jobOf(unit: 'messages' | 'bytes', total: number | null): JobHandle {
    if (this.#job !== null) return this.#job;
    const { source, users } = this.#options;
    const verifies = this.#toVerify;
    this.#toVerify = false;
    this.#verifies = verifies;
    const job = this.#deps.jobs().create({
      kind: 'evidence-import',
      title: `${verifies ? 'Verify' : 'Import'} ${source.kind === 'evidence' ? lastPart(source.path) : 'evidence'}`,
      connectionId: [...users][0] ?? null,
      unit,
      total,
      retry: async () => this.read(verifies),
    });
    job.signal.addEventListener('abort', () => this.#post({ type: 'cancel-import' }), { once: true });
    this.#job = job;
    return job;
  }
}

const lastPart = (path: string) => path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
