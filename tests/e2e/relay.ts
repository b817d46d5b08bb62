/** A service behind a proxy that can alter, refuse, cut off or never answer requests. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Service, startService, stopService } from './tenant.ts';

interface Call {
  method: string;
  /** Includes the query string. */
  path: string;
  body: string;
}

/**
 * cut: the service gets the request, then the connection is reset. hang: no response, and the connection stays open
 * until `resetHanging`. A function changes the JSON of the response.
 */
type Change = 'cut' | 'hang' | { status: number; body: object } | ((answer: unknown) => unknown) | null;

export interface Relay extends Service {
  /** Decides per request what to do; null passes it on. */
  change: (call: Call) => Change;
  /** Resets the connections of hanging requests. */
  resetHanging(): void;
  stop(): Promise<void>;
}

/** Starts the built service with this many emails behind a relay. */
export async function startRelay(emails: number): Promise<Relay> {
  const real = await startService(emails);
  const behind = new URL(real.url);
  const { origin } = behind;
  const hanging = new Set<Socket>();
  // Without a time limit, as a kept connection must not be closed just as Parapet uses it again.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url: path = '/' } = request;
    const body = Buffer.concat(chunks);
    const change = relay.change({ method, path, body: body.toString() });
    if (change === 'hang') {
      hanging.add(request.socket);
      return;
    }
    if (change !== null && typeof change === 'object') {
      response.writeHead(change.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(change.body));
      return;
    }
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    // A kept connection may be closed by the service just as it is used again.
    const answer = await fetch(new URL(path, origin), {
      method,
      headers: { ...(headers as Record<string, string>), connection: 'close' },
      ...(body.length > 0 ? { body } : {}),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (change === 'cut') {
      request.socket.resetAndDestroy();
      return;
    }
    const changed =
      change === null ? bytes : Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString()))));
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(changed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  behind.port = String((server.address() as AddressInfo).port);
  const relay: Relay = {
    ...real,
    url: behind.href.replace(/\/$/, ''),
    change: () => null,
    resetHanging() {
      for (const socket of hanging) socket.resetAndDestroy();
      hanging.clear();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await stopService(real);
    },
  };
  return relay;
}
