// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { cancelled, ParapetError } from '#shared/bridge/errors.ts';
import {
  invalidateReads,
  oldestWaiting,
  type ReadKey,
  readKeyText,
  readState,
  refreshRead,
  renewIfAged,
  renewReads,
  showRead,
  whileWaiting,
} from './read-store.ts';

interface Asked {
  input: Record<string, unknown>;
  answer(data: unknown, more?: { revalidating?: boolean; error?: ParapetError }): void;
  end(): void;
  fail(error: Error): void;
  cancelled: boolean;
}

/** A bridge whose reads are answered by the test. */
function handBridge(): { bridge: Bridge; asked: Asked[] } {
  const reads: Asked[] = [];
  const bridge: Bridge = {
    call: () => Promise.reject(new Error('no calls here')),
    stream: (_operation, input, onEvent, options) =>
      new Promise((resolve, reject) => {
        const entry: Asked = {
          input: input as Record<string, unknown>,
          answer: (data, { revalidating = false, error } = {}) =>
            onEvent({
              data,
              freshness: { fetchedAt: 1, source: 'cache', offline: false },
              revalidating,
              error: error ? { code: error.code, message: error.message, retryable: error.retryable } : null,
            } as never),
          end: () => resolve({} as never),
          fail: reject,
          cancelled: false,
        };
        options?.signal?.addEventListener('abort', () => {
          entry.cancelled = true;
          reject(cancelled());
        });
        reads.push(entry);
      }),
  };
  return { bridge, asked: reads };
}

let connections = 0;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const key: ReadKey = { connectionId: `c${connections++}`, endpoint: 'apps.list', request: {} };
  const text = readKeyText(key);
  const { bridge, asked } = handBridge();
  let draws = 0;
  const show = () => showRead(bridge, text, key, () => draws++);
  /** The same, once it has its answer. */
  const showAnswered = async (data: unknown) => {
    const leave = show();
    asked[0]?.answer(data);
    asked[0]?.end();
    await settled();
    return leave;
  };
  return { key, text, asked, show, showAnswered, seen: () => draws };
}

describe('readKeyText', () => {
  it('does not depend on the order of keys', () => {
    const a = readKeyText({
      connectionId: 'c',
      endpoint: 'apps.statistics',
      request: { query: { a: 1, b: 2 } } as never,
    });
    const b = readKeyText({
      connectionId: 'c',
      endpoint: 'apps.statistics',
      request: { query: { b: 2, a: 1 } } as never,
    });
    expect(a).toBe(b);
  });
});

/** Resolves after the next frame. */
const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

