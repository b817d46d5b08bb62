/** A service behind one that changes what passes it: answers are altered, refused, or never come. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Service, startService, stopService } from './tenant.ts';

interface Call {
  method: string;
  /** With its search. */
  path: string;
  body: string;
}

/**
 * cut: the service hears the call, its answer never comes. hang: nothing comes, and the connection stays until
 * `letGo`. A function changes the JSON of the answer.
 */
type Change = 'cut' | 'hang' | { status: number; body: object } | ((answer: unknown) => unknown) | null;

export interface Relay extends Service {
  /** What becomes of each call; null: it passes. */
  change: (call: Call) => Change;
  /** Ends the connections of the calls that hang. */
  letGo(): void;
  stop(): Promise<void>;
}

/** The built service with this many emails, behind a relay. */
export async function startRelay(emails: number): Promise<Relay> {
  const real = await startService(emails);
  const behind = new URL(real.url);
  const { origin } = behind;
  const hanging = new Set<Socket>();
  const server = createServer(async (request, response) => {
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
    const answer = await fetch(new URL(path, origin), {
      method,
      headers: headers as Record<string, string>,
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
    letGo() {
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
