/** `app.events`: state changes, sent to every renderer that listens. */
import type { AppEvent } from '#shared/bridge/operations.ts';
import type { HandlersOf } from './handlers.ts';

export interface Events {
  publish(event: AppEvent): void;
  handlers: HandlersOf<'app.events'>;
}

/** For these only the latest state matters: a slow listener gets that one instead of all. */
function subject(event: AppEvent): string | null {
  switch (event.type) {
    case 'job':
      return `job ${event.job.id}`;
    case 'result':
      return `result ${event.result.id}`;
    case 'connection':
      return `connection ${event.state.connectionId}`;
    case 'workspace':
      return `workspace ${event.key}`;
    case 'connections':
    case 'info':
    case 'pins':
    case 'arrived':
    case 'updates':
      return event.type;
    default:
      return null;
  }
}

export function createEvents(): Events {
  const listeners = new Set<(event: AppEvent) => void>();
  return {
    publish(event) {
      for (const listener of listeners) listener(event);
    },
    handlers: {
      async 'app.events'(_, { emit, signal }) {
        const queue: AppEvent[] = [];
        let wake = Promise.withResolvers<void>();
        const listener = (event: AppEvent) => {
          const about = subject(event);
          const index = about === null ? -1 : queue.findIndex((waiting) => subject(waiting) === about);
          if (index >= 0) queue[index] = event;
          else queue.push(event);
          wake.resolve();
        };
        const stop = () => wake.resolve();
        listeners.add(listener);
        signal.addEventListener('abort', stop, { once: true });
        try {
          while (!signal.aborted) {
            const event = queue.shift();
            if (event !== undefined) {
              await emit(event);
              continue;
            }
            await wake.promise;
            wake = Promise.withResolvers<void>();
          }
          return {};
        } finally {
          listeners.delete(listener);
          signal.removeEventListener('abort', stop);
        }
      },
    },
  };
}
