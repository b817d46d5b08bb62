/** Messages on a wire, in either host. A wire only delivers frames, in order. */
import { z } from 'zod';
import { bridgeError } from './error-shape.ts';

const id = z.number().int().nonnegative();

export const clientFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('call'), id, operation: z.string().max(100), input: z.unknown() }),
  z.strictObject({ type: z.literal('cancel'), id }),
  /** The client has handled `count` more events of a stream. */
  z.strictObject({ type: z.literal('ack'), id, count: z.number().int().positive() }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;

export const serverFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('next'), id, event: z.unknown() }),
  z.object({ type: z.literal('done'), id, output: z.unknown() }),
  z.object({ type: z.literal('fail'), id, error: bridgeError }),
]);
export type ServerFrame = z.infer<typeof serverFrame>;

/** Events in flight before an emitter waits for an ack. */
export const WINDOW = 8;

/** One end of a wire. `onFrame` receives unvalidated frames. */
export interface Wire {
  send(frame: ClientFrame | ServerFrame): void;
  onFrame(handler: (frame: unknown) => void): void;
  onClose(handler: () => void): void;
  /** A wire that can be reopened: the other end is available again, but has lost earlier requests. */
  onOpen?(handler: () => void): void;
}
