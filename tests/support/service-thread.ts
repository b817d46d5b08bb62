/** The embedded service as the core starts it, without the core: its thread, its messages, and calls over HTTP. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { BASE_PATH, type EndpointName, endpointOf } from '#shared/api/catalogue.ts';
import { pathOf, searchOf } from '#shared/api/path.ts';
import type { EmbeddedCommand, EmbeddedMessage, EmbeddedSpec } from '#shared/embedded.ts';

export interface Asked {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
}

export interface ServiceThread {
  /** Messages of the thread, in order. */
  heard: readonly EmbeddedMessage[];
  /** The first message of a type; rejects when the thread fails. */
  until<T extends EmbeddedMessage['type']>(type: T): Promise<Extract<EmbeddedMessage, { type: T }>>;
  tell(command: EmbeddedCommand): void;
  call(name: EndpointName, call?: Asked): Promise<Response>;
  /** `path`: below `/api/v1`. */
  at(path: string): Promise<Response>;
  stop(): Promise<void>;
}

export async function startServiceThread(
  entry: URL,
  spec: Pick<EmbeddedSpec, 'source' | 'databasePath'> & Partial<EmbeddedSpec>,
): Promise<ServiceThread> {
  const token = randomBytes(8).toString('hex');
  const worker = new Worker(entry, {
    workerData: {
      databaseKey: null,
      believed: [],
      rules: [],
      flags: {},
      token,
      ...spec,
    } satisfies EmbeddedSpec,
  });
  const heard: EmbeddedMessage[] = [];
  const waiting = new Set<() => void>();
  worker.on('message', (message: EmbeddedMessage) => {
    heard.push(message);
    for (const look of waiting) look();
  });
  const failed = once(worker, 'error').then(([error]) => {
    throw error;
  });
  failed.catch(() => {});
  const until: ServiceThread['until'] = (type) => {
    const { promise, resolve } = Promise.withResolvers<never>();
    const look = () => {
      const message = heard.find((message) => message.type === type);
      if (message === undefined) return;
      waiting.delete(look);
      resolve(message as never);
    };
    waiting.add(look);
    look();
    return Promise.race([promise, failed]);
  };
  const { port } = await until('ready');
  const origin = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    heard,
    until,
    tell: (command) => worker.postMessage(command),
    call: (name, { params = {}, query = {}, body, signal } = {}) =>
      fetch(`${origin}${pathOf(name, params)}${searchOf(query)}`, {
        method: endpointOf(name).method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      }),
    at: (path) => fetch(`${origin}${BASE_PATH}${path}`, { headers }),
    async stop() {
      const ended = once(worker, 'exit');
      worker.postMessage({ type: 'stop' } satisfies EmbeddedCommand);
      await ended;
    },
  };
}
