/** The single subscription to server-side events, fanned out by type. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppEvent } from '#shared/bridge/operations.ts';
import { onWireBack } from './wire-health.ts';

type EventType = AppEvent['type'];
type Handler<T extends EventType> = (event: Extract<AppEvent, { type: T }>) => void;

const handlers = new Map<EventType, Set<(event: never) => void>>();
const lostHandlers = new Set<(error: BridgeError) => void>();

/** Subscribes to events of one type; returns the unsubscribe. */
export function onAppEvent<T extends EventType>(type: T, handler: Handler<T>): () => void {
  const set = handlers.get(type) ?? new Set();
  handlers.set(type, set);
  set.add(handler);
  return () => {
    set.delete(handler);
  };
}

/** Notifies that a desktop window has lost its main process and must reload. */
export function onWireLost(handler: (error: BridgeError) => void): () => void {
  lostHandlers.add(handler);
  return () => {
    lostHandlers.delete(handler);
  };
}

/** Starts the subscription; once per window, and again with each wire. `reopens`: wire-health.ts handles a closed wire. */
export function startAppEvents(bridge: Bridge, reopens: boolean): void {
  subscribe(bridge, reopens);
  onWireBack(() => subscribe(bridge, reopens));
}

function subscribe(bridge: Bridge, reopens: boolean): void {
  bridge
    .stream('app.events', {}, (event) => {
      for (const handler of handlers.get(event.type) ?? []) handler(event as never);
    })
    .then(
      (): BridgeError => ({ code: 'internal', message: 'Parapet has stopped.', retryable: true }),
      toBridgeError,
    )
    .then(
      (error) => {
        if (reopens && error.code === 'disconnected') return;
        for (const handler of lostHandlers) handler(error);
      },
      () => undefined,
    );
}
