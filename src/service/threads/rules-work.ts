/** Applies the analyst's rules on request and after each change, one run at a time, and reports it. */
import { cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { EmbeddedMessage } from '#shared/embedded.ts';
import type { RuleHead } from '#shared/rules/rule.ts';
import { RuleError } from '../rules/engine.ts';
import type { EvidenceRules, RulesDeps } from '../rules/evidence-rules.ts';
import type { Ask } from './protocol.ts';

interface RulesWorkOptions {
  rules(deps: Omit<RulesDeps, 'store'>): EvidenceRules;
  heads: readonly RuleHead[];
  stopped: AbortSignal;
  onEvent(event: EmbeddedMessage): void;
  /** What to tell the analyst about a failure. */
  failure(error: unknown, signal: AbortSignal): Error;
}

export class RulesWork {
  readonly #options: RulesWorkOptions;
  readonly rules: EvidenceRules;
  readonly #textRequests = new Map<string, (text: string | null) => void>();
  #heads: readonly RuleHead[] | null;
  #adopting: Promise<void> = Promise.resolve();
  #running: Promise<void> | null = null;
  #abort = new AbortController();
  #trial = new AbortController();
  #trialId = 0;

  constructor(options: RulesWorkOptions) {
    this.#options = options;
    this.#heads = options.heads;
    this.rules = options.rules({
      stopped: options.stopped,
      textOf: (id) => this.#textOf(id),
      onProgress: (done, total) => options.onEvent({ type: 'rules-progress', done, total }),
    });
  }

  obey(request: Ask): void {
    if (request.type === 'rule-text') this.#textRequests.get(request.ruleId)?.(request.text);
    else if (request.type === 'cancel-rules') this.#abort.abort();
    else if (request.type === 'try-rule') void this.#try(request);
    else if (request.type === 'cancel-trial') {
      if (request.trialId === this.#trialId) this.#trial.abort(cancelled());
    } else if (request.type === 'rules') {
      this.#heads = request.rules;
      this.apply();
    } else if (request.type === 'run-rules') void this.#restart(request.ids);
  }

  async #restart(ids: readonly string[] | null): Promise<void> {
    const { onEvent, failure, stopped } = this.#options;
    try {
      await this.rules.restart(ids);
      this.apply(true);
    } catch (error) {
      onEvent({ type: 'rules-failed', error: toBridgeError(failure(error, stopped)) });
    }
  }

  async #try({ trialId, trial }: Extract<Ask, { type: 'try-rule' }>): Promise<void> {
    const { onEvent, failure } = this.#options;
    this.#trial.abort(cancelled());
    this.#trial = new AbortController();
    this.#trialId = trialId;
    const { signal } = this.#trial;
    const onProgress = (done: number, total: number) =>
      onEvent({ type: 'trial-progress', trialId, done, total });
    try {
      onEvent({ type: 'tried', trialId, effect: await this.rules.effect(trial, signal, onProgress) });
    } catch (error) {
      const why =
        error instanceof RuleError
          ? new ParapetError('invalid-input', error.message, { cause: error })
          : failure(error, signal);
      onEvent({ type: 'trial-failed', trialId, error: toBridgeError(why) });
    }
  }

  /** Resolves when the store has the rules of the profile. */
  async adopted(): Promise<void> {
    const heads = this.#heads;
    this.#heads = null;
    if (heads !== null)
      this.#adopting = this.#adopting.catch(() => undefined).then(() => this.rules.adopt(heads));
    await this.#adopting;
  }

  /** Applies what changed, unless that is in progress. It reports even if there is nothing to do, if asked to. */
  apply(reports = false): void {
    if (this.#options.stopped.aborted) return;
    this.#running ??= this.#run(reports).finally(() => {
      this.#running = null;
    });
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#trial.abort(cancelled());
    for (const answer of this.#textRequests.values()) answer(null);
    await Promise.allSettled([this.#adopting, this.#running]);
    this.rules.close();
  }

  async #run(reports: boolean): Promise<void> {
    const { onEvent, failure } = this.#options;
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      // A rule that changes during a run is applied by another one.
      await this.adopted();
      for (
        let isDue = reports;
        isDue || (await this.rules.hasWork()) || this.#heads !== null;
        isDue = false
      ) {
        await this.adopted();
        onEvent({ type: 'rules-applied', report: await this.rules.run(signal) });
      }
    } catch (error) {
      onEvent({ type: 'rules-failed', error: toBridgeError(failure(error, signal)) });
    }
  }

  async #textOf(id: string): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    if (this.#options.stopped.aborted) return null;
    this.#textRequests.set(id, resolve);
    this.#options.onEvent({ type: 'rule-wanted', ruleId: id });
    try {
      return await promise;
    } finally {
      this.#textRequests.delete(id);
    }
  }
}
