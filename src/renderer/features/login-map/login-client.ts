/** The window's side of the map's worker. */
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { LayerInput, LoadAsk, LoginEngine } from './engine.ts';
import type { Part } from './filter-state.ts';
import type { MapPicture, PictureAsk } from './picture.ts';

// Questions of the window to the map's worker, and their answers.

interface Questions {
  /**
   * A load begins, receives its pages one by one so that no message copies all of them, and is shown: more than once if
   * the pages so far are shown while others are awaited.
   */
  begin: { now: number };
  page: LayerInput;
  load: LoadAsk;
  summary: { filter: LoginFilter };
  rows: { start: number; end: number };
  ranked: { part: Part; start: number; end: number };
  row: { row: number };
  travel: { filter: LoginFilter; limit: number };
  ofUser: { user: string; limit: number };
  records: { start: number; end: number; clock: ClockSetting };
  /** The map of the last summary: for the window, and for files. */
  picture: PictureAsk;
  png: PictureAsk;
  svg: { ask: PictureAsk; title: string };
}

type QuestionName = keyof Questions;
interface Drawn {
  picture: MapPicture;
  png: Blob;
  svg: string;
}
type AnswerTo<N extends QuestionName> = N extends keyof Drawn
  ? Drawn[N]
  : N extends keyof LoginEngine
    ? ReturnType<LoginEngine[N]>
    : never;
export type Question = { [N in QuestionName]: { id: number; name: N; input: Questions[N] } }[QuestionName];
export type Reply = { id: number; value: unknown } | { id: number; error: string };

/** Columns of `records`, in their order. */
export const RECORD_COLUMNS = [
  'time',
  'user',
  'ip',
  'country',
  'city',
  'lat',
  'lon',
  'logins',
  'outcome',
  'app',
  'seen_from_place',
] as const;

export class LoginClient {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private next = 0;
  /** Why the worker has stopped, or null if it is running. */
  private ended: string | null = null;

  constructor() {
    this.worker = new Worker(new URL('./login-worker.ts', import.meta.url), { type: 'module' });
    this.worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    });
    const stop = (why: string) => {
      this.worker.terminate();
      this.end(`The map stopped: ${why}. Reopen it.`);
    };
    // If the worker failed to load, later requests would wait forever.
    this.worker.addEventListener('error', ({ message }) =>
      stop(message || 'its worker could not be started'),
    );
    // An unreadable answer has no request id, so every request is failed.
    this.worker.addEventListener('messageerror', () => stop('a response from its worker could not be read'));
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
