/** The browser host's server: the renderer's files, downloads, uploads and the wire, on loopback only. */

import { createReadStream } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { HOST_PATHS } from '#shared/bridge/host-channel.ts';
import { dictionary } from '#shared/dictionary.ts';
import { SECURITY_HEADERS } from '../content-policy.ts';
import { findStaticFile } from '../static-files.ts';
import type { BrowserDialogs } from './dialogs.ts';
import { pathOf, refusal } from './guard.ts';
import type { Pages } from './pages.ts';

const HOSTNAME = '127.0.0.1';
/** The largest frames name 100,000 entities. */
export const FRAME_MAX_BYTES = 64 * 1024 * 1024;
/** Nothing larger is accepted before a page has authenticated; handshake and hello are far smaller. */
export const HELLO_MAX_BYTES = 16 * 1024;
export const SMALL_BODY_BYTES = 16 * 1024;
/**
 * Pages with their files and sockets need a dozen. The limit bounds the memory and descriptors that other clients can
 * take.
 */
const CONNECTIONS_MAX = 256;
/** A refused peer that keeps its half of the connection open is cut off. */
const CLOSE_WITHIN_MS = 2000;
/** How long a peer may take to reset a connection after the system has sent everything. */
const ARRIVES_WITHIN_MS = 2000;

/** Headers of every response; cacheable ones override them. */
const HEADERS: Readonly<Record<string, string>> = { ...SECURITY_HEADERS, 'cache-control': 'no-store' };

interface Options {
  /** Folder of the built renderer. */
  rendererDir: string;
  /** 0 for any free port. */
  port: number;
  /** The token in the printed address. */
  token: string;
  dialogs: BrowserDialogs;
  pages: Pages;
}

export interface BrowserServer {
  /** The address with this run's token in its fragment, which browsers never send. */
  url: string;
  origin: string;
  close(): Promise<void>;
}

function answer(
  response: ServerResponse,
  status: number,
  text = '',
  headers: Record<string, string | number> = {},
): void {
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    ...length,
    ...headers,
  });
  response.end(text);
}

const answerJson = (response: ServerResponse, status: number, value: object) =>
  answer(response, status, JSON.stringify(value), { 'content-type': 'application/json; charset=utf-8' });

