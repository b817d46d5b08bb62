/** Rules that are counted before they are saved, by the embedded service of evidence. */
import { cancelled, fromBridgeError, type ParapetError } from '#shared/bridge/errors.ts';
import type { EmbeddedCommand, EmbeddedMessage } from '#shared/embedded.ts';
import type { RuleEffect, RuleTrial } from '#shared/rules/rule.ts';

export interface TrialOptions {
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

interface Waiting extends PromiseWithResolvers<RuleEffect> {
  onProgress: TrialOptions['onProgress'];
}

export class RuleTrials {
  readonly #post: (command: EmbeddedCommand) => void;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(post: (command: EmbeddedCommand) => void) {
    this.#post = post;
  }

  async begin(trial: RuleTrial, { signal, onProgress }: TrialOptions): Promise<RuleEffect> {
    signal.throwIfAborted();
    this.#last += 1;
    const trialId = this.#last;
    const waiting = { ...Promise.withResolvers<RuleEffect>(), onProgress };
    const cancel = () => {
      this.#post({ type: 'cancel-trial', trialId });
      waiting.reject(cancelled());
    };
    this.#waiting.set(trialId, waiting);
    signal.addEventListener('abort', cancel, { once: true });
    this.#post({ type: 'try-rule', trialId, trial });
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#waiting.delete(trialId);
    }
  }

  receive(message: Extract<EmbeddedMessage, { type: 'trial-progress' | 'tried' | 'trial-failed' }>): void {
    const waiting = this.#waiting.get(message.trialId);
    if (message.type === 'trial-progress') waiting?.onProgress(message.done, message.total);
    else if (message.type === 'tried') waiting?.resolve(message.effect);
    else waiting?.reject(fromBridgeError(message.error));
  }

  /** The service ended. */
  lose(error: ParapetError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
