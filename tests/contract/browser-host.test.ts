/** The browser host against whoever else can reach this machine's loopback. */
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Wire } from '#shared/bridge/frames.ts';
import { type BrowserCarrier, browserCarrier } from './carriers.ts';

let host: BrowserCarrier;
let attached: Wire[];
let cookie: string;
beforeAll(async () => {
  attached = [];
  host = await browserCarrier((wire) => {
    attached.push(wire);
    return () => {};
  });
  cookie = await host.cookie();
});
afterAll(() => host.stop());

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

const request = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  new Promise<Answer>((resolve, reject) => {
    const { hostname, port, host: authority } = new URL(host.server.origin);
    const sent = http.request(
      { hostname, port, path, method, headers: { host: authority, ...headers } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

/** The status that refuses a websocket, or 101. */
const upgrade = async (headers: Record<string, string>, path = '/wire') => {
  const socket = new WebSocket(`${host.server.origin.replace('http', 'ws')}${path}`, { headers });
  const refused = once(socket, 'unexpected-response').then(
    ([, answer]) => (answer as http.IncomingMessage).statusCode,
  );
  const opened = once(socket, 'open').then(() => 101);
  socket.on('error', () => {});
  const status = await Promise.race([refused, opened]);
  socket.terminate();
  return status;
};

describe('the page', () => {
  test('binds loopback only and keeps the token out of what a browser sends', () => {
    const url = new URL(host.server.url);
    expect(url.hostname).toBe('127.0.0.1');
    expect(url.search).toBe('');
    expect(Buffer.from(host.token, 'base64url').length).toBeGreaterThanOrEqual(16);
  });

  test('comes with every header, and so does a refusal', async () => {
    for (const answer of [await request('GET', '/'), await request('GET', '/', { host: 'evil.example' })]) {
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
      expect(answer.headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('answers no CORS preflight', async () => {
    const answer = await request('OPTIONS', '/session', {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
    });
    expect(answer.status).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each([
    ['a rebound Host', '/', { host: 'evil.example' }],
    ['a Host with another port', '/', { host: '127.0.0.1:1' }],
    ['a foreign Origin', '/', { origin: 'https://evil.example' }],
    ['a script tag of another site', '/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ])('refuses %s', async (_what, path, headers) =>
    expect((await request('GET', path, headers)).status).toBe(403),
  );

  test.each(['/../package.json', '/%2e%2e/package.json', '/..%2fpackage.json', '/x.txt'])(
    'has no %s',
    async (path) => expect((await request('GET', path)).status).toBe(404),
  );
});

describe('the session', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    request(
      'POST',
      '/session',
      { origin: host.server.origin, 'content-type': 'application/json', ...headers },
      body,
    );

  test('the token buys a cookie that scripts cannot read', async () => {
    const answer = await post(JSON.stringify({ token: host.token }));
    expect(answer.status).toBe(204);
    expect(answer.headers['set-cookie']?.[0]).toMatch(/HttpOnly; SameSite=Strict$/);
  });

  test.each(['{"token":"x"}', '{}', 'null', '', '{"token":{"$ne":""}}', '['])(
    '%j buys nothing',
    async (body) => {
      const answer = await post(body);
      expect(answer.status).toBe(401);
      expect(answer.headers['set-cookie']).toBeUndefined();
    },
  );

  test('the token in the hands of another site buys nothing', async () => {
    const body = JSON.stringify({ token: host.token });
    expect((await post(body, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await request('POST', '/session', {}, body)).status).toBe(403);
  });

  test('a large body is cut off', async () => expect((await post('x'.repeat(100_000))).status).toBe(413));
});

describe('the wire', () => {
  test('opens for the own page', async () =>
    expect(await upgrade({ origin: host.server.origin, cookie })).toBe(101));

  test.each([
    ['no cookie', {}, 401],
    ['a wrong cookie', { cookie: 'parapet-1=x' }, 401],
    ['a foreign Origin', { cookie: 'own', origin: 'https://evil.example' }, 403],
    ['a page of another local port', { cookie: 'own', origin: 'http://127.0.0.1:1' }, 403],
    ['a rebound Host', { cookie: 'own', host: 'evil.example' }, 403],
  ])('refuses %s', async (_what, headers: Record<string, string>, status) => {
    const own: Record<string, string> = headers['cookie'] === 'own' ? { cookie } : {};
    expect(await upgrade({ origin: host.server.origin, ...headers, ...own })).toBe(status);
  });

  test('refuses an upgrade without Origin', async () => expect(await upgrade({ cookie })).toBe(403));
  test('is nowhere else', async () =>
    expect(await upgrade({ origin: host.server.origin, cookie }, '/other')).toBe(404));

  test.each([['not json'], [Buffer.from([1, 2, 3])]])('closes on %j', async (message) => {
    const socket = new WebSocket(`${host.server.origin.replace('http', 'ws')}/wire`, {
      headers: { origin: host.server.origin, cookie },
    });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.send(message);
    expect((await closed)[0]).toBe(1003);
  });
});

describe('files', () => {
  test.each([
    ['GET', '/download/aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['POST', '/upload/aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['POST', '/choose/aaaaaaaaaaaaaaaaaaaaaaaa'],
  ])('%s %s needs the session, and somebody who asked', async (method, path) => {
    const headers: Record<string, string> = method === 'POST' ? { origin: host.server.origin } : {};
    expect(
      (await request(method, path, headers, method === 'POST' ? '{"path":"/"}' : undefined)).status,
    ).toBe(401);
    const status = (
      await request(method, path, { ...headers, cookie }, method === 'POST' ? '{"path":"/"}' : undefined)
    ).status;
    expect([404, 422]).toContain(status);
  });

  test('a finished file is downloaded once and is gone', async () => {
    const { createDialogs } = await import('#main/host/browser/dialogs.ts');
    const { createPages } = await import('#main/host/browser/pages.ts');
    const { startServer } = await import('#main/host/browser/server.ts');
    const pages = createPages(() => () => {});
    const dialogs = createDialogs(host.dir, pages);
    const server = await startServer({ rendererDir: host.dir, port: 0, dialogs, pages });
    try {
      const answer = await fetch(`${server.origin}/session`, {
        method: 'POST',
        headers: { origin: server.origin },
        body: JSON.stringify({ token: new URL(server.url).hash.slice(7) }),
      });
      const own = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
      const socket = new WebSocket(`${server.origin.replace('http', 'ws')}/wire`, {
        headers: { origin: server.origin, cookie: own },
      });
      await once(socket, 'open');
      const chosen = await dialogs.save({ suggestedName: 'Umsätze "Q4"', kind: 'csv' });
      writeFileSync(chosen!.path, 'a,b\r\n');
      const told = once(socket, 'message');
      chosen?.finished?.();
      const { id } = JSON.parse(String((await told)[0])) as { id: string };
      const first = await fetch(`${server.origin}/download/${id}`, { headers: { cookie: own } });
      expect(first.headers.get('content-disposition')).toBe(
        "attachment; filename*=UTF-8''Ums%C3%A4tze%20_Q4_.csv",
      );
      expect(await first.text()).toBe('a,b\r\n');
      expect((await fetch(`${server.origin}/download/${id}`, { headers: { cookie: own } })).status).toBe(404);
      await expect.poll(() => existsSync(chosen!.path)).toBe(false);
      socket.terminate();
    } finally {
      await server.close();
    }
  });
});