describe('a read', () => {
  it('continues in a hidden window', async () => {
    const frames = vi.spyOn(globalThis, 'requestAnimationFrame').mockReturnValue(0);
    const { show, seen } = setUp();
    const leave = show();
    await vi.waitFor(() => expect(seen()).toBe(1));
    leave();
    frames.mockRestore();
  });

  it('is requested once for all its views, and notifies each of them', async () => {
    const { text, asked, show, seen } = setUp();
    const leaveA = show();
    const leaveB = show();
    expect(asked).toHaveLength(1);
    expect(readState(text).loading).toBe(true);
    await drawn();
    const before = seen();
    asked[0]?.answer({ rows: [] });
    asked[0]?.end();
    await settled();
    // Stored at once, views notified once per frame; the end of the answer changes nothing.
    expect(readState(text).data).toEqual({ rows: [] });
    await drawn();
    expect(seen()).toBe(before + 2);
    expect(readState(text)).toMatchObject({
      data: { rows: [] },
      loading: false,
      revalidating: false,
      error: null,
    });
    leaveA();
    leaveB();
  });

  it('[promise] that stays visible is renewed once it is older than five minutes, but never twice at once', async () => {
    const { text, asked, showAnswered } = setUp();
    const leave = await showAnswered('old');
    const { fetchedAt } = readState(text).freshness ?? { fetchedAt: null };
    const aged = (fetchedAt ?? 0) + 300_000;
    renewIfAged(text, aged - 1);
    expect(asked).toHaveLength(1);
    // Not retried within a minute of the last request.
    renewIfAged(text, Date.now() + 59_000);
    expect(asked).toHaveLength(1);
    renewIfAged(text, Date.now() + 300_000);
    renewIfAged(text, Date.now() + 300_000);
    expect(asked).toHaveLength(2);
    expect(readState(text)).toMatchObject({ data: 'old', revalidating: true });
    leave();
    await settled();
    renewIfAged(text, Date.now() + 900_000);
    expect(asked).toHaveLength(2);
  });

  it('dated in the future, after the clock was set back, is requested again', async () => {
    const { asked, text, showAnswered } = setUp();
    const leave = await showAnswered('old');
    renewIfAged(text, 0);
    expect(asked).toHaveLength(2);
    leave();
  });

  it('without an answer counts as waiting since its request', async () => {
    const before = oldestWaiting();
    const { asked, show } = setUp();
    const earliest = Date.now();
    const leave = show();
    expect(before).toBeNull();
    expect(oldestWaiting()).toBeGreaterThanOrEqual(earliest);
    expect(oldestWaiting()).toBeLessThanOrEqual(Date.now());
    asked[0]?.answer('here');
    asked[0]?.end();
    await settled();
    expect(oldestWaiting()).toBeNull();
    leave();
  });

  it('and any other call for the service count as waiting until they end', async () => {
    const call = Promise.withResolvers<string>();
    const waiting = whileWaiting(call.promise);
    expect(oldestWaiting()).toBeLessThanOrEqual(Date.now());
    call.reject(new Error('No'));
    await expect(waiting).rejects.toThrow('No');
    expect(oldestWaiting()).toBeNull();
  });

  it('is cancelled when no view shows it any more', async () => {
    const { asked, show } = setUp();
    show()();
    await settled();
    expect(asked[0]?.cancelled).toBe(true);
  });

  it('that replaced one just left survives the removal of the earlier one', async () => {
    const { key, text, asked, show, showAnswered } = setUp();
    const leave = await showAnswered('old');
    // Left, invalidated and shown again before the first entry is removed.
    leave();
    invalidateReads(key.connectionId, ['apps']);
    const leaveAgain = show();
    await settled();
    expect(asked).toHaveLength(2);
    expect(asked[1]?.cancelled).toBe(false);
    asked[1]?.answer('new');
    expect(readState(text).data).toBe('new');
    leaveAgain();
  });

  it('that was left and invalidated is dropped', async () => {
    const { key, text, showAnswered } = setUp();
    const leave = await showAnswered('old');
    leave();
    invalidateReads(key.connectionId, ['apps']);
    await settled();
    expect(readState(text).data).toBeUndefined();
  });

  it('continues if it is left and shown again at once', async () => {
    const { asked, show } = setUp();
    show()();
    const leave = show();
    await settled();
    expect(asked.at(-1)?.cancelled).toBe(false);
    leave();
  });

  it('keeps its data during a refresh and when the refresh fails', async () => {
    const { text, asked, showAnswered } = setUp();
    const leave = await showAnswered('old');
    refreshRead(text);
    expect(asked[1]?.input['refresh']).toBe(true);
    expect(readState(text)).toMatchObject({ data: 'old', loading: false, revalidating: true });
    asked[1]?.fail(new ParapetError('unreachable', 'The service does not answer.'));
    await settled();
    expect(readState(text)).toMatchObject({
      data: 'old',
      revalidating: false,
      error: { code: 'unreachable' },
    });
    leave();
  });

  it('is requested again when its own tag is invalidated', async () => {
    const { key, asked, showAnswered } = setUp();
    const leave = await showAnswered('old');
    invalidateReads(key.connectionId, ['queries']);
    invalidateReads('another', ['apps']);
    expect(asked).toHaveLength(1);
    invalidateReads(key.connectionId, ['apps']);
    expect(asked).toHaveLength(2);
    leave();
  });

  it('ignores a late answer to a request that was replaced', async () => {
    const { text, asked, show } = setUp();
    const leave = show();
    refreshRead(text);
    asked[0]?.answer('late');
    asked[1]?.answer('current');
    asked[0]?.answer('later still');
    expect(readState(text).data).toBe('current');
    await settled();
    leave();
  });

  it('is requested again when the connection goes offline or online; reads that are not visible are dropped', async () => {
    const { key, text, asked, show } = setUp();
    const leave = show();
    asked[0]?.answer('saved');
    asked[0]?.end();
    await settled();
    renewReads('another');
    expect(asked).toHaveLength(1);
    renewReads(key.connectionId);
    expect(asked).toHaveLength(2);
    expect(asked[1]?.input).not.toHaveProperty('refresh');
    expect(readState(text)).toMatchObject({ data: 'saved', loading: false, revalidating: true });
    asked[1]?.end();
    leave();
    await settled();
    renewReads(key.connectionId);
    expect(readState(text).data).toBeUndefined();
  });

  it('shows its kept data at once when it is shown again, and is requested anyway', async () => {
    const { text, asked, show } = setUp();
    const leave = show();
    asked[0]?.answer('kept');
    asked[0]?.end();
    await settled();
    leave();
    await settled();
    const leaveAgain = show();
    expect(readState(text)).toMatchObject({ data: 'kept', loading: false, revalidating: true });
    expect(asked).toHaveLength(2);
    leaveAgain();
  });

  it('is kept while visible; of the others, the last two hundred are kept', async () => {
    const shown = setUp();
    const leave = shown.show();
    shown.asked[0]?.answer('on show');
    shown.asked[0]?.end();
    const others = Array.from({ length: 230 }, setUp);
    for (const { asked, show } of others) {
      const hide = show();
      asked[0]?.answer('seen');
      asked[0]?.end();
      await settled();
      hide();
      await settled();
    }
    const remaining = others.filter(({ text }) => readState(text).data === 'seen');
    expect(remaining.length).toBeLessThanOrEqual(200);
    expect(remaining.length).toBeGreaterThan(150);
    expect(remaining).toEqual(others.slice(-remaining.length));
    expect(readState(shown.text).data).toBe('on show');
    leave();
  });

  it('that ends without an answer is no longer loading, and has no data', async () => {
    const { text, asked, show } = setUp();
    const leave = show();
    asked[0]?.fail(new ParapetError('not-cached', 'Not on this machine.'));
    await settled();
    expect(readState(text)).toMatchObject({ data: undefined, loading: false, error: { code: 'not-cached' } });
    leave();
  });
});
