/** Reads the evidence of a connection into its store, on request and again whenever the folder changes. */
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { EmbeddedMessage, EvidenceReport } from '#shared/embedded.ts';
import type { RuleHead } from '#shared/rules/rule.ts';
import { realPath } from '#workers/real-path.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { failureOf } from './failure.ts';
import type { Ask } from './protocol.ts';
import { RulesWork } from './rules-work.ts';

/** Loaded only for evidence: the demo tenant needs no mail parser. */
export const loadEvidence = async () => ({
  ...(await import('../evidence/open-index.ts')),
  ...(await import('../import/ingest-evidence.ts')),
  ...(await import('../evidence/watch.ts')),
  ...(await import('../rules/evidence-rules.ts')),
});
type Evidence = Awaited<ReturnType<typeof loadEvidence>>;

export interface EvidenceReadingOptions {
  evidence: Evidence;
  store: SqliteStore;
  path: string;
  believed: readonly string[];
  rules: readonly RuleHead[];
  /** Entry module of the threads that parse mail and run rules over it. */
  threads: URL;
  /** Aborted when the service stops: no reading starts afterwards. */
  stopped: AbortSignal;
  onEvent(event: EmbeddedMessage): void;
}

export class EvidenceReading {
  readonly #options: EvidenceReadingOptions;
  #report: EvidenceReport | null = null;
  #running: Promise<void> | null = null;
  #abort = new AbortController();
  /** The next reading compares everything by hash. */
  #isToVerify = false;
  #watch: { close(): void } | null = null;
  readonly #rules: RulesWork;

  constructor(options: EvidenceReadingOptions) {
    this.#options = options;
    const { evidence, store, rules, threads, stopped, onEvent } = options;
    this.#rules = new RulesWork({
      rules: (deps) => new evidence.EvidenceRules({ store, threads, ...deps }),
      heads: rules,
      stopped,
      onEvent,
      failure: (error, signal) => {
        store.noteDamage(error);
        return failureOf(error, options.path, signal, store.db.name);
      },
    });
  }

  obey(request: Ask): void {
    const { store } = this.#options;
    if (request.type === 'import') {
      this.#isToVerify ||= request.verifies === true;
      this.#begin();
    } else if (request.type === 'cancel-import') {
      this.#isToVerify = false;
      this.#abort.abort();
    } else if (request.type === 'report')
      void this.#answer('report', async () => this.#report ?? store.evidence.report());
    else if (request.type === 'resolve')
      void this.#answer('resolved', async () => {
        await store.evidence.resolve(request.answer);
        this.#report = await store.evidence.report();
        return this.#report;
      });
    else this.#rules.obey(request);
  }

  /** A failing index must not end the thread, which has other calls to answer. */
  async #answer(type: 'report' | 'resolved', report: () => Promise<EvidenceReport>): Promise<void> {
    const { store, path, stopped, onEvent } = this.#options;
    try {
      onEvent({ type, report: await report() });
    } catch (error) {
      store.noteDamage(error);
      const failure = failureOf(error, path, stopped, store.db.name);
      onEvent({ type: 'refused', answer: type, error: toBridgeError(failure) });
    }
  }

  /** Ends a reading in progress. Resolves when it has ended. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#watch?.close();
    await Promise.allSettled([this.#running, this.#rules.close()]);
  }

  #begin(): void {
    if (this.#options.stopped.aborted || this.#running !== null) return;
    const verifies = this.#isToVerify;
    this.#isToVerify = false;
    this.#running = this.#read(verifies);
  }

  async #read(verifies: boolean): Promise<void> {
    const { evidence, path, stopped } = this.#options;
    this.#watch?.close();
    this.#abort = new AbortController();
    // A file that changes during the reading may have been read already.
    let isChanged = false;
    const watch = await evidence.watchEvidence(path, () => {
      if (this.#running === null) this.#begin();
      else isChanged = true;
    });
    this.#watch = watch;
    if (watch.limit !== null) this.#options.onEvent({ type: 'unwatched', limit: watch.limit });
    await this.#import(verifies);
    this.#running = null;
    // A cancelled reading is only resumed on request.
    if (this.#abort.signal.aborted || stopped.aborted) watch.close();
    else if (isChanged || this.#isToVerify) this.#begin();
  }

  async #import(verifies: boolean): Promise<void> {
    const { evidence, store, path, believed, threads, onEvent } = this.#options;
    const { signal } = this.#abort;
    onEvent({ type: 'reading' });
    try {
      // The path contained no link when it was chosen; a link now would lead somewhere else.
      if ((await realPath(path)) !== path)
        throw new ParapetError(
          'bad-file',
          `A link stands where the evidence was: ${path}. It was not followed. What was read earlier stays. Choose the folder or file again to read what the link leads to.`,
        );
      await this.#rules.adopted();
      this.#report = await evidence.ingestEvidence(store, path, {
        signal,
        rules: this.#rules.rules,
        believed,
        verifies,
        threads,
        onProgress: ({ bytes, totalBytes, file, files, totalFiles }) =>
          onEvent({
            type: 'progress',
            done: Math.min(bytes, totalBytes),
            total: totalBytes,
            unit: 'bytes',
            file,
            files,
            totalFiles: file === null && files === 0 ? null : totalFiles,
          }),
      });
      onEvent({ type: 'imported', report: this.#report });
      this.#rules.apply();
    } catch (error) {
      store.noteDamage(error);
      onEvent({ type: 'failed', error: toBridgeError(failureOf(error, path, signal, store.db.name)) });
    }
  }
}
