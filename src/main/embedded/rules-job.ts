/** The job of applying rules to the mail of one evidence. It appears when there is progress to show. */
import type { ParapetError } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import type { RulesReport } from '#shared/embedded.ts';
import { plural } from '#shared/model/format.ts';
import type { JobHandle, Jobs } from '../kernel/context.ts';

interface Options {
  jobs(): Jobs;
  connectionId(): string | null;
  cancel(): void;
  again(): Job;
}

export class RulesJob {
  readonly #options: Options;
  #job: JobHandle | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  begin(): Job {
    return this.#begun().current();
  }

  progress({ done, total }: { done: number; total: number }): void {
    this.#begun().update({ done, total });
  }

  applied({ checked, failed }: RulesReport): void {
    if (failed.length > 0)
      this.#begun().partial(
        `${plural(failed.length, 'rule')} could not be applied. ${failed.map(({ name, reason }) => `“${name}”: ${reason}`).join(' ')}`,
        { checked },
      );
    else this.#job?.done({ checked }, `${plural(checked, 'email')} checked`);
    this.#job = null;
  }

  failed(error: ParapetError): void {
    this.#job?.fail(error);
    this.#job = null;
  }

  #begun(): JobHandle {
    if (this.#job !== null) return this.#job;
    const { jobs, connectionId, cancel, again } = this.#options;
    const job = jobs().create({
      kind: 'rules',
      title: 'Apply rules',
      connectionId: connectionId(),
      unit: 'messages',
      retry: async () => again(),
    });
    job.signal.addEventListener('abort', cancel, { once: true });
    this.#job = job;
    return job;
  }
}
