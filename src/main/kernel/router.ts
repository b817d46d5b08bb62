/**
 * Serves operations over a wire: validates frames and inputs, applies flow control, and makes everything cancellable.
 */
import { cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import { clientFrame, type ServerFrame, WINDOW, type Wire } from '#shared/bridge/frames.ts';
import type { Operation } from '#shared/bridge/operation.ts';
import { isOperationName, operations } from '#shared/bridge/operations.ts';
import { readShape } from '#shared/model/schema-check.ts';
import type { Handlers } from './handlers.ts';
import type { Logger } from './ports.ts';

/** Concurrent calls per wire; a renderer needs a few dozen. */
const AT_ONCE = 512;

export interface RouterOptions {
  log: Logger;
  /** Validates outputs and events too: for tests. */
  checkOutputs?: boolean;
}

interface Running {
  controller: AbortController;
  /** Events that may be sent before the next ack. */
  room: number;
  waiting: (() => void)[];
}

type AnyHandler = (
  input: unknown,
  context: { signal: AbortSignal; emit(event: unknown): Promise<void> },
) => Promise<unknown>;

/** Serves the operations of one wire until it closes; returns how to detach it. */
export function attachRouter(
  wire: Wire,
  handlers: Handlers,
  { log, checkOutputs = false }: RouterOptions,
): () => void {
  const running = new Map<number, Running>();
  let open = true;

  const send = (frame: ServerFrame) => {
    if (open) wire.send(frame);
  };
  const fail = (id: number, error: unknown) => send({ type: 'fail', id, error: toBridgeError(error) });

  const detach = () => {
    open = false;
    for (const call of running.values()) {
      call.controller.abort();
      for (const go of call.waiting) go();
    }
    running.clear();
  };

  const emitter = (id: number, call: Running, operation: Operation) => async (event: unknown) => {
    while (call.room === 0 && !call.controller.signal.aborted)
      await new Promise<void>((resolve) => call.waiting.push(resolve));
    if (call.controller.signal.aborted || running.get(id) !== call) throw cancelled();
    call.room -= 1;
    if (checkOutputs && operation.kind === 'stream') operation.event.parse(event);
    send({ type: 'next', id, event });
  };

  const start = async (id: number, name: string, rawInput: unknown) => {
    if (running.has(id))
      throw new ParapetError('invalid-input', 'That number is in use.', { data: { field: 'id' } });
    if (running.size >= AT_ONCE)
      throw new ParapetError('not-allowed', 'Too many requests are in progress.', { retryable: true });
    if (!isOperationName(name))
      throw new ParapetError('invalid-input', 'There is no such operation.', {
        data: { field: 'operation' },
      });
    const operation: Operation = operations[name];
    const input = readShape(operation.input, rawInput);
    if (!input.ok) {
      const field = input.path.join('.');
      throw new ParapetError(
        'invalid-input',
        `${name}: ${field === '' ? '' : `${field}: `}${input.message}.`,
        {
          data: { operation: name, field },
        },
      );
    }
    const call: Running = { controller: new AbortController(), room: WINDOW, waiting: [] };
    running.set(id, call);
    try {
      const handler = handlers[name] as unknown as AnyHandler;
      const output = await handler(input.value, {
        signal: call.controller.signal,
        emit: emitter(id, call, operation),
      });
      if (checkOutputs) operation.output.parse(output);
      if (running.get(id) === call) send({ type: 'done', id, output });
    } catch (error) {
      if (!(error instanceof ParapetError))
        log.warn('an operation failed unexpectedly', {
          operation: name,
          reason: toBridgeError(error).message,
        });
      throw error;
    } finally {
      if (running.get(id) === call) running.delete(id);
    }
  };

  wire.onFrame((raw) => {
    if (!open) return;
    const parsed = clientFrame.safeParse(raw);
    if (!parsed.success) return log.warn('a frame was not understood');
    const frame = parsed.data;
    if (frame.type === 'call') {
      start(frame.id, frame.operation, frame.input).catch((error: unknown) => fail(frame.id, error));
      return;
    }
    const call = running.get(frame.id);
    if (call === undefined) return;
    if (frame.type === 'ack') call.room = Math.min(WINDOW, call.room + frame.count);
    else call.controller.abort();
    for (const go of call.waiting.splice(0)) go();
  });
  wire.onClose(detach);
  return detach;
}
