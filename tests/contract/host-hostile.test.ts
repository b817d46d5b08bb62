/** The browser host against raw sockets: its answer to every form of request, and that no peer can harm it. */
import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECURITY_HEADERS } from '#main/host/content-policy.ts';
import { type BrowserCarrier, browserCarrier } from './carriers.ts';

let host: BrowserCarrier;
let authority: string;
let port: number;
beforeAll(async () => {
  host = await browserCarrier(() => () => {});
  authority = new URL(host.server.origin).host;
  port = Number(new URL(host.server.origin).port);
});
afterAll(() => host.stop());

const GRANT = 'aaaaaaaaaaaaaaaaaaaaaaaa';
const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];
const wire = (...headers: string[]) =>
  [
    'GET /wire HTTP/1.1',
    `Host: ${authority}`,
    `Origin: http://${authority}`,
    ...UPGRADE,
    ...headers,
    '',
    '',
  ].join('\r\n');

async function connect(): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes and reads the head of the answer; `closed`: the host closed the connection. */
async function exchange(bytes: string): Promise<{ status: number; headers: Map<string, string[]> }> {
  const socket = await connect();
  let text = '';
  socket.setEncoding('latin1');
  const headed = new Promise<void>((resolve) => {
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\r\n\r\n')) resolve();
    });
    socket.on('close', () => resolve());
  });
  socket.write(bytes, 'latin1');
  await headed;
  socket.destroy();
  const [first = '', ...lines] = text.split('\r\n\r\n', 1)[0]!.split('\r\n');
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(line.indexOf(':') + 1).trim()]);
  }
  return { status: Number(first.split(' ')[1] ?? 0), headers };
}

