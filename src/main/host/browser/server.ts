/** The browser host: the renderer's files, the session, downloads and uploads, and the wire, on loopback only. */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { ParapetError } from '#shared/bridge/errors.ts';
import { HOST_PATHS, UPLOAD_MAX_BYTES } from '#shared/bridge/host-channel.ts';
import { SECURITY_HEADERS } from '../content-policy.ts';
import { findStaticFile } from '../static-files.ts';
import type { BrowserDialogs } from './dialogs.ts';
import { createSessions, randomToken, refusal, type Sessions } from './guard.ts';
import type { Pages } from './pages.ts';

const HOSTNAME = '127.0.0.1';
/** Clipboard text is the largest thing that a frame carries. */
const FRAME_MAX_BYTES = 64 * 1024 * 1024;
const SMALL_BODY_BYTES = 16 * 1024;

interface Options {
  /** Folder of the built renderer. */
  rendererDir: string;
  /** 0: any free port. */
  port: number;
  dialogs: BrowserDialogs;
  pages: Pages;
}

export interface BrowserServer {
  /** The address with the token of this run in its fragment, which browsers never send. */
  url: string;
  origin: string;
  close(): Promise<void>;
}

const toResponseBody = (file: string) => Readable.toWeb(createReadStream(file)) as unknown as ReadableStream;
const attachment = (name: string) => `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
const smallBody = bodyLimit({ maxSize: SMALL_BODY_BYTES });

/** Routes of the host. `authority` and `sessions` exist once the port is known. */
function createRoutes(options: Options, authority: () => string, sessions: () => Sessions) {
  const app = new Hono();
  const { dialogs } = options;
  const isOpen = (c: Context) => sessions().holds(c.req.header('cookie'));

  app.use('*', async (c, next) => {
    const reason = refusal(
      { method: c.req.method, header: (name) => c.req.header(name), upgrade: false },
      authority(),
    );
    if (reason === null) await next();
    else c.res = c.text(`Refused: ${reason}`, 403);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.res.headers.set(name, value);
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
  });

  app.post(HOST_PATHS.session, smallBody, async (c) => {
    const body = z.object({ token: z.string() }).safeParse(await c.req.json().catch(() => null));
    const cookie = body.success ? sessions().exchange(body.data.token) : null;
    if (cookie === null) return c.text('Refused: wrong token', 401);
    c.header('set-cookie', cookie);
    return c.body(null, 204);
  });

  app.get(`${HOST_PATHS.download}:id`, async (c) => {
    if (!isOpen(c)) return c.text('Refused: no session', 401);
    const file = dialogs.takeDownload(c.req.param('id'));
    if (file === null) return c.text('This download was fetched already.', 404);
    const stream = createReadStream(file.path);
    stream.once('close', () => void file.done());
    return c.body(Readable.toWeb(stream) as unknown as ReadableStream, 200, {
      'content-type': 'application/octet-stream',
      'content-disposition': attachment(file.name),
    });
  });

  app.post(`${HOST_PATHS.upload}:id`, bodyLimit({ maxSize: UPLOAD_MAX_BYTES }), async (c) => {
    if (!isOpen(c)) return c.text('Refused: no session', 401);
    const { body } = c.req.raw;
    if (body === null) return c.text('No file', 400);
    const taken = await dialogs.receive(c.req.param('id'), c.req.query('name') ?? '', body);
    return taken ? c.body(null, 204) : c.text('Nobody asked for a file', 404);
  });

  app.post(`${HOST_PATHS.choose}:id`, smallBody, async (c) => {
    if (!isOpen(c)) return c.text('Refused: no session', 401);
    const body = z.object({ path: z.string().max(4096) }).safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json({ problem: 'Give a path.' }, 400);
    const problem = await dialogs.choose(c.req.param('id'), body.data.path);
    return problem === null ? c.body(null, 204) : c.json({ problem }, 422);
  });

  app.get('*', async (c) => {
    const file = await findStaticFile(options.rendererDir, c.req.path);
    if (file === null) return c.text('Not found', 404);
    // Names under assets/ carry a digest of their content.
    const keep = c.req.path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-cache';
    return c.body(toResponseBody(file.path), 200, {
      'content-type': file.type,
      'content-length': String(file.bytes),
      'cache-control': keep,
    });
  });

  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    const tooLarge = error instanceof ParapetError && error.code === 'too-large';
    return c.text(tooLarge ? error.message : 'Parapet could not do this', tooLarge ? 413 : 500);
  });
  return app;
}

/** Listens and resolves once the address is known. Rejects with the system's error, EADDRINUSE for a taken port. */
export async function startServer(options: Options): Promise<BrowserServer> {
  let authority = '';
  let sessions: Sessions | null = null;
  const token = randomToken();
  const routes = createRoutes(
    options,
    () => authority,
    () => sessions!,
  );
  const server = createAdaptorServer({ fetch: routes.fetch }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, HOSTNAME, resolve);
  });
  const { port } = server.address() as AddressInfo;
  authority = `${HOSTNAME}:${port}`;
  sessions = createSessions(token, port);

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_MAX_BYTES,
    perMessageDeflate: false,
  });
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    const header = (name: string) => request.headers[name] as string | undefined;
    const refused =
      refusal({ method: 'GET', header, upgrade: true }, authority) !== null
        ? '403 Forbidden'
        : !sessions.holds(header('cookie'))
          ? '401 Unauthorized'
          : request.url !== HOST_PATHS.wire
            ? '404 Not Found'
            : null;
    if (refused !== null) {
      socket.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => options.pages.add(accepted));
  });

  return {
    url: `http://${authority}/#token=${token}`,
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
