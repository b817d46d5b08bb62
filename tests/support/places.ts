/** Every point where a fetch may die: before and after each write to the cache and each call of the service. */
import type { Upstream } from '#main/kernel/context.ts';
import type { ResultStore } from '#main/store/tasks.ts';
import type { Around } from './data-services.ts';

export interface Place {
  /** From 1, in the order they are reached. */
  turn: number;
  what: 'write' | 'page' | 'call';
  /** after: the operation is done, but the caller does not know yet. */
  when: 'before' | 'after';
}

/** `visit` is called at each point, and may throw. */
export function placesOf(visit: (place: Place) => void): Around {
  let turn = 0;
  const passing = async <T>(what: Place['what'], work: () => Promise<T>): Promise<T> => {
    visit({ turn: ++turn, what, when: 'before' });
    const result = await work();
    visit({ turn: ++turn, what, when: 'after' });
    return result;
  };
  const cache = (db: ResultStore): ResultStore => ({
    ...db,
    write: (statements, options) => passing('write', () => db.write(statements, options)),
    ingest: (task) => passing('page', () => db.ingest(task)),
    bound: () => cache(db.bound()),
  });
  const upstream = (real: Upstream): Upstream => ({
    ...real,
    blob: (...args) => passing('call', () => real.blob(...args)),
  });
  return { cache, upstream };
}
