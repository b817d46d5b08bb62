/** The window's side of the map's worker. */
import type { AnswerTo, Question, QuestionName, Questions, Reply } from './protocol.ts';

export class LoginClient {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private next = 0;
  /** Why it answers nothing any more; null: it does. */
  private ended: string | null = null;

  constructor() {
    this.worker = new Worker(new URL('./login-worker.ts', import.meta.url), { type: 'module' });
    this.worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    });
    const stop = (why: string) => {
      this.worker.terminate();
      this.end(`The map stopped: ${why}. Open it again.`);
    };
    // It may never have loaded: what is asked from now on would wait for ever.
    this.worker.addEventListener('error', ({ message }) =>
      stop(message || 'its worker could not be started'),
    );
    // An answer that cannot be read names no question: none of them can be told apart from it.
    this.worker.addEventListener('messageerror', () => stop('an answer of its worker could not be read'));
  }

  /** Asks the worker. Errors: what the worker threw, or that it ended. */
  ask<N extends QuestionName>(name: N, input: Questions[N]): Promise<AnswerTo<N>> {
    this.next += 1;
    const id = this.next;
    return new Promise((resolve, reject) => {
      if (this.ended !== null) return reject(new Error(this.ended));
      this.waiting.set(id, (reply) => {
        if ('error' in reply) reject(new Error(reply.error));
        else resolve(reply.value as AnswerTo<N>);
      });
      try {
        this.worker.postMessage({ id, name, input } as Question);
      } catch (error) {
        this.waiting.delete(id);
        reject(error);
      }
    });
  }

  private end(reason: string): void {
    this.ended ??= reason;
    for (const [id, settle] of this.waiting) settle({ id, error: reason });
    this.waiting.clear();
  }

  close(): void {
    this.worker.terminate();
    this.end('The map was closed.');
  }
}
