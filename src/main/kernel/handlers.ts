/** How a service of the core answers operations of the bridge. */
import type {
  CallName,
  EventOf,
  OperationName,
  OutputOf,
  ParsedInputOf,
  StreamName,
} from '#shared/bridge/operations.ts';

export interface CallContext {
  /** Aborts when the renderer cancels or its wire closes. */
  signal: AbortSignal;
}

export interface StreamContext<N extends StreamName> extends CallContext {
  /** Sends an event; resolves when the receiver's window has room again. */
  emit(event: EventOf<N>): Promise<void>;
}

export type Handler<N extends OperationName> = N extends StreamName
  ? (input: ParsedInputOf<N>, context: StreamContext<N>) => Promise<OutputOf<N>>
  : N extends CallName
    ? (input: ParsedInputOf<N>, context: CallContext) => Promise<OutputOf<N>>
    : never;

/** Every operation has exactly one handler; the composition in app.ts fails to compile otherwise. */
export type Handlers = { [N in OperationName]: Handler<N> };
export type HandlersOf<N extends OperationName> = Pick<Handlers, N>;
