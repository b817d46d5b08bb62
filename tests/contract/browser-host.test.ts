/** The browser host against other processes and sites that can reach this machine's loopback address. */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FRAME_MAX_VALUES } from '#main/host/browser/pages.ts';
import { FRAME_MAX_BYTES, HELLO_MAX_BYTES, SMALL_BODY_BYTES } from '#main/host/browser/server.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import { openPage, wireOf } from '../support/page.ts';
import { type BrowserCarrier, browserCarrier } from './carriers.ts';

let host: BrowserCarrier;
let attached: Wire[];
beforeAll(async () => {
  attached = [];
  host = await browserCarrier((wire) => {
    attached.push(wire);
    return () => {};
  });
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

describe('the page', () => {
  test('binds loopback only and keeps the token out of requests', () => {
    const url = new URL(host.server.url);
    expect(url.hostname).toBe('127.0.0.1');
    expect(url.search).toBe('');
    expect(Buffer.from(host.token, 'base64url').length).toBeGreaterThanOrEqual(16);
  });

  test('has every security header, and so does a refusal', async () => {
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
    const answer = await request('OPTIONS', '/choose/aaaaaaaaaaaaaaaaaaaaaaaa', {
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

const NOT_ADMITTED = 4401;
const call = (id: number) => JSON.stringify({ type: 'call', id, operation: 'app.info', input: {} });
const hello = (secret: unknown) => JSON.stringify({ host: 'hello', secret });

describe('no ambient authority', () => {
  test('no answer sets a cookie, and a cookie opens nothing', async () => {
    for (const path of ['/', '/index.html', '/session', '/missing.js'])
      expect((await request('GET', path)).headers['set-cookie']).toBeUndefined();
    const { host: authority, port } = new URL(host.server.origin);
    const { secret, socket: page } = await openPage(host.server.origin, host.token);
    page.terminate();
    const socket = new WebSocket(`ws://${authority}/wire`, {
      headers: { origin: host.server.origin, cookie: `parapet-${port}=${secret}; parapet=${host.token}` },
    });
    await once(socket, 'open');
    const heard: unknown[] = [];
    socket.on('message', (data) => heard.push(data));
    socket.send(call(1));
    expect((await once(socket, 'close'))[0]).toBe(NOT_ADMITTED);
    expect(heard).toEqual([]);
  });

  test('the token and the session secret open any number of wires', async () => {
    const first = await openPage(host.server.origin, host.token);
    expect(first.secret).not.toBe(host.token);
    const second = await openPage(host.server.origin, host.token);
    const reloaded = await openPage(host.server.origin, first.secret);
    expect(reloaded.secret).toBe(second.secret);
    for (const { socket } of [first, second, reloaded]) socket.terminate();
  });

  test('a link opens one page and reports when it is used', async () => {
    let over = 0;
    const link = host.sessions.link(() => {
      over++;
    });
    (await openPage(host.server.origin, link)).socket.terminate();
    expect(over).toBe(1);
    await expect(openPage(host.server.origin, link)).rejects.toThrow(String(NOT_ADMITTED));
    expect(over).toBe(1);
  });

  test.each([
    ['a wrong secret', hello('x')],
    ['an empty one', hello('')],
    ['no text', hello({ $ne: '' })],
    ['a call', call(1)],
    ['an ack', '{"type":"ack","id":1,"count":1}'],
    ['null', 'null'],
  ])('%s is closed, and nothing after it is answered', async (_what, first) => {
    const before = attached.length;
    const socket = wireOf(host.server.origin);
    await once(socket, 'open');
    const heard: unknown[] = [];
    socket.on('message', (data) => heard.push(data));
    socket.send(first);
    socket.send(hello(host.token));
    socket.send(call(1));
    expect((await once(socket, 'close'))[0]).toBe(NOT_ADMITTED);
    expect(heard).toEqual([]);
    expect(attached.length).toBe(before);
  });

  test('[limit 5 s] a wire without a hello is closed after seconds', async () => {
    const socket = wireOf(host.server.origin);
    await once(socket, 'open');
    const began = performance.now();
    expect((await once(socket, 'close'))[0]).toBe(NOT_ADMITTED);
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  test.each([
    ['below', HELLO_MAX_BYTES - 2000, NOT_ADMITTED],
    // Bytes that arrive together are checked together: the limit protects memory and is not part of the protocol.
    ['far above', 32 * HELLO_MAX_BYTES, 1006],
    ['as large as later frames may be, far above', FRAME_MAX_BYTES, 1006],
  ])('[limit 16 KiB] a first frame %s the limit', async (_what, bytes, code) => {
    const socket = wireOf(host.server.origin);
    await once(socket, 'open');
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.send('x'.repeat(bytes).replace(/^x/, '"').replace(/x$/, '"'));
    expect((await closed)[0]).toBe(code);
  });
});

describe('the wire', () => {
  test.each([['not json'], [Buffer.from([1, 2, 3])]])('closes on %j', async (message) => {
    const { socket } = await openPage(host.server.origin, host.token);
    const closed = once(socket, 'close');
    socket.send(message);
    expect((await closed)[0]).toBe(1003);
  });

  /** Frames received by a page that is opened for them. */
  const received = async (...messages: string[]) => {
    const { socket } = await openPage(host.server.origin, host.token);
    const frames: unknown[] = [];
    attached.at(-1)?.onFrame((frame) => frames.push(frame));
    socket.on('error', () => {});
    const closed = once(socket, 'close').then(([code]) => code as number);
    for (const message of messages) socket.send(message);
    socket.send('"last"');
    const code = await Promise.race([
      closed,
      expect
        .poll(() => frames.at(-1), { timeout: 20_000 })
        .toBe('last')
        .then(() => null),
    ]);
    socket.terminate();
    return { code, frames: frames.length };
  };

  test.each([
    ['one below the size', FRAME_MAX_BYTES - 1, null],
    ['the size', FRAME_MAX_BYTES, null],
    ['one above the size', FRAME_MAX_BYTES + 1, 1009],
  ])('[limit 64 MiB] a text of %s', async (_what, bytes, code) => {
    expect((await received(`"${'x'.repeat(bytes - 2)}"`)).code).toBe(code);
  });

  test.each([
    ['one below', FRAME_MAX_VALUES - 1, null],
    ['at', FRAME_MAX_VALUES, null],
    ['one above', FRAME_MAX_VALUES + 1, 1009],
  ])('[limit 1 000 000 values] as many values as one frame may hold: %s', async (_what, values, code) => {
    // The list takes one character, each further value a comma.
    expect((await received(`[${'0,'.repeat(values - 1)}0]`)).code).toBe(code);
  });

  test.each([
    ['brackets', (bytes: number) => '['.repeat(bytes)],
    ['empty objects', (bytes: number) => `[${'{},'.repeat(bytes / 3 - 1)}{}]`],
    ['members', (bytes: number) => `{${'"":0,'.repeat(bytes / 5 - 1)}"":0}`],
  ])('a giant frame of %s takes no more memory than its bytes', async (_what, makeText) => {
    const frame = makeText(60 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 5);
    expect((await received(frame)).code).toBe(1009);
    clearInterval(watch);
    // The sender lives in this process too, so the frame and its masked copy count as well.
    expect(most - before).toBeLessThan(500 * 1024 * 1024);
  });
});

describe('files', () => {
  let pages: WebSocket[] = [];
  afterEach(() => {
    for (const page of pages) page.terminate();
    pages = [];
  });

  /** A page with the downloads offered to it. */
  async function openTab() {
    const offers: { id: string; name: string }[] = [];
    const { socket } = await openPage(host.server.origin, host.token, (message) => {
      offers.push(message as { id: string; name: string });
    });
    pages.push(socket);
    const offered = async (count = 1) => {
      await expect.poll(() => offers.length, { timeout: 10_000 }).toBe(count);
      return offers.at(-1)!;
    };
    return { socket, offers, offered };
  }
  const save = async (text: string | Buffer, suggestedName = 'rows') => {
    const chosen = await host.dialogs.save({ suggestedName, kind: 'csv' });
    writeFileSync(chosen!.path, text);
    chosen?.finished?.();
    return chosen!;
  };
  const get = (id: string) => fetch(`${host.server.origin}/download/${id}`);

  test.each([
    ['GET', '/download/aaaaaaaaaaaaaaaaaaaaaaaa', 404],
    ['POST', '/upload/aaaaaaaaaaaaaaaaaaaaaaaa', 404],
    ['POST', '/choose/aaaaaaaaaaaaaaaaaaaaaaaa', 422],
    ['POST', '/session', 405],
  ])('%s %s needs a pending request', async (method, path, status) => {
    const headers: Record<string, string> = method === 'POST' ? { origin: host.server.origin } : {};
    const body = method === 'POST' ? '{"path":"/"}' : undefined;
    expect((await request(method, path, headers, body)).status).toBe(status);
  });

  test('a grant for one purpose serves no other', async () => {
    const tab = await openTab();
    await save('a');
    const { id } = await tab.offered();
    const headers = { origin: host.server.origin };
    expect((await request('POST', `/upload/${id}?name=x`, headers, '{}')).status).toBe(404);
    expect((await request('POST', `/choose/${id}`, headers, '{"path":"/"}')).status).toBe(422);
    // No other path serves the waiting file.
    for (const other of [id.slice(1), `${id}x`, host.token, 'aaaaaaaaaaaaaaaaaaaaaaaa', ''])
      for (const method of ['GET', 'HEAD'])
        expect((await request(method, `/download/${other}`)).status).toBe(404);
    expect(await (await get(id)).text()).toBe('a');
  });

  test('a finished file is downloaded once and is gone', async () => {
    const tab = await openTab();
    const chosen = await save('a,b\r\n', 'Umsätze "Q4"');
    expect(existsSync(chosen.path)).toBe(false);
    const { id } = await tab.offered();
    const first = await get(id);
    expect(first.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''Ums%C3%A4tze%20_Q4_.csv",
    );
    expect(first.headers.get('content-length')).toBe('5');
    expect(await first.text()).toBe('a,b\r\n');
    expect((await get(id)).status).toBe(404);
    await expect.poll(() => host.dialogs.clear(), { timeout: 10_000 }).toBe(0);
  });

  test('HEAD returns its size and keeps it', async () => {
    const tab = await openTab();
    await save('12345');
    const { id } = await tab.offered();
    for (let round = 0; round < 3; round++) {
      const answer = await request('HEAD', `/download/${id}`);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-length']).toBe('5');
      expect(answer.body).toBe('');
    }
    expect(await (await get(id)).text()).toBe('12345');
  });

  test.each([0, 1, 262_143, 262_144, 262_145])('a file of %d bytes arrives whole', async (bytes) => {
    const tab = await openTab();
    const content = Buffer.alloc(bytes, 'abcdefg');
    await save(content);
    const { id } = await tab.offered();
    expect(Buffer.from(await (await get(id)).arrayBuffer()).equals(content)).toBe(true);
  });

  test.each([
    ['a small file', 10],
    ['a large file', 8 * 1024 * 1024],
  ])('a download of %s that breaks off can be fetched again', async (_what, bytes) => {
    const tab = await openTab();
    const content = Buffer.alloc(bytes, 'abcdefg');
    await save(content);
    const { id } = await tab.offered();
    for (let round = 0; round < 3; round++) {
      const { hostname, port, host: authority } = new URL(host.server.origin);
      const sent = http.get({ hostname, port, path: `/download/${id}`, headers: { host: authority } });
      sent.on('error', () => {});
      const [answer] = (await once(sent, 'response')) as [http.IncomingMessage];
      answer.on('error', () => {});
      answer.socket.resetAndDestroy();
      await expect.poll(async () => (await request('HEAD', `/download/${id}`)).status).toBe(200);
    }
    expect(Buffer.from(await (await get(id)).arrayBuffer()).equals(content)).toBe(true);
    expect(tab.offers).toHaveLength(1);
  });

  test('[limit 8 tries] a page that never gets a file whole gets a bounded number of tries, and the next page has it', async () => {
    const tab = await openTab();
    await save('abc');
    const { id } = await tab.offered();
    let tries = 0;
    for (; host.dialogs.downloads.peek(id) !== null; tries++) host.dialogs.downloads.take(id)?.end(false);
    expect(tries).toBe(8);
    const next = await openTab();
    expect(await (await get((await next.offered()).id)).text()).toBe('abc');
  });

  test('a file finished while no page is open is offered to the next page', async () => {
    await save('late');
    const tab = await openTab();
    expect(await (await get((await tab.offered()).id)).text()).toBe('late');
  });

  test('a file that a page did not fetch is offered to the next page under another grant', async () => {
    const first = await openTab();
    await save('again');
    const before = await first.offered();
    first.socket.terminate();
    const second = await openTab();
    const after = await second.offered();
    expect(after.id).not.toBe(before.id);
    expect((await get(before.id)).status).toBe(404);
    expect(await (await get(after.id)).text()).toBe('again');
    (await openTab()).socket.terminate();
    expect(second.offers).toHaveLength(1);
  });

  test('a waiting file has no name on disk', async () => {
    const secret = 'the-subject-of-a-mail';
    await host.dialogs.clear();
    await openTab();
    await save(`${secret}\r\n`);
    for (const item of readdirSync(host.dir, { recursive: true, withFileTypes: true }))
      if (item.isFile())
        expect(readFileSync(path.join(item.parentPath, item.name)).includes(secret)).toBe(false);
    expect(await host.dialogs.clear()).toBe(1);
  });

  test.each([
    ['below', SMALL_BODY_BYTES - 1, 422],
    ['at', SMALL_BODY_BYTES, 422],
    ['above', SMALL_BODY_BYTES + 1, 400],
    ['far above', 1_000_000, 400],
  ])('[limit 16 KiB] a path in a body %s the limit', async (_what, bytes, status) => {
    const body = '{"path":"/"}'.padEnd(bytes, ' ');
    const answer = await request(
      'POST',
      '/choose/aaaaaaaaaaaaaaaaaaaaaaaa',
      { origin: host.server.origin },
      body,
    );
    expect(answer.status).toBe(status);
  });
});
