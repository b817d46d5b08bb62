import { describe, expect, it, vi } from 'vitest';
import { type ServerFrame, WINDOW, type Wire } from '#shared/bridge/frames.ts';
import { soon } from '#tests/support/soon.ts';
import type { Handlers } from './handlers.ts';
import { attachRouter } from './router.ts';

/** The server end of a wire, and the frames sent through it. */
function wire() {
  const sent: ServerFrame[] = [];
  let deliver: (frame: unknown) => void = () => {};
  let close = () => {};
  const end: Wire = {
    send: (frame) => void sent.push(frame as ServerFrame),
    onFrame: (handler) => {
      deliver = handler;
    },
    onClose: (handler) => {
      close = handler;
    },
  };
  return { end, sent, deliver: (frame: unknown) => deliver(frame), close: () => close() };
}

function attach(handlers: Partial<Handlers>) {
  const ends = wire();
  const warn = vi.fn();
  const detach = attachRouter(ends.end, handlers as Handlers, {
    log: { info: vi.fn(), warn },
    checkOutputs: true,
  });
  const call = (id: number, operation: string, input: unknown = {}) =>
    ends.deliver({ type: 'call', id, operation, input });
  return { ...ends, detach, call, warn };
}
const settled = (frames: ServerFrame[], id: number) =>
  soon(() => {
    const last = frames.find((frame) => frame.id === id && frame.type !== 'next');
    if (last === undefined) throw new Error('not yet');
    return last;
  });
const snapshot = (data: unknown) => ({
  data,
  freshness: { fetchedAt: 1, source: 'cache' as const, offline: false },
  revalidating: false,
  error: null,
});

describe('the router', () => {
  it('answers a call; the schema supplies defaults and handles unknown keys', async () => {
    const { call, sent } = attach({ 'workspace.get': async ({ key }) => ({ value: key }) });
    call(1, 'workspace.get', { key: 'a' });
    expect(await settled(sent, 1)).toEqual({ type: 'done', id: 1, output: { value: 'a' } });
  });

  it('refuses unknown operations, names inherited by objects, and invalid input by field', async () => {
    const { call, sent } = attach({ 'workspace.get': async () => ({ value: null }) });
    call(1, 'nothing.here');
    call(2, 'toString');
    call(3, 'workspace.get', { key: 5 });
    expect(await settled(sent, 1)).toMatchObject({ type: 'fail', error: { code: 'invalid-input' } });
    expect(await settled(sent, 2)).toMatchObject({ type: 'fail', error: { code: 'invalid-input' } });
    expect(await settled(sent, 3)).toMatchObject({
      error: { code: 'invalid-input', data: { operation: 'workspace.get', field: 'key' } },
    });
  });

  it('drops frames it does not understand', () => {
    const { deliver, sent, warn } = attach({});
    for (const frame of [
      null,
      'x',
      { type: 'call' },
      { type: 'next', id: 1 },
      { type: 'call', id: 1, operation: 'x', input: 1, more: 1 },
    ])
      deliver(frame);
    expect(sent).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(5);
  });

  it('refuses a call number that is in use', async () => {
    const { call, sent } = attach({ 'workspace.get': () => new Promise(() => {}) });
    call(1, 'workspace.get', { key: 'a' });
    call(1, 'workspace.get', { key: 'a' });
    expect(await settled(sent, 1)).toMatchObject({ type: 'fail', error: { code: 'invalid-input' } });
  });

  it('sends as many events as the window has room for, and more with each ack', async () => {
    let emitted = 0;
    const { call, deliver, sent } = attach({
      'service.read': async (_, { emit }) => {
        for (let index = 0; index < 20; index += 1) {
          await emit(snapshot(index));
          emitted += 1;
        }
        return {};
      },
    });
    call(1, 'service.read', { connectionId: 'c', endpoint: 'apps.list' });
    await soon(() => expect(sent).toHaveLength(WINDOW));
    expect(emitted).toBe(WINDOW);
    deliver({ type: 'ack', id: 1, count: 3 });
    await soon(() => expect(sent).toHaveLength(WINDOW + 3));
    // Acknowledging more than was sent does not widen the window.
    deliver({ type: 'ack', id: 1, count: 1000 });
    await soon(() => expect(sent).toHaveLength(2 * WINDOW + 3));
    deliver({ type: 'ack', id: 1, count: 8 });
    expect(await settled(sent, 1)).toEqual({ type: 'done', id: 1, output: {} });
  });

  it('cancels one call, and all of them when the wire closes', async () => {
    const signals: AbortSignal[] = [];
    const { call, deliver, close, sent } = attach({
      'service.read': async (_, { emit, signal }) => {
        signals.push(signal);
        for (;;) await emit(snapshot(0));
      },
    });
    for (const id of [1, 2]) call(id, 'service.read', { connectionId: 'c', endpoint: 'apps.list' });
    deliver({ type: 'cancel', id: 1 });
    expect(await settled(sent, 1)).toMatchObject({ type: 'fail', error: { code: 'cancelled' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    const before = sent.length;
    close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(sent).toHaveLength(before);
  });

  it('turns an unexpected failure into an internal error, and logs it', async () => {
    const { call, sent, warn } = attach({
      'workspace.get': async () => {
        throw new TypeError('x is not a function');
      },
    });
    call(1, 'workspace.get', { key: 'a' });
    expect(await settled(sent, 1)).toMatchObject({ error: { code: 'internal', retryable: false } });
    expect(warn).toHaveBeenCalledOnce();
  });
});
