/** The bridge as the renderer sees it; the same over either host's wire. */
import type { CallName, EventOf, InputOf, OutputOf, StreamName } from './operations.ts';

export interface CallOptions {
  /** Aborting also cancels the operation in main. Typed structurally, since shared code has no DOM types. */
  signal?: {
    readonly aborted: boolean;
    addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  };
}

export interface Bridge {
  call<N extends CallName>(operation: N, input: InputOf<N>, options?: CallOptions): Promise<OutputOf<N>>;
  /** Yields events in order; returns the output or throws a ParapetError. */
  stream<N extends StreamName>(
    operation: N,
    input: InputOf<N>,
    onEvent: (event: EventOf<N>) => void,
    options?: CallOptions,
  ): Promise<OutputOf<N>>;
}
