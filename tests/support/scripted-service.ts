/** A service on loopback with responses scripted by the test. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

interface Seen {
  method: string;
  url: string;
  authorization: string | undefined;
  body: string;
}

export interface ScriptedService {
  base: string;
  seen: Seen[];
  answer: (request: IncomingMessage, response: ServerResponse, ask: Seen) => void;
  /** Resolves when a matching request has arrived. */
  stop(): Promise<void>;
}

export const sendJson = (response: ServerResponse, value: unknown, status = 200, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
};

export async function startScripted(certificate?: Certificate, port = 0): Promise<ScriptedService> {
  const requests: Seen[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const entry: Seen = {
        method: request.method ?? '',
        url: request.url ?? '',
        authorization: request.headers.authorization,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(entry);
      service.answer(request, response, entry);
    });
  };
  const server =
    certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const scheme = certificate === undefined ? 'http' : 'https';
  const service: ScriptedService = {
    base: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: requests,
    answer: (_, response) => sendJson(response, { rows: [] }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}
