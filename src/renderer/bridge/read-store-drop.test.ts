// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { EventOf } from '#shared/bridge/operations.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { dropReads, type ReadKey, readKeyText, readState, showRead } from './read-store.ts';

it('data of the previous service is dropped when the connection refers to another one', async () => {
  const readers: ((event: EventOf<'service.read'>) => void)[] = [];
  const bridge = fakeBridge({
    stream: (_name: string, _input: object, onEvent: (event: EventOf<'service.read'>) => void) => {
      readers.push(onEvent);
      return new Promise(() => {});
    },
  });
  const freshness = { fetchedAt: 1, source: 'network' as const, offline: false };
  const keyOf = (connectionId: string): ReadKey => ({ connectionId, endpoint: 'apps.list', request: {} });
  const show = (connectionId: string) => {
    const key = keyOf(connectionId);
    const hide = showRead(bridge, readKeyText(key), key, () => {});
    readers.at(-1)?.({ data: connectionId, freshness, revalidating: false, error: null });
    return { text: readKeyText(key), hide };
  };
  const [shown, other, hidden] = [show('a'), show('b'), show('a-hidden')];
  hidden.hide();
  await Promise.resolve();
  dropReads('a');
  dropReads('a-hidden');
  expect(readState(shown.text)).toMatchObject({ data: undefined, freshness: null, loading: true });
  expect(readState(hidden.text).data).toBeUndefined();
  expect(readState(other.text).data).toBe('b');
  expect(readers).toHaveLength(4);
  // A late answer to the earlier request is ignored.
  readers[0]?.({ data: 'late', freshness, revalidating: false, error: null });
  expect(readState(shown.text).data).toBeUndefined();
});
