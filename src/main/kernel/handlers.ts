/** How services of the core implement bridge operations. */
import type {
  CallName,
  EventOf,
  OperationName,
  OutputOf,
  ParsedInputOf,
  StreamName,
} from '#shared/bridge/operations.ts';

interface CallContext {
  /** Aborts when the renderer cancels or its wire closes. */
  signal: AbortSignal;
}

interface StreamContext<N extends StreamName> extends CallContext {
  /** Sends an event; resolves when the receiver's window has room again. */
  emit(event: EventOf<N>): Promise<void>;
}

type Handler<N extends OperationName> = N extends StreamName
  ? (input: ParsedInputOf<N>, context: StreamContext<N>) => Promise<OutputOf<N>>
  : N extends CallName
    ? (input: ParsedInputOf<N>, context: CallContext) => Promise<OutputOf<N>>
    : never;

/** Every operation has exactly one handler, or app.ts does not compile. */
export type Handlers = { [N in OperationName]: Handler<N> };
export type HandlersOf<N extends OperationName> = Pick<Handlers, N>;

type AreaOf<N extends OperationName> = N extends `${infer Area}.${string}` ? Area : never;

/** Names of an area's operations, such as `results` for `results.open`. */
export type OperationIn<Area extends AreaOf<OperationName>> = Extract<OperationName, `${Area}.${string}`>;
/** Handlers for all operations of some areas. */
export type HandlersIn<Area extends AreaOf<OperationName>> = HandlersOf<OperationIn<Area>>;
