/**
 * Whether an answer may still be used: a mark is taken before a request and checked where the answer arrives. When a
 * connection becomes another service or account, or its cache is cleared, answers to earlier requests are dropped.
 */
import { ParapetError } from '#shared/bridge/errors.ts';

export interface Mark {
  readonly connectionId: string;
  /** Generation of the connection's service and account. */
  readonly service: number | null;
  /** How often the cached data had been cleared. */
  readonly cleared: number;
}

export interface Generations {
  /** Rejects `conflict` while the connection is being changed. */
  mark(connectionId: string): Mark;
  /** Whether the connection is still the same service and account. */
  isSame(mark: Mark): boolean;
  /** The same, and whether its cached data was not cleared since. */
  mayKeep(mark: Mark): boolean;
  /** Rejects `conflict` unless the connection is the same. */
  check(mark: Mark): void;
  /** Cached data of a connection, or of all, is being cleared: answers requested earlier must not be cached. */
  cleared(connectionId: string | null): void;
  /** Until released, no request is sent for the connection and no answer is accepted. */
  hold(connectionId: string): () => void;
}

const changed = (message: string) => new ParapetError('conflict', message, { retryable: true });

/** `serviceOf` is the stored generation of a connection, or null if there is no such connection. */
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
          'The connection was changed in the meantime, so the answer of its earlier service is not shown. Try again.',
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
        const holders = (held.get(connectionId) ?? 1) - 1;
        if (holders === 0) held.delete(connectionId);
        else held.set(connectionId, holders);
      };
    },
  };
}
