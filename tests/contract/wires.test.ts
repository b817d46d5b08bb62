/** One suite for every wire: the bridge behaves the same over each. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, createApp } from '#main/app.ts';
import { NO_POLICY } from '#main/kernel/policy.ts';
import type { Ports } from '#main/kernel/ports.ts';
import { createBridge } from '#shared/bridge/client.ts';
import { type ServerFrame, WINDOW } from '#shared/bridge/frames.ts';
import { type OperationName, operations } from '#shared/bridge/operations.ts';
import { browserCarrier, type Carrier, electronCarrier, type RawClient } from './carriers.ts';
import { NO_WINDOW, windowCarrier } from './window-carrier.ts';

vi.mock('electron', () => import('../electron-standin/electron.ts'));

const root = path.resolve(import.meta.dirname, '../..');
const source = (file: string) => pathToFileURL(path.join(root, 'src', file));

function testPorts(profile: string): Ports {
  const secrets = new Map<string, string>();
  return {
    host: 'browser',
    version: '0.0.0',
    paths: { profile, resources: path.join(root, 'resources') },
    workers: {
      store: source('main/results/store-worker.ts'),
      embedded: source('service/worker.ts'),
      exports: source('main/export/worker.ts'),
      parsing: source('main/queries-file/parse-worker.ts'),
    },
    dialogs: { save: async () => null, open: async () => null },
    keychain: {
      get: async (account) => secrets.get(account) ?? null,
      set: async (account, secret) => void secrets.set(account, secret),
      remove: async (account) => void secrets.delete(account),
    },
    shell: { writeClipboard: async () => {}, control() {} },
    now: Date.now,
    ticks: () => performance.now(),
    log: { info() {}, warn() {} },
    policy: NO_POLICY,
  };
}

const names = Object.keys(operations) as OperationName[];
const endOf = (id: number) => (frame: ServerFrame) => frame.id === id && frame.type !== 'next';
const eventsOf = (client: RawClient, id: number) =>
  client.received.filter((frame) => frame.id === id && frame.type === 'next');

describe.each([
  ['electron', electronCarrier],
  ['browser', browserCarrier],
  // If it can't run here, window.test.ts says why.
  ...(NO_WINDOW === null ? ([['window', windowCarrier]] as const) : []),
] as const)('the %s wire', (_name, makeCarrier) => {
  let profile: string;
  let app: App;
  let carrier: Carrier;
  let client: RawClient;
  let nextId = 1;

  beforeAll(async () => {
    profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-wires-'));
    app = await createApp(testPorts(profile), { checkOutputs: true });
    carrier = await makeCarrier((wire) => app.attach(wire));
    client = await carrier.open();
  });
  afterAll(async () => {
    await client.close();
    await carrier.stop();
    await app.stop();
    rmSync(profile, { recursive: true, force: true });
  });

  const call = (operation: string, input: unknown, by = client) => {
    const id = nextId++;
    by.send({ type: 'call', id, operation, input });
    return id;
  };
  const answerTo = (operation: string, input: unknown) => client.wait(endOf(call(operation, input)));
  /** A round trip, after which everything sent before it has been handled. */
  const settled = () => answerTo('app.info', {});

  test('a typed bridge works over it', async () => {
    const connection = await carrier.open();
    const info = await createBridge(connection.wire).call('app.info', {});
    expect(info).toMatchObject({ version: '0.0.0', readOnly: false });
    await connection.close();
  });

  test.each(names)('%s refuses input of the wrong shape, and names itself', async (operation) => {
    for (const input of [null, [], 'text', 7]) {
      const answer = await answerTo(operation, input);
      expect(answer).toMatchObject({ type: 'fail', error: { code: 'invalid-input', retryable: false } });
    }
  });

  test.each(['results.pages', '', '__proto__', 'constructor', 'toString'])(
    'there is no operation %j',
    async (name) => {
      expect(await answerTo(name, {})).toMatchObject({ type: 'fail', error: { code: 'invalid-input' } });
    },
  );

  test.each([
    [{ type: 'next', id: 1, event: {} }],
    [{ type: 'call', id: -1, operation: 'app.info', input: {} }],
    [{ type: 'call', id: 'x', operation: 'app.info', input: {} }],
    [{ type: 'call', id: 1.5, operation: 'app.info', input: {} }],
    [{ type: 'call', id: 1, operation: 'x'.repeat(101), input: {} }],
    [{ type: 'cancel', id: 1, extra: true }],
    [{ type: 'ack', id: 1, count: -8 }],
    [{}],
    [[]],
    [7],
  ])('%j, which is not a frame, is dropped without effect', async (message) => {
    const before = client.received.length;
    client.send(message);
    await settled();
    expect(client.received.slice(before).every((frame) => frame.type === 'done')).toBe(true);
  });

  test('a stream pauses when its window is full, and continues after an ack', async () => {
    const id = call('app.events', {});
    await settled();
    for (let sent = 0; sent < WINDOW * 3; sent++) app.command(`command-${sent}`);
    await settled();
    expect(eventsOf(client, id)).toHaveLength(WINDOW);
    client.send({ type: 'ack', id, count: 3 });
    await settled();
    expect(eventsOf(client, id)).toHaveLength(WINDOW + 3);
    client.send({ type: 'ack', id, count: 1_000_000 });
    await settled();
    expect(eventsOf(client, id)).toHaveLength(WINDOW * 2 + 3);
    client.send({ type: 'cancel', id });
    await client.wait(endOf(id));
  });

  test('a cancelled stream ends, and sends nothing afterwards', async () => {
    const id = call('app.events', {});
    await settled();
    client.send({ type: 'cancel', id });
    const end = await client.wait(endOf(id));
    expect(end.type === 'done' || (end.type === 'fail' && end.error.code === 'cancelled')).toBe(true);
    app.command('late');
    await settled();
    expect(eventsOf(client, id)).toEqual([]);
    expect(client.received.filter(endOf(id))).toHaveLength(1);
  });

  test('a call id in use is refused', async () => {
    const id = call('app.events', {});
    client.send({ type: 'call', id, operation: 'app.info', input: {} });
    expect(await client.wait(endOf(id))).toMatchObject({ type: 'fail', error: { code: 'invalid-input' } });
    client.send({ type: 'cancel', id });
    await settled();
  });

  test('answers and acks for unused call ids are ignored', async () => {
    client.send({ type: 'ack', id: 999_999, count: 1 });
    client.send({ type: 'cancel', id: 999_999 });
    expect(await settled()).toMatchObject({ type: 'done' });
  });

  test('a closing page ends its own streams and no others', async () => {
    const other = await carrier.open();
    const lost = createBridge(other.wire).stream('app.events', {}, () => {});
    const refused = expect(lost).rejects.toMatchObject({ code: 'disconnected', retryable: true });
    await other.close();
    await refused;
    app.command('after');
    expect(await settled()).toMatchObject({ type: 'done' });
  });

  test('any text survives the round trip', async () => {
    const id = `draft-${carrier.name}`;
    const value = [
      'utc',
      'emoji 🏰',
      'line\u2028separator',
      '\u202Eright to left',
      '\uD800 lone surrogate',
      '</script>',
    ];
    const key = `favourites:${id}`;
    expect(await answerTo('workspace.put', { key, value })).toMatchObject({ type: 'done' });
    const read = await answerTo('workspace.get', { key });
    expect(read).toMatchObject({ type: 'done' });
    // Storage may replace lone surrogates; everything else must come back unchanged.
    const back = (read.type === 'done' ? (read.output as { value: string[] }).value : []).map((text) =>
      text.toWellFormed(),
    );
    expect(back.filter((text) => !text.includes('lone'))).toEqual(
      value.filter((text) => !text.includes('lone')),
    );
  });
});