function expectLocked(headers: Map<string, string[]>) {
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    expect(headers.get(name), name).toEqual([value]);
  expect(headers.has('access-control-allow-origin')).toBe(false);
  expect(headers.has('set-cookie')).toBe(false);
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND'];
const PATHS = [
  '/',
  '/index.html',
  '/missing.js',
  '/../index.html',
  '/%2e%2e/x.js',
  '/%',
  '//evil.example/',
  '/wire',
  '/session',
  `/download/${GRANT}`,
  `/upload/${GRANT}`,
  `/choose/${GRANT}`,
];
const FILES = ['/', '/index.html'];

interface Form {
  name: string;
  request(method: string, path: string): string;
  /** Refused by the guard for any path. */
  refused: boolean;
  /** Whether the request names its origin. */
  origin: boolean;
}
const form = (
  name: string,
  refused: boolean,
  headers: () => string[],
  target = (path: string) => path,
  version = '1.1',
): Form => ({
  name,
  refused,
  get origin() {
    return headers().some((line) => line.startsWith('Origin:'));
  },
  request: (method, path) =>
    [`${method} ${target(path)} HTTP/${version}`, ...headers(), 'Content-Length: 0', '', ''].join('\r\n'),
});
const headers = () => [`Host: ${authority}`, `Origin: http://${authority}`];
const FORMS: Form[] = [
  form('own', false, headers),
  form('without Origin', false, () => [`Host: ${authority}`]),
  form('HTTP/1.0', false, headers, undefined, '1.0'),
  form('own address in full', false, headers, (path) => `http://${authority}${path}`),
  form('foreign address in full', true, headers, (path) => `http://evil.example${path}`),
  form(
    'foreign address that begins like ours',
    true,
    headers,
    (path) => `http://${authority}.evil.example${path}`,
  ),
  form('another scheme', true, headers, (path) => `https://${authority}${path}`),
  form('foreign Host', true, () => ['Host: evil.example', `Origin: http://${authority}`]),
  form('no Host', true, () => [`Origin: http://${authority}`]),
  form('empty Host', true, () => ['Host:', `Origin: http://${authority}`]),
  form('Host twice', true, () => [`Host: ${authority}`, 'Host: evil.example', `Origin: http://${authority}`]),
  form('Host twice, both ours', true, () => [`Host: ${authority}`, ...headers()]),
  form('foreign Origin', true, () => [`Host: ${authority}`, 'Origin: https://evil.example']),
  form('Origin of another port', true, () => [`Host: ${authority}`, 'Origin: http://127.0.0.1:1']),
];

function expected({ refused, origin }: Form, method: string, path: string): number {
  if (method === 'CONNECT') return 405;
  const read = method === 'GET' || method === 'HEAD';
  if (refused || (!origin && !read)) return 403;
  if (read) return FILES.includes(path) ? 200 : 404;
  if (method !== 'POST') return 405;
  if (path.startsWith('/upload/')) return 404;
  // The path is checked before the grant is looked up.
  if (path.startsWith('/choose/')) return 400;
  return 405;
}

describe('every form, method and path', () => {
  test.each(FORMS.map((entry) => [entry.name, entry] as const))('%s', async (_name, entry) => {
    const wrong: string[] = [];
    for (const method of METHODS)
      for (const path of PATHS) {
        const target = method === 'CONNECT' ? authority : path;
        const { status, headers } = await exchange(entry.request(method, target));
        if (status !== expected(entry, method, path)) wrong.push(`${method} ${path}: ${status}`);
        expectLocked(headers);
      }
    expect(wrong).toEqual([]);
  });
});

describe('requests that the parser refuses get the headers too', () => {
  test.each([
    ['no HTTP', () => 'hello\r\n\r\n', 400],
    ['an unknown method', () => `FOO / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`, 400],
    ['a header without a colon', () => `GET / HTTP/1.1\r\nHost: ${authority}\r\nbad\r\n\r\n`, 400],
    ['a control character', () => `GET / HTTP/1.1\r\nHost: ${authority}\r\nX: a\u0000b\r\n\r\n`, 400],
    [
      'two lengths',
      () => `POST / HTTP/1.1\r\nHost: ${authority}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
    ],
    [
      'a length beside chunks',
      () =>
        `POST / HTTP/1.1\r\nHost: ${authority}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
    ],
    ['HTTP/2 by prior knowledge', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    [
      'headers of 20 kB',
      () => `GET / HTTP/1.1\r\nHost: ${authority}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['an expectation', () => `GET / HTTP/1.1\r\nHost: ${authority}\r\nExpect: a-pony\r\n\r\n`, 417],
    [
      'the server as a whole',
      () => `OPTIONS * HTTP/1.1\r\nHost: ${authority}\r\nOrigin: http://${authority}\r\n\r\n`,
      403,
    ],
    [
      '100-continue with a foreign Host',
      () =>
        `POST /upload/${GRANT} HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
      403,
    ],
  ])('%s', async (_what, bytes, status) => {
    const answer = await exchange(bytes());
    expect(answer.status).toBe(status);
    expectLocked(answer.headers);
  });
});

describe('upgrades', () => {
  const ask = (line: string, headers: string[]) => [line, ...headers, '', ''].join('\r\n');
  test.each([
    ['its own page', () => wire(), 101],
    ['a foreign Host', () => wire().replace(`Host: ${authority}`, 'Host: evil.example'), 403],
    ['a Host given twice', () => wire('Host: evil.example'), 403],
    ['no Host', () => wire().replace(`Host: ${authority}\r\n`, ''), 403],
    [
      'a foreign Origin',
      () => wire().replace(`Origin: http://${authority}`, 'Origin: https://evil.example'),
      403,
    ],
    ['an Origin given twice', () => wire('Origin: https://evil.example'), 403],
    ['no Origin', () => wire().replace(`Origin: http://${authority}\r\n`, ''), 403],
    ['a foreign address in full', () => wire().replace('GET /wire', 'GET http://evil.example/wire'), 403],
    ['its own address in full', () => wire().replace('GET /wire', `GET http://${authority}/wire`), 101],
    ['another path', () => wire().replace('/wire', '/other'), 404],
    ['a path with a question', () => wire().replace('/wire', '/wire?x'), 404],
    ['another protocol', () => wire().replace('websocket', 'h2c'), 400],
    ['an old version', () => wire().replace('Version: 13', 'Version: 1'), 400],
    ['no key', () => wire().replace(/Sec-WebSocket-Key.*\r\n/, ''), 400],
    ['another method', () => ask('POST /wire HTTP/1.1', [...headers(), ...UPGRADE]), 405],
  ])('%s', async (_what, bytes, status) => {
    const answer = await exchange(bytes());
    expect(answer.status).toBe(status);
    expectLocked(answer.headers);
  });
});

describe('no peer ends the host', () => {
  const BREAKS: Record<string, (socket: net.Socket) => void> = {
    reset: (socket) => socket.resetAndDestroy(),
    close: (socket) => socket.destroy(),
    end: (socket) => socket.end(),
  };
  const masked = (text: string) => {
    const body = Buffer.from(text);
    return Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]);
  };
  const STAGES: Record<string, () => (string | Buffer)[]> = {
    'before a byte': () => [],
    'in the request line': () => ['GET / HT'],
    'in the headers': () => [`GET / HTTP/1.1\r\nHost: ${authority}\r\nX: `],
    'a file asked for': () => [`GET / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`],
    'in a body': () => [
      `POST /choose/${GRANT} HTTP/1.1\r\nHost: ${authority}\r\nOrigin: http://${authority}\r\nContent-Length: 90\r\n\r\n{`,
    ],
    'in an upload': () => [
      `POST /upload/${GRANT}?name=x HTTP/1.1\r\nHost: ${authority}\r\nOrigin: http://${authority}\r\nContent-Length: 90\r\n\r\nx`,
    ],
    'a bad request': () => ['hello\r\n\r\n'],
    CONNECT: () => [`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`],
    'an upgrade refused for its Host': () => [wire().replace(`Host: ${authority}`, 'Host: evil.example')],
    'an upgrade refused for its Origin': () => [wire().replace('Origin: http://', 'Origin: https://')],
    'an upgrade refused for its path': () => [wire().replace('/wire', '/other')],
    'an upgrade refused by the websocket': () => [wire().replace('Version: 13', 'Version: 1')],
    'an upgrade': () => [wire()],
    'an upgrade with half a frame': () => [wire(), Buffer.from([0x81, 0xff])],
    'an upgrade with a wrong secret': () => [wire(), masked('{"host":"hello","secret":"x"}')],
    'an upgrade with the secret': () => [wire(), masked(`{"host":"hello","secret":"${host.token}"}`)],
    'an upgrade with the secret and half a frame': () => [
      wire(),
      masked(`{"host":"hello","secret":"${host.token}"}`),
      Buffer.from([0x81, 0xfe, 0xff]),
    ],
  };

  test.each(Object.keys(STAGES).flatMap((stage) => Object.keys(BREAKS).map((how) => [stage, how] as const)))(
    '%s, then %s',
    async (stage, how) => {
      for (let round = 0; round < 10; round++) {
        const socket = await connect();
        for (const bytes of STAGES[stage]!()) socket.write(bytes);
        // Half of them break off at once, half after the host's answer.
        if (round % 2 === 1 && stage !== 'before a byte' && !stage.startsWith('in '))
          await once(socket, 'readable');
        BREAKS[how]!(socket);
        if (!socket.closed) await once(socket.resume(), 'close');
      }
      expect((await exchange(`GET / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).status).toBe(200);
    },
  );

  test('a refused upgrade whose client keeps its side open is closed after seconds', async () => {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    socket.write(wire().replace('/wire', '/other'));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await once(socket.resume(), 'end');
    const began = performance.now();
    // The client keeps writing until the host resets the connection.
    const writing = setInterval(() => socket.write('x'), 50);
    await closed;
    clearInterval(writing);
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});
