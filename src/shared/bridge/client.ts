/** The renderer's end of a wire: calls and streams as frames. */
import type { Bridge, CallOptions } from './bridge.ts';
import { cancelled, fromBridgeError, ParapetError } from './errors.ts';
import { type ServerFrame, serverFrame, type Wire } from './frames.ts';

interface Pending {
  resolve(output: unknown): void;
  reject(error: Error): void;
  onEvent: ((event: unknown) => void) | null;
}

/** Exchanges the frames of `frames.ts` over a wire. When the wire closes, everything pending rejects. */
export function createBridge(wire: Wire): Bridge {
  const pending = new Map<number, Pending>();
  let nextId = 1;
  let closed = false;

  const handle = (frame: ServerFrame) => {
    const entry = pending.get(frame.id);
    if (entry === undefined) return;
    if (frame.type === 'next') {
      entry.onEvent?.(frame.event);
      wire.send({ type: 'ack', id: frame.id, count: 1 });
      return;
    }
    pending.delete(frame.id);
    if (frame.type === 'done') entry.resolve(frame.output);
    else entry.reject(fromBridgeError(frame.error));
  };

  wire.onFrame((raw) => {
    const parsed = serverFrame.safeParse(raw);
    if (parsed.success) handle(parsed.data);
  });
  wire.onClose(() => {
    closed = true;
    const lost = [...pending.values()];
    pending.clear();
    for (const entry of lost) entry.reject(lostWire());
  });
  wire.onOpen?.(() => {
    closed = false;
  });

  const start = (
    operation: string,
    input: unknown,
    onEvent: Pending['onEvent'],
    options: CallOptions | undefined,
  ) =>
    new Promise<unknown>((resolve, reject) => {
      if (closed) return reject(lostWire());
      if (options?.signal?.aborted) return reject(cancelled());
      const id = nextId++;
      pending.set(id, { resolve, reject, onEvent });
      options?.signal?.addEventListener(
        'abort',
        () => {
          if (!pending.delete(id)) return;
          wire.send({ type: 'cancel', id });
          reject(cancelled());
        },
        { once: true },
      );
      wire.send({ type: 'call', id, operation, input });
    });

  return {
    call: (operation, input, options) => start(operation, input, null, options) as never,
    stream: (operation, input, onEvent, options) =>
      start(operation, input, onEvent as (event: unknown) => void, options) as never,
  };
}

const lostWire = () =>
  new ParapetError('disconnected', 'This window lost its connection to Parapet.', { retryable: true });
