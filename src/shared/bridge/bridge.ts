/** The bridge as the renderer sees it; the same over either host's wire. */
import type { CallName, EventOf, InputOf, OutputOf, StreamName } from './operations.ts';

export interface CallOptions {
  /** Aborting cancels the operation on the main side too. Typed structurally: shared knows no DOM. */
  signal?: {
    readonly aborted: boolean;
    addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  };
}

export interface Bridge {
  call<N extends CallName>(operation: N, input: InputOf<N>, options?: CallOptions): Promise<OutputOf<N>>;
  /** Events in order; ends with the output, rejects with a ParapetError. */
  stream<N extends StreamName>(
    operation: N,
    input: InputOf<N>,
    onEvent: (event: EventOf<N>) => void,
    options?: CallOptions,
  ): Promise<OutputOf<N>>;
}
