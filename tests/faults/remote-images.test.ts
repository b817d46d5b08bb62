/** Misbehaving servers of a mail's pictures: each yields a failed picture, none may end the process. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadImage } from '#main/host-ui/remote-images.ts';

const PICTURE = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
let server: Server;
let agent: Agent;
let answer: (response: ServerResponse) => void;
const uncaught: unknown[] = [];
const note = (error: unknown) => void uncaught.push(error);

beforeEach(async () => {
  uncaught.length = 0;
  process.on('uncaughtException', note).on('unhandledRejection', note);
  server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A public name that resolves to this machine: the look-up that refuses such addresses is tested separately.
  agent = new Agent({
    connect: { lookup: (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]) },
  });
});
afterEach(async () => {
  await agent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  process.off('uncaughtException', note).off('unhandledRejection', note);
});

const load = () =>
  loadImage(
    agent,
    `http://pictures.example:${(server.address() as AddressInfo).port}/a.gif`,
    new AbortController().signal,
  );
/** A stream reports errors within this many turns of the event loop after its reader has left. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

it.each([
  ['a small 404', 404, 'text/html', '<h1>Not found</h1>', 'the server answered 404'],
  ['a 302', 302, 'text/html', 'moved', 'the server answered 302'],
  ['a page instead of a picture', 200, 'text/html', '<h1>Sign in</h1>', 'not a picture'],
  ['an empty 500', 500, 'image/gif', '', 'the server answered 500'],
  ['a large 404', 404, 'text/html', 'x'.repeat(300_000), 'the server answered 404'],
  ['a picture that is too large', 200, 'image/gif', 'x'.repeat(5 * 1024 * 1024 + 1), 'larger than 5 MB'],
])('%s yields a failed picture and no other error', async (_, status, type, body, reason) => {
  answer = (response) => response.writeHead(status, { 'content-type': type, location: '/b.gif' }).end(body);
  await expect(load()).rejects.toThrow(reason);
  await settled();
  expect(uncaught).toEqual([]);
});

it('a response cut off half-way', async () => {
  answer = (response) => {
    response.writeHead(200, { 'content-type': 'image/gif', 'content-length': '5000' });
    response.write(PICTURE, () => response.destroy());
  };
  await expect(load()).rejects.toThrow();
  await settled();
  expect(uncaught).toEqual([]);
});

it('[limit 5 MB] a picture of 5 MB is the largest accepted', async () => {
  answer = (response) => {
    response.writeHead(200, { 'content-type': 'image/gif' });
    response.end(Buffer.alloc(5 * 1024 * 1024, 1));
  };
  expect((await load()).length).toBeGreaterThan(5 * 1024 * 1024);
});

it('a picture arrives as a data URL', async () => {
  answer = (response) => response.writeHead(200, { 'content-type': 'image/gif' }).end(PICTURE);
  await expect(load()).resolves.toBe(`data:image/gif;base64,${PICTURE.toString('base64')}`);
});
