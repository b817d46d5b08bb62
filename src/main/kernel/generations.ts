/**
 * What an answer is of, and whether it may still be kept: a mark is taken before something is asked for and looked at
 * where the answer lands. A connection that became another service or account, and a cache that was cleared, are told
 * here; what was asked for before lands nowhere.
 */
import { ParapetError } from '#shared/bridge/errors.ts';

export interface Mark {
  readonly connectionId: string;
  /** Which service and account the connection was. */
  readonly service: number | null;
  /** How often what is kept of it had been cleared. */
  readonly cleared: number;
}

export interface Generations {
  /** Rejects `conflict` while the connection is being changed. */
  mark(connectionId: string): Mark;
  /** Is the connection still the service and account that it was? */
  isSame(mark: Mark): boolean;
  /** The same, and nothing kept of it was cleared since. */
  mayKeep(mark: Mark): boolean;
  /** Rejects `conflict` unless the connection is the same. */
  check(mark: Mark): void;
  /** What is kept of a connection, or null of all, is being cleared: earlier answers are not kept any more. */
  cleared(connectionId: string | null): void;
  /** Until released nothing is asked of the connection and nothing of it lands. */
  hold(connectionId: string): () => void;
}

const changed = (message: string) => new ParapetError('conflict', message, { retryable: true });

/** `serviceOf`: the generation of a connection as it is stored; null: there is no such connection. */
export function createGenerations(serviceOf: (connectionId: string) => number | null): Generations {
  const held = new Map<string, number>();
  const clears = new Map<string, number>();
  let clearedAll = 0;
  const clearedOf = (connectionId: string) => clearedAll + (clears.get(connectionId) ?? 0);
  const isSame = (mark: Mark) =>
    !held.has(mark.connectionId) && serviceOf(mark.connectionId) === mark.service;

  return {
    mark(connectionId) {
      if (held.has(connectionId)) throw changed('This connection is being changed. Try again in a moment.');
      return { connectionId, service: serviceOf(connectionId), cleared: clearedOf(connectionId) };
    },
    isSame,
    mayKeep: (mark) => isSame(mark) && clearedOf(mark.connectionId) === mark.cleared,
    check(mark) {
      if (!isSame(mark))
        throw changed(
          'The connection was changed meanwhile, so an answer of the service before is not shown. Try again.',
        );
    },
    cleared(connectionId) {
      if (connectionId === null) clearedAll += 1;
      else clears.set(connectionId, (clears.get(connectionId) ?? 0) + 1);
    },
    hold(connectionId) {
      held.set(connectionId, (held.get(connectionId) ?? 0) + 1);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        const left = (held.get(connectionId) ?? 1) - 1;
        if (left === 0) held.delete(connectionId);
        else held.set(connectionId, left);
      };
    },
  };
}
