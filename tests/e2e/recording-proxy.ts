/** A proxy between Parapet and a tenant that records every request and can delay or refuse requests. */
import { request as ask, createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Service, startService, stopService } from './tenant.ts';

export interface RecordingProxy {
  /** The service, at the address of the proxy. */
  service: Service;
  /** "POST /manual_actions {…}" per request, the path relative to the service's base path. */
  seen: string[];
  /** Delays requests whose line matches until `release`; `waiting` is their count. */
  hold(pattern: RegExp): { waiting: () => number; release: () => void };
  /** Answers requests whose line matches with this status; returns a function that stops this. */
  refuse(pattern: RegExp, status: number): () => void;
  stop(): Promise<void>;
}

/** Starts a tenant with this many emails behind a proxy. */
export async function startRecordingProxy(emails: number): Promise<RecordingProxy> {
  const service = await startService(emails);
  const base = new URL(service.url).pathname.replace(/\/$/, '');
  const requests: string[] = [];
  const holds = new Set<{ pattern: RegExp; waiting: (() => void)[] }>();
  const refusals = new Set<{ pattern: RegExp; status: number }>();
  const bodyOf = async (incoming: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };
  // Without a time limit: the service tells Parapet that its connections are kept for two minutes.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const pass = async () => {
      const body = await bodyOf(incoming);
      const path = incoming.url?.replace(base, '');
      const line = `${incoming.method} ${path} ${body.toString('utf8').slice(0, 2_000)}`;
      requests.push(line);
      for (const { pattern, waiting } of holds)
        if (pattern.test(line)) await new Promise<void>((resolve) => waiting.push(resolve));
      for (const { pattern, status } of refusals)
        if (pattern.test(line)) {
          outgoing.writeHead(status, { 'content-type': 'application/json' });
          outgoing.end(JSON.stringify({ error: 'The test refuses it' }));
          return;
        }
      const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = incoming.headers;
      const onward = ask(
        `${new URL(service.url).origin}${incoming.url}`,
        { method: incoming.method ?? 'GET', headers: { ...headers, 'content-length': body.length } },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.on('error', () => outgoing.destroy());
      onward.end(body);
    };
    pass().catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const target = new URL(service.url);
  target.port = String(port);
  return {
    service: { ...service, url: target.href.replace(/\/$/, '') },
    seen: requests,
    hold(pattern) {
      const hold = { pattern, waiting: [] as (() => void)[] };
      holds.add(hold);
      return {
        waiting: () => hold.waiting.length,
        release: () => {
          holds.delete(hold);
          for (const go of hold.waiting.splice(0)) go();
        },
      };
    },
    refuse(pattern, status) {
      const refusal = { pattern, status };
      refusals.add(refusal);
      return () => refusals.delete(refusal);
    },
    async stop() {
      for (const { waiting } of holds) for (const go of waiting.splice(0)) go();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await stopService(service);
    },
  };
}
