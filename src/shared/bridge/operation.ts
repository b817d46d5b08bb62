/** An operation of the bridge as data. */
import type { z } from 'zod';

export interface CallOperation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  kind: 'call';
  input: I;
  output: O;
  summary: string;
}

export interface StreamOperation<
  I extends z.ZodType = z.ZodType,
  E extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
> {
  kind: 'stream';
  input: I;
  event: E;
  output: O;
  summary: string;
}

export type Operation = CallOperation | StreamOperation;

export const call = <I extends z.ZodType, O extends z.ZodType>(
  summary: string,
  input: I,
  output: O,
): CallOperation<I, O> => ({
  kind: 'call',
  input,
  output,
  summary,
});

export const stream = <I extends z.ZodType, E extends z.ZodType, O extends z.ZodType>(
  summary: string,
  input: I,
  event: E,
  output: O,
): StreamOperation<I, E, O> => ({ kind: 'stream', input, event, output, summary });
