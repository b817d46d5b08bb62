import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import type { Wire } from '#shared/bridge/frames.ts';
import { BACKLOG_MAX_BYTES, holdsMoreValues, Pages } from './pages.ts';

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  send = vi.fn();
  terminate = vi.fn();
  close = vi.fn(() => {
    this.readyState = 2;
  });
  /** Emits a message as a browser's socket would. */
  say(message: object) {
    this.emit('message', Buffer.from(JSON.stringify(message)), false);
  }
}

function openPage() {
  const wires: Wire[] = [];
  const pages = new Pages(
    (wire) => {
      wires.push(wire);
      return () => {};
    },
    (secret) => (secret === 'right' ? 'lasting' : null),
  );
  const socket = new FakeSocket();
  pages.add(socket as unknown as WebSocket, () => {});
  socket.say({ host: 'hello', secret: 'right' });
  return { pages, socket, wire: wires[0]! };
}

test.each([
  ['one below', BACKLOG_MAX_BYTES - 1, true],
  ['at', BACKLOG_MAX_BYTES, true],
  ['one above', BACKLOG_MAX_BYTES + 1, false],
])('[limit 64 MiB] a page that stopped reading, %s the limit', (_what, waiting, sent) => {
  const { socket, wire } = openPage();
  socket.send.mockClear();
  socket.bufferedAmount = waiting;
  wire.send({ type: 'done', id: 1, output: {} });
  expect(socket.send).toHaveBeenCalledTimes(sent ? 1 : 0);
  expect(socket.close).toHaveBeenCalledTimes(sent ? 0 : 1);
});

test('no page gets a request before its hello, and nothing is accepted after the close', async () => {
  const { pages, socket, wire } = openPage();
  const frames: unknown[] = [];
  wire.onFrame((frame) => frames.push(frame));
  const stranger = new FakeSocket();
  pages.add(stranger as unknown as WebSocket, () => {});
  pages.ask({ host: 'ask-path', expected: 'folder' });
  expect(stranger.send).not.toHaveBeenCalled();
  socket.emit('message', Buffer.from('['), false);
  socket.say({ type: 'call', id: 1, operation: 'app.info', input: {} });
  expect(frames).toEqual([]);
  stranger.emit('close');
  socket.emit('close');
  expect(await pages.ask({ host: 'ask-path', expected: 'folder' }).answer).toBeNull();
});

test('a question to one page cannot be answered by another', async () => {
  const { pages, socket } = openPage();
  const { id, answer } = pages.ask({ host: 'ask-path', expected: 'folder' });
  const other = new FakeSocket();
  pages.add(other as unknown as WebSocket, () => {});
  other.say({ host: 'hello', secret: 'right' });
  other.say({ host: 'answer', id, outcome: 'failed' });
  socket.say({ host: 'answer', id, outcome: 'done' });
  expect(await answer).toBe('done');
});

/** Counts lists, members and names of a parsed document by the punctuation before them in JSON. */
const signs = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Object.values(value);
  const commas = Math.max(0, entries.length - 1);
  const colons = Array.isArray(value) ? 0 : entries.length;
  return 1 + commas + colons + entries.reduce((sum: number, entry) => sum + signs(entry), 0);
};

test.each([
  [[1, [2, 3], { a: [], 'b,c:[{': 'd",:[{\\' }]],
  [{ text: '"\\",[[[{{{::,,,', more: [null, true, {}] }],
  [['\\\\', '\\"', '🔑,', '']],
])('punctuation inside texts does not count as values: %j', (value) => {
  const json = Buffer.from(JSON.stringify(value));
  const exact = signs(value);
  const padded = Buffer.concat([json, Buffer.alloc(100, ' ')]);
  expect(holdsMoreValues(padded, exact)).toBe(false);
  expect(holdsMoreValues(padded, exact - 1)).toBe(true);
});