/** A refusal for a bare socket; its peer is cut off soon after. */
function refuse(socket: Duplex, status: number): void {
  const headers = { ...HEADERS, connection: 'close', 'content-length': '0' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
  // Remaining input is read and discarded, otherwise the end would not be noticed.
  socket.resume();
  const timer = setTimeout(() => socket.on('error', () => {}).destroy(), CLOSE_WITHIN_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** A JSON body of at most `SMALL_BODY_BYTES`, or null if it is too large or not JSON. */
async function readSmall(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Read to the end: stopping early would reset the connection before the response.
  const received: AsyncIterable<Buffer> = request;
  for await (const chunk of received) {
    bytes += chunk.length;
    if (bytes <= SMALL_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > SMALL_BODY_BYTES) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return null;
  }
}

/**
 * Whether a peer received what the system has sent it. A peer that aborts with unread bytes resets its connection; one
 * that read them closes it, sends another request (`next` of this connection), or leaves it open.
 */
const arrived = (socket: Socket, next: WeakMap<Socket, () => void>) =>
  new Promise<boolean>((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      socket.off('close', settle);
      next.delete(socket);
      resolve(socket.errored === null);
    };
    const timer = setTimeout(settle, ARRIVES_WITHIN_MS).unref();
    next.set(socket, settle);
    if (socket.destroyed) settle();
    else socket.once('close', settle);
  });

/** Handles the requests that passed the guard. */
function createRoutes({ rendererDir, dialogs }: Pick<Options, 'rendererDir' | 'dialogs'>) {
  const next = new WeakMap<Socket, () => void>();

  const download = async (id: string, request: IncomingMessage, response: ServerResponse) => {
    const file = request.method === 'HEAD' ? null : dialogs.downloads.take(id);
    const facts = file ?? (request.method === 'HEAD' ? dialogs.downloads.peek(id) : null);
    if (facts === null)
      return answer(response, 404, 'This download is in progress, or was already completed.');
    response.writeHead(200, {
      ...HEADERS,
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(facts.name)}`,
      'content-length': facts.bytes,
    });
    if (file === null) return void response.end();
    try {
      await pipeline(file.read(), response);
      file.end(await arrived(request.socket, next));
    } catch {
      file.end(false);
    }
  };

  const upload = async (
    id: string,
    search: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ) => {
    const isManifest = search.get('manifest') === '1';
    const limit = dialogs.limitOf(id, isManifest);
    if (limit !== null && Number(request.headers['content-length'] ?? 0) > limit)
      return answer(response, 413, 'The file is too large.');
    const isAccepted = await dialogs.receive(id, search.get('name') ?? '', request, isManifest);
    answer(response, isAccepted ? 204 : 404, isAccepted ? '' : 'No file was requested');
  };

  const choose = async (id: string, request: IncomingMessage, response: ServerResponse) => {
    const body = z.object({ path: z.string().max(4096) }).safeParse(await readSmall(request));
    if (!body.success) return answerJson(response, 400, { problem: 'Enter a path.' });
    const problem = await dialogs.choose(id, body.data.path);
    if (problem === null) answer(response, 204);
    else answerJson(response, 422, { problem });
  };

  const file = async (path: string, request: IncomingMessage, response: ServerResponse) => {
    const staticFile = await findStaticFile(rendererDir, path);
    if (staticFile === null) return answer(response, 404, 'Not found');
    response.writeHead(200, {
      ...HEADERS,
      'content-type': staticFile.type,
      'content-length': staticFile.bytes,
      // File names under assets/ contain a hash of their content.
      'cache-control': path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-cache',
    });
    if (request.method === 'HEAD') response.end();
    else await pipeline(createReadStream(staticFile.path), response);
  };

  return async (target: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    next.get(request.socket)?.();
    const query = target.indexOf('?');
    const path = query < 0 ? target : target.slice(0, query);
    const idAfter = (prefix: string) => (path.startsWith(prefix) ? path.slice(prefix.length) : null);
    if (request.method === 'GET' || request.method === 'HEAD') {
      const id = idAfter(HOST_PATHS.download);
      return id === null ? file(path, request, response) : download(id, request, response);
    }
    if (request.method === 'POST') {
      const uploaded = idAfter(HOST_PATHS.upload);
      const search = new URLSearchParams(query < 0 ? '' : target.slice(query));
      if (uploaded !== null) return upload(uploaded, search, request, response);
      const chosen = idAfter(HOST_PATHS.choose);
      if (chosen !== null) return choose(chosen, request, response);
    }
    answer(response, 405, 'Not allowed', { allow: 'GET, HEAD' });
  };
}

/**
 * Resolves once it listens and the address is known. Rejects with the system's error, such as EADDRINUSE for a taken
 * port.
 */
export async function startServer(options: Options): Promise<BrowserServer> {
  let authority = '';
  const routes = createRoutes(options);
  const refused = (request: IncomingMessage, upgrade: boolean) =>
    refusal(
      {
        method: request.method ?? '',
        target: request.url ?? '',
        hosts: request.headersDistinct['host'] ?? [],
        header: (name) => {
          const value = request.headers[name];
          return typeof value === 'string' ? value : undefined;
        },
        upgrade,
      },
      authority,
    );
  /** Connections with a response in progress, which a second response would corrupt. */
  const answering = new WeakSet<Socket>();

  const respond = (request: IncomingMessage, response: ServerResponse) => {
    answering.add(request.socket);
    response.once('close', () => answering.delete(request.socket));
    const reason = refused(request, false);
    if (reason !== null) return answer(response, 403, `Refused: ${reason}`);
    routes(pathOf(request.url ?? '', authority) ?? '', request, response).catch(() => {
      if (response.headersSent) response.on('error', () => {}).destroy();
      else answer(response, 500, 'Parapet could not handle this request');
    });
  };

  const server = http.createServer(
    {
      // The guard refuses requests without a Host, with headers that Node's own refusal lacks.
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 2000,
    },
    respond,
  );
  server.maxConnections = CONNECTIONS_MAX;
  // For the whole life of a connection: a peer that resets it, at any time, ends only that connection.
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()));
  server.on('checkContinue', (request, response) => {
    if (refused(request, false) === null) response.writeContinue();
    respond(request, response);
  });
  server.on('checkExpectation', (_request, response) => answer(response, 417));
  server.on('connect', (_request, socket) => refuse(socket, 405));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || answering.has(socket)) return void socket.on('error', () => {}).destroy();
    const status: Record<string, number> = dictionary({
      HPE_HEADER_OVERFLOW: 431,
      ERR_HTTP_REQUEST_TIMEOUT: 408,
    });
    refuse(socket, status[error.code ?? ''] ?? 400);
  });

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_MAX_BYTES,
    perMessageDeflate: false,
  });
  sockets.on('wsClientError', (_error, socket, request) =>
    refuse(socket, request.method === 'GET' ? 400 : 405),
  );
  sockets.on('headers', (headers) => {
    for (const [name, value] of Object.entries(HEADERS)) headers.push(`${name}: ${value}`);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head) => {
    if (refused(request, true) !== null) return refuse(socket, 403);
    if (pathOf(request.url ?? '', authority) !== HOST_PATHS.wire) return refuse(socket, 404);
    const limit = () => {
      if (socket.bytesRead > HELLO_MAX_BYTES) socket.on('error', () => {}).destroy();
    };
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      socket.on('data', limit);
      options.pages.add(accepted, () => socket.off('data', limit));
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, HOSTNAME, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  authority = `${HOSTNAME}:${address.port}`;

  return {
    url: `http://${authority}/#token=${options.token}`,
    origin: `http://${authority}`,
    async close() {
      options.pages.closeAll();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      sockets.close();
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await closed;
    },
  };
}
