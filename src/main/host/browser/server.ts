/** The browser host: the renderer's files, downloads, uploads and the wire, on loopback only. */
import { createReadStream } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { HOST_PATHS } from '#shared/bridge/host-channel.ts';
import { SECURITY_HEADERS } from '../content-policy.ts';
import { findStaticFile } from '../static-files.ts';
import type { BrowserDialogs } from './dialogs.ts';
import { pathOf, refusal } from './guard.ts';
import type { Pages } from './pages.ts';

const HOSTNAME = '127.0.0.1';
/** Clipboard text is the largest thing that a frame carries. */
export const FRAME_MAX_BYTES = 64 * 1024 * 1024;
/** Until a page has proved itself, nothing larger is taken from it: its handshake and its hello fit many times. */
export const HELLO_MAX_BYTES = 16 * 1024;
export const SMALL_BODY_BYTES = 16 * 1024;
/** Pages, their files and their wires take a dozen. Whoever opens more keeps nobody's memory and descriptors. */
const CONNECTIONS_MAX = 256;
/** A refused peer that keeps its half of the connection is cut off. */
const CLOSE_WITHIN_MS = 2000;
/** How long a peer may take to reset a connection over which the system has sent everything. */
const ARRIVES_WITHIN_MS = 2000;

/** What every answer carries; what may be kept says so itself. */
const HEADERS: Readonly<Record<string, string>> = { ...SECURITY_HEADERS, 'cache-control': 'no-store' };

interface Options {
  /** Folder of the built renderer. */
  rendererDir: string;
  /** 0: any free port. */
  port: number;
  /** What the printed address opens the console with. */
  token: string;
  dialogs: BrowserDialogs;
  pages: Pages;
}

export interface BrowserServer {
  /** The address with the token of this run in its fragment, which browsers never send. */
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

/** The same where there is no request to answer: its peer is told in a few words and cut off soon. */
function refuse(socket: Duplex, status: number): void {
  const headers = { ...HEADERS, connection: 'close', 'content-length': '0' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
  // What still comes is read and dropped, so that the end is heard.
  socket.resume();
  const timer = setTimeout(() => socket.on('error', () => {}).destroy(), CLOSE_WITHIN_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** A body of at most `SMALL_BODY_BYTES` as JSON; null: too large, or none. */
async function readSmall(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // All of it is read: leaving earlier would reset the connection before the answer.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= SMALL_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > SMALL_BODY_BYTES) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    return null;
  }
}

/**
 * Whether a peer took what the system has sent it. One that breaks off with bytes unread resets its connection;
 * one that read them closes it, asks for something else (`next` of this connection), or leaves it open.
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

/** Answers the requests that passed the guard. */
function createRoutes({ rendererDir, dialogs }: Pick<Options, 'rendererDir' | 'dialogs'>) {
  const next = new WeakMap<Socket, () => void>();

  const download = async (id: string, request: IncomingMessage, response: ServerResponse) => {
    const file = request.method === 'HEAD' ? null : dialogs.downloads.take(id);
    const facts = file ?? (request.method === 'HEAD' ? dialogs.downloads.look(id) : null);
    if (facts === null) return answer(response, 404, 'This download is under way, or was fetched already.');
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
    const taken = await dialogs.receive(id, search.get('name') ?? '', request, isManifest);
    answer(response, taken ? 204 : 404, taken ? '' : 'Nobody asked for a file');
  };

  const choose = async (id: string, request: IncomingMessage, response: ServerResponse) => {
    const body = z.object({ path: z.string().max(4096) }).safeParse(await readSmall(request));
    if (!body.success) return answerJson(response, 400, { problem: 'Give a path.' });
    const problem = await dialogs.choose(id, body.data.path);
    if (problem === null) answer(response, 204);
    else answerJson(response, 422, { problem });
  };

  const file = async (path: string, request: IncomingMessage, response: ServerResponse) => {
    const found = await findStaticFile(rendererDir, path);
    if (found === null) return answer(response, 404, 'Not found');
    response.writeHead(200, {
      ...HEADERS,
      'content-type': found.type,
      'content-length': found.bytes,
      // Names under assets/ carry a digest of their content.
      'cache-control': path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-cache',
    });
    if (request.method === 'HEAD') response.end();
    else await pipeline(createReadStream(found.path), response);
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

/** Listens and resolves once the address is known. Rejects with the system's error, EADDRINUSE for a taken port. */
export async function startServer(options: Options): Promise<BrowserServer> {
  let authority = '';
  const routes = createRoutes(options);
  const refused = (request: IncomingMessage, upgrade: boolean) =>
    refusal(
      {
        method: request.method ?? '',
        target: request.url ?? '',
        hosts: request.headersDistinct['host'] ?? [],
        header: (name) => request.headers[name] as string | undefined,
        upgrade,
      },
      authority,
    );
  /** Connections with an answer under way, which a second one would garble. */
  const answering = new WeakSet<Socket>();

  const respond = (request: IncomingMessage, response: ServerResponse) => {
    answering.add(request.socket);
    response.once('close', () => answering.delete(request.socket));
    const reason = refused(request, false);
    if (reason !== null) return answer(response, 403, `Refused: ${reason}`);
    routes(pathOf(request.url ?? '', authority) ?? '', request, response).catch(() => {
      if (response.headersSent) response.on('error', () => {}).destroy();
      else answer(response, 500, 'Parapet could not do this');
    });
  };

  const server = http.createServer(
    {
      // A request without a Host is refused by the guard, with the headers that Node's own refusal lacks.
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 2000,
    },
    respond,
  );
  server.maxConnections = CONNECTIONS_MAX;
  // From the first byte to the last: whoever resets a connection, at whatever moment, ends that connection only.
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()));
  server.on('checkContinue', (request, response) => {
    if (refused(request, false) === null) response.writeContinue();
    respond(request, response);
  });
  server.on('checkExpectation', (_request, response) => answer(response, 417));
  server.on('connect', (_request, socket) => refuse(socket, 405));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || answering.has(socket)) return void socket.on('error', () => {}).destroy();
    const status: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
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
  authority = `${HOSTNAME}:${(server.address() as AddressInfo).port}`;

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
